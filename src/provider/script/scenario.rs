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
use std::sync::LazyLock;
use std::time::Duration;
use toml::Spanned;

use crate::core::mistake::{Mistake, Mistakes};
use crate::core::reading::{Field, Section, parse};
use crate::provider::Came;

/// The longest pause between two words.
const SLOWEST: Duration = Duration::from_secs(10);

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
    pub fn parse(file: &str, text: &str) -> Result<Self, Vec<Mistake>> {
        let mistakes = Mistakes::new(file, text);
        let mut scenario = Self::default();
        let table = parse(text, &mistakes);
        if let Some(table) = &table {
            let mut root = Section::root(table, &mistakes);
            let words = |field: Option<Field<'_>>| {
                field.and_then(|field| field.words()).map(ToOwned::to_owned)
            };
            scenario.title = words(root.required("title", "name the scenario")).unwrap_or_default();
            scenario.prompt = words(root.field("prompt"));
            let pace = root
                .field("pace")
                .and_then(|pace| pace.duration(Duration::ZERO..=SLOWEST));
            scenario.pace = pace.unwrap_or_default();
            let turns = root.items("turns");
            scenario.turns = turns.iter().filter_map(turn).collect();
            root.finish();
            // Where a turn could not be read, what refers to it would look wrong too.
            if scenario.turns.len() == turns.len() {
                scenario.check(&mistakes);
            }
        }
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

    /// What only shows once all turns are read.
    fn check(&self, mistakes: &Mistakes<'_>) {
        for (place, turn) in self.turns.iter().enumerate() {
            let name = turn.name.get_ref();
            if self.index_of(name) != Some(place) {
                mistakes.add(
                    &turn.name.span(),
                    format!("another turn is named `{name}` already"),
                    "rename one",
                );
            }
            for call in &turn.calls {
                if call.arguments.is_some() && call.arguments_text.is_some() {
                    let what = format!(
                        "a call of `{}` has both arguments and arguments_text",
                        call.tool
                    );
                    mistakes.add(&turn.name.span(), what, "leave one of them out");
                }
            }
            if turn.on.is_none() && !self.leads_to(name) {
                mistakes.add(
                    &turn.name.span(),
                    format!("nothing leads to the turn `{name}`"),
                    "name it in a `then`, or give it an `on`",
                );
            }
            self.check_text(turn, mistakes);
            turn.then
                .iter()
                .for_each(|step| self.check_step(step, mistakes));
        }
        if self.turns.iter().all(|turn| turn.on.is_none()) {
            mistakes.add(
                &(0..0),
                "no turn has an `on`, so nothing can begin",
                "`on = \"\"` answers any message",
            );
        }
    }

    fn leads_to(&self, name: &str) -> bool {
        let mut steps = self.turns.iter().flat_map(|turn| &turn.then);
        steps.any(|step| step.turn.get_ref() == name)
    }

    fn makes(&self, call: &str) -> bool {
        let mut calls = self.turns.iter().flat_map(|turn| &turn.calls);
        calls.any(|made| made.name() == call)
    }

    fn check_text(&self, turn: &Turn, mistakes: &Mistakes<'_>) {
        for place in PLACE.captures_iter(&turn.text) {
            let (call, part) = place[1].split_once('.').unwrap_or((&place[1], "result"));
            if !self.makes(call) || !matches!(part, "result" | "came") {
                mistakes.add(
                    &turn.name.span(),
                    format!("nothing fills {} in the text of this turn", &place[0]),
                    "write {{name.result}} or {{name.came}}, with the name of a call",
                );
            }
        }
    }

    fn check_step(&self, step: &Step, mistakes: &Mistakes<'_>) {
        let name = step.turn.get_ref();
        if self.index_of(name).is_none() {
            mistakes.add(
                &step.turn.span(),
                format!("there is no turn named `{name}`"),
                "add it, or name another",
            );
        }
        for condition in &step.conditions {
            let call = condition.call.get_ref();
            if !self.makes(call) {
                let what = format!("no turn makes a call named `{call}`");
                mistakes.add(
                    &condition.call.span(),
                    what,
                    "give a call this `id`, or name another",
                );
            }
        }
    }
}

/// One turn. serde reports its first mistake only; the other turns are read all the same.
fn turn(field: &Field<'_>) -> Option<Turn> {
    field.read("see the form at the top of the built-in scenario")
}
