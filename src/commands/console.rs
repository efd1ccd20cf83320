//! Opening the console on agents that are ready to start.

use anyhow::Context as _;
use countersign::app::attention::Rules;
use countersign::app::event::{self, Event};
use countersign::app::keymap::Keymap;
use countersign::app::sessions::Configured;
use countersign::app::state::{Leaves, Settings, State};
use countersign::app::update;
use countersign::config::{Config, settings};
use countersign::core::session::{Home, Session};
use countersign::core::time::Ticks;
use countersign::runtime::deferred::Entered;
use countersign::runtime::{
    Agents, Clock, Console, Ended, Opener, Plain, PlainSetup, Setup, Start, connect, of_row,
    of_start, opened_as,
};
use countersign::store::projection::Projection;
use countersign::store::reading::SessionRow;
use countersign::store::{Journal, Reader};
use countersign::term::lines::Lines;
use countersign::term::{self, Extras, Mouse, NoTerminal, Screen, who};
use countersign::ui::Ui;
use countersign::ui::theme::{Colours, Theme};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::opened::Opened;
use super::{Stop, left_behind, threads};

/// How long stopped tools have to go before the program ends without them.
const GRACE: Duration = Duration::from_secs(3);

/// A session that another process runs.
pub(crate) struct Elsewhere {
    pub(crate) row: SessionRow,
    pub(crate) socket: PathBuf,
}

/// What the console is opened on.
#[derive(Default)]
pub(crate) struct Cast<'a> {
    pub(crate) starts: Vec<Start>,
    pub(crate) elsewhere: &'a [Elsewhere],
    pub(crate) states: &'a mut [Entered],
    pub(crate) leaves: Leaves,
    pub(crate) form: Form,
}

/// How the console talks to its operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    #[default]
    Screen,
    Lines,
}

impl Form {
    /// What `--plain` says.
    pub(crate) const fn of(flags: &Plainly) -> Self {
        if flags.plain {
            Self::Lines
        } else {
            Self::Screen
        }
    }

    /// Whether the terminal can do it.
    pub(crate) fn check(self) -> Result<(), Stop> {
        let checked = match self {
            Self::Screen => NoTerminal::check(),
            Self::Lines => Lines::check(),
        };
        checked.map_err(|none| Stop::BadInput(vec![none.to_string()]))
    }
}

/// The flag of every command that opens the console.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Plainly {
    /// Ask line by line instead of on a full screen: for screen readers and simple terminals.
    #[arg(long)]
    plain: bool,
}

/// Opens the console on agents of its own and on sessions that run elsewhere, and keeps it open until
/// the operator quits.
pub(crate) fn open(
    mut opened: Opened,
    starts: Vec<Start>,
    elsewhere: &[Elsewhere],
    form: Form,
) -> Result<(), Stop> {
    opened.keep();
    let cast = Cast {
        starts,
        elsewhere,
        form,
        ..Cast::default()
    };
    let ended = show(&opened, cast);
    opened.close();
    ended
}

/// Keeps the console open on these until the operator quits, or until it leaves by itself.
pub(crate) fn show(opened: &Opened, cast: Cast<'_>) -> Result<(), Stop> {
    let runtime = threads()?;
    let from = Opener {
        config: Arc::new(opened.config.clone()),
        sources: Arc::new(opened.sources.clone()),
        journal: opened.journal.clone(),
        clock: Clock::start(),
    };
    let ended = runtime.block_on(run(from, opened.keymap.clone(), cast));
    // Tools that were stopped get a moment to go; then nothing holds the journal any more.
    runtime.shutdown_timeout(GRACE);
    match ended.map_err(Stop::Failed)? {
        Ended::Quit(left) => left_behind::tell(&left),
        Ended::TerminalGone => {}
    }
    Ok(())
}

async fn run(opener: Opener, keymap: Keymap, cast: Cast<'_>) -> anyhow::Result<Ended> {
    let mut agents = Agents::default();
    let now = opener.clock.now().ticks;
    let begun = cast.starts.iter().map(|start| of_start(start, now));
    let mut shown: Vec<_> = begun.collect();
    let expects = cast.starts.iter().any(|start| start.prompt.is_some());
    for start in cast.starts {
        agents.start(start);
    }
    shown.extend(attach(&mut agents, &opener, cast.elsewhere).await?);
    let states = cast.states.iter_mut();
    shown.extend(states.map(|state| stand_in(&mut agents, &opener.journal, state, now)));
    let state = state(&opener, cast.leaves, Arc::new(keymap), shown);
    if cast.form == Form::Lines {
        let setup = PlainSetup {
            state,
            agents,
            opener,
            expects,
        };
        let plain = Plain::new(setup)?;
        return Box::pin(plain.run()).await.context("the terminal failed");
    }
    let theme = theme(&opener.config);
    let screen = Screen::stdout().context("cannot write to the terminal")?;
    let terminal = term::Session::enter(screen, extras(&opener.config))
        .context("cannot set up the terminal")?;
    let setup = Setup {
        state,
        ui: Ui::new(theme),
        terminal,
        agents,
        opener,
    };
    let console = Console::new(setup)?;
    Box::pin(console.run()).await.context("the terminal failed")
}

