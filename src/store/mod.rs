//! The journal: what happened, written before it takes effect.
//!
//! Owns the database file and the one thread that writes to it. Decides nothing: it says whether a
//! step is recorded, and the first ruling on a call is the only one that ever is.

pub mod reading;
mod sqlite;
pub mod step;
mod writer;

use std::path::PathBuf;

pub use reading::Reader;
pub use step::Step;
pub use writer::{Journal, Writer};

/// The journal's file in the data folder.
pub const FILE: &str = "journal.db";

/// Whether a ruling is now in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    Now,
    /// The call was decided before: who, when and what, in words.
    Before {
        by: String,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "cannot create the data folder {path}: {source}; make it writable, or name another with COUNTERSIGN_DATA_DIR"
    )]
    Folder {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "cannot open the journal {path}: {source}; check that the file is a journal of this program and can be written"
    )]
    Open {
        path: PathBuf,
        source: rusqlite::Error,
    },
    #[error(
        "the journal {path} was written by a newer version (schema {found}, this program knows {known}); use that version"
    )]
    Newer {
        path: PathBuf,
        found: i64,
        known: i64,
    },
    #[error(
        "the journal {path} cannot be read: {why}; nothing was changed, and a copy of the folder can be looked into"
    )]
    Read { path: PathBuf, why: String },
    #[error("the journal cannot be written: {0}")]
    Write(String),
    #[error("the journal already holds this step ({0}); it is not done twice")]
    Twice(&'static str),
    #[error("the journal is closed")]
    Closed,
}
