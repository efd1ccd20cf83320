//! A tool's JSON Schema, compiled once, and what a set of arguments breaks of it.

mod outline;
mod words;

use jsonschema::{PatternOptions, Validator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::count;

/// How many violations are reported of one set of arguments; more would not be read.
const MOST: usize = 20;
/// Characters of one violation that are told.
const LONGEST: usize = 400;

/// A JSON Schema for a tool's arguments. Cheap to clone.
#[derive(Clone)]
pub struct Schema(Arc<Inner>);

struct Inner {
    value: Value,
    validator: OnceLock<Option<Validator>>,
}

/// One way in which arguments break a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer to the member at fault; empty for the whole object.
    pub path: String,
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.what)
        } else {
            write!(f, "{}: {}", self.path, self.what)
        }
    }
}

impl Schema {
    /// A schema that is not yet known to be sound: `check` of an unsound one reports that.
    pub fn new(value: Value) -> Self {
        Self(Arc::new(Inner {
            value,
            validator: OnceLock::new(),
        }))
    }

    /// The schema if it is sound, else what is wrong with it.
    pub fn compile(value: Value) -> Result<Self, String> {
        build(&value).map_err(|error| error.to_string())?;
        Ok(Self::new(value))
    }

    /// Names and types on one row: `path: string (required), mode: "a" | "w"`. For the eye: the schema says more.
    pub fn outline(&self) -> String {
        outline::of(&self.0.value)
    }

    pub fn value(&self) -> &Value {
        &self.0.value
    }

    /// What `arguments` break of the schema, in the order found, at most twenty.
    pub fn check(&self, arguments: &Value) -> Vec<Violation> {
        let validator = self.0.validator.get_or_init(|| build(&self.0.value).ok());
        let Some(validator) = validator else {
            let what =
                "the tool's schema cannot be read, so nothing can be checked against it".to_owned();
            return vec![Violation {
                path: String::new(),
                what,
            }];
        };
        let found = validator.iter_errors(arguments).take(MOST);
        found
            .map(|error| Violation {
                path: error.instance_path().to_string(),
                what: clipped(&words::of(&error)),
            })
            .collect()
    }
}

/// A violation quotes the value at fault, which may be of any length.
fn clipped(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!(
            "{} … ({} more characters)",
            &text[..end],
            count::number(text[end..].chars().count())
        ),
    }
}

/// Patterns run in linear time (a schema may come from a server), and remote references are refused.
fn build(value: &Value) -> Result<Validator, Box<jsonschema::ValidationError<'static>>> {
    jsonschema::options()
        .with_pattern_options(PatternOptions::regex())
        .build(value)
        .map_err(Box::new)
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.0.value == other.0.value
    }
}
impl Eq for Schema {}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({})", self.0.value)
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.value.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::new)
    }
}
