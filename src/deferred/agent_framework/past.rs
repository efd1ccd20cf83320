//! What was said before, where the document has messages.
//!
//! What is not understood is left out: nothing depends on it.

use serde_json::Value;
use std::collections::HashMap;

use super::super::imported::Past;
use crate::core::call::CallId;

/// The name of whoever wrote the last message of the agent.
pub(super) fn author(messages: &[&Value]) -> Option<String> {
    let named = messages.iter().rev();
    let mut named = named.filter_map(|message| message.get("author_name")?.as_str());
    // What the framework writes for an agent without a name.
    named
        .find(|name| *name != "UnnamedAgent")
        .map(ToOwned::to_owned)
}

pub(super) fn of(messages: &[&Value]) -> Vec<Past> {
    let (mut past, mut names) = (Vec::new(), HashMap::new());
    for message in messages {
        let role = message.get("role").and_then(Value::as_str);
        let contents = message.get("contents").and_then(Value::as_array);
        for content in contents.into_iter().flatten() {
            past.extend(take(role, content, &mut names));
        }
    }
    past
}

/// `names`: of the model's name for a call, the one that the approval request uses. A later call may have
/// the same name of the model.
fn take(role: Option<&str>, content: &Value, names: &mut HashMap<String, String>) -> Option<Past> {
    let text = |name: &str| Some(content.get(name)?.as_str()?.to_owned());
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
        "function_call" => {
            let (model, own) = (text("call_id"), text("id"));
            if let (Some(model), Some(own)) = (&model, &own) {
                names.insert(model.clone(), own.clone());
            }
            Some(Past::Called {
                call: CallId(own.or(model)?),
                tool: text("name")?,
                arguments: words(content.get("arguments")),
            })
        }
        "function_result" => {
            let model = text("call_id")?;
            let call = names.get(&model).cloned().unwrap_or(model);
            Some(Past::Result {
                call: CallId(call),
                text: words(content.get("result")),
            })
        }
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
