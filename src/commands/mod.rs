//! The subcommands, one file each, and how each of them can end.

pub(crate) mod attach;
pub(crate) mod audit;
pub(crate) mod check;
mod console;
pub(crate) mod decide;
pub(crate) mod detach;
mod headless;
pub(crate) mod keys;
mod left_behind;
mod log;
mod opened;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod sessions;

use anyhow::Context as _;
use countersign::app::keymap::Keymap;
use countersign::config::sources::Sources;
use countersign::core::mistake::Mistake;
use std::io::{ErrorKind, Write as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why a command did not succeed.
pub(crate) enum Stop {
    /// What was given is wrong; each line says what and where.
    BadInput(Vec<String>),
    Failed(anyhow::Error),
    /// Calls wait for a person.
    Deferred(String),
}

impl Stop {
    pub(crate) fn mistakes(mistakes: &[Mistake]) -> Self {
        Self::BadInput(mistakes.iter().map(ToString::to_string).collect())
    }

    /// Says why on stderr and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (lines, code) = match self {
            Self::BadInput(lines) => (lines, crate::BAD_INPUT),
            Self::Deferred(line) => (vec![format!("countersign: {line}")], crate::DEFERRED),
            Self::Failed(error) => (
                vec![format!("countersign: {}", told(&error))],
                crate::FAILED,
            ),
        };
        let mut stderr = std::io::stderr().lock();
        for line in lines {
            // Nobody is left to be told if this fails.
            let _ = writeln!(stderr, "{line}");
        }
        ExitCode::from(code)
    }
}

/// An error with its causes, each said once: many messages hold their cause already.
fn told(error: &anyhow::Error) -> String {
    let mut told = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !told.contains(&cause) {
            told.push_str(": ");
            told.push_str(&cause);
        }
    }
    told
}

impl From<anyhow::Error> for Stop {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// Most threads that carry agents, tools and connections: they wait more than they work, and each has
/// memory of its own.
const THREADS: usize = 4;

/// The asynchronous runtime of a program with agents.
pub(crate) fn threads() -> anyhow::Result<tokio::runtime::Runtime> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(processors.min(THREADS))
        .enable_all()
        .build()
        .context("cannot start the program's threads")
}

/// Where the configuration comes from in this process.
pub(crate) fn sources(config: Option<PathBuf>) -> Result<Sources, Stop> {
    Sources::of_process(config).map_err(|fault| Stop::BadInput(vec![fault.to_string()]))
}

/// The default keys with the operator's file, if there is one, laid over them.
pub(crate) fn keymap(file: &Path) -> Result<Keymap, Vec<Mistake>> {
    let built_in = Keymap::built_in();
    match std::fs::read_to_string(file) {
        Ok(text) => built_in.overlaid(&file.display().to_string(), &text),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(built_in),
        Err(error) => Err(vec![Mistake::of_the_whole(
            file.display().to_string(),
            format!("the keymap cannot be read: {error}"),
            "make it readable, or remove it",
        )]),
    }
}

/// Writes to stdout. A reader that has seen enough is no failure.
pub(crate) fn print(text: &str) -> Result<(), Stop> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Stop::Failed(error.into())),
        _ => Ok(()),
    }
}

/// Says something on stderr that is no failure.
pub(crate) fn tell(line: &str) {
    // Nobody is left to be told if this fails.
    let _ = writeln!(std::io::stderr().lock(), "countersign: {line}");
}

/// Writes a file as a whole or not at all. Only the person who runs this can read it.
pub(crate) fn write_whole(file: &Path, text: &[u8]) -> anyhow::Result<()> {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut scratch = tempfile::NamedTempFile::new_in(folder)?;
    scratch.write_all(text)?;
    scratch.as_file().sync_all()?;
    scratch.persist(file)?;
    Ok(())
}
