//! The pieces of a chat completion, streamed or whole.
//!
//! Owns what servers that call themselves compatible make of the format: calls without an index or
//! an id, thinking under several names, errors in place of a choice.

use crate::provider::content;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A chunk of a stream, or a whole completion.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub choices: Vec<Choice<'a>>,
    pub error: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    /// In a stream.
    #[serde(borrow)]
    pub delta: Option<Delta<'a>>,
    /// In a whole completion.
    #[serde(borrow)]
    pub message: Option<Delta<'a>>,
    pub finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    pub content: Value,
    pub refusal: Option<String>,
    pub reasoning_content: Option<String>,
    pub reasoning: Option<String>,
    pub thinking: Option<String>,
    #[serde(borrow)]
    pub tool_calls: Option<Vec<CallDelta<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallDelta<'a> {
    pub index: Option<u64>,
    pub id: Option<String>,
    #[serde(borrow)]
    pub function: Option<FunctionDelta<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionDelta<'a> {
    pub name: Option<String>,
    #[serde(borrow)]
    pub arguments: Option<&'a RawValue>,
}

impl Delta<'_> {
    /// The model's thinking, whatever the server calls it. Some send it under two names at once.
    pub fn thought(&mut self) -> Option<String> {
        let named = [
            self.reasoning_content.take(),
            self.reasoning.take(),
            self.thinking.take(),
        ];
        named.into_iter().flatten().find(|text| !text.is_empty())
    }
}

/// What a server says of an error in place of a choice: code and message.
pub(super) fn error(error: &Value) -> (Option<u16>, String) {
    let code = ["code", "status"]
        .iter()
        .find_map(|name| error.get(*name))
        .and_then(|code| match code.as_u64() {
            Some(code) => u16::try_from(code).ok(),
            None => code.as_str()?.parse().ok(),
        });
    let message = error.get("message").unwrap_or(error);
    let message = message
        .as_str()
        .map_or_else(|| message.to_string(), str::to_owned);
    (code, message)
}

/// A call under way.
#[derive(Debug, Default)]
pub(super) struct Call {
    index: Option<u64>,
    pub id: String,
    pub name: String,
    pub arguments: String,
}

impl From<CallDelta<'_>> for Call {
    fn from(delta: CallDelta<'_>) -> Self {
        let function = delta.function.unwrap_or_default();
        Self {
            index: delta.index,
            id: delta.id.unwrap_or_default(),
            name: function.name.unwrap_or_default(),
            arguments: content::arguments(function.arguments),
        }
    }
}

impl Call {
    fn extend(&mut self, piece: Self) {
        if self.id.is_empty() {
            self.id = piece.id;
        }
        if self.name.is_empty() {
            self.name = piece.name;
        }
        self.arguments.push_str(&piece.arguments);
    }
}

/// The calls under way, in the order they began.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Call>);

impl Calls {
    /// Takes in a piece of a stream.
    pub fn take(&mut self, delta: CallDelta<'_>) {
        let piece = Call::from(delta);
        match self.continued(&piece) {
            None => self.0.push(piece),
            Some(place) => self.0[place].extend(piece),
        }
    }

    /// Takes in a call that came whole. Its id may be another's too; that is for others to judge.
    pub fn take_whole(&mut self, delta: CallDelta<'_>) {
        self.0.push(Call::from(delta));
    }

    /// The call that a piece goes on with. The last of an index counts, since some servers number
    /// each call 0; a piece with another id, or a named piece after whole arguments, begins a call.
    fn continued(&self, piece: &Call) -> Option<usize> {
        let place = match piece.index {
            Some(_) => self.0.iter().rposition(|call| call.index == piece.index)?,
            None if !piece.id.is_empty() => self.0.iter().rposition(|call| call.id == piece.id)?,
            None => self.0.len().checked_sub(1)?,
        };
        let call = &self.0[place];
        let is_other = !piece.id.is_empty() && !call.id.is_empty() && call.id != piece.id;
        let has_more = !piece.name.is_empty() && !piece.arguments.is_empty();
        let is_next = has_more && is_whole(&call.arguments);
        (!is_other && !is_next).then_some(place)
    }

    pub fn into_calls(self) -> Vec<Call> {
        self.0
    }
}

fn is_whole(arguments: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(arguments).is_ok()
}
