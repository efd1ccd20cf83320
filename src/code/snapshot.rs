//! What a paused script is kept as.
//!
//! A [`Snapshot`] comes from a process that was running just now, or out of a [`Sealed`] one: only
//! what is known to be our own is ever loaded. What stands in it is the business of [`super::script`].

use serde::{Deserialize, Serialize};
use std::fmt;

/// Everything that is needed to go on with a paused script.
#[derive(Clone, PartialEq, Eq)]
pub struct Snapshot(pub(super) Vec<u8>);

impl Snapshot {
    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

/// A script's memory is nothing for a log.
impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({} bytes)", self.0.len())
    }
}

/// A snapshot as it is kept: nobody without the key can read it, change it, or use it for another
/// call. As text for the journal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sealed(pub String);

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealed({} characters)", self.0.len())
    }
}
