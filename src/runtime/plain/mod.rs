//! The loop without a screen: lines go out, lines come in, the state is the same.
//!
//! Owns printing and waiting. What is asked when is `asking`'s, what an answer comes to is `answering`'s,
//! and what may be decided is `app::update`'s.

mod answering;
mod asking;
mod editing;
mod talking;

use std::collections::{HashSet, VecDeque};
use std::io::{self, Write as _};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::Instant;

use super::agents::Agents;
use super::clock::Clock;
use super::console::{Ended, next_asked, open_host};
use super::host::Host;
use super::opening::Opener;
use super::outside::Outside;
use super::perform::Flow;
use super::signals::{Sign, Signals};
use super::storing::Storing;
use super::wire::ToAgent;
use crate::agent::Report;
use crate::app::attention::outside_due;
use crate::app::effect::Effect;
use crate::app::event::{Event, StoreEvent};
use crate::app::state::{Notice, State};
use crate::app::update;
use crate::core::call::CallKey;
use crate::core::name;
use crate::core::run::RunCommand;
use crate::core::session::{Home, Session};
use crate::core::shown::Shown;
use crate::plain;
use crate::term::lines::{Lines, Typed};
use asking::Prompt;

/// Reports taken in before the next look at the keyboard.
const BATCH: usize = 64;

/// What a console without a screen is made of.
pub struct PlainSetup {
    pub state: State,
    pub agents: Agents,
    pub opener: Opener,
    /// A message is on its way to an agent: being idle before it came is no question.
    pub expects: bool,
}

pub struct Plain {
    state: State,
    agents: Agents,
    storing: Storing,
    host: Option<Host>,
    outside: Outside,
    clock: Clock,
    signals: Signals,
    interrupts: Signal,
    lines: Option<Lines>,
    queue: VecDeque<Event>,
    reported: Vec<Report>,
    prompt: Prompt,
    /// When the question was printed.
    asked: std::time::Instant,
    /// The number of the last question about a call.
    number: u32,
    /// When the last line came.
    came: std::time::Instant,
    /// Calls that are to be asked about later.
    skipped: HashSet<CallKey>,
    /// Something was sent to an agent, and it has not moved yet.
    sent: bool,
    /// It was said that calls wait while a message is asked for.
    hinted: bool,
    /// Whether an editor was named.
    editor: bool,
    noticed: Option<Notice>,
}

enum Woke {
    Signal(Sign),
    /// ctrl-c.
    Interrupted,
    Typed(Option<Typed>),
    Stored(Option<StoreEvent>),
    Untold(String),
    Asked(ToAgent),
    Reports,
    Due,
}

impl Plain {
    /// Takes in the parts; to be called inside the asynchronous runtime.
    pub fn new(setup: PlainSetup) -> io::Result<Self> {
        let PlainSetup {
            state,
            agents,
            opener,
            expects,
        } = setup;
        let folder = opener.config.data_dir.clone();
        Ok(Self {
            state,
            agents,
            storing: Storing::new(opener.journal.clone(), folder.clone()),
            host: open_host(&folder),
            outside: Outside::new(opener.config.attention.webhook.as_ref(), &opener.sources),
            clock: opener.clock,
            signals: Signals::listen()?,
            interrupts: signal(SignalKind::interrupt())?,
            lines: Some(Lines::open()?),
            queue: VecDeque::new(),
            reported: Vec::with_capacity(BATCH),
            prompt: Prompt::Open,
            asked: std::time::Instant::now(),
            number: 0,
            came: std::time::Instant::now(),
            skipped: HashSet::new(),
            sent: expects,
            hinted: false,
            editor: opener.config.interface.editor.is_some(),
            noticed: None,
        })
    }

    /// Runs until the operator quits, all agents have ended or the terminal is gone.
    pub async fn run(mut self) -> io::Result<Ended> {
        let here = |session: &&Session| session.home == Home::Here;
        for session in self.state.sessions.iter().filter(here) {
            let lines = plain::history(session);
            say(&lines)?;
        }
        loop {
            if self.take_in()? == Flow::Quit || self.settle()? == Flow::Quit {
                return self.quit().await;
            }
            let flow = match self.wait().await {
                Woke::Signal(Sign::Terminate) | Woke::Typed(None) => Flow::Quit,
                Woke::Signal(Sign::Continued) => {
                    self.ask_again();
                    self.apply(Event::Continued(self.clock.now()))?
                }
                Woke::Interrupted => self.interrupted()?,
                Woke::Typed(Some(typed)) if !self.asks_anew()? => self.typed(&typed)?,
                Woke::Stored(event) => {
                    self.queue.extend(event.map(Event::Store));
                    Flow::Go
                }
                Woke::Untold(why) => {
                    self.queue.push_back(Event::OutsideFailed(why));
                    Flow::Go
                }
                Woke::Asked(ToAgent { session, command }) => {
                    self.agents.send(&session, command);
                    Flow::Go
                }
                Woke::Reports => {
                    self.reports();
                    Flow::Go
                }
                Woke::Typed(Some(_)) | Woke::Due => Flow::Go,
            };
            if flow == Flow::Quit {
                return self.quit().await;
            }
        }
    }

