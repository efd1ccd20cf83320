//! Reading a TOML text piece by piece, so that every mistake is found in one go.
//!
//! Owns the way from a spanned TOML value to a Rust value: types, ranges, durations, unknown keys.
//! Does not know what any key means. A reader that returns `None` has already told `Mistakes` why.

use jiff::SignedDuration;
use serde_json::Value;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::{Mistakes, suggest};
use super::syntax;

/// Parses a text. Syntax errors are the only mistakes that stop the reading.
pub fn parse<'t>(text: &'t str, mistakes: &Mistakes<'_>) -> Option<DeTable<'t>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let span = error.span().unwrap_or_default();
        let (what, todo) =
            syntax::toml(error.message(), text.get(span.start..).unwrap_or_default());
        mistakes.add(&span, what, todo);
    }
    errors.is_empty().then(|| table.into_inner())
}

/// One table whose keys are known beforehand.
#[derive(Debug)]
pub struct Section<'a> {
    path: String,
    span: Range<usize>,
    entries: &'a DeTable<'a>,
    mistakes: &'a Mistakes<'a>,
    known: Vec<&'static str>,
}

/// One value, and what it is called in messages.
#[derive(Debug, Clone)]
pub struct Field<'a> {
    path: String,
    value: &'a Spanned<DeValue<'a>>,
    mistakes: &'a Mistakes<'a>,
}

/// One member of a table whose keys the person chose.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    pub name: &'a str,
    pub span: Range<usize>,
    pub field: Field<'a>,
}

