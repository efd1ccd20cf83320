//! Where the results of each state go.

use anyhow::Context as _;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

use super::super::Stop;
use super::given::Given;

/// Where the results of one state go.
pub(super) enum Place {
    Output,
    File(PathBuf),
}

/// A place that can take the results now.
pub(super) enum Prepared {
    Output,
    /// Whole in a scratch file, and the file whose place it takes.
    File(NamedTempFile, PathBuf),
    /// A device, a pipe: it cannot be replaced, only written to.
    Open(File),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output => f.write_str("standard output"),
            Self::File(file) => write!(f, "{}", file.display()),
        }
    }
}

/// One place for each state, no two the same, and none that a state was read from.
pub(super) fn of(given: &[Given], out: &[PathBuf]) -> Result<Vec<Place>, Stop> {
    let places = named(given, out)?;
    let real = |path: &Path| path.canonicalize().ok();
    let states: HashSet<_> = given
        .iter()
        .filter_map(|g| real(Path::new(&g.name)))
        .collect();
    let over = |place: &&Place| matches!(place, Place::File(file) if real(file).is_some_and(|file| states.contains(&file)));
    match places.iter().find(over) {
        None => Ok(places),
        Some(place) => Err(Stop::BadInput(vec![format!(
            "--out: the results would take the place of the state in {place}; name another file"
        )])),
    }
}

fn named(given: &[Given], out: &[PathBuf]) -> Result<Vec<Place>, Stop> {
    let places = match out {
        [] if given.len() == 1 => vec![Place::Output],
        [] => given.iter().map(|given| beside(&given.name)).collect(),
        [folder] if folder.is_dir() => given
            .iter()
            .map(|given| inside(folder, &given.name))
            .collect(),
        files if files.len() == given.len() => files.iter().cloned().map(place).collect(),
        files => {
            return Err(Stop::BadInput(vec![format!(
                "--out: {} states were given and {} files named for results; name one for each, or a folder",
                given.len(),
                files.len()
            )]));
        }
    };
    let mut seen = HashSet::new();
    let twice = places.iter().find(|place| !seen.insert(place.to_string()));
    match twice {
        None => Ok(places),
        Some(place) => Err(Stop::BadInput(vec![format!(
            "--out: the results of two states would go to {place}; name a file for each"
        )])),
    }
}

fn place(file: PathBuf) -> Place {
    if file.as_os_str() == "-" {
        Place::Output
    } else {
        Place::File(file)
    }
}

/// `state.json` becomes `state.decided.json`.
fn beside(name: &str) -> Place {
    Place::File(Path::new(name).with_extension("decided.json"))
}

fn inside(folder: &Path, name: &str) -> Place {
    let name = Path::new(name).with_extension("decided.json");
    let name = name.file_name().unwrap_or(name.as_os_str());
    Place::File(folder.join(name))
}

impl Place {
    /// Makes sure that the results will have a place, and brings them there but for their name.
    pub(super) fn prepare(&self, text: &[u8]) -> Result<Prepared, Stop> {
        let Self::File(file) = self else {
            return Ok(Prepared::Output);
        };
        let failed = || format!("cannot write the results to {self}");
        // A link leads to the file that somebody reads.
        let file = file.canonicalize().unwrap_or_else(|_| file.clone());
        if file.exists() && !file.is_file() {
            let opened = File::options().write(true).open(&file);
            return Ok(Prepared::Open(opened.with_context(failed)?));
        }
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let written = || -> io::Result<NamedTempFile> {
            let mut scratch = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            scratch.write_all(text)?;
            scratch.as_file().sync_all()?;
            Ok(scratch)
        };
        let scratch = written().with_context(failed)?;
        Ok(Prepared::File(scratch, file))
    }
}

impl Prepared {
    /// The results are there, whole. `output` is what standard output was, where a terminal took its
    /// place.
    pub(super) fn write(self, output: Option<&mut File>, text: &[u8]) -> Result<(), Stop> {
        let written = match (self, output) {
            (Self::File(scratch, file), _) => {
                scratch.persist(file).map(|_| ()).map_err(|e| e.error)
            }
            (Self::Open(mut device), _) => device.write_all(text),
            (Self::Output, Some(output)) => output.write_all(text),
            (Self::Output, None) => io::stdout().lock().write_all(text),
        };
        let written = written.context(
            "cannot write the results; they are recorded, and --again decides the state once more",
        );
        Ok(written?)
    }
}
