//! What was said before, where the document has messages.
//!
//! What is not understood is left out: nothing depends on it.

use serde_json::Value;

use super::super::imported::Past;
use crate::core::call::CallId;

/// The name of whoever wrote the last message of the agent.
pub(super) fn author(messages: &[&Value]) -> Option<String> {
    let named = messages.iter().rev();
    let mut named = named.filter_map(|message| message.get("author_name")?.as_str());
    // What the framework writes for an agent without a name.
    named.find(|name| *name != "UnnamedAgent").map(ToOwned::to_owned)
}

pub(super) fn of(messages: &[&Value]) -> Vec<Past> {
    let mut past = Vec::new();
    for message in messages {
        let role = message.get("role").and_then(Value::as_str);
        let contents = message.get("contents").and_then(Value::as_array);
        let contents = contents.into_iter().flatten();
        past.extend(contents.filter_map(|content| take(role, content)));
    }
    past
}

fn take(role: Option<&str>, content: &Value) -> Option<Past> {
    let text = |name: &str| Some(content.get(name)?.as_str()?.to_owned());
    // The id by which the approval request names the call, if it does.
    let call = || text("call_id").map(CallId);
    match content.get("type")?.as_str()? {
        "text" => {
            let said = text("text").filter(|text| !text.is_empty())?;
            Some(match role {
                Some("user") => Past::User(said),
                Some("assistant") => Past::Agent(said),
                Some(_) | None => Past::Note(said),
            })
        }
        "text_reasoning" => text("text").map(Past::Thinking),
        "function_call" => Some(Past::Called {
            call: text("id").map(CallId).or_else(call)?,
            tool: text("name")?,
            arguments: words(content.get("arguments")),
        }),
        "function_result" => Some(Past::Result {
            call: call()?,
            text: words(content.get("result")),
        }),
        _ => None,
    }
}

fn words(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
