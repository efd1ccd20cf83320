//! The form of a scenario file, and its checks.
//!
//! ```toml
//! title = "travel"
//! prompt = "I need a vacation."   # sent as the first message if the operator gives none
//! pace = "15ms"                   # between words
//!
//! [[turns]]
//! name = "book"
//! on = "(?i)vacation"             # a message that matches begins here; without it, only `then` leads here
//! text = "Booking it."
//! calls = [ { id = "flight", tool = "book_flight", arguments = { destination = "Millau" } } ]
//! then = [
//!   { turn = "booked", when = [ { call = "flight", came = ["approved", "edited"], result = "(?i)booked" } ] },
//!   { turn = "sorry" },           # the first whose conditions all hold; without conditions, always
//! ]
//! ```
//!
//! A call may have `arguments_text` instead of `arguments`, to rehearse broken JSON, and `held = true`,
//! to rehearse one that the provider holds. `{{flight.result}}` and `{{flight.came}}` in a text are
//! replaced by what the call came to.

use regex::Regex;
use serde::{Deserialize, Deserializer};
use std::collections::HashMap;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::core::mistake::Mistake;
use crate::provider::Came;

#[derive(Debug, Clone, Default)]
pub struct Scenario {
    pub title: String,
    /// The first message if the operator gives none.
    pub prompt: Option<String>,
    /// Between two words of a text.
    pub pace: Duration,
    pub turns: Vec<Turn>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    pub name: Spanned<String>,
    #[serde(default, deserialize_with = "pattern")]
    pub on: Option<Regex>,
    #[serde(default)]
    pub text: String,
    #[serde(default)]
    pub calls: Vec<ScriptCall>,
    #[serde(default)]
    pub then: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptCall {
    /// The scenario's name for the call; the tool's name if there is none.
    pub id: Option<String>,
    pub tool: String,
    #[serde(default)]
    arguments: Option<serde_json::Value>,
    #[serde(default)]
    arguments_text: Option<String>,
    #[serde(default)]
    pub held: bool,
}

impl ScriptCall {
    /// The exact text the model "writes".
    pub fn arguments_text(&self) -> String {
        let value = || {
            self.arguments
                .as_ref()
                .map_or_else(|| "{}".to_owned(), ToString::to_string)
        };
        self.arguments_text.clone().unwrap_or_else(value)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub turn: Spanned<String>,
    #[serde(default, rename = "when")]
    pub conditions: Vec<Condition>,
}

/// Holds if the call came to one of `came` (any, if empty) and its result matches.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    pub call: Spanned<String>,
    #[serde(default)]
    pub came: Vec<Came>,
    #[serde(default, deserialize_with = "pattern")]
    pub result: Option<Regex>,
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Regex>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Regex::new(&text).map(Some).map_err(|error| {
        let last = error
            .to_string()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned();
        serde::de::Error::custom(format!("`{text}` is no pattern: {last}"))
    })
}

impl Scenario {
    /// Reads a scenario; all mistakes are reported at once.
    pub fn parse(text: &str) -> Result<Self, Vec<Mistake>> {
        let mut reading = Reading {
            text,
            scenario: Self::default(),
            mistakes: Vec::new(),
        };
        reading.file();
        reading.check();
        let Reading {
            scenario,
            mut mistakes,
            ..
        } = reading;
        mistakes.sort();
        if mistakes.is_empty() {
            Ok(scenario)
        } else {
            Err(mistakes)
        }
    }

    /// The turn that answers this message: the first whose `on` matches it.
    pub fn turn_for(&self, message: &str) -> Option<usize> {
        self.turns
            .iter()
            .position(|turn| turn.on.as_ref().is_some_and(|on| on.is_match(message)))
    }

    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.turns
            .iter()
            .position(|turn| turn.name.get_ref() == name)
    }
}

struct Reading<'a> {
    text: &'a str,
    scenario: Scenario,
    mistakes: Vec<Mistake>,
}

