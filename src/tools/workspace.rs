//! One agent's folder, held open, and the only way our file tools reach a file.
//!
//! Owns confinement: every path is resolved below the open folder by cap-std, so neither `..` nor an
//! absolute path nor a symbolic link (also one put there meanwhile) leads out. Owns which kinds of
//! file are touched at all. Knows no tool.

use cap_std::ambient_authority;
use cap_std::fs::{
    Dir, File, FileType, FileTypeExt, Metadata, MetadataExt, OpenOptions, OpenOptionsExt,
};
use rustix::fs::OFlags;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fault::FileFault;
use super::place;

#[derive(Debug)]
pub(super) struct Workspace {
    /// Absolute, as it was named.
    root: PathBuf,
    /// Without symbolic links.
    real: PathBuf,
    dir: Dir,
    /// Held while a file is compared and replaced, so that calls side by side cannot undo each other.
    changing: Mutex<()>,
}

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Workspace {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let root = std::path::absolute(path)?;
        Ok(Self {
            dir: Dir::open_ambient_dir(&root, ambient_authority())?,
            real: root.canonicalize()?,
            root,
            changing: Mutex::new(()),
        })
    }

    /// The folder, absolute.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Waits for other changes of files to be done, and keeps new ones waiting.
    pub(super) fn changing(&self) -> MutexGuard<'_, ()> {
        // The lock guards no value, so one that panicked left nothing half done in it.
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place a model's path names, not yet resolved.
    pub(super) fn place(&self, given: &str) -> Result<PathBuf, FileFault> {
        place::inside(given, &[&self.root, &self.real])
    }

    /// `place` with its symbolic links followed, also if there is no such file yet.
    pub(super) fn resolve(&self, place: &Path) -> Result<PathBuf, FileFault> {
        match self.dir.canonicalize(place) {
            Ok(real) => Ok(real),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if self.dir.symlink_metadata(place).is_ok() {
                    return Err(FileFault::Dangling { path: text(place) });
                }
                let folder = place
                    .parent()
                    .filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.map_or(Ok(PathBuf::new()), |folder| self.resolve(folder))?;
                Ok(place
                    .file_name()
                    .map_or(folder.clone(), |name| folder.join(name)))
            }
            Err(error) => Err(fault(place, error)),
        }
    }

    /// Opens a regular file for reading. Asks what it is before opening, since opening a device can
    /// act on it, and again after, since it may have been exchanged; never waits for a pipe's other end.
    pub(super) fn open_file(&self, place: &Path) -> Result<(File, Metadata), FileFault> {
        let regular = |found: io::Result<Metadata>| {
            let found = found.map_err(|error| fault(place, error))?;
            if found.is_file() {
                return Ok(found);
            }
            let (path, kind) = (text(place), kind(found.file_type()));
            Err(FileFault::NotAFile { path, kind })
        };
        regular(self.dir.metadata(place))?;
        let mut options = OpenOptions::new();
        // Linux and macOS both keep open flags in an `int`, so nothing is lost.
        options
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        let file = self
            .dir
            .open_with(place, &options)
            .map_err(|error| fault(place, error))?;
        let found = regular(file.metadata())?;
        Ok((file, found))
    }

    /// The state of the file at `place`; `None` if there is none.
    pub(super) fn stamp(&self, place: &Path) -> Result<Option<Stamp>, FileFault> {
        match self.dir.symlink_metadata(place) {
            Ok(found) => Ok(Some(Stamp::of(&found))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(fault(place, error)),
        }
    }
}

impl Stamp {
    pub(super) fn of(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
            bytes: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

/// A system error on `place`, with those that have a plainer name by that name.
pub(super) fn fault(place: &Path, error: io::Error) -> FileFault {
    let path = text(place);
    match error.kind() {
        io::ErrorKind::NotFound => FileFault::Missing { path },
        io::ErrorKind::NotADirectory => FileFault::NotAFolder { path },
        // The one error that cap-std makes itself rather than passing on the system's.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => {
            FileFault::LeadsOut { path }
        }
        _ => FileFault::System {
            path,
            source: error,
        },
    }
}

/// A path in a message. Bytes that are not UTF-8 show as replacement characters.
pub(super) fn text(place: &Path) -> String {
    place.to_string_lossy().into_owned()
}

fn kind(found: FileType) -> &'static str {
    if found.is_dir() {
        "a folder"
    } else if found.is_fifo() {
        "a named pipe"
    } else if found.is_socket() {
        "a socket"
    } else if found.is_block_device() || found.is_char_device() {
        "a device"
    } else {
        "of an unknown kind"
    }
}
