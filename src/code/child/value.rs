//! Python values as text of JSON for whoever reads what came of a script, and JSON as Python values.
//!
//! What is passed on to a tool is more exact: see `carried`. Here what JSON has no word for becomes what Python prints of it: a tuple and a set are lists, `nan` is
//! "nan", bytes are "b'…'". Depth and size are bounded, whatever a script has built.

use monty_types::{DictPairs, MontyDate, MontyObject};
use num_bigint::BigInt;
use serde_json::{Map, Number, Value};

/// How deep a value may be nested; below that it is told as "…".
const DEEPEST: usize = 64;
const DEEPER: &str = "…";

/// It does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Makes JSON of Python values as long as there is room.
pub(super) struct Telling {
    room: usize,
}

impl Telling {
    pub fn within(room: usize) -> Self {
        Self { room }
    }

    pub fn tell(&mut self, object: MontyObject) -> Result<Value, TooLarge> {
        self.at(object, DEEPEST)
    }

    pub fn take(&mut self, bytes: usize) -> Result<(), TooLarge> {
        self.room = self.room.checked_sub(bytes).ok_or(TooLarge)?;
        Ok(())
    }

    fn text(&mut self, text: String) -> Result<Value, TooLarge> {
        self.take(text.len() + 2)?;
        Ok(Value::String(text))
    }

    fn list(&mut self, items: Vec<MontyObject>, depth: usize) -> Result<Value, TooLarge> {
        let Some(depth) = depth.checked_sub(1) else {
            return self.text(DEEPER.to_owned());
        };
        let told: Result<Vec<_>, _> = items.into_iter().map(|item| self.at(item, depth)).collect();
        Ok(Value::Array(told?))
    }

    fn object(
        &mut self,
        pairs: impl IntoIterator<Item = (MontyObject, MontyObject)>,
        depth: usize,
    ) -> Result<Value, TooLarge> {
        let Some(depth) = depth.checked_sub(1) else {
            return self.text(DEEPER.to_owned());
        };
        let told: Result<Map<_, _>, _> = pairs
            .into_iter()
            .map(|(name, value)| {
                let name = key(name);
                self.take(name.len() + 4)?;
                Ok((name, self.at(value, depth)?))
            })
            .collect();
        Ok(Value::Object(told?))
    }

    fn at(&mut self, object: MontyObject, depth: usize) -> Result<Value, TooLarge> {
        self.take(2)?;
        match object {
            MontyObject::None => Ok(Value::Null),
            MontyObject::Bool(yes) => Ok(Value::Bool(yes)),
            MontyObject::Int(number) => {
                self.take(8)?;
                Ok(Value::Number(number.into()))
            }
            MontyObject::BigInt(number) => {
                // Of so many bits, at most a third of the digits.
                self.take(usize::try_from(number.bits() / 3).map_err(|_| TooLarge)?)?;
                let digits = number.to_string();
                Ok(digits.parse().map_or(Value::String(digits), Value::Number))
            }
            MontyObject::Float(number) => {
                self.take(8)?;
                Ok(float(number))
            }
            MontyObject::String(text) | MontyObject::Path(text) | MontyObject::Repr(text) => {
                self.text(text)
            }
            MontyObject::List(items)
            | MontyObject::Tuple(items)
            | MontyObject::Set(items)
            | MontyObject::FrozenSet(items) => self.list(items, depth),
            MontyObject::Dict(pairs) => self.object(pairs, depth),
            MontyObject::NamedTuple {
                field_names,
                values,
                ..
            } => {
                let names = field_names.into_iter().map(MontyObject::String);
                self.object(names.zip(values), depth)
            }
            MontyObject::ClassInstance(instance) => self.object(instance.attrs, depth),
            MontyObject::Date(date) => self.text(day(&date)),
            // Bytes, types, exceptions, functions and the rest: as Python prints them.
            MontyObject::Bytes(bytes) => {
                self.take(bytes.len())?;
                self.text(MontyObject::Bytes(bytes).py_repr())
            }
            other => self.text(other.py_repr()),
        }
    }
}

/// A float; those that JSON has no number for as text.
fn float(number: f64) -> Value {
    Number::from_f64(number).map_or_else(
        || Value::String(MontyObject::Float(number).py_repr()),
        Value::Number,
    )
}

fn day(date: &MontyDate) -> String {
    format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)
}

/// The name of a dictionary's member, as Python's `json` writes it.
fn key(name: MontyObject) -> String {
    match name {
        MontyObject::String(name) | MontyObject::Path(name) | MontyObject::Repr(name) => name,
        MontyObject::None => "null".to_owned(),
        MontyObject::Bool(yes) => yes.to_string(),
        MontyObject::Date(date) => day(&date),
        other => other.py_repr(),
    }
}

/// A JSON value as the script gets it.
pub(super) fn object(value: Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(yes) => MontyObject::Bool(yes),
        Value::Number(number) => numeral(&number),
        Value::String(text) => MontyObject::String(text),
        Value::Array(items) => MontyObject::List(items.into_iter().map(object).collect()),
        Value::Object(members) => {
            let pairs = members
                .into_iter()
                .map(|(name, value)| (MontyObject::String(name), object(value)));
            MontyObject::Dict(pairs.collect::<DictPairs>())
        }
    }
}

/// A number as it was written: an integer of any size, else a float.
fn numeral(number: &Number) -> MontyObject {
    let text = number.to_string();
    if let Some(small) = number.as_i64() {
        MontyObject::Int(small)
    } else if let Ok(large) = text.parse::<BigInt>() {
        MontyObject::BigInt(large)
    } else {
        // A number of JSON is one of Rust too.
        MontyObject::Float(text.parse().unwrap_or(f64::NAN))
    }
}
