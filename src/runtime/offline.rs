//! The built-in rehearsal: its files, put where its tools can really run.
//!
//! Owns a folder of its own for each run, under the data folder, and how many of them are kept.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The scenario of the rehearsal.
pub(super) const SCENARIO: &str = include_str!("../../assets/offline/scenario.toml");

/// Folders of earlier rehearsals that stay, to look at what they did.
const KEPT: usize = 5;

/// Whether a file is run or only read.
#[derive(Clone, Copy)]
enum Kind {
    Program,
    Plain,
}

struct Asset {
    path: &'static str,
    text: &'static str,
    kind: Kind,
}

macro_rules! asset {
    ($kind:ident, $path:literal) => {
        Asset {
            path: $path,
            text: include_str!(concat!("../../assets/offline/", $path)),
            kind: Kind::$kind,
        }
    };
}

const ASSETS: [Asset; 10] = [
    asset!(Plain, "countersign.toml"),
    asset!(Plain, "scenario.toml"),
    asset!(Program, "tools/get_weather.sh"),
    asset!(Program, "tools/book_flight.sh"),
    asset!(Program, "tools/reserve.sh"),
    asset!(Program, "tools/send_mail.sh"),
    asset!(Plain, "workspace/weather.csv"),
    asset!(Plain, "workspace/itinerary.md"),
    asset!(Plain, "workspace/itinerary-old.md"),
    asset!(Plain, "workspace/reports/2025-q3.csv"),
];

/// A rehearsal that is laid out. Dropped before it is kept, it leaves nothing behind.
#[derive(Debug)]
pub struct Rehearsal {
    folder: PathBuf,
    /// Of the folders above it, those that were not there, the innermost first.
    made: Vec<PathBuf>,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Goes,
    Stays,
}

impl Rehearsal {
    /// Lays out a fresh rehearsal named `name`.
    ///
    /// # Errors
    /// If the data folder cannot be written; the path is in the message.
    pub fn prepare(data_dir: &Path, name: &str) -> io::Result<Self> {
        let folder = data_dir.join("rehearsals").join(name);
        let missing = folder.ancestors().skip(1).take_while(|path| !path.exists());
        let rehearsal = Self {
            made: missing.map(Path::to_owned).collect(),
            folder,
            fate: Fate::Goes,
        };
        for asset in &ASSETS {
            let path = rehearsal.folder.join(asset.path);
            write(&path, asset).map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            })?;
        }
        Ok(rehearsal)
    }

    /// Its configuration file.
    pub fn config(&self) -> PathBuf {
        self.folder.join("countersign.toml")
    }

    /// It is used: its folder stays, to look at what was done, and the oldest ones go.
    pub fn keep(mut self) {
        self.fate = Fate::Stays;
        if let Some(all) = self.folder.parent() {
            prune(all);
        }
    }
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        if self.fate == Fate::Stays {
            return;
        }
        // A leftover harms nobody, and what somebody else has put there meanwhile stays.
        let _ = fs::remove_dir_all(&self.folder);
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}

fn write(path: &Path, asset: &Asset) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, asset.text)?;
    match asset.kind {
        Kind::Program => fs::set_permissions(path, fs::Permissions::from_mode(0o755)),
        Kind::Plain => Ok(()),
    }
}

/// Removes the oldest rehearsals. Their names sort by time.
fn prune(all: &Path) {
    let Ok(entries) = fs::read_dir(all) else {
        return;
    };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let old = folders.len().saturating_sub(KEPT);
    for folder in &folders[..old] {
        if let Err(error) = fs::remove_dir_all(folder) {
            tracing::warn!(folder = %folder.display(), %error, "an old rehearsal could not be removed");
        }
    }
}
