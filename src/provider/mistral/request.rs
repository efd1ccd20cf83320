//! The bodies of requests.
//!
//! Owns their fields and order. All fields that the interface defaults are written out, so that a
//! changed default changes nothing here.

use crate::provider::setup::Setup;
use crate::provider::{Append, Body};
use serde_json::{Map, Value, json};

/// Begins a conversation.
pub(super) fn start(setup: &Setup, append: &Append) -> Value {
    let mut body = Map::new();
    body.insert("inputs".to_owned(), inputs(append));
    body.insert("stream".to_owned(), setup.stream.is_streamed().into());
    if let Some(instructions) = &setup.instructions {
        body.insert("instructions".to_owned(), instructions.as_str().into());
    }
    body.insert("tools".to_owned(), setup.all_tools().into());
    body.insert("model".to_owned(), setup.model.as_str().into());
    Value::Object(body)
}

/// Goes on with a conversation. Model, instructions and tools are fixed since its start.
pub(super) fn append(setup: &Setup, append: &Append) -> Value {
    json!({
        "inputs": inputs(append),
        "stream": setup.stream.is_streamed(),
        "store": true,
        "handoff_execution": "server",
        "tool_confirmations": confirmations(append),
    })
}

fn inputs(append: &Append) -> Value {
    let results = append
        .answers
        .iter()
        .filter_map(|answer| match &answer.body {
            Body::Result(result) => Some(json!({
                "tool_call_id": answer.call,
                "result": result,
                "object": "entry",
                "type": "function.result",
            })),
            Body::Confirmation { .. } => None,
        });
    let messages = append.messages.iter().map(|message| {
        json!({
            "role": "user",
            "content": message,
            "object": "entry",
            "type": "message.input",
            "prefix": false,
        })
    });
    results.chain(messages).collect()
}

fn confirmations(append: &Append) -> Value {
    let confirmations: Vec<_> = append
        .answers
        .iter()
        .filter_map(|answer| match answer.body {
            Body::Confirmation { allow } => Some(json!({
                "tool_call_id": answer.call,
                "confirmation": if allow { "allow" } else { "deny" },
            })),
            Body::Result(_) => None,
        })
        .collect();
    if confirmations.is_empty() {
        Value::Null
    } else {
        confirmations.into()
    }
}
