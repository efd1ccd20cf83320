//! The steps that are written, and their form in the database.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::core::call::{Call, CallKey, SessionId};
use crate::core::decision::Ruling;
use crate::core::digest::Digest;
use crate::core::run::Outcome;

/// One step of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A session began.
    Session {
        session: SessionId,
        agent: String,
        model: String,
    },
    /// A call waits for a person.
    Arrived(Box<Call>),
    /// A person decided. At most one a call.
    Ruling(Box<Ruling>),
    /// A call is about to run. `attempt` counts from 0.
    Started {
        key: CallKey,
        attempt: u32,
        digest: Digest,
    },
    /// It has run.
    Finished {
        key: CallKey,
        attempt: u32,
        outcome: Outcome,
    },
}

/// A step as a row.
pub(super) struct Row {
    pub(super) at: String,
    pub(super) session: String,
    pub(super) call: Option<String>,
    pub(super) kind: &'static str,
    pub(super) attempt: u32,
    pub(super) body: String,
}

impl Step {
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Session { .. } => "session",
            Self::Arrived(_) => "arrived",
            Self::Ruling(_) => "ruling",
            Self::Started { .. } => "started",
            Self::Finished { .. } => "finished",
        }
    }

    pub(super) fn row(&self, now: Timestamp) -> Result<Row, serde_json::Error> {
        let (session, call, attempt, body) = match self {
            Self::Session {
                session,
                agent,
                model,
            } => (session, None, 0, json!({ "agent": agent, "model": model })),
            Self::Arrived(call) => (&call.key.session, Some(&call.key.call), 0, to_value(call)?),
            Self::Ruling(ruling) => (
                &ruling.key.session,
                Some(&ruling.key.call),
                0,
                to_value(ruling)?,
            ),
            Self::Started {
                key,
                attempt,
                digest,
            } => (
                &key.session,
                Some(&key.call),
                *attempt,
                json!({ "digest": digest }),
            ),
            Self::Finished {
                key,
                attempt,
                outcome,
            } => (&key.session, Some(&key.call), *attempt, to_value(outcome)?),
        };
        Ok(Row {
            at: now.to_string(),
            session: session.0.clone(),
            call: call.map(|call| call.0.clone()),
            kind: self.kind(),
            attempt,
            body: body.to_string(),
        })
    }
}

fn to_value(value: &impl serde::Serialize) -> Result<Value, serde_json::Error> {
    serde_json::to_value(value)
}
