//! What a call knows of the script that made it.
//!
//! Owns the ways between the two: the script's row, and the word that the script no longer waits.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio_util::sync::CancellationToken;

use super::ahead::Foreseen;
use super::row::Row;
use crate::core::call::CallId;
use crate::core::script::Script;

/// The script of a call.
#[derive(Clone)]
pub(in crate::agent) struct Within {
    /// The call that runs it.
    pub(in crate::agent) outer: CallId,
    /// Where it stands, as it is shown beside the call.
    pub(in crate::agent) script: Arc<Script>,
    pub(in crate::agent) row: Arc<Row>,
    pub(in crate::agent) left: Left,
    /// What was asked of it before it was made.
    pub(in crate::agent) foreseen: Arc<Mutex<Option<Foreseen>>>,
}

impl Within {
    /// What was asked of the call before it was made; once.
    pub(in crate::agent) fn foreseen(&self) -> Option<Foreseen> {
        let mut foreseen = self.foreseen.lock().unwrap_or_else(PoisonError::into_inner);
        foreseen.take()
    }
}

/// Whether a script still waits for a call. Cheap to clone.
#[derive(Clone, Default)]
pub(in crate::agent) struct Left {
    token: CancellationToken,
    why: Arc<OnceLock<String>>,
}

impl Left {
    /// The script no longer waits for the call: it is not to be asked about or begun any more. One that
    /// runs already runs to its end.
    pub(in crate::agent) fn leave(&self, why: &str) {
        // The first reason is the one.
        let _ = self.why.set(why.to_owned());
        self.token.cancel();
    }

    /// Why the script no longer waits for it, if so.
    pub(in crate::agent) fn why(&self) -> Option<&str> {
        self.why.get().map(String::as_str)
    }

    /// Why it no longer does, once that is so.
    pub(in crate::agent) async fn gone(&self) -> String {
        self.token.cancelled().await;
        self.why().unwrap_or_default().to_owned()
    }
}
