//! Finding the approval requests in a document, and reading one.

use serde_json::Value;
use std::collections::HashSet;

use super::super::cursor::At;
use super::super::imported::{ImportedCall, ReadFault};
use crate::core::call::{Answer, Answers, CallId};
use crate::core::verdict::Basis;

const REQUEST: &str = "function_approval_request";
const RESPONSE: &str = "function_approval_response";
/// Where the framework itself keeps what it asked in a session.
const KEPT: &str = "tool_approval";

/// What kind of document has the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Request,
    /// Contents, messages, or both.
    List,
    Message,
    Response,
    Session,
}

/// Whether answers for later calls too are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasting {
    /// The session has the rules of the part that keeps them.
    Kept,
    /// The session has none, so nothing would keep them.
    Not,
    /// Only the agent's program knows.
    Perhaps,
}

pub(super) fn shape(at: &At<'_>) -> Option<Shape> {
    match kind(at.value) {
        Some(REQUEST) => Some(Shape::Request),
        Some("message") if at.member("contents").is_some() => Some(Shape::Message),
        Some("agent_response" | "chat_response") if at.member("messages").is_some() => {
            Some(Shape::Response)
        }
        Some("session") if at.member("state").is_some() => Some(Shape::Session),
        Some(_) => None,
        None => {
            let ours = |item: &Value| {
                let contents = item.get("contents").and_then(Value::as_array);
                kind(item) == Some(REQUEST) || (kind(item) == Some("message") && contents.is_some())
            };
            let items = at.value.as_array()?;
            items.iter().any(ours).then_some(Shape::List)
        }
    }
}

fn kind(value: &Value) -> Option<&str> {
    value.get("type")?.as_str()
}

/// The requests that wait, in their order.
pub(super) fn all<'a>(shape: Shape, root: &At<'a>) -> Result<Vec<At<'a>>, ReadFault> {
    let contents = match shape {
        Shape::Request => vec![root.clone()],
        Shape::List => flat(root.items()?)?,
        Shape::Message => flat(std::iter::once(root.clone()))?,
        Shape::Response => flat(root.need("messages")?.items()?)?,
        Shape::Session => {
            let state = root.need("state")?;
            let kept = state.member(KEPT);
            let pending = kept.and_then(|kept| kept.member("pending_approval_requests"));
            match pending {
                Some(pending) => pending.items()?.collect(),
                None => Vec::new(),
            }
        }
    };
    let id = |content: &At<'a>| content.value.get("id").and_then(Value::as_str);
    let answered: HashSet<_> = contents
        .iter()
        .filter(|content| kind(content.value) == Some(RESPONSE))
        .filter_map(id)
        .collect();
    let waits = |content: &At<'a>| {
        kind(content.value) == Some(REQUEST) && id(content).is_none_or(|id| !answered.contains(id))
    };
    Ok(contents.into_iter().filter(waits).collect())
}

/// Contents, with those of messages in the messages' place.
fn flat<'a>(items: impl Iterator<Item = At<'a>>) -> Result<Vec<At<'a>>, ReadFault> {
    let mut contents = Vec::new();
    for item in items {
        match item.member("contents") {
            Some(within) => contents.extend(within.items()?),
            None => contents.push(item),
        }
    }
    Ok(contents)
}

/// The messages of a document, for what was said before.
pub(super) fn messages<'a>(shape: Shape, root: &At<'a>) -> Vec<&'a Value> {
    let list = |value: Option<&'a Value>| value.and_then(Value::as_array).into_iter().flatten();
    match shape {
        Shape::Request => Vec::new(),
        Shape::List => list(Some(root.value)).collect(),
        Shape::Message => vec![root.value],
        Shape::Response => list(root.value.get("messages")).collect(),
        Shape::Session => {
            let parts = root.value.get("state").and_then(Value::as_object);
            let parts = parts.into_iter().flat_map(serde_json::Map::values);
            parts.flat_map(|part| list(part.get("messages"))).collect()
        }
    }
}

pub(super) fn lasting(shape: Shape, root: &At<'_>) -> Lasting {
    match shape {
        Shape::Request | Shape::List | Shape::Message | Shape::Response => Lasting::Perhaps,
        Shape::Session => {
            let parts = root.value.get("state").and_then(Value::as_object);
            let mut parts = parts.into_iter().flat_map(serde_json::Map::values);
            let rules = |part: &Value| {
                part.get("rules").is_some() && part.get("collected_approval_responses").is_some()
            };
            if parts.any(rules) {
                Lasting::Kept
            } else {
                Lasting::Not
            }
        }
    }
}

pub(super) fn warnings(lasting: Lasting) -> Vec<String> {
    match lasting {
        Lasting::Perhaps => vec![
            "an approval of later calls too is kept only by an agent that uses the framework's tool approval middleware"
                .to_owned(),
        ],
        Lasting::Kept | Lasting::Not => Vec::new(),
    }
}

pub(super) fn call(request: &At<'_>, lasting: Lasting) -> Result<ImportedCall, ReadFault> {
    let function = request.need("function_call")?;
    let name = function
        .member("name")
        .or_else(|| function.member("tool_name"));
    let name = name.ok_or_else(|| function.fault("`name` is missing"))?;
    let arguments = function.member("arguments");
    let mut answers = vec![Answer::Approve, Answer::Reject];
    match lasting {
        Lasting::Kept | Lasting::Perhaps => {
            answers.extend([Answer::AlwaysArguments, Answer::AlwaysTool]);
        }
        Lasting::Not => {}
    }
    let more = request.member("additional_properties");
    let reason = more.and_then(|more| more.member("reason"));
    Ok(ImportedCall {
        id: CallId(request.need("id")?.name()?.to_owned()),
        tool: name.name()?.to_owned(),
        arguments: match arguments {
            Some(arguments) => arguments.arguments()?,
            None => At::within(&Value::Object(serde_json::Map::new()), "").arguments()?,
        },
        answers: Answers::of(answers),
        parent: None,
        basis: Basis::Framework {
            reason: reason
                .and_then(|reason| reason.value.as_str())
                .unwrap_or_default()
                .to_owned(),
        },
        risks: Vec::new(),
        schema: None,
        metadata: function
            .member("server_label")
            .map(|label| serde_json::json!({ "server_label": label.value })),
        warnings: Vec::new(),
        expires: None,
        arrived: None,
        script: None,
    })
}