/// Joins the sessions that run elsewhere. One whose process does not answer is left out, unless that
/// leaves none.
async fn attach(
    agents: &mut Agents,
    opener: &Opener,
    elsewhere: &[Elsewhere],
) -> anyhow::Result<Vec<event::Opened>> {
    let mut shown = Vec::new();
    let mut failed = None;
    for Elsewhere { row, socket } in elsewhere {
        let connection = match connect(socket).await {
            Ok(connection) => connection,
            Err(error) => {
                tracing::warn!(session = %row.id, %error, "a session's process cannot be reached");
                failed = Some((row.id.clone(), error));
                continue;
            }
        };
        // Read after connecting: what happens in between comes twice, and counts once.
        let reader = Reader::open(&opener.config.data_dir)?.for_journal(&opener.journal);
        let steps = reader.steps(&row.id, 0)?;
        let now = opener.clock.now().ticks;
        shown.push(of_row(row, Projection::of(&steps), now));
        agents.watch(row.id.clone(), connection);
    }
    match failed {
        Some((id, error)) if shown.is_empty() => {
            Err(error).with_context(|| format!("cannot reach the process that runs session {id}"))
        }
        _ => Ok(shown),
    }
}

/// A deferred state, with a task in the place of its agent.
fn stand_in(
    agents: &mut Agents,
    journal: &Journal,
    state: &mut Entered,
    now: Ticks,
) -> event::Opened {
    if let Some(lease) = state.take_lease() {
        agents.stand_in(
            state.session.clone(),
            state.waiting(),
            state.scripts(),
            (journal.clone(), lease),
        );
    }
    let id = state.session.clone();
    let mut session = Session::new(id, String::new(), String::new());
    session.home = Home::File;
    opened_as(session, state.projection.clone(), now)
}

/// The state before the first frame.
fn state(opener: &Opener, leaves: Leaves, keymap: Arc<Keymap>, shown: Vec<event::Opened>) -> State {
    let config = &opener.config;
    let settings = Settings {
        leaves,
        ..settings(config)
    };
    let mut state = State::new(settings, keymap, Vec::new());
    let agents = config.agents.values().map(|agent| Configured {
        agent: agent.name.clone(),
        model: agent.model.clone(),
    });
    state.agents = agents.collect();
    update(&mut state, Event::Clock(opener.clock.now()));
    for opened in shown {
        update(&mut state, Event::Opened(Ok(Box::new(opened))));
    }
    state.notice = None;
    state
}

fn settings(config: &Config) -> Settings {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let decisions = &config.decisions;
    let attention = &config.attention;
    Settings {
        arming: millis(decisions.arming),
        hold: millis(decisions.hold),
        hold_destructive: millis(decisions.hold_destructive),
        who: who::who().to_string(),
        leaves: Leaves::default(),
        attention: Rules {
            every: attention.notify.map(|_| millis(attention.every)),
            unknown: attention.unknown,
            outside: attention.webhook.as_ref().map(|hook| millis(hook.after)),
        },
    }
}

/// What the terminal is to do besides showing.
fn extras(config: &Config) -> Extras {
    Extras {
        mouse: match config.interface.mouse {
            settings::Mouse::LeftAlone => Mouse::Off,
            settings::Mouse::Used => Mouse::On,
        },
        call: config.attention.notify.unwrap_or_default(),
        through: config.attention.through,
    }
}

fn theme(config: &Config) -> Theme {
    let colours = match config.interface.colours {
        settings::Colours::Sixteen => Colours::Ansi,
        settings::Colours::Indexed => Colours::Indexed,
        settings::Colours::True => Colours::True,
    };
    match config.interface.theme {
        settings::Theme::Dark => Theme::dark_in(colours),
        settings::Theme::Light => Theme::light_in(colours),
        settings::Theme::Mono => Theme::mono(),
    }
}