impl<'a> Section<'a> {
    /// The whole text as a table.
    pub fn root(table: &'a DeTable<'a>, mistakes: &'a Mistakes<'a>) -> Self {
        Self {
            path: String::new(),
            span: 0..0,
            entries: table,
            mistakes,
            known: Vec::new(),
        }
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    pub const fn mistakes(&self) -> &'a Mistakes<'a> {
        self.mistakes
    }

    /// The value of a key, if it is there. The key counts as known from now on.
    pub fn field(&mut self, key: &'static str) -> Option<Field<'a>> {
        self.known.push(key);
        let value = self.entries.get(key)?;
        Some(Field {
            path: join(&self.path, key),
            value,
            mistakes: self.mistakes,
        })
    }

    /// As `field`; that the key is missing is a mistake.
    pub fn required(&mut self, key: &'static str, todo: &str) -> Option<Field<'a>> {
        let field = self.field(key);
        if field.is_none() {
            let what = format!("{} has no {key:?}", named(&self.path));
            self.mistakes.add(&self.span, what, todo);
        }
        field
    }

    /// The members of a table whose keys the person chose; none if the key is not there.
    pub fn members(&mut self, key: &'static str) -> Vec<Member<'a>> {
        self.field(key)
            .and_then(|field| field.members())
            .unwrap_or_default()
    }

    /// The elements of a list; none if the key is not there.
    pub fn items(&mut self, key: &'static str) -> Vec<Field<'a>> {
        self.field(key)
            .and_then(|field| field.items())
            .unwrap_or_default()
    }

    /// Reports each key that nobody asked for, and says how many there are.
    pub fn finish(self) -> usize {
        let unknown = self
            .entries
            .keys()
            .filter(|key| !self.known.contains(&key.get_ref().as_ref()));
        let mut count = 0;
        for key in unknown {
            let name = key.get_ref();
            let what = format!("{} has no key {name:?}", named(&self.path));
            self.mistakes
                .add(&key.span(), what, suggest(name, &self.known));
            count += 1;
        }
        count
    }
}

impl<'a> Field<'a> {
    /// What the value is called in messages: `agents.travel.model`.
    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// Reports a mistake at this value; the message begins with its path.
    pub fn mistake(&self, what: &str, todo: impl Into<String>) {
        self.mistakes
            .add(&self.value.span(), format!("{} {what}", self.path), todo);
    }

    pub fn text(&self) -> Option<&'a str> {
        let text = self.value.get_ref().as_str();
        self.known(text, "a string", "put it in quotes")
    }

    /// A text that says something.
    pub fn words(&self) -> Option<&'a str> {
        let text = self.text()?;
        if text.trim().is_empty() {
            self.mistake("is empty", "write something");
            return None;
        }
        Some(text)
    }

    pub fn flag(&self) -> Option<bool> {
        let flag = self.value.get_ref().as_bool();
        self.known(flag, "true or false", "write true or false without quotes")
    }

    pub fn number(&self, range: RangeInclusive<usize>) -> Option<usize> {
        let number = self
            .value
            .get_ref()
            .as_integer()
            .and_then(|integer| usize::from_str_radix(integer.as_str(), integer.radix()).ok())
            .filter(|number| range.contains(number));
        let (from, to) = (range.start(), range.end());
        let wanted = format!("a whole number from {from} to {to}");
        self.known(number, &wanted, "choose one in that range")
    }

    /// A duration such as `"60s"`, `"2m"` or `"400ms"`.
    pub fn duration(&self, range: RangeInclusive<Duration>) -> Option<Duration> {
        let todo = "write a number with its unit, such as \"60s\", \"2m\" or \"400ms\"";
        let text = self.value.get_ref().as_str();
        let text = self.known(text, "a duration", todo)?;
        let parsed = text.parse::<SignedDuration>().ok();
        let Some(duration) = parsed.and_then(|signed| Duration::try_from(signed).ok()) else {
            self.mistake(&format!("is no duration: {text:?}"), todo);
            return None;
        };
        if !range.contains(&duration) {
            let (from, to) = (written(*range.start()), written(*range.end()));
            let what = format!("must be from {from} to {to}, not {text:?}");
            self.mistake(&what, "choose one in that range");
            return None;
        }
        Some(duration)
    }

    /// One of a few words.
    pub fn one_of<T: Copy>(&self, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text()?;
        let chosen = choices.iter().find(|(word, _)| *word == text);
        if chosen.is_none() {
            let known: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            self.mistake(&format!("cannot be {text:?}"), suggest(text, &known));
        }
        chosen.map(|(_, choice)| *choice)
    }

    pub fn section(&self) -> Option<Section<'a>> {
        let table = self.value.get_ref().as_table();
        let entries = self.known(table, "a table", "write { key = value }")?;
        Some(Section {
            path: self.path.clone(),
            span: self.value.span(),
            entries,
            mistakes: self.mistakes,
            known: Vec::new(),
        })
    }

    /// The members in the order they were written in.
    pub fn members(&self) -> Option<Vec<Member<'a>>> {
        let table = self.value.get_ref().as_table();
        let entries = self.known(table, "a table", "write { key = value }")?;
        Some(self.in_order(entries))
    }

    pub fn items(&self) -> Option<Vec<Self>> {
        let array = self.value.get_ref().as_array();
        let array = self.known(array, "a list", "put it in [ ]")?;
        Some(self.elements(array.iter()))
    }

    /// A list, or a single value in its place.
    pub fn one_or_more(&self) -> Vec<Self> {
        match self.value.get_ref().as_array() {
            Some(array) => self.elements(array.iter()),
            None => vec![self.clone()],
        }
    }

    fn elements(&self, values: impl Iterator<Item = &'a Spanned<DeValue<'a>>>) -> Vec<Self> {
        values
            .enumerate()
            .map(|(index, value)| Self {
                path: format!("{}[{}]", self.path, index + 1),
                value,
                mistakes: self.mistakes,
            })
            .collect()
    }

    /// The value as JSON, members in the order they were written in.
    pub fn json(&self) -> Option<Value> {
        match self.value.get_ref() {
            DeValue::String(text) => Some(Value::String(text.to_string())),
            DeValue::Boolean(flag) => Some(Value::Bool(*flag)),
            DeValue::Datetime(moment) => Some(Value::String(moment.to_string())),
            DeValue::Integer(integer) => {
                let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
                self.known(
                    number.map(Value::from),
                    "a 64-bit number",
                    "write it smaller",
                )
            }
            DeValue::Float(float) => {
                let number = float.as_str().parse::<f64>().ok();
                let number = number.and_then(serde_json::Number::from_f64);
                self.known(
                    number.map(Value::Number),
                    "a finite number",
                    "JSON has no inf or nan",
                )
            }
            DeValue::Array(array) => {
                let elements = self.elements(array.iter());
                let values: Vec<_> = elements.iter().map(Self::json).collect();
                values.into_iter().collect::<Option<_>>().map(Value::Array)
            }
            DeValue::Table(table) => {
                let members = self.in_order(table);
                let values: Vec<_> = members
                    .iter()
                    .map(|member| Some((member.name.to_owned(), member.field.json()?)))
                    .collect();
                values.into_iter().collect::<Option<_>>().map(Value::Object)
            }
        }
    }

    fn in_order(&self, entries: &'a DeTable<'a>) -> Vec<Member<'a>> {
        let mut members: Vec<_> = entries
            .iter()
            .map(|(key, value)| Member {
                name: key.get_ref().as_ref(),
                span: key.span(),
                field: Self {
                    path: join(&self.path, key.get_ref()),
                    value,
                    mistakes: self.mistakes,
                },
            })
            .collect();
        members.sort_by_key(|member| member.span.start);
        members
    }

    /// Passes a value on, or reports that it should have been a `wanted`.
    fn known<T>(&self, value: Option<T>, wanted: &str, todo: &str) -> Option<T> {
        if value.is_none() {
            let found = match self.value.get_ref() {
                DeValue::Integer(integer) => &integer.to_string(),
                DeValue::Float(float) => &float.to_string(),
                DeValue::Boolean(true) => "true",
                DeValue::Boolean(false) => "false",
                DeValue::String(_) => "a string",
                DeValue::Datetime(_) => "a date",
                DeValue::Array(_) => "a list",
                DeValue::Table(_) => "a table",
            };
            self.mistake(&format!("must be {wanted}, not {found}"), todo);
        }
        value
    }
}

/// Keys as TOML writes them: one with anything unusual in it stands in quotes, escaped.
fn join(path: &str, key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let dot = if path.is_empty() { "" } else { "." };
    if !key.is_empty() && key.chars().all(bare) {
        format!("{path}{dot}{key}")
    } else {
        format!("{path}{dot}{key:?}")
    }
}

fn named(path: &str) -> &str {
    if path.is_empty() { "the file" } else { path }
}

/// A duration as a person would write it.
fn written(duration: Duration) -> String {
    SignedDuration::try_from(duration).map_or_else(
        |_| format!("{duration:?}"),
        |duration| format!("{duration:#}"),
    )
}
