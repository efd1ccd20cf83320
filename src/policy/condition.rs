//! What a rule asks of one argument: `equals`, `glob`, `regex`, `under`.
//!
//! A `regex` is held against the whole value: one that matched anywhere would let `git` allow
//! `rm -rf ~ # git`. In it `.` matches a newline too, as `*` does in a `glob`; otherwise a newline in
//! an argument would dodge a rule that denies. An argument that is not there fulfils no condition.

use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::sync::OnceLock;

use super::path;
use super::rule::{Look, Seen};
use crate::core::pattern;

/// All tests of one argument.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    /// JSON pointer to the argument.
    pub pointer: String,
    pub tests: Vec<Test>,
}

#[derive(Debug, Clone)]
pub(super) enum Test {
    Equals(Value),
    Glob(GlobMatcher),
    Regex(Regex),
    /// A regex of the program's own rules.
    Proven(Proven),
    Under(String),
}

/// A pattern that a test has compiled: here it is only when it is first needed, since each start of the
/// program would pay for it.
#[derive(Debug, Clone)]
pub(super) struct Proven {
    pattern: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Proven {
    /// Holds if the pattern cannot be compiled: the program's own rules only make things stricter.
    fn is_match(&self, text: &str) -> bool {
        let compiled = self
            .compiled
            .get_or_init(|| build(&anchored(&self.pattern)).ok());
        compiled.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

impl Condition {
    pub fn holds(&self, seen: Seen<'_>) -> bool {
        seen.at(&self.pointer)
            .is_some_and(|look| self.tests.iter().all(|test| test.holds(look, seen)))
    }
}

impl Test {
    /// Case counts, and `*` matches any text, `/` included.
    pub fn glob(pattern: &str) -> Result<Self, String> {
        GlobBuilder::new(pattern)
            .literal_separator(false)
            .build()
            .map(|glob| Self::Glob(glob.compile_matcher()))
            .map_err(|error| error.kind().to_string())
    }

    pub fn regex(pattern: &str) -> Result<Self, String> {
        // Alone first: `a)|(b` is unsound by itself but would pass, half anchored, inside the group.
        build(pattern)?;
        build(&anchored(pattern)).map(Self::Regex)
    }

    /// A regex that is known to be sound.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "it stands in the place of `regex`"
    )]
    pub fn proven(pattern: &str) -> Result<Self, String> {
        Ok(Self::Proven(Proven {
            pattern: pattern.to_owned(),
            compiled: OnceLock::new(),
        }))
    }

    fn holds(&self, look: Look<'_>, seen: Seen<'_>) -> bool {
        match (self, look) {
            (Self::Equals(wanted), Look::Text(text)) => wanted.as_str() == Some(text),
            (Self::Equals(wanted), Look::Other(value)) => same(wanted, value),
            (Self::Glob(glob), Look::Text(text)) => glob.is_match(text),
            (Self::Regex(regex), Look::Text(text)) => regex.is_match(text),
            (Self::Regex(regex), Look::Other(value)) => {
                plain_json(value).is_some_and(|text| regex.is_match(&text))
            }
            (Self::Proven(regex), Look::Text(text)) => regex.is_match(text),
            (Self::Proven(regex), Look::Other(value)) => {
                plain_json(value).is_some_and(|text| regex.is_match(&text))
            }
            (Self::Under(folder), Look::Text(text)) => path::is_under(text, folder, seen.workspace),
            (Self::Glob(_) | Self::Under(_), Look::Other(_)) => false,
        }
    }
}

fn anchored(pattern: &str) -> String {
    format!(r"\A(?:{pattern})\z")
}

fn build(pattern: &str) -> Result<Regex, String> {
    pattern::compile(RegexBuilder::new(pattern).dot_matches_new_line(true))
}

/// The JSON text of a number, true, false or null.
fn plain_json(value: &Value) -> Option<String> {
    match value {
        Value::Number(_) | Value::Bool(_) | Value::Null => Some(value.to_string()),
        Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Equal as JSON; numbers by value, so `1.0` cannot dodge a rule about `1`.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => a == b,
    }
}
