//! The documents in which deferred calls are handed over, and where in them the requests and messages are.

use serde_json::Value;

use crate::deferred::cursor::At;
use crate::deferred::imported::ReadFault;

const MESSAGES: [&str; 2] = ["messages", "history"];
const REQUESTS: [&str; 2] = ["deferred_tool_requests", "requests"];

/// What says which calls wait.
pub(super) enum Asked<'v> {
    Requests(At<'v>),
    /// The document has a place for requests, and there are none.
    Nothing,
    /// There are only messages: a call without a result waits, for whatever.
    Messages,
}

pub(super) struct Document<'v> {
    pub(super) asked: Asked<'v>,
    pub(super) messages: Option<At<'v>>,
    /// Only version 2 writes such a document.
    pub(super) is_conversation: bool,
}

pub(super) fn recognises(document: &Value) -> bool {
    match document {
        Value::Array(messages) => messages.first().is_some_and(is_message),
        Value::Object(members) => {
            let has_parts = |calls: &Value| {
                let first = calls.get(0);
                calls.is_array() && first.is_none_or(|call| call.get("tool_name").is_some())
            };
            let is_requests = |value: &Value| {
                value.get("approvals").is_some_and(has_parts)
                    || value.get("calls").is_some_and(has_parts)
            };
            let holds_messages = |name: &str| {
                let messages = members.get(name);
                messages.is_some_and(|messages| messages.get(0).is_some_and(is_message))
            };
            let holds_requests = |name: &str| members.get(name).is_some_and(is_requests);
            // What has a format of its own says so.
            !members.contains_key("format")
                && (is_requests(document)
                    || REQUESTS.iter().any(|name| holds_requests(name))
                    || MESSAGES.iter().any(|name| holds_messages(name)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn is_message(value: &Value) -> bool {
    let kind = value.get("kind").and_then(Value::as_str);
    matches!(kind, Some("request" | "response")) && value.get("parts").is_some()
}

impl<'v> Document<'v> {
    pub(super) fn at(root: &At<'v>) -> Result<Self, ReadFault> {
        if root.value.is_array() {
            return Ok(Self {
                asked: Asked::Messages,
                messages: Some(root.clone()),
                is_conversation: false,
            });
        }
        let members = root.object()?;
        let find = |names: [&'static str; 2]| names.into_iter().find_map(|name| root.member(name));
        let messages = find(MESSAGES);
        let asked = if let Some(requests) = find(REQUESTS) {
            Asked::Requests(requests)
        } else if REQUESTS.iter().any(|name| members.contains_key(*name)) {
            Asked::Nothing
        } else if messages.is_some() {
            Asked::Messages
        } else {
            Asked::Requests(root.clone())
        };
        Ok(Self {
            asked,
            messages,
            is_conversation: members.contains_key("new_message_index"),
        })
    }
}
