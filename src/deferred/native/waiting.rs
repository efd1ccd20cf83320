//! A file of calls that wait: made from a session, and read to be decided elsewhere.
//!
//! Members that are not known are passed over when it is read, so that a later program can say more.

use crate::core::name::quoted;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

use super::super::cursor::At;
use super::super::imported::{ImportedCall, Past, ReadFault};
use super::{DEFERRED, VERSION};
use crate::core::arguments::Arguments;
use crate::core::call::{Answers, Call, CallId, Origin, Risk, SessionId};
use crate::core::digest::Digest;
use crate::core::review::Review;
use crate::core::run::{CallStatus, Outcome, RunEvent, TextKind};
use crate::core::schema::Schema;
use crate::core::script::Script;
use crate::core::verdict::Basis;

/// The calls of a session that wait for a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Deferred {
    format: &'static str,
    version: u32,
    pub session: SessionId,
    pub agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub calls: Vec<DeferredCall>,
    /// What was said and done before, oldest first.
    pub history: Vec<Past>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeferredCall {
    pub call: CallId,
    pub tool: String,
    /// The exact text of the JSON object.
    pub arguments: Arguments,
    pub digest: Digest,
    pub answers: Answers,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The call that this one was made from, in a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<CallId>,
    /// Why it waits; without it, for a reason of whoever wrote the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    #[serde(default)]
    pub risks: Vec<Risk>,
    #[serde(default)]
    pub schema: Option<Schema>,
    #[serde(default)]
    pub metadata: Option<Value>,
    /// Where the script stands that it is part of, or that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Script>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// When an answer comes too late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Since when it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrived: Option<Timestamp>,
}

impl Deferred {
    /// `events` is what a console would have seen of the session.
    pub fn of(session: SessionId, agent: String, calls: &[Call], events: &[RunEvent]) -> Self {
        let mut model = None;
        for event in events {
            if let RunEvent::Began { model: name, .. } = event {
                model = Some(name.clone());
            }
        }
        Self {
            format: DEFERRED,
            version: VERSION,
            session,
            agent,
            model,
            calls: calls.iter().map(DeferredCall::of).collect(),
            history: events.iter().filter_map(past).collect(),
        }
    }
}

impl DeferredCall {
    fn of(call: &Call) -> Self {
        Self {
            call: call.key.call.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            digest: call.digest(),
            answers: call.answers.clone(),
            origin: Some(call.origin),
            parent: call.parent.clone(),
            basis: Some(call.basis.clone()),
            risks: call.risks.clone(),
            schema: call.schema.clone(),
            metadata: call.metadata.clone(),
            script: call.script.as_deref().cloned(),
            warnings: warnings(call),
            expires: call.expires,
            arrived: Some(call.arrived),
        }
    }

    fn imported(self) -> ImportedCall {
        let unsaid = Basis::Framework {
            reason: String::new(),
        };
        ImportedCall {
            id: self.call,
            tool: self.tool,
            arguments: self.arguments,
            answers: self.answers,
            parent: self.parent,
            basis: self.basis.unwrap_or(unsaid),
            risks: self.risks,
            schema: self.schema,
            metadata: self.metadata,
            warnings: self.warnings,
            expires: self.expires,
            arrived: self.arrived,
            script: self.script.map(Arc::new),
        }
    }
}

/// What is odd about a call, and what reviewers said of it.
fn warnings(call: &Call) -> Vec<String> {
    let reviews = call.reviews.iter().map(Review::words);
    call.warnings.iter().cloned().chain(reviews).collect()
}

/// What an event says to whoever decides elsewhere.
fn past(event: &RunEvent) -> Option<Past> {
    Some(match event {
        RunEvent::User { text, .. } => Past::User(text.clone()),
        RunEvent::TextEnded { kind, text, .. } => match kind {
            TextKind::Answer => Past::Agent(text.clone()),
            TextKind::Thinking => Past::Thinking(text.clone()),
        },
        RunEvent::Called {
            call,
            tool,
            arguments,
            ..
        } => Past::Called {
            call: call.clone(),
            tool: tool.clone(),
            arguments: arguments.clone(),
        },
        RunEvent::Status {
            call,
            status: CallStatus::Finished { outcome },
        } => Past::Result {
            call: call.clone(),
            text: words(outcome),
        },
        RunEvent::Server {
            tool,
            arguments,
            result,
            ..
        } => {
            let result = result.as_deref().unwrap_or("no result yet");
            Past::Note(format!(
                "the provider ran {} {arguments}: {result}",
                quoted(tool)
            ))
        }
        RunEvent::Note { text, .. } => Past::Note(text.clone()),
        RunEvent::Discarded { why, .. } => Past::Note(why.clone()),
        RunEvent::Unknown { kind, .. } => Past::Note(format!("the provider sent {kind}")),
        RunEvent::Expired { .. }
        | RunEvent::Reviewed { .. }
        | RunEvent::Began { .. }
        | RunEvent::State(_)
        | RunEvent::Text { .. }
        | RunEvent::Thinking { .. }
        | RunEvent::Status { .. }
        | RunEvent::Arrived(_)
        | RunEvent::Stands { .. }
        | RunEvent::Withdrawn { .. }
        | RunEvent::Output { .. } => return None,
    })
}

fn words(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Result { text } | Outcome::Responded { result: text } => text.clone(),
        Outcome::Failed { message } => format!("failed: {message}"),
        Outcome::Denied { basis } => format!("denied: {}", basis.reason().unwrap_or_default()),
        Outcome::Rejected { reason } => format!("rejected: {reason}"),
        Outcome::SentBack { message } => format!("sent back: {message}"),
        Outcome::Refused { fault } => format!("refused: {fault}"),
        Outcome::Withdrawn { why } => format!("withdrawn: {why}"),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::Expired { .. } => "expired: nobody decided in time".to_owned(),
    }
}

/// Reads one call, and checks that it is still the one its digest is of.
pub(super) fn read(item: &At<'_>) -> Result<ImportedCall, ReadFault> {
    item.need("call")?.name()?;
    item.need("tool")?.name()?;
    let arguments = item.need("arguments")?;
    arguments.text()?;
    let arguments = arguments.arguments()?;
    if let Some(basis) = item.member("basis") {
        tagged::<Basis>(&basis)?;
    }
    let call: DeferredCall = typed(item)?;
    if arguments.digest(&call.tool) == call.digest {
        return Ok(call.imported());
    }
    let digest = item.need("digest")?;
    Err(ReadFault::new(
        digest.place(),
        "this is not the digest of the tool and its arguments: one of them was changed",
        "take the file as it was written",
    ))
}

/// A value that is one of several kinds. Its members have names: a list in their place is not taken.
pub(super) fn tagged<T: DeserializeOwned>(at: &At<'_>) -> Result<T, ReadFault> {
    let members = at.value.as_object().into_iter().flatten();
    for (name, value) in members {
        if let (true, Some(member)) = (value.is_array(), at.member(name)) {
            member.object()?;
        }
    }
    typed(at)
}

fn typed<T: DeserializeOwned>(at: &At<'_>) -> Result<T, ReadFault> {
    T::deserialize(at.value).map_err(|error| at.fault(error.to_string()))
}
