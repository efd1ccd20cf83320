//! The loop itself.

use futures::FutureExt as _;
use futures::StreamExt as _;
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use tokio::time::Instant;

use super::agents::Agents;
use super::clock::Clock;
use super::foresight::Foresight;
use super::frames::Frames;
use super::host::Host;
use super::left::{Left, left};
use super::opening::{Came, Opener, Opening, Way};
use super::outside::Outside;
use super::pace::Pace;
use super::perform::{self, Flow};
use super::signals::{Sign, Signals};
use super::storing::Storing;
use super::wire::ToAgent;
use crate::agent::Report;
use crate::app::event::Event;
use crate::app::state::State;
use crate::app::update::{next_due, update};
use crate::config::attention::Title;
use crate::core::run::RunEvent;
use crate::term::Session;
use crate::term::input::{Input, Told};
use crate::ui::Ui;

/// Events taken in before the next look at the keyboard.
const BATCH: usize = 256;
/// Keys taken in before the next frame.
const KEYS: usize = 64;

/// What a console is made of.
pub struct Setup {
    pub state: State,
    pub ui: Ui,
    pub terminal: Session,
    pub agents: Agents,
    pub opener: Opener,
}

/// Why the loop ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The operator has left, or there was no more to do; with what still waits.
    Quit(Vec<Left>),
    /// The terminal is gone.
    TerminalGone,
}

pub struct Console {
    pub(super) state: State,
    ui: Ui,
    pub(super) terminal: Session,
    pub(super) agents: Agents,
    pub(super) storing: Storing,
    pub(super) opening: Opening,
    pub(super) foresight: Foresight,
    /// Other consoles on the agents of this one; `None` if the socket cannot be opened.
    host: Option<Host>,
    pub(super) outside: Outside,
    title: Title,
    pub(super) input: Option<Input>,
    pub(super) signals: Signals,
    clock: Clock,
    queue: VecDeque<Event>,
    reported: Vec<Report>,
    dirty: bool,
    pace: Pace,
    pub(super) frames: Frames,
    pub(super) editing: Option<perform::Outside>,
}

/// What woke the loop.
enum Woke {
    Signal(Sign),
    Input(Option<io::Result<Told>>),
    Stored(Option<crate::app::event::StoreEvent>),
    /// A session was opened, or the sessions were listed.
    Opened(Option<Came>),
    /// What a call would change is known.
    Foreseen(Option<Event>),
    Reports,
    /// Nobody outside could be told that calls wait.
    Untold(String),
    /// Another console asks something of an agent of this one.
    Asked(ToAgent),
    Due,
}

impl Console {
    /// Takes in the parts; to be called inside the asynchronous runtime.
    pub fn new(setup: Setup) -> io::Result<Self> {
        let (columns, rows) = crate::term::session::size();
        let opener = setup.opener;
        let folder = opener.config.data_dir.clone();
        let mut console = Self {
            state: setup.state,
            ui: setup.ui,
            terminal: setup.terminal,
            agents: setup.agents,
            storing: Storing::new(opener.journal.clone(), folder.clone()),
            host: open_host(&folder),
            outside: Outside::new(opener.config.attention.webhook.as_ref(), &opener.sources),
            title: opener.config.attention.title,
            clock: opener.clock,
            opening: Opening::new(opener),
            foresight: Foresight::default(),
            input: None,
            signals: Signals::listen()?,
            queue: VecDeque::from([Event::Resized { columns, rows }]),
            reported: Vec::with_capacity(BATCH),
            dirty: true,
            pace: Pace::default(),
            frames: Frames::default(),
            editing: None,
        };
        console.open_input()?;
        Ok(console)
    }

