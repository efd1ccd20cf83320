//! Opening the console on agents that are ready to start.

use anyhow::Context as _;
use countersign::app::event::Event;
use countersign::app::keymap::Keymap;
use countersign::app::state::{Settings, State};
use countersign::app::update;
use countersign::config::{Config, settings};
use countersign::core::session::Session;
use countersign::runtime::{Agents, Console, Setup, Start};
use countersign::term::{self, Screen, who};
use countersign::ui::{Ui, theme::Theme};
use std::sync::Arc;
use std::time::Duration;

use super::Stop;
use super::opened::Opened;

/// How long stopped tools have to go before the program ends without them.
const GRACE: Duration = Duration::from_secs(3);

/// Opens the console and keeps it open until the operator quits.
pub(crate) fn open(mut opened: Opened, starts: Vec<Start>) -> Result<(), Stop> {
    opened.keep();
    let Opened {
        config,
        keymap,
        journal,
        writer,
        log,
        ..
    } = opened;
    let state = state(&config, Arc::new(keymap), &starts);
    let theme = theme(&config);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the program's threads")?;
    let ended = runtime.block_on(async {
        let (mut agents, reports) = Agents::new();
        for start in starts {
            agents.start(start);
        }
        let screen = Screen::stdout().context("cannot write to the terminal")?;
        let terminal = term::Session::enter(screen).context("cannot set up the terminal")?;
        let ui = Ui::new(theme);
        let setup = Setup {
            state,
            ui,
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
    drop(log);
    ended.map(|_| ()).map_err(Stop::Failed)
}

/// The state before the first frame: each session as the journal shows it.
fn state(config: &Config, keymap: Arc<Keymap>, starts: &[Start]) -> State {
    let sessions = starts.iter().map(|start| {
        let parts = &start.parts;
        let mut session = Session::new(
            parts.session.clone(),
            parts.name.clone(),
            parts.model.clone(),
        );
        session.decided = start
            .saved
            .as_ref()
            .map_or(0, |saved| saved.projection.decided);
        session
    });
    let mut state = State::new(settings(config), keymap, sessions.collect());
    for start in starts {
        for event in start
            .saved
            .iter()
            .flat_map(|saved| &saved.projection.events)
        {
            // What these events ask for was done when they happened.
            let session = start.parts.session.clone();
            update(&mut state, Event::Run(session, Box::new(event.clone())));
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
    }
}

fn theme(config: &Config) -> Theme {
    match config.interface.theme {
        settings::Theme::Dark => Theme::dark(),
        settings::Theme::Light => Theme::light(),
        settings::Theme::Mono => Theme::mono(),
    }
}
