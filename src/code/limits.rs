//! How much a script may use.

use std::time::Duration;

/// What a script may use, over its whole life and all processes it is gone on with in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Of running. Waiting for calls does not count.
    pub time: Duration,
    /// Bytes.
    pub memory: u64,
    /// Calls of tools.
    pub calls: u32,
    /// Bytes of printed text.
    pub printed: usize,
    /// Bytes of the result, and of the arguments of the calls that are made before a pause.
    pub result: usize,
    /// Bytes of a paused script: each pause keeps that many in the journal.
    pub snapshot: usize,
    /// Bytes of the script itself.
    pub code: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            memory: 256 * 1024 * 1024,
            calls: 100,
            printed: 256 * 1024,
            result: 1024 * 1024,
            snapshot: 4 * 1024 * 1024,
            code: 256 * 1024,
        }
    }
}