    /// Runs until the operator quits or the terminal is gone.
    pub async fn run(mut self) -> io::Result<Ended> {
        loop {
            let flow = match self.take_in()? {
                Flow::Go => self.draw_if_due()?,
                flow @ (Flow::Suspend | Flow::Edit | Flow::Quit) => flow,
            };
            match flow {
                Flow::Go => {}
                Flow::Suspend => {
                    self.suspend().await?;
                    continue;
                }
                Flow::Edit => {
                    self.edit().await?;
                    continue;
                }
                Flow::Quit => return self.quit().await,
            }
            match self.wait().await {
                Woke::Signal(Sign::Terminate) => self.queue(Event::Terminate),
                Woke::Signal(Sign::Continued) => self.continued().await?,
                Woke::Input(None | Some(Err(_))) => return Ok(Ended::TerminalGone),
                Woke::Input(Some(Ok(told))) => self.take_keys(told),
                Woke::Stored(event) => self.queue.extend(event.map(Event::Store)),
                Woke::Opened(came) => came.into_iter().for_each(|came| self.opened(came)),
                Woke::Foreseen(event) => self.queue.extend(event),
                Woke::Reports => {
                    for report in self.reported.drain(..) {
                        self.host.iter().for_each(|host| host.publish(&report));
                        self.storing.heed(&report.event);
                        let Report { session, event } = report;
                        self.queue.push_back(Event::Run(session, Box::new(event)));
                    }
                }
                Woke::Untold(why) => self.queue(Event::OutsideFailed(why)),
                Woke::Asked(ToAgent { session, command }) => self.agents.send(&session, command),
                Woke::Due => {
                    self.frames.overdue(Instant::now());
                    self.dirty = true;
                }
            }
        }
    }

    /// What comes first: signals, keys, the journal, other consoles, the agents, the time.
    async fn wait(&mut self) -> Woke {
        let due = self.due();
        tokio::select! {
            biased;
            sign = self.signals.next() => Woke::Signal(sign),
            event = next_input(&mut self.input) => Woke::Input(event),
            event = self.storing.next(), if !self.storing.is_empty() => Woke::Stored(event),
            came = self.opening.next(), if !self.opening.is_empty() => Woke::Opened(came),
            event = self.foresight.next(), if !self.foresight.is_empty() => Woke::Foreseen(event),
            why = self.outside.failed() => Woke::Untold(why),
            Some(asked) = next_asked(&mut self.host) => Woke::Asked(asked),
            () = self.agents.next(&mut self.reported, BATCH) => Woke::Reports,
            () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => Woke::Due,
        }
    }

