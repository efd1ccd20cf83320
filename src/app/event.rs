//! Everything that can happen to the console.

use super::key::{Key, Stroke};
use super::state::Drawn;
use crate::core::call::{CallKey, SessionId};
use crate::core::decision::Ruling;
use crate::core::run::RunEvent;
use crate::core::time::Now;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The time. Comes before the other events of a batch, and when something is due.
    Clock(Now),
    Key(Key, Stroke),
    /// A bracketed paste. Only ever text.
    Paste(String),
    Resized {
        columns: u16,
        rows: u16,
    },
    /// What the last frame showed. Never makes another frame by itself.
    Drawn(Box<Drawn>),
    Run(SessionId, Box<RunEvent>),
    Store(StoreEvent),
    /// The operator's editor was closed: its text, or why there is none.
    Edited(Result<String, String>),
    /// The program is asked to end (SIGTERM, SIGHUP).
    Terminate,
}

/// What became of a ruling that was to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreEvent {
    Recorded(CallKey),
    /// Somebody else decided first; who, when and what, in words.
    DecidedElsewhere {
        key: CallKey,
        by: String,
        /// The ruling that was first. Its console may be gone, so it is delivered from here too.
        ruling: Option<Box<Ruling>>,
    },
    /// It is not recorded, so it does not count.
    RecordFailed {
        key: CallKey,
        why: String,
    },
}
