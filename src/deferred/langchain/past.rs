//! What was said before, where the state has its messages.
//!
//! Messages come as plain objects, as `{type, data}`, or as a constructor with its arguments. What is not
//! understood is left out: nothing depends on it.

use serde_json::Value;

use super::super::cursor::At;
use super::super::imported::Past;
use crate::core::call::CallId;

pub(super) fn of(root: &At<'_>) -> Vec<Past> {
    let values = root.member("values");
    let within = values.as_ref().unwrap_or(root).value;
    let messages = within.get("messages").and_then(Value::as_array);
    let mut past = Vec::new();
    for message in messages.into_iter().flatten() {
        take(message, &mut past);
    }
    past
}

fn take(message: &Value, past: &mut Vec<Past>) {
    let text = |name: &str| message.get(name).and_then(Value::as_str);
    let (kind, body) = match (message.get("kwargs"), message.get("data")) {
        (Some(kwargs), _) => (class(message), kwargs),
        (None, Some(data)) => (text("type"), data),
        (None, None) => (text("type").or_else(|| text("role")), message),
    };
    let content = content(body.get("content"));
    match kind {
        Some("human" | "user" | "HumanMessage") if !content.is_empty() => {
            past.push(Past::User(content));
        }
        Some("ai" | "assistant" | "AIMessage" | "AIMessageChunk") => {
            if !content.is_empty() {
                past.push(Past::Agent(content));
            }
            let calls = body.get("tool_calls").and_then(Value::as_array);
            past.extend(calls.into_iter().flatten().filter_map(called));
        }
        Some("tool" | "ToolMessage") => {
            let call = body.get("tool_call_id").and_then(Value::as_str);
            past.extend(call.map(|call| Past::Result {
                call: CallId(call.to_owned()),
                text: content,
            }));
        }
        Some("system" | "developer" | "SystemMessage") if !content.is_empty() => {
            past.push(Past::Note(content));
        }
        Some(_) | None => {}
    }
}

/// The class of a message that stands as a constructor.
fn class(message: &Value) -> Option<&str> {
    message.get("id")?.as_array()?.last()?.as_str()
}

fn called(call: &Value) -> Option<Past> {
    Some(Past::Called {
        call: CallId(call.get("id")?.as_str()?.to_owned()),
        tool: call.get("name")?.as_str()?.to_owned(),
        arguments: call.get("args")?.to_string(),
    })
}

/// A message's text: as it stands, or the texts among its blocks.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks.iter().filter_map(|block| {
                let text = block.get("text").unwrap_or(block);
                text.as_str()
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            String::new()
        }
    }
}