    /// The next moment at which something must be done: a frame, or what the state waits for.
    fn due(&self) -> Option<Instant> {
        let drawable = self.dirty && self.frames.have_room();
        let frame = self.pace.next().filter(|_| drawable);
        let state = next_due(&self.state).map(|ticks| self.clock.instant(ticks));
        [frame, state, self.frames.due()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Its agent is on its way before the state hears of it; what it reports comes after.
    fn opened(&mut self, came: Came) {
        let event = match came {
            Came::Listed(rows) => Event::Listed(rows),
            Came::Opened(Err(why)) => Event::Opened(Err(why)),
            Came::Opened(Ok((opened, way))) => {
                match way {
                    Way::Run(start) => self.agents.start(*start),
                    Way::Watch(connection) => {
                        self.agents.watch(opened.session.id.clone(), connection);
                    }
                }
                Event::Opened(Ok(opened))
            }
        };
        self.queue(event);
    }

    /// The key that woke the loop, and those that have come with it.
    fn take_keys(&mut self, first: Told) {
        self.told(first);
        for _ in 1..KEYS {
            match next_input(&mut self.input).now_or_never() {
                Some(Some(Ok(told))) => self.told(told),
                // An error comes again when the loop waits.
                _ => break,
            }
        }
    }

    fn told(&mut self, told: Told) {
        match told {
            Told::Event(event) => {
                self.pace.key_came();
                self.queue.push_back(event);
            }
            Told::Reached(mark) => {
                let drawn = self.frames.reached(mark, Instant::now());
                self.queue.extend(drawn.map(Event::OnScreen));
            }
        }
    }

    /// Brings the state up to date with all that is queued.
    fn take_in(&mut self) -> io::Result<Flow> {
        let flow = self.apply(Event::Clock(self.clock.now()))?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        if let Some(rules) = self.storing.rules_changed() {
            self.queue_first(Event::Store(rules));
        }
        while let Some(event) = self.queue.pop_front() {
            // That the terminal has a frame asks for no other.
            if !matches!(event, Event::OnScreen(_)) {
                self.dirty = true;
                if !is_more_text(&event) {
                    self.pace.change_came();
                }
            }
            if matches!(event, Event::Resized { .. }) {
                // Sizes that follow each other quickly may end as they began, on a screen that has
                // lost what it showed: the size alone does not tell.
                self.terminal.repaint();
                self.frames.forget();
            }
            let flow = self.apply(event)?;
            if flow != Flow::Go {
                return Ok(flow);
            }
        }
        Ok(Flow::Go)
    }

    pub(super) fn apply(&mut self, event: Event) -> io::Result<Flow> {
        let mut flow = Flow::Go;
        for effect in update(&mut self.state, event) {
            match self.perform(effect)? {
                Flow::Go => {}
                // What else the event asked for is done before.
                other @ (Flow::Suspend | Flow::Edit) => flow = other,
                Flow::Quit => return Ok(Flow::Quit),
            }
        }
        Ok(flow)
    }

    /// Draws what changed, unless the last frame is too recent; then `due` brings the loop back here.
    fn draw_if_due(&mut self) -> io::Result<Flow> {
        let too_soon = self.pace.next().is_some_and(|next| Instant::now() < next);
        if !self.dirty || too_soon || !self.frames.have_room() {
            return Ok(Flow::Go);
        }
        let (ui, state) = (&mut self.ui, &self.state);
        let mut shown = None;
        let written = self
            .terminal
            .draw(|frame| shown = Some(ui.draw(frame, state)))?;
        if self.title == Title::Shown {
            self.terminal.title(crate::ui::title(&self.state))?;
        }
        self.pace.drew(Instant::now());
        self.dirty = false;
        // What was on screen counts from now on, not from when the drawing began.
        let flow = self.apply(Event::Clock(self.clock.now()))?;
        if flow != Flow::Go {
            return Ok(flow);
        }
        match shown {
            Some(drawn) => self.sent(Box::new(drawn), written),
            None => Ok(Flow::Go),
        }
    }

    /// Waits for the rulings that are being recorded: what was signed is in the journal before the
    /// program ends.
    async fn quit(mut self) -> io::Result<Ended> {
        while !self.storing.is_empty() {
            self.storing.next().await;
        }
        self.hush().await;
        Ok(Ended::Quit(left(&self.state)))
    }

    /// Before the time is read again: what fell due meanwhile is not done for that.
    pub(super) fn went_on(&mut self) -> io::Result<()> {
        self.apply(Event::Continued(self.clock.now())).map(drop)
    }

    pub(super) fn queue(&mut self, event: Event) {
        self.queue.push_back(event);
    }

    pub(super) fn queue_first(&mut self, event: Event) {
        self.queue.push_front(event);
    }

    pub(super) fn repaint(&mut self) {
        self.terminal.repaint();
        self.frames.forget();
        self.dirty = true;
    }

    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    pub(super) fn open_input(&mut self) -> io::Result<()> {
        self.input = Some(Input::open()?);
        self.frames.forget();
        self.dirty = true;
        Ok(())
    }
}

/// Whether all that it changes is that a text has become longer.
fn is_more_text(event: &Event) -> bool {
    let Event::Run(_, event) = event else {
        return false;
    };
    matches!(
        **event,
        RunEvent::Text { .. } | RunEvent::Thinking { .. } | RunEvent::Output { .. }
    )
}

/// Without the socket the console works all the same; only other consoles cannot join in.
pub(super) fn open_host(folder: &Path) -> Option<Host> {
    Host::open(folder)
        .inspect_err(|error| tracing::warn!(%error, "no other console can join in: the socket cannot be opened"))
        .ok()
}

pub(super) async fn next_asked(host: &mut Option<Host>) -> Option<ToAgent> {
    match host {
        Some(host) => host.next().await,
        None => std::future::pending().await,
    }
}

pub(super) async fn next_input(input: &mut Option<Input>) -> Option<io::Result<Told>> {
    match input {
        Some(input) => input.next().await,
        None => std::future::pending().await,
    }
}
