//! A message history: what was said and done, and which calls of the last response are open.

use std::collections::HashSet;

use serde_json::Value;

use super::requests::{Kind, Waiting};
use crate::core::call::CallId;
use crate::deferred::cursor::At;
use crate::deferred::imported::{Past, ReadFault};
use crate::deferred::proposed::readable;

#[derive(Default)]
pub(super) struct History<'v> {
    pub(super) past: Vec<Past>,
    pub(super) model: Option<String>,
    /// The calls of the last response, in the model's order, as if all of them waited.
    pub(super) calls: Vec<Waiting<'v>>,
    /// Those of them that have a result.
    pub(super) answered: HashSet<&'v str>,
    /// Only version 2 writes some members.
    pub(super) is_of_version_2: bool,
    instructions: Option<&'v str>,
}

pub(super) fn read<'v>(messages: &At<'v>) -> Result<History<'v>, ReadFault> {
    let mut history = History::default();
    for message in messages.items()? {
        let kind = message.need("kind")?.name()?;
        let parts = message.need("parts")?;
        match kind {
            "request" => history.request(&message, &parts)?,
            "response" => history.response(&message, &parts)?,
            other => {
                let what = format!("a message is a `request` or a `response`, not `{other}`");
                return Err(message.fault(what));
            }
        }
    }
    Ok(history)
}

impl<'v> History<'v> {
    /// Takes the calls of the last response that have no result.
    pub(super) fn take_open(&mut self) -> Vec<Waiting<'v>> {
        let mut calls = std::mem::take(&mut self.calls);
        calls.retain(|call| !self.answered.contains(call.id));
        calls
    }

    fn request(&mut self, message: &At<'v>, parts: &At<'v>) -> Result<(), ReadFault> {
        self.is_of_version_2 |= message.value.get("state").is_some();
        let instructions = message.member("instructions");
        if let Some(said) = instructions.and_then(|said| said.value.as_str())
            && self.instructions.replace(said) != Some(said)
        {
            self.past.push(Past::Note(said.to_owned()));
        }
        for part in parts.items()? {
            let said = || part.member("content").map(|at| content(at.value));
            let said = said().unwrap_or_default();
            let call = part.member("tool_call_id").and_then(|id| id.value.as_str());
            // A retry of no tool has an id all the same, but not a tool.
            let call = call.filter(|_| part.member("tool_name").is_some());
            self.past
                .push(match (part.need("part_kind")?.name()?, call) {
                    ("user-prompt", _) => Past::User(said),
                    ("tool-return" | "retry-prompt", Some(id)) => {
                        self.answered.insert(id);
                        result(id, said)
                    }
                    (kind, _) if said.is_empty() => Past::Note(format!("[{kind}]")),
                    _ => Past::Note(said),
                });
        }
        Ok(())
    }

    fn response(&mut self, message: &At<'v>, parts: &At<'v>) -> Result<(), ReadFault> {
        self.is_of_version_2 |= message.value.get("model_id").is_some();
        self.calls.clear();
        self.answered.clear();
        if let Some(model) = message.member("model_name") {
            self.model = Some(model.text()?.to_owned());
        }
        for part in parts.items()? {
            let said = part.member("content").map(|at| content(at.value));
            let said = said.unwrap_or_default();
            let past = match part.need("part_kind")?.name()? {
                "text" => Past::Agent(said),
                "thinking" => Past::Thinking(said),
                "tool-call" => {
                    let call = call(&part)?;
                    let past = called(&call);
                    self.calls.push(call);
                    past
                }
                "builtin-tool-call" | "native-tool-call" => called(&call(&part)?),
                "builtin-tool-return" | "native-tool-return" => {
                    result(part.need("tool_call_id")?.name()?, said)
                }
                kind if said.is_empty() => Past::Note(format!("[{kind}]")),
                _ => Past::Note(said),
            };
            self.past.push(past);
        }
        Ok(())
    }
}

fn call<'v>(part: &At<'v>) -> Result<Waiting<'v>, ReadFault> {
    Ok(Waiting {
        id: part.need("tool_call_id")?.name()?,
        tool: part.need("tool_name")?.name()?,
        kind: Kind::Untold,
        metadata: None,
        at: part.clone(),
        part: part.clone(),
        warnings: Vec::new(),
    })
}

pub(super) fn called(call: &Waiting) -> Past {
    Past::Called {
        call: CallId(call.id.to_owned()),
        tool: call.tool.to_owned(),
        arguments: readable(call.arguments()),
    }
}

fn result(id: &str, text: String) -> Past {
    Past::Result {
        call: CallId(id.to_owned()),
        text,
    }
}

/// Content to read: texts, and what else there is by its kind. A list of anything else is data.
fn content(value: &Value) -> String {
    let Value::Array(items) = value else {
        return piece(value);
    };
    let is_content = |item: &Value| item.is_string() || item.get("kind").is_some();
    if items.iter().all(is_content) {
        let pieces: Vec<_> = items.iter().map(piece).collect();
        pieces.join("\n")
    } else {
        value.to_string()
    }
}

fn piece(value: &Value) -> String {
    let member = |name: &str| value.get(name).and_then(Value::as_str);
    match (member("kind"), member("url"), member("media_type")) {
        (Some(kind), Some(url), _) => format!("[{kind} {url}]"),
        (Some("binary"), None, Some(media)) => format!("[binary {media}]"),
        (Some("text-content" | "text"), None, _) => {
            member("content").unwrap_or_default().to_owned()
        }
        _ => readable(value),
    }
}
