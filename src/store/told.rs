//! That given rules have changed, told to every process that shows calls which wait.
//!
//! Owns one small file beside the journal, which grows by a byte with each rule that is given or taken back,
//! and how to see with one look whether it or `grants.toml` is as it was. Whether a rule counts is never
//! asked of it: that is read anew each time.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::SystemTime;

use super::standing;

const FILE: &str = "rules.told";

/// How the given rules stood. Two that are equal: none was given or taken back in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Print {
    told: Option<u64>,
    /// It can be edited by hand.
    standing: Option<(u64, Option<SystemTime>)>,
}

/// Reads no file, only how long it is.
pub fn print(folder: &Path) -> Print {
    let standing = fs::metadata(folder.join(standing::FILE)).ok();
    Print {
        told: fs::metadata(folder.join(FILE)).ok().map(|file| file.len()),
        standing: standing.map(|file| (file.len(), file.modified().ok())),
    }
}

/// A rule was given or taken back. It counts all the same if this cannot be told.
pub(super) fn tell(folder: &Path) {
    let file = File::options()
        .create(true)
        .append(true)
        .open(folder.join(FILE));
    if let Err(error) = file.and_then(|mut file| file.write_all(b".")) {
        tracing::warn!(%error, "other consoles cannot be told that a rule was given or taken back");
    }
}
