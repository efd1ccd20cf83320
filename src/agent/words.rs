//! What the model is told of each call, in words.

use crate::core::schema::Violation;

pub use crate::core::told::{edited, result};

/// For a call that was running when the program stopped and of which nobody knows what became.
pub fn unknown(reason: &str) -> String {
    let told = "the program stopped while this ran, so it is not known whether it did what it was to do; do not assume either";
    if reason.is_empty() {
        told.to_owned()
    } else {
        format!("{told}. The operator says: {reason}")
    }
}

/// For a call whose server was lost while it ran it, and of which nobody knows what became.
pub fn lost(reason: &str) -> String {
    let told = "the tool's server was lost while it ran this, so it is not known whether it did what it was to do; do not assume either";
    if reason.is_empty() {
        told.to_owned()
    } else {
        format!("{told}. The operator says: {reason}")
    }
}

pub fn unknown_tool<'a>(tool: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.collect();
    format!(
        "there is no tool `{tool}`; the tools are {}",
        known.join(", ")
    )
}

pub fn violations(found: &[Violation]) -> String {
    let list: Vec<_> = found.iter().map(ToString::to_string).collect();
    format!(
        "the arguments do not fit the tool's schema: {}",
        list.join("; ")
    )
}
