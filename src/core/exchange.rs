//! What goes to a model and what comes back: answers and messages there, wanted calls here.
//!
//! Owns the values that agent, providers and journal share. The wire formats are the providers'.

use serde::{Deserialize, Serialize};

use super::call::CallId;

/// All that goes to the model in one request: the operator's messages, or the answers to each call of
/// its last response (executed results first, then rejections, then executions, then confirmations).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Append {
    pub answers: Vec<Answered>,
    pub messages: Vec<String>,
}

/// The answer to one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub call: CallId,
    pub tool: String,
    pub body: Body,
    pub came: Came,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// What the model is given as the call's result, whatever it came from.
    Result(String),
    /// For a call the provider runs itself.
    Confirmation { allow: bool },
}

/// How an answer came about. Only the script branches on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Came {
    /// Policy allowed it and it ran.
    Executed,
    Approved,
    /// Approved with other arguments.
    Edited,
    Rejected,
    Responded,
    SentBack,
    /// Policy denied it.
    Denied,
    /// It could not be run as written.
    Refused,
    /// It ran and failed.
    Failed,
    /// Nobody decided it in time.
    Expired,
}

impl Came {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::Approved => "approved",
            Self::Edited => "edited",
            Self::Rejected => "rejected",
            Self::Responded => "answered",
            Self::SentBack => "sent back",
            Self::Denied => "denied",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Expired => "expired",
        }
    }
}

/// A complete response. Its text went through `Streamed`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub calls: Vec<Wanted>,
}

/// A call the model wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    pub id: CallId,
    pub tool: String,
    /// The exact text of the arguments, not parsed.
    pub arguments: String,
    /// The provider holds the call and will run it itself once it is confirmed.
    pub held_by_provider: bool,
}
