//! Telling of steps that are in the journal: after they are durable, and without the secrets in them.

use jiff::Timestamp;

use super::Step;
use crate::core::call::SessionId;
use crate::core::digest::Digest;
use crate::core::run::RunEvent;

/// A step that is in the journal.
#[derive(Debug, Clone, Copy)]
pub struct Announced<'a> {
    /// Its place among all steps of all sessions.
    pub seq: i64,
    pub at: Timestamp,
    pub session: &'a SessionId,
    /// As it is written in clear.
    pub step: &'a Step,
    /// The digest of the call that it is about, as that really is.
    pub digest: Option<&'a Digest>,
}

/// Hears of every step that this process has recorded, on the thread that writes them: it must not wait
/// for anything. Dropped once nothing more can be written.
pub trait Announce: Send {
    fn announce(&mut self, announced: Announced<'_>);
}

/// The digest of the call that a step is about, from the step before anything was taken out of it.
pub(super) fn digest(step: &Step) -> Option<Digest> {
    match step {
        Step::Event(RunEvent::Called {
            tool, arguments, ..
        }) => Some(Digest::of_call(tool, arguments)),
        Step::Arrived(call) => Some(call.digest()),
        Step::Ruling(ruling) => Some(ruling.digest.clone()),
        Step::Expired(expiry) => Some(expiry.digest.clone()),
        Step::Reviewed { digest, .. } | Step::Started { digest, .. } => Some(digest.clone()),
        Step::Session { .. }
        | Step::Event(_)
        | Step::Sent { .. }
        | Step::Replied { .. }
        | Step::Verdict { .. }
        | Step::Finished { .. }
        | Step::Ended { .. }
        | Step::Withdrawn(_)
        | Step::Paused { .. }
        | Step::HandedOver { .. }
        | Step::Granted(_)
        | Step::Revoked(_) => None,
    }
}