impl Reading<'_> {
    fn mistake(&mut self, at: usize, what: impl Into<String>) {
        self.mistakes.push(Mistake::at(self.text, at, what));
    }

    fn file(&mut self) {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            self.mistake(error.span().map_or(0, |span| span.start), error.message());
        }
        for (name, value) in table.into_inner() {
            let at = name.span().start;
            match name.get_ref().as_ref() {
                "title" => self.scenario.title = self.read(at, value).unwrap_or_default(),
                "prompt" => self.scenario.prompt = self.read(at, value),
                "pace" => self.pace(at, value),
                "turns" => self.turns(at, value),
                other => self.mistake(
                    at,
                    format!(
                        "`{other}` means nothing here; there are title, prompt, pace and turns"
                    ),
                ),
            }
        }
    }

    fn read<'de, T: Deserialize<'de>>(
        &mut self,
        at: usize,
        value: Spanned<DeValue<'de>>,
    ) -> Option<T> {
        match T::deserialize(toml::de::ValueDeserializer::from(value)) {
            Ok(read) => Some(read),
            Err(error) => {
                self.mistake(error.span().map_or(at, |span| span.start), error.message());
                None
            }
        }
    }

    fn pace(&mut self, at: usize, value: Spanned<DeValue<'_>>) {
        let Some(text) = self.read::<String>(at, value) else {
            return;
        };
        match text.parse::<jiff::SignedDuration>().map(Duration::try_from) {
            Ok(Ok(pace)) => self.scenario.pace = pace,
            _ => self.mistake(
                at,
                format!("`{text}` is no duration; write for example pace = \"15ms\""),
            ),
        }
    }

    fn turns(&mut self, at: usize, value: Spanned<DeValue<'_>>) {
        let DeValue::Array(turns) = value.into_inner() else {
            return self.mistake(at, "turns are written as [[turns]]");
        };
        for turn in turns {
            let at = turn.span().start;
            if let Some(turn) = self.read::<Turn>(at, turn) {
                self.scenario.turns.push(turn);
            }
        }
    }

    /// What only shows once all turns are read.
    fn check(&mut self) {
        let mut found = Vec::new();
        let turns = &self.scenario.turns;
        let mut names: HashMap<&str, usize> = HashMap::new();
        for turn in turns {
            if names.insert(turn.name.get_ref(), 0).is_some() {
                found.push((
                    turn.name.span().start,
                    format!("two turns are named `{}`", turn.name.get_ref()),
                ));
            }
        }
        let calls: Vec<&str> = turns
            .iter()
            .flat_map(|turn| &turn.calls)
            .map(|c| c.id.as_deref().unwrap_or(&c.tool))
            .collect();
        for step in turns.iter().flat_map(|turn| &turn.then) {
            let name = step.turn.get_ref();
            if !names.contains_key(name.as_str()) {
                found.push((
                    step.turn.span().start,
                    format!("there is no turn named `{name}`"),
                ));
            }
            for condition in &step.conditions {
                let call = condition.call.get_ref();
                if !calls.contains(&call.as_str()) {
                    found.push((
                        condition.call.span().start,
                        format!("no turn makes a call named `{call}`"),
                    ));
                }
            }
        }
        let both = |call: &&ScriptCall| call.arguments.is_some() && call.arguments_text.is_some();
        if let Some(call) = turns.iter().flat_map(|turn| &turn.calls).find(both) {
            found.push((
                0,
                format!(
                    "a call of `{}` has both arguments and arguments_text; leave one out",
                    call.tool
                ),
            ));
        }
        if turns.iter().all(|turn| turn.on.is_none()) && self.mistakes.is_empty() {
            found.push((
                0,
                "no turn has an `on`, so nothing can begin; `on = \"\"` answers any message"
                    .to_owned(),
            ));
        }
        for (at, what) in found {
            self.mistake(at, what);
        }
    }
}
