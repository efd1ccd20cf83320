//! Secrets: where the configuration says that they stand, and what is written in their place.
//!
//! Owns the rules, the values that were found by them, and the words of this program without what is
//! secret in them. Knows no key and writes nothing: whoever writes makes the marks (`Marks`) and keeps
//! what was taken out.

mod find;
mod known;
mod layer;
mod pointer;
mod words;

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::arguments::Arguments;
use super::pattern;
use find::Found;
pub use known::Known;
pub use pointer::{Pointer, Tools};

/// What the configuration declares to be secret. Nothing, by default.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    pointers: Vec<Pointer>,
    patterns: Vec<Regex>,
}

impl Redaction {
    pub const fn is_empty(&self) -> bool {
        self.pointers.is_empty() && self.patterns.is_empty()
    }

    /// The values that a pointer names are secret.
    pub fn pointer(&mut self, pointer: Pointer) {
        self.pointers.push(pointer);
    }

    /// What the pattern matches is secret, wherever it stands. `Err` says why it is no such pattern.
    pub fn pattern(&mut self, pattern: &str) -> Result<(), String> {
        let compiled = pattern::compile(&mut RegexBuilder::new(pattern))?;
        if compiled.is_match("") {
            return Err("it matches where nothing stands".to_owned());
        }
        self.patterns.push(compiled);
        Ok(())
    }

    /// What others declare counts as well.
    pub fn extend(&mut self, other: &Self) {
        for pointer in &other.pointers {
            if !self.pointers.contains(pointer) {
                self.pointers.push(pointer.clone());
            }
        }
        for pattern in &other.patterns {
            let same = |own: &Regex| own.as_str() == pattern.as_str();
            if !self.patterns.iter().any(same) {
                self.patterns.push(pattern.clone());
            }
        }
    }

    /// The secrets in a call's arguments, to be known wherever else they come to stand.
    pub fn secrets(&self, tool: &str, text: &str) -> Vec<String> {
        if self.is_empty() || Arguments::parse(text).is_err() {
            return Vec::new();
        }
        let named = pointer::found(&self.pointers, Some(tool), text);
        let mut secrets: Vec<_> = named
            .iter()
            .flat_map(|found| pointer::leaves(&text[found.at.clone()]))
            .collect();
        // What is too short to be looked for is at least not copied with all that is around it.
        if secrets.iter().any(|secret| !known::is_long(secret)) {
            secrets.push(text.to_owned());
        }
        let matched = find::in_text(self, &Known::default(), text);
        secrets.extend(matched.into_iter().map(|found| found.secret));
        secrets
    }
}

/// What stands in a secret's place: the same mark for the same secret.
pub trait Marks {
    fn mark(&self, secret: &str) -> String;
}

/// Takes secrets out of texts, and counts how many there were.
pub struct Ink<'a> {
    redaction: &'a Redaction,
    known: &'a Known,
    marks: &'a dyn Marks,
    count: usize,
}

impl<'a> Ink<'a> {
    pub const fn new(redaction: &'a Redaction, known: &'a Known, marks: &'a dyn Marks) -> Self {
        Self {
            redaction,
            known,
            marks,
            count: 0,
        }
    }

    /// How many secrets were taken out so far.
    pub const fn count(&self) -> usize {
        self.count
    }

    pub fn text(&mut self, text: &mut String) {
        let found = find::in_text(self.redaction, self.known, text);
        self.replace(text, found);
    }

    /// A call's arguments as the model wrote them. Where they cannot be read, a pointer names nothing
    /// and a secret may be cut: then all of them are one.
    pub fn written(&mut self, tool: &str, text: &mut String) {
        if self.redaction.is_empty() {
            return;
        }
        match Arguments::parse(text) {
            Ok(mut arguments) => {
                let before = self.count;
                self.arguments(tool, &mut arguments);
                if self.count > before {
                    arguments.text().clone_into(text);
                }
            }
            Err(_) => *text = self.whole(text),
        }
    }

    /// A call's arguments. They stay an object, whatever has to go.
    pub fn arguments(&mut self, tool: &str, arguments: &mut Arguments) {
        self.object(Some(tool), arguments);
    }

    /// As `arguments`. Where the tool is not known, every pointer counts.
    fn object(&mut self, tool: Option<&str>, arguments: &mut Arguments) {
        let mut found = pointer::found(&self.redaction.pointers, tool, arguments.text());
        found.extend(find::in_text(self.redaction, self.known, arguments.text()));
        if found.is_empty() {
            return;
        }
        let mut text = arguments.text().to_owned();
        self.replace(&mut text, found);
        // A match across quotes or braces leaves no JSON.
        *arguments = Arguments::parse(&text).unwrap_or_else(|_| {
            let whole = serde_json::json!({ "redacted": self.whole(arguments.text()) });
            Arguments::from_value(&whole).expect("an object with one key")
        });
    }

    pub fn json(&mut self, value: &mut Value) {
        let mut text = value.to_string();
        let found = find::in_text(self.redaction, self.known, &text);
        if found.is_empty() {
            return;
        }
        let all = text.clone();
        self.replace(&mut text, found);
        *value = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(self.whole(&all)));
    }

    fn whole(&mut self, text: &str) -> String {
        self.count += 1;
        self.marks.mark(text)
    }

    fn replace(&mut self, text: &mut String, found: Vec<Found>) {
        if found.is_empty() {
            return;
        }
        let found = find::merged(text, found);
        self.count += found.len();
        *text = find::replaced(text, &found, self.marks);
    }
}
