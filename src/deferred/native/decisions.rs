//! A file of decisions: read strictly, since a word that is misspelt would be a decision not made; and
//! written, as the results of this program's own form.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

use super::super::decided::Decided;
use super::super::imported::ImportedCall;
use super::{DECISIONS, VERSION};
use crate::core::arguments::{Arguments, fault, strict};
use crate::core::call::CallId;
use crate::core::decision::{Decision, Reach};
use crate::core::digest::Digest;

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
    #[error(
        "decision {0}: every member has a name and a value; leave out what is not meant, write no null and no list"
    )]
    Members(usize),
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
    who: Option<String>,
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

    const fn word(reach: Reach) -> Option<&'static str> {
        match reach {
            Reach::Once => None,
            Reach::Tool => Some("tool"),
            Reach::Arguments => Some("arguments"),
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
    let file: File = serde_json::from_str(text)
        .map_err(|error| DecisionsFault::Json(fault(text, &error).to_string()))?;
    if file.format != DECISIONS || file.version != VERSION {
        return Err(DecisionsFault::Format);
    }
    named(text)?;
    let mut decided: Vec<Decided> = Vec::with_capacity(file.decisions.len());
    let mut seen = HashSet::with_capacity(file.decisions.len());
    for (at, entry) in file.decisions.into_iter().enumerate() {
        let place = at + 1;
        if !seen.insert(entry.call.clone()) {
            return Err(DecisionsFault::Twice(place, entry.call));
        }
        decided.push(entry.decided(place)?);
    }
    Ok(decided)
}

/// Members have their names and a value. A list in their place, or a null, could be read, but would be a
/// decision that somebody meant otherwise.
fn named(text: &str) -> Result<(), DecisionsFault> {
    let file = strict(text).map_err(|fault| DecisionsFault::Json(fault.to_string()))?;
    if !file.is_object() {
        return Err(DecisionsFault::Format);
    }
    let entries = file.get("decisions").and_then(Value::as_array);
    for (at, entry) in entries.into_iter().flatten().enumerate() {
        let empty = |value: &Value| {
            let members = value.as_object().into_iter().flatten();
            value.is_array() || value.is_null() || { members }.any(|(_, value)| value.is_null())
        };
        let members = entry.as_object();
        if members.is_none_or(|members| members.values().any(empty)) {
            return Err(DecisionsFault::Members(at + 1));
        }
    }
    Ok(())
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
            who: self.who,
        })
    }
}

/// The decisions as a file, each bound to the call as it was shown.
pub(super) fn file(calls: &[ImportedCall], decided: &[Decided]) -> Value {
    let decided: HashMap<_, _> = decided.iter().map(|one| (&one.call, one)).collect();
    let entries = calls.iter().filter_map(|call| {
        let decided = decided.get(&call.id)?;
        Some(entry(call, decided))
    });
    json!({
        "format": DECISIONS,
        "version": VERSION,
        "decisions": entries.collect::<Vec<_>>(),
    })
}

fn entry(call: &ImportedCall, decided: &Decided) -> Value {
    let (word, body) = match &decided.decision {
        Decision::Approve { arguments: None } => ("approve", json!({})),
        Decision::Approve {
            arguments: Some(edited),
        } => ("approve", json!({ "arguments": edited.value() })),
        Decision::Reject { reason } => ("reject", json!({ "reason": reason })),
        Decision::Respond { result } => ("respond", json!({ "result": result })),
        Decision::Retry { message } => ("retry", json!({ "message": message })),
        Decision::Fail { message } => ("fail", json!({ "message": message })),
    };
    let mut body = body;
    if let (Some(always), Some(body)) = (Always::word(decided.reach), body.as_object_mut()) {
        body.insert("always".to_owned(), json!(always));
    }
    let mut entry = Map::new();
    entry.insert("call".to_owned(), json!(call.id));
    // Of what was proposed: the digest of a ruling is that of what may run.
    let digest = call.arguments.digest(&call.tool);
    entry.insert("digest".to_owned(), json!(digest));
    if let Some(who) = &decided.who {
        entry.insert("who".to_owned(), json!(who));
    }
    entry.insert(word.to_owned(), body);
    Value::Object(entry)
}
