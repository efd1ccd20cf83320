//! A call's arguments as the tool knows them.

use monty_types::{ExcType, MontyException, MontyObject};
use serde_json::{Map, Value};

use super::super::wire::Declared;
use super::carried::{Odd, carried};
use super::value::Telling;

/// Why a call has no arguments.
pub(super) enum Wrong {
    /// Python would not make this call either.
    Raise(MontyException),
    TooLarge,
}

/// Puts positional arguments under their names, and names back into the tool's own spelling.
pub(super) fn arguments(
    function: &Declared,
    positional: Vec<MontyObject>,
    named: Vec<(MontyObject, MontyObject)>,
    telling: &mut Telling,
) -> Result<Value, Wrong> {
    let known = &function.parameters;
    let (takes, given) = (known.len(), positional.len());
    if given > takes {
        let what = format!("takes {takes} positional arguments but {given} were given");
        return Err(wrong(function, &what));
    }
    let mut pairs: Vec<(String, MontyObject)> = Vec::new();
    let positional = known
        .iter()
        .map(|parameter| parameter.python.clone())
        .zip(positional);
    let named = named.into_iter().map(|(name, value)| match name {
        MontyObject::String(name) => (name, value),
        other => (other.py_repr(), value),
    });
    let mut seen = Vec::new();
    for (name, value) in positional.chain(named) {
        let parameter = known
            .iter()
            .find(|known| known.python == name || known.property == name);
        let property = parameter.map_or(name, |parameter| parameter.property.clone());
        if seen.contains(&property) {
            return Err(wrong(
                function,
                &format!("got multiple values for argument '{property}'"),
            ));
        }
        seen.push(property.clone());
        // What the stub gives as the default of a parameter that the tool knows no `null` for.
        let left_out = matches!(value, MontyObject::None)
            && parameter.is_some_and(|parameter| !parameter.required && !parameter.nullable);
        if !left_out {
            pairs.push((property, value));
        }
    }
    let mut members = Map::new();
    for (property, value) in pairs {
        let carried = telling
            .take(property.len() + 4)
            .map_err(Odd::from)
            .and_then(|()| carried(value, telling));
        let carried = carried.map_err(|odd| {
            odd.exception(&function.name, &property)
                .map_or(Wrong::TooLarge, Wrong::Raise)
        })?;
        members.insert(property, carried);
    }
    Ok(Value::Object(members))
}

fn wrong(function: &Declared, what: &str) -> Wrong {
    let message = format!("{}() {what}", function.name);
    Wrong::Raise(MontyException::new(ExcType::TypeError, Some(message)))
}
