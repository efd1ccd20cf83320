//! What the state's `outputs` tell of the run so far, and what the model asked for in them.
//!
//! Nothing of this goes back, so what is not understood is shown as it stands, not refused.

use std::collections::HashMap;

use crate::core::name::quoted;
use serde_json::Value;

use crate::core::call::CallId;
use crate::deferred::cursor::At;
use crate::deferred::imported::{Past, ReadFault};
use crate::deferred::proposed::readable;

#[derive(Default)]
pub(super) struct Outputs<'v> {
    pub(super) agent: Option<String>,
    pub(super) model: Option<String>,
    pub(super) past: Vec<Past>,
    /// The model's calls by their ids.
    pub(super) asked: HashMap<&'v str, &'v Value>,
}

pub(super) fn read<'v>(root: &At<'v>) -> Result<Outputs<'v>, ReadFault> {
    let mut read = Outputs::default();
    let Some(outputs) = root.member("outputs") else {
        return Ok(read);
    };
    for output in outputs.items()? {
        output.object()?;
        read.entry(output.value);
    }
    Ok(read)
}

impl<'v> Outputs<'v> {
    fn entry(&mut self, entry: &'v Value) {
        let text = |member: &str| entry.get(member).map(readable).unwrap_or_default();
        for (kept, member) in [(&mut self.agent, "agent_id"), (&mut self.model, "model")] {
            if let Some(said) = entry.get(member).and_then(Value::as_str) {
                *kept = Some(said.to_owned());
            }
        }
        let id = entry.get("tool_call_id").and_then(Value::as_str);
        match (entry.get("type").and_then(Value::as_str), id) {
            (Some("function.call"), Some(id)) => {
                self.asked.insert(id, entry);
                self.past.push(Past::Called {
                    call: CallId(id.to_owned()),
                    tool: text("name"),
                    arguments: text("arguments"),
                });
            }
            (Some("function.result"), Some(id)) => self.past.push(Past::Result {
                call: CallId(id.to_owned()),
                text: text("result"),
            }),
            (Some("message.output"), _) => self.message(entry.get("content")),
            (Some("tool.execution"), _) => {
                let (name, arguments) = (text("name"), text("arguments"));
                self.note(format!("the service ran {} {arguments}", quoted(&name)));
            }
            (Some("agent.handoff"), _) => {
                let (from, to) = (text("previous_agent_name"), text("next_agent_name"));
                self.note(format!("{} handed over to {}", quoted(&from), quoted(&to)));
            }
            _ => self.note(entry.to_string()),
        }
    }

    fn note(&mut self, text: String) {
        self.past.push(Past::Note(text));
    }

    /// A message is a text, or chunks of text and thought.
    fn message(&mut self, content: Option<&Value>) {
        let Some(Value::Array(chunks)) = content else {
            let text = content.map(readable).unwrap_or_default();
            return self.past.push(Past::Agent(text));
        };
        for chunk in chunks {
            let said = match (chunk.get("text"), chunk.get("thinking")) {
                (Some(text), _) => Past::Agent(readable(text)),
                (None, Some(thought)) => Past::Thinking(thinking(thought)),
                (None, None) => Past::Agent(chunk.to_string()),
            };
            match (self.past.last_mut(), said) {
                (Some(Past::Agent(before)), Past::Agent(text)) => before.push_str(&text),
                (_, said) => self.past.push(said),
            }
        }
    }
}

fn thinking(thought: &Value) -> String {
    match thought.as_array() {
        None => readable(thought),
        Some(pieces) => pieces
            .iter()
            .map(|piece| readable(piece.get("text").unwrap_or(piece)))
            .collect(),
    }
}
