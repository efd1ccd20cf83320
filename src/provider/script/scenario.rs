//! The form of a scenario file. Reading it is in `reading`, what only shows once all of it is read in
//! `checks`.
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

mod checks;
mod reading;

use regex::Regex;
use std::sync::LazyLock;
use std::time::Duration;
use toml::Spanned;

use crate::core::mistake::{Mistake, Mistakes};
use crate::provider::Came;

/// A place in a text that is filled with what a call came to.
pub(super) static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{([^{}]*)\}\}").expect("the pattern is sound"));

#[derive(Debug, Clone, Default)]
pub struct Scenario {
    pub title: String,
    /// The first message if the operator gives none.
    pub prompt: Option<String>,
    /// Between two words of a text.
    pub pace: Duration,
    pub turns: Vec<Turn>,
}

#[derive(Debug, Clone)]
pub struct Turn {
    pub name: Spanned<String>,
    pub on: Option<Regex>,
    pub text: String,
    pub calls: Vec<ScriptCall>,
    pub then: Vec<Step>,
}

#[derive(Debug, Clone)]
pub struct ScriptCall {
    /// The scenario's name for the call; the tool's name if there is none.
    pub id: Option<String>,
    pub tool: String,
    arguments: Option<serde_json::Value>,
    arguments_text: Option<String>,
    pub held: bool,
}

impl ScriptCall {
    /// The scenario's own name for the call.
    pub fn name(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.tool)
    }

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

#[derive(Debug, Clone)]
pub struct Step {
    pub turn: Spanned<String>,
    pub conditions: Vec<Condition>,
}

/// Holds if the call came to one of `came` (any, if empty) and its result matches.
#[derive(Debug, Clone)]
pub struct Condition {
    pub call: Spanned<String>,
    pub came: Vec<Came>,
    pub result: Option<Regex>,
}

impl Scenario {
    /// Reads a scenario; all mistakes are reported at once.
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Mistake>> {
        let mistakes = Mistakes::new(file, text);
        let scenario = reading::read(text, &mistakes);
        if mistakes.is_empty() {
            Ok(scenario)
        } else {
            Err(mistakes.into_vec())
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
