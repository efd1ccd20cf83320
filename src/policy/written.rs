//! Rules as TOML text. Owns the writing of names, pointers and values; `file` reads them back.

use serde_json::Value;
use std::fmt::Write as _;

use crate::core::verdict::Verdict;

/// Characters of a value that is worth reading in a rule.
const LONGEST: usize = 200;

/// A text as TOML, on one row: as it is where it holds backslashes, else as JSON writes it, which is what
/// redaction knows to look for.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_graphic() && c != '\'' || c == ' ';
    if text.contains('\\') && text.chars().all(plain) {
        return format!("'{text}'");
    }
    Value::from(text).to_string()
}

/// A text as a pattern that matches just that text.
pub(super) fn literally(text: &str) -> String {
    // Outside of brackets a hyphen is a hyphen, and easier to read as one.
    regex::escape(text).replace("\\-", "-")
}

/// One text, or a list of several.
pub(super) fn listed<T: AsRef<str>>(texts: &[T]) -> String {
    match texts {
        [only] => quoted(only.as_ref()),
        texts => {
            let quoted: Vec<_> = texts.iter().map(|text| quoted(text.as_ref())).collect();
            format!("[{}]", quoted.join(", "))
        }
    }
}

/// A name as a pattern that matches it alone.
pub(super) fn pattern(name: &str) -> String {
    globset::escape(name)
}

/// The JSON pointer to a member of the arguments.
pub(super) fn pointer(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// One condition: `"/path" = { under = "docs" }`.
pub(super) fn condition(pointer: &str, test: &str, value: &str) -> String {
    format!("{} = {{ {test} = {value} }}", quoted(pointer))
}

/// A value that TOML can say and a person can read; `None` for any other.
pub(super) fn value(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.chars().count() <= LONGEST => Some(quoted(text)),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => number.as_i64().map(|number| number.to_string()),
        Value::String(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A rule's parts, each as TOML.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Written {
    pub agent: String,
    pub tool: String,
    pub conditions: Vec<String>,
    pub digest: Option<String>,
}

impl Written {
    pub fn text(&self, verdict: Verdict) -> String {
        let mut text = format!("[[rules]]\nagent = {}\ntool = {}\n", self.agent, self.tool);
        if !self.conditions.is_empty() {
            let _ = writeln!(text, "arguments = {{ {} }}", self.conditions.join(", "));
        }
        if let Some(digest) = &self.digest {
            let _ = writeln!(text, "digest = {digest}");
        }
        let _ = writeln!(text, "verdict = \"{}\"", verdict.word());
        text
    }
}
