//! What can be wrong with a journal, and what to do then.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "the rules in {path} cannot be changed: {why}; put the file right, or give the rule for a time"
    )]
    Standing { path: PathBuf, why: String },
    #[error(
        "the rule holds something that is redacted, and grants.toml is written in clear; give it for a time"
    )]
    InClear,
    #[error(
        "the rule holds something that is redacted, in a form that cannot be taken out; give a narrower one"
    )]
    Unredactable,
    #[error(
        "cannot create the data folder {path}: {source}; make it writable, or name another with COUNTERSIGN_DATA_DIR"
    )]
    Folder {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "cannot open the journal {path}: {source}; check that the file and its folder can be written"
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
        "{path} is not a journal of this program but another program's database; nothing was changed; name another data folder with COUNTERSIGN_DATA_DIR"
    )]
    Foreign { path: PathBuf },
    #[error(
        "the journal {path} is damaged ({why}); nothing was changed; move `journal.db`, `journal.db-wal` and `journal.db-shm` away together, then put a copy of before there, or begin a new one"
    )]
    Damaged { path: PathBuf, why: String },
    #[error(
        "the journal {path} is missing or empty, but {log} beside it holds what was recorded last; nothing was changed; put the journal back beside it, or, to restore a copy or to begin a new one, move that file and the one with -shm away first"
    )]
    Bereft { path: PathBuf, log: PathBuf },
    #[error(
        "there is no journal {path} yet; `countersign run` begins one, and COUNTERSIGN_DATA_DIR names another folder"
    )]
    None { path: PathBuf },
    #[error(
        "the journal was moved or removed while in use: {path} or what belongs beside it (-wal, -shm) is not the file that was opened; nothing is recorded any more, and nothing runs; put all of it back just as it was to go on, or quit and restore a copy"
    )]
    Moved { path: PathBuf },
    #[error(
        "the journal {path} is held by another process, which has been writing for seconds; end that one, then try again"
    )]
    Locked { path: PathBuf },
    #[error(
        "the journal {path} cannot be read: {why}; nothing was changed, and a copy of the folder can be looked into"
    )]
    Read { path: PathBuf, why: String },
    #[error("the journal cannot be written: {0}")]
    Write(String),
    #[error("the journal already holds this step ({0}); it is not done twice")]
    Twice(&'static str),
    #[error(
        "the key {path} is missing, without which nothing that was redacted can be read or gone on with; put it back from your backup (`countersign audit` and `countersign sessions` need no key)"
    )]
    KeyMissing { path: PathBuf },
    #[error(
        "{path} is not the key that this journal was redacted with; put that one back from your backup (`countersign audit` and `countersign sessions` need no key)"
    )]
    KeyOther { path: PathBuf },
    #[error("the key {path} cannot be used: {why}; correct that, or put it back from your backup")]
    KeyUnusable { path: PathBuf, why: String },
    #[error(
        "what was redacted in the journal was changed since it was written, and is not used; put a copy of before in its place"
    )]
    Unsealed,
    #[error("the journal is closed")]
    Closed,
}

impl StoreError {
    /// Why a journal could not be opened, as exactly as the database says it.
    pub(super) fn opening(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged {
                path,
                why: source.to_string(),
            },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            _ => Self::Open { path, source },
        }
    }

    /// Why a step could not be written, and what to do.
    pub(super) fn writing(error: &rusqlite::Error) -> Self {
        let todo = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => "; make room on the disk, then go on",
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                "; make the data folder writable, then go on"
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "; another process has been writing for seconds"
            }
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                "; quit, move `journal.db`, `journal.db-wal` and `journal.db-shm` away together, and put a copy of before there"
            }
            _ => "",
        };
        Self::Write(format!("{error}{todo}"))
    }
}
