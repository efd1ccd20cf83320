//! A completion put together from its pieces.
//!
//! Owns what is shown of it and what goes into the message history. Does no I/O.

use super::delta::{Call, Calls, Choice, Delta};
use crate::core::call::CallId;
use crate::provider::content::{Parts, Run, runs, settled};
use crate::provider::{Reply, Streamed, Wanted};
use serde_json::{Value, json};

/// A completion under way.
#[derive(Debug)]
pub(super) struct Response {
    parts: Parts<()>,
    said: String,
    calls: Calls,
    finish: Option<String>,
}

/// A whole completion.
#[derive(Debug)]
pub(super) struct Complete {
    pub reply: Reply,
    /// The message as later requests repeat it.
    pub message: Value,
    pub told: Vec<Streamed>,
}

impl Response {
    pub fn new() -> Self {
        Self {
            parts: Parts::new(),
            said: String::new(),
            calls: Calls::default(),
            finish: None,
        }
    }

    /// Takes a piece in, and says what of it can be shown now.
    pub fn take(&mut self, choice: Choice<'_>) -> Vec<Streamed> {
        if let Some(finish) = choice.finish_reason {
            self.finish = Some(finish);
        }
        let mut shown = Vec::new();
        if let Some(mut message) = choice.message {
            for call in message.tool_calls.take().into_iter().flatten() {
                self.calls.take_whole(call);
            }
            shown.extend(self.delta(message));
        }
        if let Some(delta) = choice.delta {
            shown.extend(self.delta(delta));
        }
        shown
    }

    fn delta(&mut self, mut delta: Delta<'_>) -> Vec<Streamed> {
        let thought = delta.thought().map(Run::Thinking);
        let refusal = delta.refusal.take().map(Run::Text);
        for call in delta.tool_calls.into_iter().flatten() {
            self.calls.take(call);
        }
        let said = runs(&delta.content).into_iter().chain(refusal);
        let mut shown = Vec::new();
        for run in thought.into_iter().chain(said) {
            if let Run::Text(text) = &run {
                self.said.push_str(text);
            }
            shown.extend(self.parts.streamed((), run));
        }
        shown
    }

    pub const fn is_finished(&self) -> bool {
        self.finish.is_some()
    }

    /// The completion is whole.
    pub fn complete(self) -> Complete {
        let told = self.finish.as_deref().and_then(cut_short);
        let calls: Vec<_> = self.calls.into_calls().into_iter().map(wanted).collect();
        let message = message(&self.said, &calls);
        Complete {
            reply: Reply { calls },
            message,
            told: told.into_iter().collect(),
        }
    }
}

fn wanted(call: Call) -> Wanted {
    let id = if call.id.is_empty() {
        made_up_id()
    } else {
        call.id
    };
    Wanted {
        id: CallId(id),
        tool: call.name,
        arguments: settled(call.arguments),
        held_by_provider: false,
    }
}

/// An id for a call that came without one. Some chat templates take nothing but nine letters and
/// digits; the tail of a UUID is random.
fn made_up_id() -> String {
    let id = uuid::Uuid::now_v7().simple().to_string();
    id[id.len() - 9..].to_owned()
}

fn message(said: &str, calls: &[Wanted]) -> Value {
    if calls.is_empty() {
        return json!({ "role": "assistant", "content": said });
    }
    let calls: Vec<_> = calls
        .iter()
        .map(|call| {
            json!({
                "id": call.id,
                "type": "function",
                "function": { "name": call.tool, "arguments": repeatable(&call.arguments) },
            })
        })
        .collect();
    let said = if said.is_empty() {
        Value::Null
    } else {
        said.into()
    };
    json!({ "role": "assistant", "content": said, "tool_calls": calls })
}

/// Arguments as the history repeats them. Many servers parse them again and refuse the whole
/// request if that fails, so broken ones are wrapped.
fn repeatable(arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(Value::Object(_)) => arguments.to_owned(),
        Ok(_) | Err(_) => json!({ "invalid_arguments": arguments }).to_string(),
    }
}

fn cut_short(finish: &str) -> Option<Streamed> {
    let note = match finish {
        "length" => "The answer stops at the server's length limit.",
        "content_filter" => "The server's content filter cut the answer.",
        _ => return None,
    };
    Some(Streamed::Note(note.to_owned()))
}
