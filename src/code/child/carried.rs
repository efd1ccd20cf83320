//! Python values as arguments of a call: carried to the tool exactly as they are, or not at all.
//!
//! Owns what a script is told of a value that JSON has no word for. A call that is put before a person must be
//! the one that the script made: nothing is rounded, spelled out or left out on the way. A tuple is a list and
//! a path its text, as everywhere in Python where JSON is made.

use monty_types::{ExcType, MontyException, MontyObject};
use serde_json::{Map, Number, Value};

use super::value::{Telling, TooLarge};

/// How deep an argument may be nested.
const DEEPEST: usize = 64;

/// Why a value cannot be an argument.
pub(super) enum Odd {
    TooLarge,
    /// Where in the argument, and what is wrong there.
    Not(ExcType, String, String),
}

impl From<TooLarge> for Odd {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
    }
}

impl Odd {
    /// As it is raised where the call stands.
    pub fn exception(self, function: &str, argument: &str) -> Option<MontyException> {
        match self {
            Self::TooLarge => None,
            Self::Not(kind, place, what) => {
                let told = format!("argument {argument}{place} of {function}() {what}");
                Some(MontyException::new(kind, Some(told)))
            }
        }
    }
}

fn value_error(what: String) -> Odd {
    Odd::Not(ExcType::ValueError, String::new(), what)
}

fn type_error(what: String) -> Odd {
    Odd::Not(ExcType::TypeError, String::new(), what)
}

/// What stands there in a value is wrong.
fn within(odd: Odd, at: &str) -> Odd {
    match odd {
        Odd::Not(kind, place, what) if place.len() < LONGEST => {
            Odd::Not(kind, format!("{at}{place}"), what)
        }
        odd => odd,
    }
}

/// Bytes of a place that are told.
const LONGEST: usize = 200;

/// The value as JSON.
pub(super) fn carried(object: MontyObject, telling: &mut Telling) -> Result<Value, Odd> {
    at(object, telling, DEEPEST)
}

fn at(object: MontyObject, telling: &mut Telling, depth: usize) -> Result<Value, Odd> {
    telling.take(2)?;
    match object {
        MontyObject::Float(number) => {
            telling.take(8)?;
            let Some(carried) = Number::from_f64(number) else {
                let repr = MontyObject::Float(number).py_repr();
                return Err(value_error(format!(
                    "is {repr}, which is not a number that JSON can carry"
                )));
            };
            Ok(Value::Number(carried))
        }
        MontyObject::List(items) | MontyObject::Tuple(items) => list(items, telling, depth),
        MontyObject::NamedTuple { values, .. } => list(values, telling, depth),
        MontyObject::Dict(pairs) => {
            let deeper = deeper(depth)?;
            let mut members = Map::new();
            for (key, value) in pairs {
                let MontyObject::String(key) = key else {
                    let key = short(&key.py_repr());
                    return Err(type_error(format!(
                        "has the key {key}, but JSON has only str as keys"
                    )));
                };
                telling.take(key.len() + 4)?;
                let value = at(value, telling, deeper)
                    .map_err(|odd| within(odd, &format!("[{}]", repr(&key))))?;
                members.insert(key, value);
            }
            Ok(Value::Object(members))
        }
        plain @ (MontyObject::None
        | MontyObject::Bool(_)
        | MontyObject::Int(_)
        | MontyObject::BigInt(_)
        | MontyObject::String(_)
        | MontyObject::Path(_)) => Ok(telling.tell(plain)?),
        MontyObject::Cycle(..) => Err(value_error(
            "contains itself, which JSON cannot carry".to_owned(),
        )),
        other => Err(type_error(format!(
            "is {}, which JSON cannot carry{}",
            kind(&other),
            instead(&other)
        ))),
    }
}

fn list(items: Vec<MontyObject>, telling: &mut Telling, depth: usize) -> Result<Value, Odd> {
    let deeper = deeper(depth)?;
    let mut carried = Vec::with_capacity(items.len());
    for (place, item) in items.into_iter().enumerate() {
        let item = at(item, telling, deeper).map_err(|odd| within(odd, &format!("[{place}]")))?;
        carried.push(item);
    }
    Ok(Value::Array(carried))
}

fn deeper(depth: usize) -> Result<usize, Odd> {
    depth
        .checked_sub(1)
        .ok_or_else(|| value_error(format!("is nested deeper than {DEEPEST}")))
}

/// What kind of thing it is.
fn kind(object: &MontyObject) -> String {
    match object {
        MontyObject::Bytes(_) => "bytes".to_owned(),
        MontyObject::Set(_) | MontyObject::FrozenSet(_) => "a set".to_owned(),
        MontyObject::Date(_) => "a date".to_owned(),
        MontyObject::DateTime(_) => "a datetime".to_owned(),
        MontyObject::Time(_) => "a time".to_owned(),
        MontyObject::Function { .. } | MontyObject::BuiltinFunction(_) => "a function".to_owned(),
        MontyObject::Repr(text) => short(text),
        other => short(&other.py_repr()),
    }
}

/// What the script could give in its place.
fn instead(object: &MontyObject) -> &'static str {
    match object {
        MontyObject::Bytes(_) => ": give its text, with .decode()",
        MontyObject::Set(_) | MontyObject::FrozenSet(_) => ": give a list, which has an order",
        MontyObject::Date(_) | MontyObject::DateTime(_) | MontyObject::Time(_) => {
            ": give its text, with .isoformat()"
        }
        MontyObject::ClassInstance(_) => ": give a dict",
        MontyObject::Repr(text) if text.contains("oroutine") || text.contains("uture") => {
            ": await it first"
        }
        _ => "",
    }
}

fn repr(text: &str) -> String {
    short(&MontyObject::String(text.to_owned()).py_repr())
}

fn short(text: &str) -> String {
    const MOST: usize = 60;
    if text.len() <= MOST {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(MOST)])
}
