//! Opening the console on agents that are ready to start.

use anyhow::Context as _;
use countersign::app::event::Event;
use countersign::app::keymap::Keymap;
use countersign::app::state::{Leaves, Settings, State};
use countersign::app::update;
use countersign::config::{Config, settings};
use countersign::core::session::{Home, Session};
use countersign::runtime::deferred::Entered;
use countersign::runtime::{Agents, Clock, Console, Setup, Start};
use countersign::store::Reader;
use countersign::store::projection::Projection;
use countersign::store::reading::SessionRow;
use countersign::term::{self, Screen, who};
use countersign::ui::{Ui, theme::Theme};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::Stop;
use super::opened::Opened;

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
}

/// Opens the console on agents of its own and on sessions that run elsewhere, and keeps it open until
/// the operator quits.
pub(crate) fn open(
    mut opened: Opened,
    starts: Vec<Start>,
    elsewhere: &[Elsewhere],
) -> Result<(), Stop> {
    opened.keep();
    let cast = Cast {
        starts,
        elsewhere,
        ..Cast::default()
    };
    let ended = show(&opened, cast);
    opened.close();
    ended
}

/// Keeps the console open on these until the operator quits, or until it leaves by itself.
pub(crate) fn show(opened: &Opened, cast: Cast<'_>) -> Result<(), Stop> {
    let config = &opened.config;
    let theme = theme(config);
    let folder = config.data_dir.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the program's threads")?;
    let ended = runtime.block_on(async {
        let (mut agents, reports) = Agents::new();
        let mut shown: Vec<_> = cast.starts.iter().map(shown).collect();
        for start in cast.starts {
            agents.start(start);
        }
        shown.extend(attach(&mut agents, &folder, cast.elsewhere).await?);
        shown.extend(
            cast.states
                .iter_mut()
                .map(|state| stand_in(&mut agents, state)),
        );
        let clock = Clock::start();
        let settings = Settings {
            leaves: cast.leaves,
            ..settings(config)
        };
        let state = state(settings, Arc::new(opened.keymap.clone()), clock, shown);
        let screen = Screen::stdout().context("cannot write to the terminal")?;
        let terminal = term::Session::enter(screen).context("cannot set up the terminal")?;
        let ui = Ui::new(theme);
        let setup = Setup {
            state,
            ui,
            terminal,
            agents,
            reports,
            journal: opened.journal.clone(),
            clock,
            folder,
        };
        Console::new(setup)?
            .run()
            .await
            .context("the terminal failed")
    });
    // Tools that were stopped get a moment to go; then nothing holds the journal any more.
    runtime.shutdown_timeout(GRACE);
    ended.map(|_| ()).map_err(Stop::Failed)
}

/// Joins the sessions that run elsewhere. One whose process does not answer is left out, unless that
/// leaves none.
async fn attach(
    agents: &mut Agents,
    folder: &Path,
    elsewhere: &[Elsewhere],
) -> anyhow::Result<Vec<(Session, Projection)>> {
    let mut shown = Vec::new();
    let mut failed = None;
    for Elsewhere { row, socket } in elsewhere {
        if let Err(error) = agents.attach(row.id.clone(), socket).await {
            tracing::warn!(session = %row.id, %error, "a session's process cannot be reached");
            failed = Some((row.id.clone(), error));
            continue;
        }
        // Read after connecting: what happens in between comes twice, and counts once.
        let steps = Reader::open(folder)?.steps(&row.id, 0)?;
        let mut session = Session::new(row.id.clone(), row.agent.clone(), row.model.clone());
        session.home = Home::Elsewhere;
        shown.push((session, Projection::of(&steps)));
    }
    match failed {
        Some((id, error)) if shown.is_empty() => {
            Err(error).with_context(|| format!("cannot reach the process that runs session {id}"))
        }
        _ => Ok(shown),
    }
}

/// A deferred state, with a task in the place of its agent.
fn stand_in(agents: &mut Agents, state: &mut Entered) -> (Session, Projection) {
    if let Some(lease) = state.take_lease() {
        agents.stand_in(state.session.clone(), state.open(), lease);
    }
    let id = state.session.clone();
    let mut session = Session::new(id, String::new(), String::new());
    session.home = Home::File;
    (session, state.projection.clone())
}

/// A session of ours as the journal shows it: a new one is empty.
fn shown(start: &Start) -> (Session, Projection) {
    let parts = &start.parts;
    let session = Session::new(
        parts.session.clone(),
        parts.name.clone(),
        parts.model.clone(),
    );
    (
        session,
        start
            .saved
            .as_ref()
            .map(|saved| saved.projection.clone())
            .unwrap_or_default(),
    )
}

/// The state before the first frame.
fn state(
    settings: Settings,
    keymap: Arc<Keymap>,
    clock: Clock,
    shown: Vec<(Session, Projection)>,
) -> State {
    let (sessions, projections): (Vec<_>, Vec<_>) = shown.into_iter().unzip();
    let ids: Vec<_> = sessions.iter().map(|session| session.id.clone()).collect();
    let mut state = State::new(settings, keymap, sessions);
    update(&mut state, Event::Clock(clock.now()));
    for (id, projection) in ids.iter().zip(projections) {
        for event in projection.events {
            // What these events ask for was done when they happened.
            update(&mut state, Event::Run(id.clone(), Box::new(event)));
        }
    }
    state.notice = None;
    state
}

fn settings(config: &Config) -> Settings {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let decisions = &config.decisions;
    Settings {
        arming: millis(decisions.arming),
        hold: millis(decisions.hold),
        hold_destructive: millis(decisions.hold_destructive),
        who: who::who().to_string(),
        leaves: Leaves::default(),
    }
}

fn theme(config: &Config) -> Theme {
    match config.interface.theme {
        settings::Theme::Dark => Theme::dark(),
        settings::Theme::Light => Theme::light(),
        settings::Theme::Mono => Theme::mono(),
    }
}
