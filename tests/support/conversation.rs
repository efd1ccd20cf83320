//! Conversations of the Conversations API in few words: entries, bodies, and a model that has called.

use super::model::{answers, ask, endpoint, mistral, plain, result, say};
use super::raw::{Act, Raw};
use countersign::provider::setup::StreamMode;
use countersign::provider::{Append, Provider};
use serde_json::{Value, json};

pub const FOUND: &str = "The last request had arrived; this is its answer, from the history.";
pub const START: &str = "POST /v1/conversations";
pub const APPEND: &str = "POST /v1/conversations/conv_1";
pub const HISTORY: &str = "GET /v1/conversations/conv_1/history";

pub fn call(id: &str, call: &str, status: &Value) -> Value {
    json!({"type": "function.call", "id": id, "tool_call_id": call, "name": "book",
        "arguments": "{}", "confirmation_status": status, "completed_at": null})
}

pub fn output(id: &str, text: &str) -> Value {
    json!({"type": "message.output", "id": id, "role": "assistant", "content": text,
        "completed_at": "2026-11-20T10:00:01Z"})
}

pub fn result_entry(call: &str) -> Value {
    json!({"type": "function.result", "tool_call_id": call, "result": "booked"})
}

pub fn message_entry(text: &str) -> Value {
    json!({"type": "message.input", "role": "user", "content": text})
}

pub fn conversation(outputs: &[Value]) -> Value {
    json!({"conversation_id": "conv_1", "outputs": outputs, "usage": {}})
}

pub fn history(entries: &[Value]) -> Value {
    json!({"object": "conversation.history", "conversation_id": "conv_1", "entries": entries})
}

pub fn answer(body: &Value) -> Act {
    Act::answer("application/json", &body.to_string())
}

/// A model that has called `book` as `c1`, on a server that then does `acts`.
pub async fn after_a_call(status: Value, acts: Vec<Act>) -> (Raw, Provider) {
    let first = answer(&conversation(&[call("fc_1", "c1", &status)]));
    let raw = Raw::of([vec![first], acts].concat()).await;
    let mut provider = mistral(plain(endpoint(&raw.url()), StreamMode::Whole));
    ask(&mut provider, &say("Book")).await.0.expect("a call");
    (raw, provider)
}

/// Methods and paths of the requests.
pub fn lines(raw: &Raw) -> Vec<String> {
    let line = |request: &String| request.split(' ').take(2).collect::<Vec<_>>().join(" ");
    raw.requests().iter().map(line).collect()
}

/// The body of the last request.
pub fn last_body(raw: &Raw) -> Value {
    let requests = raw.requests();
    let last = requests.last().expect("there were requests");
    let body = last.splitn(3, ' ').nth(2).expect("it has a body");
    serde_json::from_str(body).expect("a body is JSON")
}

pub fn sent(inputs: &Value, confirmations: &Value) -> Value {
    json!({"inputs": inputs, "stream": false, "store": true, "handoff_execution": "server",
        "tool_confirmations": confirmations})
}

pub fn result_input(call: &str, result: &str) -> Value {
    json!({"tool_call_id": call, "result": result, "object": "entry", "type": "function.result"})
}

pub fn message_input(text: &str) -> Value {
    json!({"role": "user", "content": text, "object": "entry", "type": "message.input", "prefix": false})
}

pub fn booked() -> Append {
    answers([result("c1", "book", "booked")])
}
