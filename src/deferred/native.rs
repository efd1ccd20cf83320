//! The program's own form: calls that wait, and decisions on them.
//!
//! What a headless run leaves behind:
//!
//! ```json
//! { "format": "countersign.deferred", "version": 1, "session": "0199…", "agent": "travel",
//!   "calls": [ { "call": "flight-2-0", "tool": "book_flight", "arguments": "{\"destination\":\"Millau\"}",
//!                "digest": "5c…", "answers": ["approve", "edit", "reject", "reason", "respond", "retry"] } ] }
//! ```
//!
//! and what it goes on with:
//!
//! ```json
//! { "format": "countersign.decisions", "version": 1,
//!   "decisions": [ { "call": "flight-2-0", "digest": "5c…", "approve": {} },
//!                  { "call": "ada-2-1", "reject": { "reason": "not yet" } } ] }
//! ```
//!
//! A decision has exactly one of `approve` (with `arguments`, an object, to edit), `reject` (`reason`),
//! `respond` (`result`), `retry` (`message`) and `fail` (`message`). With a `digest` it counts only for
//! the call as it was shown. `approve` and `reject` can say `"always": "tool"` or `"always":
//! "arguments"`, where the call's `answers` name it: the decision then holds for later calls too.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::decided::Decided;
use super::imported::{Imported, ImportedCall, ReadFault};
use crate::core::arguments::Arguments;
use crate::core::call::{Answers, Call, CallId, Origin, Risk, SessionId};
use crate::core::decision::{Decision, Reach};
use crate::core::digest::Digest;
use crate::core::schema::Schema;
use crate::core::verdict::Basis;

const DEFERRED: &str = "countersign.deferred";
const DECISIONS: &str = "countersign.decisions";
const VERSION: u32 = 1;

/// The calls of a session that wait for a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deferred {
    format: String,
    version: u32,
    pub session: SessionId,
    pub agent: String,
    pub calls: Vec<DeferredCall>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeferredCall {
    pub call: CallId,
    pub tool: String,
    /// The exact text of the JSON object.
    pub arguments: Arguments,
    pub digest: Digest,
    pub answers: Answers,
    pub origin: Origin,
    pub basis: Basis,
    pub risks: Vec<Risk>,
    pub schema: Option<Schema>,
    pub metadata: Option<Value>,
    pub arrived: Timestamp,
}

impl Deferred {
    pub fn of(session: SessionId, agent: String, calls: &[Call]) -> Self {
        let calls = calls.iter().map(DeferredCall::of).collect();
        Self {
            format: DEFERRED.to_owned(),
            version: VERSION,
            session,
            agent,
            calls,
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
            origin: call.origin,
            basis: call.basis.clone(),
            risks: call.risks.clone(),
            schema: call.schema.clone(),
            metadata: call.metadata.clone(),
            arrived: call.arrived,
        }
    }
}

/// Why a text is no list of decisions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecisionsFault {
    #[error("{0}")]
    Json(String),
    #[error(
        "this is no file of decisions; it must say \"format\": \"countersign.decisions\", \"version\": 1"
    )]
    Format,
    #[error("decision {0}: write exactly one of approve, reject, respond, retry and fail")]
    Choice(usize),
    #[error("decision {place}: the arguments cannot be read: {why}")]
    Arguments { place: usize, why: String },
    #[error("decision {0}: the call `{1}` is decided twice")]
    Twice(usize, CallId),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    decisions: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    call: CallId,
    digest: Option<Digest>,
    approve: Option<Approve>,
    reject: Option<Reject>,
    respond: Option<Respond>,
    retry: Option<Retry>,
    fail: Option<Retry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Approve {
    arguments: Option<Box<RawValue>>,
    always: Option<Always>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Always {
    Tool,
    Arguments,
}

impl Always {
    const fn reach(always: Option<Self>) -> Reach {
        match always {
            None => Reach::Once,
            Some(Self::Tool) => Reach::Tool,
            Some(Self::Arguments) => Reach::Arguments,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reject {
    #[serde(default)]
    reason: String,
    always: Option<Always>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Respond {
    result: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Retry {
    message: String,
}

/// Reads decisions; the places in faults count from 1.
pub fn decisions(text: &str) -> Result<Vec<Decided>, DecisionsFault> {
    let file: File =
        serde_json::from_str(text).map_err(|error| DecisionsFault::Json(error.to_string()))?;
    if file.format != DECISIONS || file.version != VERSION {
        return Err(DecisionsFault::Format);
    }
    let mut decided: Vec<Decided> = Vec::with_capacity(file.decisions.len());
    for (at, entry) in file.decisions.into_iter().enumerate() {
        let place = at + 1;
        if decided.iter().any(|other| other.call == entry.call) {
            return Err(DecisionsFault::Twice(place, entry.call));
        }
        decided.push(entry.decided(place)?);
    }
    Ok(decided)
}

impl Entry {
    fn decided(self, place: usize) -> Result<Decided, DecisionsFault> {
        let always = match (&self.approve, &self.reject) {
            (Some(approve), _) => approve.always,
            (None, Some(reject)) => reject.always,
            (None, None) => None,
        };
        let chosen = (
            self.approve,
            self.reject,
            self.respond,
            self.retry,
            self.fail,
        );
        let decision = match chosen {
            (Some(approve), None, None, None, None) => {
                let parse = |raw: Box<RawValue>| Arguments::parse(raw.get());
                let arguments = approve.arguments.map(parse).transpose();
                let arguments = arguments.map_err(|fault| DecisionsFault::Arguments {
                    place,
                    why: fault.to_string(),
                })?;
                Decision::Approve { arguments }
            }
            (None, Some(reject), None, None, None) => Decision::Reject {
                reason: reject.reason,
            },
            (None, None, Some(respond), None, None) => Decision::Respond {
                result: respond.result,
            },
            (None, None, None, Some(retry), None) => Decision::Retry {
                message: retry.message,
            },
            (None, None, None, None, Some(fail)) => Decision::Fail {
                message: fail.message,
            },
            _ => return Err(DecisionsFault::Choice(place)),
        };
        Ok(Decided {
            call: self.call,
            digest: self.digest,
            decision,
            reach: Always::reach(always),
            who: None,
        })
    }
}

/// What the results are made from, beside the decisions.
#[derive(Debug, Clone)]
pub(super) struct State {
    document: Value,
}

/// Whether a document looks like this form.
pub(super) fn recognises(_document: &Value) -> bool {
    false
}

pub(super) fn read(document: Value) -> Result<Imported, ReadFault> {
    let State { document: _ } = State { document };
    Err(ReadFault::new(
        "",
        "this form is not read yet",
        "use another",
    ))
}

impl State {
    /// Whether the decisions can be on some of the calls.
    pub(super) fn takes_a_part(&self) -> bool {
        true
    }

    /// The decisions as a file, which were checked against the calls.
    pub(super) fn results(&self, _calls: &[ImportedCall], _decided: &[Decided]) -> Value {
        self.document.clone()
    }
}
