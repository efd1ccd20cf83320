//! `countersign run`: the console on one agent.

use anyhow::Context as _;
use clap::Args;
use countersign::app::state::{Settings, State};
use countersign::config::sources::Sources;
use countersign::config::{self, Config, settings};
use countersign::core::session::Session;
use countersign::runtime::{Agents, Console, Setup, Start, assemble, offline};
use countersign::store::{Journal, Writer};
use countersign::term::{self, NoTerminal, Screen, who};
use countersign::ui::{Ui, theme::Theme};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tracing_appender::non_blocking::WorkerGuard;

use super::{Stop, keymap, sources};

/// Log files kept, one a day.
const LOGS: usize = 7;
/// How long stopped tools have to go before the program ends without them.
const GRACE: Duration = Duration::from_secs(3);

#[derive(Debug, Default, Args)]
pub(crate) struct RunFlags {
    /// The agent; the configuration's `default_agent` if it is left out.
    agent: Option<String>,
    /// The first message to the agent.
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
}

pub(crate) fn run(config: Option<PathBuf>, flags: RunFlags) -> Result<(), Stop> {
    NoTerminal::check().map_err(|none| Stop::BadInput(vec![none.to_string()]))?;
    let sources = prepared(sources(config)?)?;
    let config = config::load(&sources).map_err(|mistakes| Stop::mistakes(&mistakes))?;
    let keymap = keymap(&config.keymap).map_err(|mistakes| Stop::mistakes(&mistakes))?;
    let (journal, writer) =
        Journal::open(&config.data_dir).map_err(|error| Stop::Failed(error.into()))?;
    let _log = log_to(&config.data_dir)?;
    let agent = config
        .agent(flags.agent.as_deref())
        .map_err(|mistake| Stop::mistakes(&[mistake]))?;
    let start = assemble(&config, &sources, agent, journal.clone(), flags.prompt)
        .map_err(|mistakes| Stop::mistakes(&mistakes))?;
    let state = state(&config, Arc::new(keymap), &start);
    open(state, theme(&config), start, (journal, writer)).map_err(Stop::Failed)
}

/// Without a configuration the built-in rehearsal is laid out and used.
fn prepared(mut sources: Sources) -> Result<Sources, Stop> {
    if sources.has_file() {
        return Ok(sources);
    }
    let name = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let name = format!("{name}-{}", std::process::id());
    let file = offline::prepare(&sources.data_dir(), &name)
        .context("cannot lay out the built-in rehearsal; make the folder writable, or name another with COUNTERSIGN_DATA_DIR")?;
    sources.config = Some(file);
    Ok(sources)
}

/// Logs go to a file: the screen belongs to the console.
fn log_to(folder: &Path) -> Result<WorkerGuard, Stop> {
    let logs = folder.join("logs");
    // The appender complains on stderr of a folder that is not there yet.
    std::fs::create_dir_all(&logs).context("cannot create the folder of the log files")?;
    let file = tracing_appender::rolling::Builder::new()
        .rotation(tracing_appender::rolling::Rotation::DAILY)
        .filename_prefix("countersign")
        .filename_suffix("log")
        .max_log_files(LOGS)
        .build(logs)
        .context("cannot open the log file")?;
    let (writer, guard) = tracing_appender::non_blocking(file);
    tracing_subscriber::fmt()
        .json()
        .with_writer(writer)
        .with_max_level(tracing::Level::INFO)
        .init();
    Ok(guard)
}

fn state(config: &Config, keymap: Arc<countersign::app::keymap::Keymap>, start: &Start) -> State {
    let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let decisions = &config.decisions;
    let settings = Settings {
        arming: millis(decisions.arming),
        hold: millis(decisions.hold),
        hold_destructive: millis(decisions.hold_destructive),
        who: who::who().to_string(),
    };
    let parts = &start.parts;
    let session = Session::new(
        parts.session.clone(),
        parts.name.clone(),
        parts.model.clone(),
    );
    State::new(settings, keymap, session)
}

fn theme(config: &Config) -> Theme {
    match config.interface.theme {
        settings::Theme::Dark => Theme::dark(),
        settings::Theme::Light => Theme::light(),
        settings::Theme::Mono => Theme::mono(),
    }
}

/// Opens the console and keeps it open until the operator quits.
fn open(
    state: State,
    theme: Theme,
    start: Start,
    journal: (Journal, Writer),
) -> anyhow::Result<()> {
    let (journal, writer) = journal;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(async {
        let (mut agents, reports) = Agents::new();
        agents.start(start);
        let screen = Screen::stdout().context("cannot write to the terminal")?;
        let terminal = term::Session::enter(screen).context("cannot set up the terminal")?;
        let setup = Setup {
            state,
            ui: Ui::new(theme),
            terminal,
            agents,
            reports,
            journal,
        };
        Console::new(setup)?
            .run()
            .await
            .context("the terminal failed")
    });
    // Tools that were stopped get a moment to go; then nothing holds the journal any more.
    runtime.shutdown_timeout(GRACE);
    writer.join();
    ended.map(|_| ())
}
