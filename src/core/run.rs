//! What an agent's run tells the console, and what the console asks of it.
//!
//! Owns the values that cross between the two. Both ends may be in one process or in two, so
//! everything here can be serialised.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

use super::arguments::Arguments;
use super::call::{Answer, Call, CallId};
use super::decision::{Awaited, Expiry, Ruling};
use super::output::Stream;
use super::review::Review;
use super::script::Script;
use super::verdict::Basis;

/// Names one entry of a conversation, in the order the entries began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub u64);

/// What an agent is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Waits for a message of the operator.
    Idle,
    /// Waits for the model.
    Thinking,
    /// Tools run, calls may wait for the operator.
    Working,
    /// Nothing runs: every open call waits for a person.
    Waiting,
    /// The last request failed; nothing of it was run. A retry is offered if it makes sense.
    Failed { retry: bool },
    /// The agent's task has ended.
    Ended,
}

impl RunState {
    /// Whether an interrupt has something to stop.
    pub const fn is_busy(&self) -> bool {
        match self {
            Self::Thinking | Self::Working | Self::Waiting => true,
            Self::Idle | Self::Failed { .. } | Self::Ended => false,
        }
    }
}

/// What a streamed text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    Answer,
    Thinking,
}

/// How grave a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Note,
    Warning,
    Error,
}

/// Where a call stands, as its row in the conversation shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The model wants it; policy has not spoken yet.
    Proposed,
    /// Reviewers look at it; these.
    Reviewing {
        by: Vec<String>,
    },
    /// Waits for a person.
    Waiting,
    /// A person decided; what comes of it follows.
    Decided {
        answer: Answer,
        by: String,
        /// The arguments that were put in place of the model's own.
        edited: Option<Arguments>,
    },
    Running,
    /// The provider was told to run it; its result comes with the model's next answer.
    Confirmed,
    Finished {
        outcome: Outcome,
    },
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ran {
    /// What the model is given.
    Result(String),
    /// It failed; the model is given this.
    Failed(String),
    /// The tool wants a person's approval first, and will then be called again.
    ApprovalRequired {
        reason: String,
        metadata: Value,
    },
    /// The result will come from outside.
    Deferred {
        reason: String,
        metadata: Value,
    },
    Interrupted,
    /// It was begun, and whoever ran it is gone: what came of it is not known. Never an end of its own.
    Lost(String),
}

impl CallStatus {
    /// What a ruling makes of the call it is on.
    pub fn of_ruling(ruling: &Ruling) -> Self {
        Self::Decided {
            answer: ruling.decision.answer(),
            by: ruling.who.clone(),
            edited: ruling.decision.edited().cloned(),
        }
    }
}

/// What happened when a call ran, or instead of its running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran; this is what the model is given.
    Result { text: String },
    /// It ran or was tried, and failed; the model is told so.
    Failed { message: String },
    /// Policy denied it; the reason is the model's answer.
    Denied { basis: Basis },
    /// A person rejected it.
    Rejected { reason: String },
    /// A person answered in the tool's place.
    Responded { result: String },
    /// A person sent it back to the model.
    SentBack { message: String },
    /// It could not be run as the model wrote it: broken arguments, unknown tool, id used twice.
    Refused { fault: String },
    /// The script that made it no longer waits for it, so it was not run.
    Withdrawn { why: String },
    /// The operator interrupted the run before it finished.
    Interrupted,
    /// Nobody decided it within this many seconds. Neither approved nor rejected.
    Expired { awaited: Awaited, waited: u64 },
}

impl Outcome {
    /// What a call comes to that nobody decided in time.
    pub fn expired(expiry: &Expiry) -> Self {
        Self::Expired {
            awaited: expiry.awaited,
            waited: expiry.waited(),
        }
    }
}

