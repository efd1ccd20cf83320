//! A name that somebody else chose, as it stands in a sentence, a heading or a column of ours.
//!
//! Owns when a name is put in quotes: whenever it is not one word. A tool that is called `rm ✓ approved` would
//! else say something of itself that nobody decided. Every place that shows the name of a tool, an agent, a model, a
//! server, an argument or a call takes it from here. Data that programs read have names as they are.

use std::borrow::Cow;

use super::call::CallId;
use super::shown::Shown;

/// A name as it is, if it is one word; else in quotes: a blank at its end is to be seen, and what looks
/// like a name and more is told from one. Not yet visible text.
pub fn quoted(name: &str) -> Cow<'_, str> {
    let is_word = |c: char| c.is_alphanumeric() || "_-.$@:/".contains(c);
    if !name.is_empty() && name.chars().all(is_word) {
        return name.into();
    }
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{name}\"").into()
}

/// The same as visible text.
pub fn shown(name: &str) -> Shown {
    Shown::label(&quoted(name))
}

/// The name of the tool of this call. That of a question is made of our own words: `files asks`. Not yet
/// visible text.
pub fn of_call<'a>(call: &CallId, tool: &'a str) -> Cow<'a, str> {
    if call.is_question() {
        tool.into()
    } else {
        quoted(tool)
    }
}

/// Several names in one sentence.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>, between: &str) -> String {
    let names: Vec<_> = names.into_iter().map(quoted).collect();
    names.join(between)
}
