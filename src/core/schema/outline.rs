//! A schema in short: the names of the arguments, their types, and which of them have to be there.
//!
//! Owns the words. What a schema says besides is left to its text.

use crate::core::count;
use serde_json::Value;

use crate::core::name::quoted;

/// Arguments that are named; of the others only the number is.
const NAMED: usize = 12;
/// Characters of what one argument may be.
const LONGEST: usize = 60;

pub(super) fn of(schema: &Value) -> String {
    let Some(members) = schema.get("properties").and_then(Value::as_object) else {
        return "what its schema says".to_owned();
    };
    if members.is_empty() {
        return "no arguments".to_owned();
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let one = |(name, member): (&String, &Value)| {
        let must = if is_required(name) { " (required)" } else { "" };
        format!("{}: {}{must}", quoted(name), clipped(kind(member)))
    };
    let mut told: Vec<String> = members.iter().take(NAMED).map(one).collect();
    let more = members.len().saturating_sub(NAMED);
    if more > 0 {
        told.push(format!("and {} more", count::number(more)));
    }
    told.join(", ")
}

/// What a value may be, one level deep.
fn kind(schema: &Value) -> String {
    if let Some(one) = schema.get("const") {
        return one.to_string();
    }
    if let Some(all) = schema.get("enum").and_then(Value::as_array) {
        return either(all.iter().map(Value::to_string));
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(all) = schema.get(word).and_then(Value::as_array) {
            return either(all.iter().map(simple));
        }
    }
    if schema.get("type").and_then(Value::as_str) == Some("array")
        && let Some(items) = schema.get("items")
    {
        return format!("list of {}", simple(items));
    }
    simple(schema)
}

fn simple(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(word)) => word.clone(),
        Some(Value::Array(words)) => either(
            words
                .iter()
                .map(|word| word.as_str().unwrap_or("any").to_owned()),
        ),
        _ => "any".to_owned(),
    }
}

fn either(all: impl Iterator<Item = String>) -> String {
    all.collect::<Vec<_>>().join(" | ")
}

fn clipped(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
