//! Values no deeper than both sides can read.

use serde_json::Value;

/// As deep as a tool's result may be; what lies deeper is given as its text.
const DEEPEST: usize = 64;

pub(super) fn bounded(value: Value) -> Value {
    at(value, DEEPEST)
}

fn at(value: Value, depth: usize) -> Value {
    match (value, depth.checked_sub(1)) {
        (Value::Array(items), Some(depth)) => {
            Value::Array(items.into_iter().map(|item| at(item, depth)).collect())
        }
        (Value::Object(members), Some(depth)) => Value::Object(
            members
                .into_iter()
                .map(|(name, value)| (name, at(value, depth)))
                .collect(),
        ),
        (value @ (Value::Array(_) | Value::Object(_)), None) => Value::String(value.to_string()),
        (value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)), _) => value,
    }
}
