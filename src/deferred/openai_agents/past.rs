//! What was said before, from the input and the items that the run made of it.
//!
//! What is not understood is left out: nothing depends on it.

use serde_json::Value;

use super::super::cursor::At;
use super::super::imported::Past;
use crate::core::call::CallId;

pub(super) fn of(root: &At<'_>) -> Vec<Past> {
    let mut past = Vec::new();
    match root.value.get("original_input") {
        Some(Value::String(text)) => past.push(Past::User(text.clone())),
        Some(Value::Array(items)) => past.extend(items.iter().flat_map(item)),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {}
    }
    let made = root.value.get("generated_items").and_then(Value::as_array);
    for made in made.into_iter().flatten() {
        let kind = made.get("type").and_then(Value::as_str);
        // It repeats the call that it is about.
        if kind != Some("tool_approval_item") {
            past.extend(made.get("raw_item").into_iter().flat_map(item));
        }
    }
    past
}

fn item(item: &Value) -> Vec<Past> {
    let text = |name: &str| {
        item.get(name)
            .and_then(Value::as_str)
            .map(ToOwned::to_owned)
    };
    let call = || text("call_id").or_else(|| text("id")).map(CallId);
    let one = match text("type").as_deref() {
        Some("message") | None => message(item),
        Some("reasoning") => words(item.get("summary")).map(Past::Thinking),
        Some("function_call_output" | "custom_tool_call_output") => call()
            .zip(output(item))
            .map(|(call, text)| Past::Result { call, text }),
        Some("mcp_call") => None,
        Some(kind) if kind.ends_with("_call") || kind == "mcp_approval_request" => {
            call().map(|call| Past::Called {
                call,
                tool: text("name").unwrap_or_else(|| kind.to_owned()),
                arguments: text("arguments")
                    .or_else(|| text("input"))
                    .unwrap_or_default(),
            })
        }
        Some(_) => None,
    };
    one.into_iter().collect()
}

fn message(item: &Value) -> Option<Past> {
    let text = words(item.get("content"))?;
    match item.get("role")?.as_str()? {
        "user" => Some(Past::User(text)),
        "assistant" => Some(Past::Agent(text)),
        _ => Some(Past::Note(text)),
    }
}

fn output(item: &Value) -> Option<String> {
    let output = item.get("output")?;
    Some(words(Some(output)).unwrap_or_else(|| output.to_string()))
}

/// A text as it stands, or the texts of a list of parts; `None` if there is none.
fn words(content: Option<&Value>) -> Option<String> {
    let text = match content? {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}
