//! What makes two deferred states the same one, however they are laid out.

use serde_json::Value;
use std::fmt::Write as _;

use crate::core::digest::Digest;

/// The digest of a state: of its members in the order of their names, without blanks.
pub(super) fn of(state: &Value) -> Digest {
    let mut text = String::new();
    write(&mut text, state);
    Digest::of_bytes(text.as_bytes())
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| name.as_str());
            out.push('{');
            for (name, value) in members {
                leaf(out, &Value::String(name.clone()));
                out.push(':');
                write(out, value);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write(out, item);
                out.push(',');
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => leaf(out, value),
    }
}

fn leaf(out: &mut String, value: &Value) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{value}");
}
