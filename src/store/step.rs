//! The steps that are written, and their form in the database.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

use crate::core::call::{Call, CallId, SessionId};
use crate::core::decision::{Expiry, How, Ruling, Withdrawal};
use crate::core::digest::Digest;
use crate::core::exchange::{Append, Wanted};
use crate::core::review::Review;
use crate::core::run::{Outcome, Ran, RunEvent};
use crate::core::verdict::{Basis, Verdict};
use crate::policy::grant::Grant;

/// One step of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A session began.
    Session {
        agent: String,
        model: String,
        /// The configuration file that the agent was started with.
        config: Option<PathBuf>,
        /// The file whose deferred state this is, as it was named; `None` for an agent of ours.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// Something of the run that the conversation shows.
    Event(RunEvent),
    /// This is being sent to the model. Whether it arrived shows in whether `Replied` follows.
    Sent { append: Append },
    /// The model answered: these are the calls it wants, under the names they have here.
    /// What the provider needs to go on is kept apart from the journal, and only once a session.
    Replied {
        calls: Vec<Named>,
        #[serde(skip)]
        suspension: Value,
    },
    /// What policy says of a call.
    Verdict {
        call: CallId,
        verdict: Verdict,
        basis: Basis,
    },
    /// What the reviewers say of a call, before anything comes of it.
    Reviewed {
        call: CallId,
        tool: String,
        /// Of the tool and the arguments that they were shown.
        digest: Digest,
        reviews: Vec<Review>,
    },
    /// A call waits for a person.
    Arrived(Box<Call>),
    /// A person decided. At most one a call.
    Ruling(Box<Ruling>),
    /// Nobody decided in time. It stands in a ruling's place: whichever of the two is first is the only one.
    Expired(Box<Expiry>),
    /// A call is no longer wanted. It stands in a ruling's place too.
    Withdrawn(Box<Withdrawal>),
    /// The script that a call runs waits for calls. What it needs to go on is kept apart from the journal,
    /// sealed, and only until the script goes further or ends.
    Paused {
        call: CallId,
        /// From 1.
        number: u32,
        /// Of what is kept.
        digest: Digest,
        #[serde(skip)]
        sealed: String,
    },
    /// A call is about to run.
    Started {
        call: CallId,
        attempt: u32,
        digest: Digest,
    },
    /// It has run.
    Finished {
        call: CallId,
        attempt: u32,
        ran: Ran,
    },
    /// The call has its answer.
    Ended { call: CallId, outcome: Outcome },
    /// The results of a deferred state were written for the program that waits for them.
    HandedOver {
        /// Where to, as it was named.
        to: String,
        /// How many of its calls were decided.
        decided: usize,
    },
    /// An operator gave a rule.
    Granted(Box<Grant>),
    /// A given rule counts no more.
    Revoked(Box<Revoked>),
}

/// The taking back of a given rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Revoked {
    pub grant: Grant,
    /// User and host of who took it back.
    pub who: String,
    pub at: Timestamp,
    pub how: How,
}

/// A wanted call with the name it has in this session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Named {
    pub id: CallId,
    pub wanted: Wanted,
}

/// A step as it stands in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its place among all steps of all sessions.
    pub seq: i64,
    pub at: Timestamp,
    pub session: SessionId,
    pub step: Step,
}

impl Step {
    /// The name of the kind in the database.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Session { .. } => "session",
            Self::Event(_) => "event",
            Self::Sent { .. } => "sent",
            Self::Replied { .. } => "replied",
            Self::Verdict { .. } => "verdict",
            Self::Reviewed { .. } => "reviewed",
            Self::Arrived(_) => "arrived",
            Self::Ruling(_) | Self::Expired(_) | Self::Withdrawn(_) => "ruling",
            Self::Paused { .. } => "paused",
            Self::Started { .. } => "started",
            Self::Finished { .. } => "finished",
            Self::Ended { .. } => "ended",
            Self::HandedOver { .. } => "handed_over",
            Self::Granted(_) => "granted",
            Self::Revoked(_) => "revoked",
        }
    }

    /// The call that the step is about.
    pub fn call(&self) -> Option<&CallId> {
        match self {
            Self::Verdict { call, .. }
            | Self::Started { call, .. }
            | Self::Reviewed { call, .. }
            | Self::Finished { call, .. }
            | Self::Paused { call, .. }
            // By which the call is found when it is judged.
            | Self::Event(RunEvent::Called {
                call,
                parent: Some(_),
                ..
            })
            | Self::Ended { call, .. } => Some(call),
            Self::Arrived(call) => Some(&call.key.call),
            Self::Ruling(ruling) => Some(&ruling.key.call),
            Self::Expired(expiry) => Some(&expiry.key.call),
            Self::Withdrawn(withdrawal) => Some(&withdrawal.key.call),
            Self::Session { .. }
            | Self::Event(_)
            | Self::Sent { .. }
            | Self::Replied { .. }
            | Self::HandedOver { .. }
            | Self::Granted(_)
            | Self::Revoked(_) => None,
        }
    }

    pub const fn attempt(&self) -> u32 {
        match self {
            Self::Started { attempt, .. } | Self::Finished { attempt, .. } => *attempt,
            Self::Paused { number, .. } => *number,
            Self::Session { .. }
            | Self::Event(_)
            | Self::Sent { .. }
            | Self::Replied { .. }
            | Self::Verdict { .. }
            | Self::Reviewed { .. }
            | Self::Arrived(_)
            | Self::Ruling(_)
            | Self::Expired(_)
            | Self::Withdrawn(_)
            | Self::Ended { .. }
            | Self::HandedOver { .. }
            | Self::Granted(_)
            | Self::Revoked(_) => 0,
        }
    }
}
