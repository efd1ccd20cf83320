//! Keys as they came, for telling one that is held down from one that is pressed again.
//!
//! Owns the values only; what is made of them is `update`'s.

use super::command::Command;
use super::key::Key;
use crate::core::call::CallKey;
use crate::core::time::Ticks;

/// A key, and when it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Press {
    pub key: Key,
    pub at: Ticks,
}

/// What a key asked for that may be held down, and of which call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    pub key: Key,
    pub command: Command,
    pub call: Option<CallKey>,
    pub due: Ticks,
    /// How often what is on screen had begun to count afresh.
    pub afresh: u64,
}
