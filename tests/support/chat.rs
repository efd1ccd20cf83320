//! Chat completions in few words: messages, chunks, bodies.

use super::model::{ask, endpoint, openai, plain, say};
use super::raw::{Act, Raw, stream_head};
use countersign::provider::setup::StreamMode;
use countersign::provider::{Fault, Reply, Streamed};
use serde_json::{Value, json};

pub const PATH: &str = "/v1/chat/completions";

pub fn data(json: &Value) -> String {
    format!("data: {json}\n\n")
}

/// A chunk with this delta.
pub fn delta(delta: &Value) -> String {
    data(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

pub fn finish(reason: &str) -> String {
    data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

pub const DONE: &str = "data: [DONE]\n\n";

/// A piece of one call.
pub fn piece(call: &Value) -> String {
    delta(&json!({"tool_calls": [call]}))
}

/// What a streamed completion comes to, and the server's address.
pub async fn streamed(body: &str) -> (Result<Reply, Fault>, Vec<Streamed>, String) {
    let raw = Raw::of(vec![Act::close(stream_head() + body)]).await;
    let mut provider = openai(plain(endpoint(&raw.url()), StreamMode::Streamed));
    let (reply, streamed) = ask(&mut provider, &say("Hello")).await;
    (reply, streamed, raw.url())
}

pub fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

pub fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

pub fn tool(call: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": call, "content": content})
}

pub fn calls(calls: &[(&str, &str)]) -> Value {
    let calls: Vec<_> = calls
        .iter()
        .map(|(id, arguments)| {
            json!({"id": id, "type": "function", "function": {"name": "book", "arguments": arguments}})
        })
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

/// A whole completion with this message.
pub fn completion(message: &Value) -> Value {
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
}

pub fn asked(messages: &[Value]) -> Value {
    json!({"model": "small", "messages": messages, "stream": false})
}

/// The body of request number `place`.
pub fn body(raw: &Raw, place: usize) -> Value {
    let request = raw.requests()[place].clone();
    let body = request.splitn(3, ' ').nth(2).expect("it has a body");
    serde_json::from_str(body).expect("a body is JSON")
}

pub fn whole(message: &Value) -> Act {
    Act::answer("application/json", &completion(message).to_string())
}
