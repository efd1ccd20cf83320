//! The journal's files in the data folder: whether there is a journal, that nobody else may read it, and
//! that what is open still is what stands there.
//!
//! Looks at names and metadata only. The database itself is opened elsewhere, and never by this module:
//! closing a second handle of it would drop the locks of the first.

use rustix::process::geteuid;
use std::fs::{Metadata, OpenOptions, Permissions};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::{FILE, StoreError};

/// The file itself; what was committed and is not in the file yet; what the processes that have it open
/// share. One without the others is not the journal.
const PARTS: [&str; 3] = ["", "-wal", "-shm"];

/// Whether a data folder has a journal. A file without a byte is none yet, unless commits that belong
/// into it stand beside it: to open it then would destroy them.
pub fn is_begun(folder: &Path) -> Result<bool, StoreError> {
    let path = folder.join(FILE);
    let size = |path: &Path| match std::fs::metadata(path) {
        Ok(found) if found.is_file() => found.len(),
        // What it is instead, opening it will say.
        Ok(_) => 1,
        Err(_) => 0,
    };
    // A file that cannot be looked at is not taken for a missing one.
    let hidden = std::fs::symlink_metadata(&path)
        .is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound);
    if hidden || size(&path) > 0 {
        return Ok(true);
    }
    let [_, log, _] = parts(&path);
    if size(&log) > 0 {
        return Err(StoreError::Bereft { path, log });
    }
    Ok(false)
}

/// Makes an empty file for a new journal, which only its owner can read: what the database makes beside
/// it is made alike. One that is there keeps its content, and is closed to others if it is ours.
pub(super) fn prepare(path: &Path) {
    let mut options = OpenOptions::new();
    let created = options.write(true).create_new(true).mode(0o600).open(path);
    if created.is_ok() {
        return;
    }
    // Why it could not be made, opening it will say.
    for part in parts(path) {
        let Ok(found) = std::fs::metadata(&part) else {
            continue;
        };
        let mode = found.mode() & 0o777;
        let is_open = mode & 0o077 != 0;
        if !(found.is_file() && is_open && found.uid() == geteuid().as_raw()) {
            continue;
        }
        let closed = std::fs::set_permissions(&part, Permissions::from_mode(mode & 0o700));
        if let Err(error) = closed {
            tracing::warn!(%error, path = %part.display(), "others can read the journal");
        }
    }
}

/// The files with these names. Those of a link stand beside what it leads to.
fn parts(path: &Path) -> [PathBuf; 3] {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    PARTS.map(|end| {
        let mut name = real.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    })
}

/// The files that were opened, to be found again under their names.
#[derive(Debug)]
pub(super) struct Held {
    path: PathBuf,
    parts: Vec<(PathBuf, Identity)>,
}

type Identity = (u64, u64);

impl Held {
    /// To be called when the database has them open.
    pub(super) fn of(path: &Path) -> Self {
        let there = |part: PathBuf| {
            let found = identity(&part)?;
            Some((part, found))
        };
        Self {
            path: path.to_owned(),
            parts: parts(path).into_iter().filter_map(there).collect(),
        }
    }

    /// Whether what is written now will be found by whoever opens the journal next.
    pub(super) fn is_in_place(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.all(|(part, opened)| identity(part).as_ref() == Some(opened))
    }

    pub(super) fn moved(&self) -> StoreError {
        StoreError::Moved {
            path: self.path.clone(),
        }
    }
}

fn identity(path: &Path) -> Option<Identity> {
    let of = |found: Metadata| (found.dev(), found.ino());
    std::fs::metadata(path).ok().map(of)
}
