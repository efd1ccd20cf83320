//! Python names for tools and their arguments.
//!
//! Owns that every tool has a name a script can call, and that no two have the same.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;

/// Words that cannot be names.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// A Python identifier that is as close to `name` as can be. Other names may come to the same: use
/// [`identifiers`] for a set.
pub fn identifier(name: &str) -> String {
    let mut made: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if made.starts_with(|c: char| c.is_ascii_digit()) {
        made.insert(0, '_');
    }
    if made.is_empty() || KEYWORDS.contains(&made.as_str()) {
        made.push('_');
    }
    made
}

/// An identifier for each of `names`, in their order, no two the same. Those that are identifiers
/// already keep their name, whatever the order.
pub fn identifiers(names: &[&str]) -> Vec<String> {
    let own = |name: &str| identifier(name) == name;
    let mut taken: HashSet<String> = names
        .iter()
        .filter(|name| own(name))
        .map(|name| (*name).to_owned())
        .collect();
    let mut seen = HashSet::new();
    names
        .iter()
        .map(|name| {
            let wish = identifier(name);
            // The first of several that are spelled alike keeps the name.
            if own(name) && seen.insert(wish.clone()) {
                return wish;
            }
            let mut made = wish.clone();
            let mut at = 2_u32;
            while taken.contains(&made) {
                made = format!("{wish}_{at}");
                at += 1;
            }
            taken.insert(made.clone());
            made
        })
        .collect()
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Parameter {
    /// As Python writes it.
    pub python: String,
    /// As the tool knows it.
    pub property: String,
    pub required: bool,
    /// The tool takes `null` for it; otherwise `None` means that it is not given.
    pub nullable: bool,
}

/// The parameters of a function in the schema's order.
pub(super) fn parameters(schema: &Value) -> Vec<Parameter> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let required = required(schema.get("required"));
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    let each = identifiers(&names).into_iter().zip(properties);
    each.map(|(python, (property, kind))| Parameter {
        python,
        required: required.contains(&property.as_str()),
        nullable: nullable(kind),
        property: property.clone(),
    })
    .collect()
}

/// The names in a schema's `required`.
pub(super) fn required(names: Option<&Value>) -> Vec<&str> {
    let names = names.and_then(Value::as_array);
    names
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Whether a schema may take `null`. Where that is not seen at once, it may.
fn nullable(schema: &Value) -> bool {
    let kind = schema.get("type");
    let plain = kind
        .and_then(Value::as_str)
        .is_some_and(|kind| kind != "null");
    let listed = kind
        .and_then(Value::as_array)
        .is_some_and(|kinds| kinds.iter().all(|kind| kind != "null"));
    let enumerated = schema
        .get("enum")
        .and_then(Value::as_array)
        .is_some_and(|values| !values.contains(&Value::Null));
    let openly = schema.get("nullable") == Some(&Value::Bool(true));
    openly || !(plain || listed || enumerated)
}
