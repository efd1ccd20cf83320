//! A call's arguments: the exact text the model wrote, and its value, parsed once.
//!
//! Owns the rules of what is accepted (one JSON object, no key twice, every digit kept). Does not check a tool's
//! schema (`schema`) and does not draw (`fields`).

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::fmt;
use std::sync::Arc;

use super::digest::Digest;
use super::syntax;

/// Arguments that parsed. The text is what is shown, recorded and run; the value only serves to decide.
#[derive(Clone, PartialEq, Eq)]
pub struct Arguments {
    text: Arc<str>,
    value: Arc<Value>,
}

/// Why a text is not the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}{}", place(*line, *column))]
pub struct ArgumentsFault {
    pub what: String,
    /// Counted from 1; 0 where the whole text is at fault.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
}

impl Arguments {
    /// Parses the text of a JSON object. A key that stands twice is refused, since two readers could
    /// take two different values from it. An empty text means no arguments: some models send that.
    pub fn parse(text: &str) -> Result<Self, ArgumentsFault> {
        let blank = text.trim_matches([' ', '\t', '\r', '\n']).is_empty();
        let text = if blank { "{}" } else { text };
        let value = strict(text)?;
        if !value.is_object() {
            return Err(ArgumentsFault {
                what: "the arguments are not a JSON object".into(),
                line: 0,
                column: 0,
            });
        }
        Ok(Self {
            text: text.into(),
            value: Arc::new(value),
        })
    }

    /// The text of a value made by this program or already parsed elsewhere.
    pub fn from_value(value: &Value) -> Result<Self, ArgumentsFault> {
        Self::parse(&value.to_string())
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The digest of a call of `tool` with these arguments.
    pub fn digest(&self, tool: &str) -> Digest {
        Digest::of_call(tool, &self.text)
    }
}

/// Reads JSON as every reader would: no key stands twice in an object, and a number keeps its digits.
pub fn strict(text: &str) -> Result<Value, ArgumentsFault> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| fault(text, &error))?;
    if names_number(text) {
        return Err(ArgumentsFault {
            what: format!("the key {NUMBER:?} cannot be used"),
            line: 0,
            column: 0,
        });
    }
    Ok(value)
}

/// The key under which the JSON library hands over a number with all its digits. An object that has it
/// would be taken for a number by this reader and by no other.
const NUMBER: &str = "$serde_json::private::Number";

/// Whether some string in this valid JSON is that key.
fn names_number(text: &str) -> bool {
    // Only an escape could hide it from this.
    if !text.contains("::private::") && !text.contains('\\') {
        return false;
    }
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let mut read = serde_json::Deserializer::from_str(&rest[start..]).into_iter::<String>();
        if matches!(read.next(), Some(Ok(string)) if string == NUMBER) {
            return true;
        }
        rest = &rest[start + read.byte_offset().max(1)..];
    }
    false
}

fn place(line: usize, column: usize) -> String {
    match line {
        0 => String::new(),
        line => format!(" (line {line}, column {column})"),
    }
}

/// Why this text is not what it should be, in plain words and with its place.
pub fn fault(text: &str, error: &serde_json::Error) -> ArgumentsFault {
    let (line, column) = syntax::place(text, error);
    ArgumentsFault {
        what: syntax::json(text, error),
        line,
        column,
    }
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arguments({})", self.text)
    }
}

impl Serialize for Arguments {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

/// Reads a `Value` and refuses an object in which a key stands twice.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if key == NUMBER && object.is_empty() {
                let digits: String = members.next_value()?;
                let number = digits.parse::<Number>().map_err(de::Error::custom)?;
                // Most readers would take it for infinity.
                if number.as_f64().is_none_or(|number| !number.is_finite()) {
                    return Err(de::Error::custom("number out of range"));
                }
                return Ok(Value::Number(number));
            }
            if object.contains_key(&key) {
                return Err(de::Error::custom(twice(&key)));
            }
            let value = members.next_value_seed(Self)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// A key is the model's own text, so it may be of any length.
fn twice(key: &str) -> String {
    match key.char_indices().nth(60) {
        None => format!("the key {key:?} stands twice"),
        Some((end, _)) => format!("the key that begins {:?} stands twice", &key[..end]),
    }
}
