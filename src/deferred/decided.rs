//! A decision on one call, by the call's name, as files of decisions and of results carry it.

use crate::core::call::CallId;
use crate::core::decision::{Decision, Reach, Ruling};
use crate::core::digest::Digest;

/// A decision on one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub call: CallId,
    /// With it, the decision counts only for the call as it was shown.
    pub digest: Option<Digest>,
    pub decision: Decision,
    pub reach: Reach,
    /// Who decided, where the form of the results can say it.
    pub who: Option<String>,
}

impl From<&Ruling> for Decided {
    fn from(ruling: &Ruling) -> Self {
        Self {
            call: ruling.key.call.clone(),
            digest: Some(ruling.proposed.digest(&ruling.tool)),
            decision: ruling.decision.clone(),
            reach: ruling.reach,
            who: Some(ruling.who.clone()),
        }
    }
}
