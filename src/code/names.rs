//! Python names for tools and their arguments.
//!
//! Owns that every tool has a name a script can call, and that no two have the same.

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

/// The parameters of a function in their order: as Python writes them, and as the tool knows them.
pub(super) fn parameters(schema: &Value) -> Vec<(String, String)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = properties
        .into_iter()
        .flat_map(|members| members.keys().map(String::as_str))
        .collect();
    identifiers(&names)
        .into_iter()
        .zip(names)
        .map(|(python, property)| (python, property.to_owned()))
        .collect()
}
