//! Entries and events of a conversation, each with the text it came as.
//!
//! Owns what the fields are called. An entry that is not known, or not as it should be, is
//! [`View::Unknown`] and never an error.

use crate::provider::content;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// One entry of a response or a history, or one event of a stream.
#[derive(Debug)]
pub struct Item<'a> {
    pub kind: String,
    pub id: String,
    pub view: View,
    pub raw: &'a RawValue,
    /// Where the entry stands in the response. Events say it; for entries it is their place.
    pub index: u64,
}

/// What an item says.
#[derive(Debug)]
pub enum View {
    Message {
        index: u64,
        content: Value,
    },
    Call(CallPiece),
    Tool(ToolPiece),
    Handoff {
        from: String,
        to: String,
    },
    /// What went to the model: a message or a result.
    Input(Input),
    Started {
        conversation: String,
    },
    Done,
    Error {
        code: Option<u16>,
        message: String,
    },
    Unknown,
}

#[derive(Debug, Default)]
pub struct CallPiece {
    pub call: String,
    pub name: String,
    pub arguments: String,
    pub status: Option<String>,
}

#[derive(Debug)]
pub struct ToolPiece {
    pub name: String,
    pub arguments: String,
    /// `None` while it runs.
    pub result: Option<String>,
}

#[derive(Debug)]
pub enum Input {
    Message(Value),
    Result { call: String },
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Head {
    #[serde(rename = "type")]
    kind: Option<String>,
    id: Option<String>,
    output_index: Option<u64>,
}

/// The fields of all known kinds; each kind has its own.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fields<'a> {
    content: Option<Value>,
    content_index: Option<u64>,
    tool_call_id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    confirmation_status: Option<String>,
    info: Option<Value>,
    result: Option<Value>,
    previous_agent_name: Option<String>,
    next_agent_name: Option<String>,
    conversation_id: Option<String>,
    message: Option<Value>,
    code: Option<Value>,
}

impl<'a> Item<'a> {
    /// An entry at `place` of a list.
    pub fn entry(raw: &'a RawValue, place: usize) -> Self {
        let mut item = Self::read(raw, "");
        item.index = place as u64;
        item
    }

    /// An event; its own type counts more than the name it was sent under.
    pub fn event(raw: &'a RawValue, name: &str) -> Self {
        Self::read(raw, name)
    }

    fn read(raw: &'a RawValue, name: &str) -> Self {
        let head: Head = serde_json::from_str(raw.get()).unwrap_or_default();
        let kind = head.kind.unwrap_or_else(|| name.to_owned());
        let view = serde_json::from_str(raw.get())
            .ok()
            .and_then(|fields| view(&kind, fields))
            .unwrap_or(View::Unknown);
        Self {
            kind,
            id: head.id.unwrap_or_default(),
            view,
            raw,
            index: head.output_index.unwrap_or_default(),
        }
    }
}

fn view(kind: &str, fields: Fields<'_>) -> Option<View> {
    Some(match kind {
        "message.output" | "message.output.delta" => View::Message {
            index: fields.content_index.unwrap_or_default(),
            content: fields.content?,
        },
        "function.call" | "function.call.delta" => View::Call(CallPiece {
            call: fields.tool_call_id?,
            name: fields.name.unwrap_or_default(),
            arguments: content::arguments(fields.arguments),
            status: fields.confirmation_status,
        }),
        "tool.execution" | "tool.execution.done" => tool(&fields, Some(result(&fields))),
        "tool.execution.started" | "tool.execution.delta" => tool(&fields, None),
        "agent.handoff" | "agent.handoff.started" | "agent.handoff.done" => View::Handoff {
            from: fields.previous_agent_name.unwrap_or_default(),
            to: fields.next_agent_name.unwrap_or_default(),
        },
        "message.input" => View::Input(Input::Message(fields.content?)),
        "function.result" => View::Input(Input::Result {
            call: fields.tool_call_id?,
        }),
        "conversation.response.started" => View::Started {
            conversation: fields.conversation_id?,
        },
        "conversation.response.done" => View::Done,
        "conversation.response.error" => error(&fields),
        _ => return None,
    })
}

fn tool(fields: &Fields<'_>, result: Option<String>) -> View {
    View::Tool(ToolPiece {
        name: fields.name.clone().unwrap_or_default(),
        arguments: content::arguments(fields.arguments),
        result,
    })
}

/// What a tool of the provider gave back: its result if it names one, else all that is told of it.
fn result(fields: &Fields<'_>) -> String {
    let info = fields.info.as_ref().or(fields.result.as_ref());
    match info {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(info) => match info.get("result") {
            Some(Value::String(text)) if info.as_object().is_some_and(|all| all.len() == 1) => {
                text.clone()
            }
            Some(_) | None => info.to_string(),
        },
    }
}

/// The code is a number or a number in a string; a failure that says nothing is still a failure.
fn error(fields: &Fields<'_>) -> View {
    let code = fields.code.as_ref().and_then(|code| match code {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_u64(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    let message = match &fields.message {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => "no reason given".to_owned(),
    };
    View::Error {
        code: code.and_then(|code| u16::try_from(code).ok()),
        message,
    }
}
