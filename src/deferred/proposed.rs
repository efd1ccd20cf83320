//! The arguments of a call as frameworks write them: an object, the text of one, or nothing.
//!
//! A text that is no JSON object is kept too: a framework can stop at such a call, and somebody must be
//! able to refuse it. It cannot run.

use crate::core::count;
use serde_json::{Value, json};

use super::cursor::At;
use super::imported::ReadFault;
use crate::core::arguments::{Arguments, strict};

/// The arguments to show.
#[derive(Debug, Clone)]
pub(super) struct Proposed {
    pub(super) arguments: Arguments,
    /// Why the text that came is no arguments, in words for the call's warnings.
    pub(super) unreadable: Option<String>,
}

impl Proposed {
    /// The member of a call that has its arguments. Without it, or with null, there are none.
    pub(super) fn member(call: &At<'_>, name: &str) -> Result<Self, ReadFault> {
        match call.member(name) {
            Some(arguments) => Self::at(&arguments),
            None => Self::text("", call),
        }
    }

    pub(super) fn at(at: &At<'_>) -> Result<Self, ReadFault> {
        match at.value {
            Value::Null => Self::text("", at),
            Value::String(text) => Self::text(text, at),
            Value::Object(_) => Self::value(at.value, None, at),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                Err(at.fault("arguments are an object or the text of one"))
            }
        }
    }

    fn text(text: &str, at: &At<'_>) -> Result<Self, ReadFault> {
        match Arguments::parse(text) {
            Ok(arguments) => Ok(Self {
                arguments,
                unreadable: None,
            }),
            Err(fault) => {
                let why = format!(
                    "its arguments cannot be read, so it cannot run: {fault}; `unreadable` is the text as it came"
                );
                Self::value(&json!({ "unreadable": text }), Some(why), at)
            }
        }
    }

    fn value(value: &Value, unreadable: Option<String>, at: &At<'_>) -> Result<Self, ReadFault> {
        let arguments = Arguments::from_value(value);
        let arguments = arguments
            .map_err(|fault| at.fault(format!("these arguments cannot be read: {fault}")))?;
        Ok(Self {
            arguments,
            unreadable,
        })
    }
}

/// Whether two forms of arguments, texts or objects, say the same.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    fn meaning(arguments: &Value) -> Option<Value> {
        match arguments {
            Value::Null => Some(json!({})),
            Value::String(text) => Arguments::parse(text).map(|read| read.value().clone()).ok(),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
    let (read_left, read_right) = (meaning(left), meaning(right));
    left == right || read_left.as_ref().unwrap_or(left) == read_right.as_ref().unwrap_or(right)
}

/// A JSON object or list that stands in a text, or else the text itself.
pub(super) fn structured(text: &str) -> Value {
    if !text.trim_start().starts_with(['{', '[']) {
        return text.into();
    }
    strict(text).unwrap_or_else(|_| text.into())
}

/// The arguments as a text to read: the text that came, or that of the object.
pub(super) fn readable(arguments: &Value) -> String {
    match arguments {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            arguments.to_string()
        }
    }
}

/// As much of the arguments as a warning has room for.
pub(super) fn excerpt(arguments: &Value) -> String {
    let text = readable(arguments);
    match text.char_indices().nth(160) {
        None => text,
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], count::number(text.len())),
    }
}
