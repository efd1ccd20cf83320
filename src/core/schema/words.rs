//! What is wrong with a value that does not fit its schema, in words for whoever wrote it.
//!
//! Owns the words of the faults that people and models make. For the others the checker's own words are told, and
//! that they are its own. The place of the fault is not part of the words.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::core::count;
use crate::core::name;

/// Values that are told to choose from.
const CHOICES: usize = 12;
/// Characters of a value that are told.
const LONGEST: usize = 60;

pub(super) fn of(error: &ValidationError<'_>) -> String {
    let found = error.instance();
    simple(error.kind(), found)
        .or_else(|| size(error.kind(), found))
        .unwrap_or_else(|| format!("not as its schema says (in the checker's words: {error})"))
}

/// What is missing, too much, or something else than was asked for.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the checker's kinds are not ours, and most are not told in words of ours"
)]
fn simple(kind: &ValidationErrorKind, found: &Value) -> Option<String> {
    let words = match kind {
        ValidationErrorKind::Required { property } => {
            let text = property.to_string();
            format!(
                "{} is missing",
                name::quoted(property.as_str().unwrap_or(&text))
            )
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let names = unexpected.iter().take(CHOICES).map(String::as_str);
            let more = unexpected.len().saturating_sub(CHOICES);
            let more = match more {
                0 => String::new(),
                more => format!(", nor {} more", count::number(more)),
            };
            format!(
                "nothing is called {}{more} here",
                name::listed(names, ", nor ")
            )
        }
        ValidationErrorKind::Type { kind } => {
            format!("must be {}, and is {}", kinds(kind), given(found))
        }
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().map_or(&[][..], Vec::as_slice);
            let told: Vec<_> = options.iter().take(CHOICES).map(written).collect();
            let more = match options.len().saturating_sub(CHOICES) {
                0 => String::new(),
                more => format!(" or {} more", count::number(more)),
            };
            format!(
                "must be {}{more}, and is {}",
                told.join(" or "),
                given(found)
            )
        }
        ValidationErrorKind::Constant { expected_value } => {
            format!(
                "must be {}, and is {}",
                written(expected_value),
                given(found)
            )
        }
        ValidationErrorKind::Pattern { pattern } => {
            format!(
                "must match the pattern {}, and is {}",
                clipped(pattern),
                given(found)
            )
        }
        ValidationErrorKind::Format { format } => {
            format!(
                "must be written as {}, and is {}",
                name::quoted(format),
                given(found)
            )
        }
        ValidationErrorKind::UniqueItems => "has the same item twice".to_owned(),
        ValidationErrorKind::FalseSchema => "nothing may stand here".to_owned(),
        _ => return None,
    };
    Some(words)
}

/// What is too large, too small, too long or too short.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the checker's kinds are not ours, and most are not told in words of ours"
)]
fn size(kind: &ValidationErrorKind, found: &Value) -> Option<String> {
    let is = |most: String| Some(format!("must be {most}, and is {}", written(found)));
    let has = |limit: u64, than: &str, one: &str, many: &str, has: usize| {
        let limit = count::of(usize::try_from(limit).unwrap_or(usize::MAX), one, many);
        Some(format!(
            "must have {limit} or {than}, and has {}",
            count::number(has)
        ))
    };
    let length = || found.as_str().map_or(0, |text| text.chars().count());
    let items = || found.as_array().map_or(0, Vec::len);
    let members = || found.as_object().map_or(0, serde_json::Map::len);
    match kind {
        ValidationErrorKind::Minimum { limit } => is(format!("{limit} or more")),
        ValidationErrorKind::Maximum { limit } => is(format!("{limit} or less")),
        ValidationErrorKind::ExclusiveMinimum { limit } => is(format!("more than {limit}")),
        ValidationErrorKind::ExclusiveMaximum { limit } => is(format!("less than {limit}")),
        ValidationErrorKind::MultipleOf { multiple_of } => {
            is(format!("a multiple of {multiple_of}"))
        }
        ValidationErrorKind::MinLength { limit } => {
            has(*limit, "more", "character", "characters", length())
        }
        ValidationErrorKind::MaxLength { limit } => {
            has(*limit, "fewer", "character", "characters", length())
        }
        ValidationErrorKind::MinItems { limit } => has(*limit, "more", "item", "items", items()),
        ValidationErrorKind::MaxItems { limit } => has(*limit, "fewer", "item", "items", items()),
        ValidationErrorKind::MinProperties { limit } => {
            has(*limit, "more", "member", "members", members())
        }
        ValidationErrorKind::MaxProperties { limit } => {
            has(*limit, "fewer", "member", "members", members())
        }
        _ => None,
    }
}

/// `a text or nothing`.
fn kinds(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => of_type(*kind).to_owned(),
        TypeKind::Multiple(kinds) => {
            let kinds: Vec<_> = kinds.iter().map(of_type).collect();
            kinds.join(" or ")
        }
    }
}

const fn of_type(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a text",
    }
}

/// What stands there: `the number 7`, `a list`.
fn given(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => written(value),
        Value::Number(_) => format!("the number {}", written(value)),
        Value::String(_) => format!("the text {}", written(value)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// The value as JSON, as far as it is read.
fn written(value: &Value) -> String {
    clipped(&value.to_string())
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => {
            let more = count::number(text[end..].chars().count());
            format!("{} … ({more} more characters)", &text[..end])
        }
    }
}