/// Something that happened in a run. Everything textual in it is untrusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEvent {
    Began {
        agent: String,
        model: String,
    },
    State(RunState),
    /// The operator's message, as sent to the model.
    User {
        entry: EntryId,
        text: String,
    },
    /// A piece of the model's answer; the first with an id begins the entry.
    Text {
        entry: EntryId,
        piece: String,
    },
    /// The model's thinking, where it shows it.
    Thinking {
        entry: EntryId,
        piece: String,
    },
    /// The entry will get no more pieces; this is all of it.
    TextEnded {
        entry: EntryId,
        kind: TextKind,
        text: String,
    },
    /// The model wants a call, or a script of it makes one. `arguments` is the exact text, which may not
    /// even be JSON.
    Called {
        entry: EntryId,
        call: CallId,
        /// The call that runs the script; `None` for a call of the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<CallId>,
        tool: String,
        arguments: String,
    },
    Status {
        call: CallId,
        status: CallStatus,
    },
    /// The call waits for a person.
    Arrived(Box<Call>),
    /// The script whose own row this is stands there by now, and has done that.
    Stands {
        call: CallId,
        script: Arc<Script>,
    },
    /// What the reviewers said of the call, all of them at once.
    Reviewed {
        call: CallId,
        reviews: Vec<Review>,
    },
    /// A waiting call can no longer be decided: its time is over.
    Expired {
        call: CallId,
        tool: String,
        waited: u64,
    },
    /// A waiting call is no longer wanted, without a decision.
    Withdrawn {
        call: CallId,
        why: String,
    },
    Output {
        call: CallId,
        stream: Stream,
        text: String,
    },
    /// A tool that the provider ran by itself.
    Server {
        entry: EntryId,
        tool: String,
        arguments: String,
        result: Option<String>,
    },
    /// Something the provider sent that this program does not know. Kept and shown, never acted on.
    Unknown {
        entry: EntryId,
        kind: String,
        raw: String,
    },
    Note {
        entry: EntryId,
        level: Level,
        text: String,
    },
    /// The entry's text was part of an answer that did not end: it stays, marked, and counts for nothing.
    Discarded {
        entry: EntryId,
        why: String,
    },
}

impl RunEvent {
    /// Whether the journal keeps it. What is left out is either contained in what is kept (pieces of a
    /// text, output of a tool) or follows from another step (a call's status).
    pub const fn is_kept(&self) -> bool {
        match self {
            Self::Began { .. }
            | Self::State(_)
            | Self::User { .. }
            | Self::TextEnded { .. }
            | Self::Called { .. }
            | Self::Withdrawn { .. }
            | Self::Server { .. }
            | Self::Unknown { .. }
            | Self::Note { .. }
            | Self::Discarded { .. } => true,
            Self::Text { .. }
            | Self::Thinking { .. }
            | Self::Status { .. }
            | Self::Arrived(_)
            | Self::Stands { .. }
            | Self::Reviewed { .. }
            | Self::Expired { .. }
            | Self::Output { .. } => false,
        }
    }

    /// The entry that this event begins or changes.
    pub const fn entry(&self) -> Option<EntryId> {
        match self {
            Self::User { entry, .. }
            | Self::Text { entry, .. }
            | Self::Thinking { entry, .. }
            | Self::TextEnded { entry, .. }
            | Self::Called { entry, .. }
            | Self::Server { entry, .. }
            | Self::Unknown { entry, .. }
            | Self::Note { entry, .. }
            | Self::Discarded { entry, .. } => Some(*entry),
            Self::Began { .. }
            | Self::State(_)
            | Self::Status { .. }
            | Self::Arrived(_)
            | Self::Stands { .. }
            | Self::Reviewed { .. }
            | Self::Expired { .. }
            | Self::Withdrawn { .. }
            | Self::Output { .. } => None,
        }
    }
}

/// What the console asks of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunCommand {
    /// A message of the operator. Taken at once if the agent is idle, else when it is next.
    Message { text: String },
    /// A call's ruling, recorded before it is delivered.
    Ruling(Box<Ruling>),
    /// Stop what is going on and wait for a message.
    Interrupt,
    /// Send the request that failed once more.
    Retry,
}
