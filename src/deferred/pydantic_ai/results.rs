//! The `DeferredToolResults` of decisions.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{Seat, State};
use crate::core::arguments::Arguments;
use crate::core::call::CallId;
use crate::core::decision::Decision;
use crate::deferred::decided::Decided;
use crate::deferred::imported::ImportedCall;
use crate::deferred::proposed::structured;

/// What the framework itself says where no reason is given.
const DENIED: &str = "The tool call was denied.";

#[derive(Default)]
struct Results {
    approvals: Map<String, Value>,
    calls: Map<String, Value>,
    answered_by: Map<String, Value>,
    /// Of each script, the decisions on its inner calls.
    scripts: HashMap<String, Map<String, Value>>,
}

pub(super) fn write(state: &State, calls: &[ImportedCall], decided: &[Decided]) -> Value {
    let decisions: HashMap<_, _> = decided.iter().map(|one| (&one.call, one)).collect();
    let mut results = Results::default();
    for call in calls {
        let (Some(seat), Some(one)) = (state.seats.get(&call.id), decisions.get(&call.id)) else {
            continue;
        };
        match seat {
            // It is dropped: what was decided on its calls reaches nobody.
            Seat::Within(script) if decisions.contains_key(script) => {}
            Seat::Own | Seat::Within(_) => results.add(seat, one),
        }
    }
    let mut metadata = state.metadata.clone();
    for (script, decisions) in results.scripts {
        if let Some(kept) = metadata.get_mut(&script) {
            kept["decisions"] = Value::Object(decisions);
        }
    }
    let mut document = json!({
        "approvals": results.approvals,
        "calls": results.calls,
        "metadata": metadata,
    });
    if !results.answered_by.is_empty() {
        document["answered_by"] = Value::Object(results.answered_by);
    }
    document
}

impl Results {
    fn add(&mut self, seat: &Seat, one: &Decided) {
        let CallId(answered) = match seat {
            Seat::Own => &one.call,
            Seat::Within(script) => script,
        };
        if let Some(who) = &one.who {
            self.answered_by
                .insert(answered.clone(), who.as_str().into());
        }
        let answer = Answer::of(&one.decision);
        match seat {
            Seat::Own => {
                let id = one.call.0.clone();
                match answer {
                    Answer::Approval(value) => self.approvals.insert(id, value),
                    Answer::Result(value) => self.calls.insert(id, value),
                };
            }
            Seat::Within(CallId(script)) => {
                // Its own toolset refuses an inner call, so the script itself goes on in any case.
                self.approvals.insert(script.clone(), true.into());
                let (Answer::Approval(value) | Answer::Result(value)) = answer;
                let decisions = self.scripts.entry(script.clone()).or_default();
                decisions.insert(one.call.0.clone(), value);
            }
        }
    }
}

/// Which of the two maps takes the answer.
enum Answer {
    Approval(Value),
    Result(Value),
}

impl Answer {
    fn of(decision: &Decision) -> Self {
        match decision {
            Decision::Approve { arguments } => {
                Self::Approval(arguments.as_ref().map_or(true.into(), edited))
            }
            Decision::Reject { reason } => {
                let message = if reason.is_empty() { DENIED } else { reason };
                Self::Approval(json!({ "kind": "tool-denied", "message": message }))
            }
            Decision::Respond { result } => {
                Self::Result(json!({ "kind": "tool-return", "return_value": plain(result) }))
            }
            Decision::Retry { message } => {
                Self::Result(json!({ "kind": "model-retry", "message": message }))
            }
            Decision::Fail { message } => {
                Self::Result(json!({ "kind": "tool-failed", "message": message }))
            }
        }
    }
}

fn edited(arguments: &Arguments) -> Value {
    json!({ "kind": "tool-approved", "override_args": arguments.value() })
}

/// The value that a person wrote, or its text where the framework could take the value for something of its own.
fn plain(text: &str) -> Value {
    let value = structured(text);
    if names_kind(&value) {
        text.into()
    } else {
        value
    }
}

fn names_kind(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            let kind = |name: &str| members.contains_key(name);
            kind("kind") || kind("part_kind") || members.values().any(names_kind)
        }
        Value::Array(items) => items.iter().any(names_kind),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
