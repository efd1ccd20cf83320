//! The results of decisions, for the SDK and for a program that speaks HTTP itself.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Held, Runs, State};
use crate::core::call::CallId;
use crate::core::decision::Decision;
use crate::deferred::decided::Decided;
use crate::deferred::imported::ImportedCall;

/// What the SDK itself says where no reason is given.
const REJECTED: &str = "Rejected by user";

/// The answers to all calls, each kind in the order of the calls.
#[derive(Default)]
struct Answers {
    /// Results and decisions, as the SDK's run takes them.
    given: Vec<Value>,
    /// Results in a tool's place.
    responses: Vec<Value>,
    messages: Vec<Value>,
    rejections: Vec<Value>,
    confirmations: Vec<Value>,
    run: Vec<Value>,
}

pub(super) fn write(state: &State, calls: &[ImportedCall], decided: &[Decided]) -> Value {
    let decisions: HashMap<_, _> = decided
        .iter()
        .map(|one| (&one.call, &one.decision))
        .collect();
    let mut answers = Answers::default();
    for call in calls {
        if let (Some(held), Some(decision)) = (state.calls.get(&call.id), decisions.get(&call.id)) {
            answers.add(call, held, decision);
        }
    }
    let inputs: Vec<_> = [&state.executed, &answers.given, &answers.messages]
        .into_iter()
        .flatten()
        .collect();
    // The order in which the SDK would send them.
    let sent: Vec<_> = [
        &state.executed,
        &answers.responses,
        &answers.messages,
        &answers.rejections,
    ]
    .into_iter()
    .flatten()
    .collect();
    let confirmations = Some(&answers.confirmations).filter(|some| !some.is_empty());
    json!({
        "conversation_id": state.conversation,
        "inputs": inputs,
        "run": answers.run,
        "append": {
            "inputs": sent,
            "stream": false,
            "store": true,
            "handoff_execution": "server",
            "tool_confirmations": confirmations,
        },
    })
}

impl Answers {
    fn add(&mut self, call: &ImportedCall, held: &Held, decision: &Decision) {
        match decision {
            Decision::Approve { arguments } => {
                let mut function = held.function_call.clone();
                if let Some(edited) = arguments {
                    function["arguments"] = edited.text().into();
                }
                self.approve(&call.id, held.runs, function);
            }
            Decision::Reject { reason } => self.reject(call, held.runs, reason),
            // No call takes the last two; their words would be its result.
            Decision::Respond { result: text }
            | Decision::Retry { message: text }
            | Decision::Fail { message: text } => {
                let result = result(&call.id, text);
                self.responses.push(result.clone());
                self.given.push(result);
            }
        }
    }

    fn approve(&mut self, id: &CallId, runs: Runs, function: Value) {
        self.given.push(json!({
            "type": "deferred.confirmation",
            "tool_call_id": id,
            "tool_name": function["name"],
            "function_call": function,
            "override_args": null,
            "deferral_reason": runs.reason(),
        }));
        match runs {
            Runs::Program => self.run.push(function),
            Runs::Service => self.confirmations.push(confirmation(id, "allow")),
        }
    }

    fn reject(&mut self, call: &ImportedCall, runs: Runs, reason: &str) {
        let message = if reason.is_empty() { REJECTED } else { reason };
        self.given.push(json!({
            "type": "deferred.rejection",
            "tool_call_id": call.id,
            "message": message,
            "deferral_reason": runs.reason(),
        }));
        match runs {
            Runs::Program => self.rejections.push(result(&call.id, message)),
            Runs::Service => {
                self.confirmations.push(confirmation(&call.id, "deny"));
                if !reason.is_empty() {
                    let words = format!("{} was rejected: {reason}", call.tool);
                    self.messages.push(message_of(&words));
                }
            }
        }
    }
}

fn confirmation(id: &CallId, confirmation: &str) -> Value {
    json!({ "tool_call_id": id, "confirmation": confirmation })
}

fn result(id: &CallId, result: &str) -> Value {
    json!({ "tool_call_id": id, "result": result, "object": "entry", "type": "function.result" })
}

fn message_of(words: &str) -> Value {
    json!({ "role": "user", "content": words, "object": "entry", "type": "message.input", "prefix": false })
}