    async fn wait(&mut self) -> Woke {
        let due = self.due();
        tokio::select! {
            biased;
            sign = self.signals.next() => Woke::Signal(sign),
            _ = self.interrupts.recv() => Woke::Interrupted,
            typed = next_typed(&mut self.lines) => Woke::Typed(typed),
            event = self.storing.next(), if !self.storing.is_empty() => Woke::Stored(event),
            why = self.outside.failed() => Woke::Untold(why),
            Some(asked) = next_asked(&mut self.host) => Woke::Asked(asked),
            () = self.agents.next(&mut self.reported, BATCH) => Woke::Reports,
            () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => Woke::Due,
        }
    }

    /// The next moment at which something must be done. No age is shown, so no age makes a moment.
    fn due(&self) -> Option<Instant> {
        let state = &self.state;
        let due = [
            state.pending.next_due(),
            state.attention.due,
            outside_due(state),
        ];
        due.into_iter()
            .flatten()
            .min()
            .map(|due| self.clock.instant(due))
    }

    fn reports(&mut self) {
        for report in self.reported.drain(..) {
            self.host.iter().for_each(|host| host.publish(&report));
            let Report { session, event } = report;
            self.queue.push_back(Event::Run(session, Box::new(event)));
        }
    }

    /// Brings the state up to date with all that is queued, and prints what came of it.
    fn take_in(&mut self) -> io::Result<Flow> {
        let mut flow = self.tick()?;
        while let Some(event) = self.queue.pop_front()
            && flow == Flow::Go
        {
            let told = match &event {
                Event::Run(session, event) => Some((session.clone(), event.clone())),
                _ => None,
            };
            flow = self.apply(event)?;
            if let Some((session, event)) = told {
                self.moved(&event);
                say(&plain::told(&self.state, &session, &event))?;
            }
        }
        Ok(flow)
    }

    fn tick(&mut self) -> io::Result<Flow> {
        self.apply(Event::Clock(self.clock.now()))
    }

    fn apply(&mut self, event: Event) -> io::Result<Flow> {
        let mut flow = Flow::Go;
        for effect in update(&mut self.state, event) {
            if self.perform(effect)? == Flow::Quit {
                flow = Flow::Quit;
            }
        }
        self.say_notice()?;
        Ok(flow)
    }

    fn perform(&mut self, effect: Effect) -> io::Result<Flow> {
        match effect {
            Effect::Record(ruling) => self.storing.record(*ruling),
            Effect::Deliver(ruling) => {
                say(&[Shown::label(&format!(
                    "Recorded: {} {}.",
                    name::of_call(&ruling.key.call, &ruling.tool),
                    ruling.decision.word()
                ))])?;
                let session = ruling.key.session.clone();
                self.agents.send(&session, RunCommand::Ruling(ruling));
            }
            Effect::Message { session, text } => {
                self.agents.send(&session, RunCommand::Message { text });
            }
            Effect::Interrupt(session) => self.agents.send(&session, RunCommand::Interrupt),
            Effect::Resend(session) => self.agents.send(&session, RunCommand::Retry),
            // Whatever else the terminal understands, it knows a bell.
            Effect::Notify { .. } => write(b"\x07")?,
            Effect::TellOutside(waits) => self.outside.tell(waits),
            Effect::Quit => return Ok(Flow::Quit),
            // Nothing that is read line by line asks for one of these.
            Effect::Give { .. }
            | Effect::Revoke { .. }
            | Effect::ListRules
            | Effect::ListSessions
            | Effect::Open(_)
            | Effect::Start(_)
            | Effect::Foresee { .. }
            | Effect::OpenEditor { .. }
            | Effect::Copy(_)
            | Effect::Suspend
            | Effect::Redraw => {}
        }
        Ok(Flow::Go)
    }

    /// Prints the notice of the moment once.
    fn say_notice(&mut self) -> io::Result<()> {
        if self.state.notice == self.noticed {
            return Ok(());
        }
        self.noticed.clone_from(&self.state.notice);
        match &self.noticed {
            Some(notice) => say(&[Shown::label(&notice.text)]),
            None => Ok(()),
        }
    }

    /// What was signed is in the journal before the program ends.
    async fn quit(mut self) -> io::Result<Ended> {
        while !self.storing.is_empty() {
            self.storing.next().await;
        }
        // A state that was handed over is gone on with by whoever was given it.
        let resumed = |session: &&Session| session.home != Home::File;
        for session in self.state.sessions.iter().filter(resumed) {
            let line = format!("Go on later with: countersign resume {}", session.id);
            // The terminal may be gone.
            let _ = say(&[Shown::label(&line)]);
        }
        // What waits was said line by line.
        Ok(Ended::Quit(Vec::new()))
    }
}

async fn next_typed(lines: &mut Option<Lines>) -> Option<Typed> {
    match lines {
        Some(lines) => lines.next().await,
        None => std::future::pending().await,
    }
}

/// Prints lines. Only what is visible is printed.
fn say(lines: &[Shown]) -> io::Result<()> {
    let mut text = String::new();
    for line in lines {
        text.push_str(line.as_str());
        text.push('\n');
    }
    write(text.as_bytes())
}

fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}
