//! A new journal's file.
//!
//! Owns that there is none by halves: it is made beside its place, whole and on disk, before it gets its name.
//! That takes two durable writes; to have the database make it step by step takes seven, and the first frame
//! of a new operator waits for them. Knows nothing of what is in it.

use rusqlite::{Connection, MAIN_DB};
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use super::sqlite;

/// Where an image says how it is written and how it is read, and what it says where commits are kept beside it:
/// see the file format of `SQLite`, 1.3.3.
const FORMS: std::ops::RangeInclusive<usize> = 18..=19;
const WITH_LOG: u8 = 2;

/// Makes the file, if nothing has its name. Where that cannot be done it is left to the database, which
/// will say why.
pub(super) fn make(path: &Path) {
    let missing =
        std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let (true, Some(folder)) = (missing, path.parent()) else {
        return;
    };
    let made = image()
        .map_err(io::Error::other)
        .and_then(|image| put(&image, path, folder));
    if let Err(error) = made {
        tracing::debug!(%error, "the journal is made in its place");
    }
}

/// An empty journal, byte for byte.
fn image() -> rusqlite::Result<Vec<u8>> {
    let mut connection = Connection::open_in_memory()?;
    sqlite::bring_up(&connection, 0)?;
    let mut image = connection.serialize(MAIN_DB)?.to_vec();
    if let Some(forms) = image.get_mut(FORMS) {
        forms.fill(WITH_LOG);
    }
    Ok(image)
}

fn put(image: &[u8], path: &Path, folder: &Path) -> io::Result<()> {
    // Nobody but its owner can read such a file.
    let mut scratch = tempfile::NamedTempFile::new_in(folder)?;
    scratch.write_all(image)?;
    scratch.as_file().sync_all()?;
    match scratch.persist_noclobber(path) {
        // Its name must outlive a power cut that what is written to it outlives.
        Ok(_) => File::open(folder)?.sync_all(),
        // Another process has been quicker.
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error),
    }
}
