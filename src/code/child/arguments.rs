//! A call's arguments as the tool knows them.

use monty_types::{ExcType, MontyException, MontyObject};
use serde_json::{Map, Value};

use super::super::wire::Declared;
use super::value::{Telling, TooLarge};

/// Why a call has no arguments.
pub(super) enum Wrong {
    /// Python would not make this call either.
    Raise(MontyException),
    TooLarge,
}

impl From<TooLarge> for Wrong {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
    }
}

/// Puts positional arguments under their names, and names back into the tool's own spelling.
pub(super) fn arguments(
    function: &Declared,
    positional: Vec<MontyObject>,
    named: Vec<(MontyObject, MontyObject)>,
    telling: &mut Telling,
) -> Result<Value, Wrong> {
    let known = &function.parameters;
    if positional.len() > known.len() {
        return Err(raise(format!(
            "{}() takes {} positional arguments but {} were given",
            function.name,
            known.len(),
            positional.len()
        )));
    }
    let mut pairs: Vec<(String, MontyObject)> = known
        .iter()
        .map(|(_, property)| property.clone())
        .zip(positional)
        .collect();
    for (name, value) in named {
        let name = match name {
            MontyObject::String(name) => name,
            other => other.py_repr(),
        };
        let property = property(function, name);
        if pairs.iter().any(|(given, _)| *given == property) {
            return Err(raise(format!(
                "{}() got multiple values for argument '{property}'",
                function.name
            )));
        }
        pairs.push((property, value));
    }
    let members: Map<String, Value> = telling.members(pairs)?;
    Ok(Value::Object(members))
}

/// What the tool calls the parameter that Python writes so.
pub(super) fn property(function: &Declared, name: String) -> String {
    let known = function
        .parameters
        .iter()
        .find(|(python, _)| *python == name);
    known.map_or(name, |(_, property)| property.clone())
}

fn raise(message: String) -> Wrong {
    Wrong::Raise(MontyException::new(ExcType::TypeError, Some(message)))
}
