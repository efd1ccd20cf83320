//! What every command that runs agents needs first: configuration, keymap, journal, log.

use anyhow::Context as _;
use countersign::app::keymap::Keymap;
use countersign::config::sources::Sources;
use countersign::config::{self, Config};
use countersign::runtime;
use countersign::runtime::offline::Rehearsal;
use countersign::runtime::saved;
use countersign::runtime::{Ground, Start, Unfit};
use countersign::store;
use countersign::store::reading::SessionRow;
use countersign::store::{Journal, Reader, StoreError, Writer};
use std::path::{Path, PathBuf};
use tracing_appender::non_blocking::WorkerGuard;

use super::{Stop, keymap, log, sources};

/// Everything that is open before the first agent starts.
pub(crate) struct Opened {
    pub(crate) sources: Sources,
    pub(crate) config: Config,
    pub(crate) keymap: Keymap,
    pub(crate) journal: Journal,
    pub(crate) writer: Writer,
    pub(crate) log: WorkerGuard,
    rehearsal: Option<Rehearsal>,
}

impl Opened {
    /// For new sessions of these agents. Without a configuration the built-in rehearsal is laid out and
    /// used; it goes again if nothing comes of it.
    pub(crate) fn new(config: Option<PathBuf>, agents: &[Option<&str>]) -> Result<Self, Stop> {
        let mut sources = sources(config)?;
        let rehearsal = if sources.has_file() {
            None
        } else {
            let rehearsal = rehearsal(&sources)?;
            sources.config = Some(rehearsal.config());
            Some(rehearsal)
        };
        let opened = Self::with(sources, agents)?;
        Ok(Self {
            rehearsal,
            ..opened
        })
    }

    /// For a session of before: its own configuration, unless another one was named.
    pub(crate) fn of_session(config: Option<PathBuf>, row: &SessionRow) -> Result<Self, Stop> {
        let mut sources = sources(config)?;
        if sources.config.is_none() {
            sources.config.clone_from(&row.config);
        }
        Self::with(sources, &[Some(&row.agent)])
    }

    /// What the configuration of another session declares to be secret, counts here too.
    pub(crate) fn declare_of(&self, row: &SessionRow) -> Result<(), Stop> {
        let config = row.config.clone();
        if config == self.sources.config {
            return Ok(());
        }
        let config = config::load(&sources(config)?);
        let config = config.map_err(|mistakes| Stop::mistakes(&mistakes))?;
        self.journal.veil().declare(&config.redaction);
        Ok(())
    }

    /// What the configuration that a session was begun with declares to be secret, stays so under another
    /// one. If it cannot be read any more, going on refuses what needs it.
    fn declare_own(&self, row: &SessionRow) {
        if row.config.is_none() || row.config == self.config.file {
            return;
        }
        let mut sources = self.sources.clone();
        sources.config.clone_from(&row.config);
        match config::load(&sources) {
            Ok(own) => self.journal.veil().declare(&own.redaction),
            Err(mistakes) => {
                let why: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
                tracing::warn!(session = %row.id, ?why, "its own configuration cannot be read");
            }
        }
    }

    fn with(sources: Sources, agents: &[Option<&str>]) -> Result<Self, Stop> {
        let config = config::load(&sources).map_err(|mistakes| Stop::mistakes(&mistakes))?;
        // Before anything is written.
        for agent in agents {
            config
                .agent(*agent)
                .map_err(|mistake| Stop::mistakes(&[mistake]))?;
        }
        let keymap = keymap(&config.keymap).map_err(|mistakes| Stop::mistakes(&mistakes))?;
        let (journal, writer) =
            Journal::redacting(&config.data_dir, config.redaction.clone()).map_err(failed)?;
        let log = log::to(&config.data_dir, journal.veil())?;
        Ok(Self {
            sources,
            config,
            keymap,
            journal,
            writer,
            log,
            rehearsal: None,
        })
    }

    /// For deferred states: no agent is needed, nor a configuration.
    pub(crate) fn for_states(config: Option<PathBuf>) -> Result<Self, Stop> {
        Self::with(sources(config)?, &[])
    }

    /// Waits until everything is written.
    pub(crate) fn close(self) {
        let Self {
            journal,
            writer,
            log,
            ..
        } = self;
        drop(journal);
        writer.join();
        drop(log);
    }

    /// The agents are about to start: what was laid out for them stays.
    pub(crate) fn keep(&mut self) {
        if let Some(rehearsal) = self.rehearsal.take() {
            rehearsal.keep();
        }
    }

    fn ground(&self) -> Ground<'_> {
        Ground {
            config: &self.config,
            sources: &self.sources,
            journal: &self.journal,
        }
    }

    /// A new session of the named agent, or of the default one.
    pub(crate) fn begin(&self, agent: Option<&str>, prompt: Option<String>) -> Result<Start, Stop> {
        let agent = self
            .config
            .agent(agent)
            .map_err(|mistake| Stop::mistakes(&[mistake]))?;
        runtime::begin(self.ground(), agent, prompt).map_err(unfit)
    }

    /// The session goes on.
    pub(crate) fn resume(&self, row: &SessionRow) -> Result<Start, Stop> {
        self.declare_own(row);
        let agent = self
            .config
            .agent(Some(&row.agent))
            .map_err(|mistake| Stop::mistakes(&[mistake]))?;
        runtime::resume(self.ground(), agent, &row.id).map_err(unfit)
    }
}

/// The session that was named, or the newest; and the sessions there are.
pub(crate) fn find(config: Option<&Path>, name: Option<&str>) -> Result<SessionRow, Stop> {
    let sources = sources(config.map(Path::to_owned))?;
    let sessions = sessions(&sources.data_dir())?;
    saved::find(&sessions, name).map_err(|why| Stop::BadInput(vec![why]))
}

/// The sessions in a data folder; none if it has no journal yet.
pub(crate) fn sessions(folder: &Path) -> Result<Vec<SessionRow>, Stop> {
    if !store::is_begun(folder).map_err(failed)? {
        return Ok(Vec::new());
    }
    Reader::open(folder)
        .and_then(|reader| reader.sessions())
        .map_err(failed)
}

pub(super) fn failed(error: StoreError) -> Stop {
    Stop::Failed(error.into())
}

fn unfit(unfit: Unfit) -> Stop {
    match unfit {
        Unfit::Mistakes(mistakes) => Stop::mistakes(&mistakes),
        Unfit::Store(error) => failed(error),
        Unfit::Other(why) => Stop::BadInput(vec![why]),
    }
}

fn rehearsal(sources: &Sources) -> Result<Rehearsal, Stop> {
    let name = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let name = format!("{name}-{}", std::process::id());
    let laid_out = Rehearsal::prepare(&sources.data_dir(), &name).context(
        "cannot lay out the built-in rehearsal; make the folder writable, or name another with COUNTERSIGN_DATA_DIR",
    )?;
    Ok(laid_out)
}
