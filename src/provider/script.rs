//! A model read from a scenario file: deterministic, offline, and it reacts to what was decided.
//!
//! Owns where in the scenario a conversation stands. The scenario's form and its checks are in
//! `scenario`. It is how the program runs without a key, how tests drive it, and how an operator
//! rehearses.

pub mod scenario;

use regex::Captures;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

use super::{Answered, Append, Body, Fault, Reply, Streamed, Wanted};
use crate::core::call::CallId;
use scenario::{Condition, Scenario, Turn};

/// A conversation with a scenario.
#[derive(Debug)]
pub struct Script {
    scenario: Arc<Scenario>,
    /// The turn played last, whose calls are answered next.
    at: Option<usize>,
    /// How often a turn was played: call ids stay unique when one is played again.
    played: usize,
    /// What each call of the scenario came to, by the scenario's own name for it.
    answers: HashMap<String, Answered>,
    /// The scenario's name of each call that awaits its answer.
    open: HashMap<CallId, String>,
}

impl Script {
    pub fn new(scenario: Arc<Scenario>) -> Self {
        Self {
            scenario,
            at: None,
            played: 0,
            answers: HashMap::new(),
            open: HashMap::new(),
        }
    }

    pub async fn respond(
        &mut self,
        append: &Append,
        out: &mpsc::Sender<Streamed>,
    ) -> Result<Reply, Fault> {
        let mut answers = self.answers.clone();
        for answered in &append.answers {
            if let Some(name) = self.open.get(&answered.call) {
                answers.insert(name.clone(), answered.clone());
            }
        }
        let next = self.next(append, &answers)?;
        let scenario = self.scenario.clone();
        let Some(turn) = next.map(|index| &scenario.turns[index]) else {
            // Nothing left to say: the conversation waits for a message.
            self.answers = answers;
            self.open.clear();
            return Ok(Reply::default());
        };
        stream(&filled(&turn.text, &answers), scenario.pace, out).await;
        self.answers = answers;
        self.at = next;
        self.played += 1;
        Ok(Reply {
            calls: self.calls(turn),
        })
    }

    /// The turn that follows. A message begins a new thread of the scenario; answers go on with the
    /// one that is open.
    fn next(
        &self,
        append: &Append,
        answers: &HashMap<String, Answered>,
    ) -> Result<Option<usize>, Fault> {
        if let Some(message) = append.messages.last() {
            return self.scenario.turn_for(message).map(Some).ok_or_else(|| Fault {
                what: "the scenario has no turn for this message; add one with `on = \"\"`, which answers any".to_owned(),
                retry: false,
            });
        }
        let Some(turn) = self.at.map(|at| &self.scenario.turns[at]) else {
            return Ok(None);
        };
        let holds = |condition: &Condition| {
            answers
                .get(condition.call.get_ref())
                .is_some_and(|a| meets(a, condition))
        };
        let chosen = turn
            .then
            .iter()
            .find(|step| step.conditions.iter().all(holds));
        Ok(chosen.and_then(|step| self.scenario.index_of(step.turn.get_ref())))
    }

    fn calls(&mut self, turn: &Turn) -> Vec<Wanted> {
        self.open.clear();
        let mut wanted = Vec::new();
        for (place, call) in turn.calls.iter().enumerate() {
            let name = call.name().to_owned();
            let id = CallId(format!("{name}-{}-{place}", self.played));
            self.open.insert(id.clone(), name);
            wanted.push(Wanted {
                id,
                tool: call.tool.clone(),
                arguments: call.arguments_text(),
                held_by_provider: call.held,
            });
        }
        wanted
    }

    /// Where the conversation stands, to go on with it later.
    pub fn suspension(&self) -> Value {
        let stand = Stand {
            turn: self
                .at
                .map(|at| self.scenario.turns[at].name.get_ref().clone()),
            played: self.played,
            answers: self.answers.clone(),
            open: self.open.clone(),
        };
        serde_json::to_value(stand).unwrap_or_default()
    }

    /// Goes on where `suspension` says.
    pub fn restore(scenario: Arc<Scenario>, suspension: &Value) -> Result<Self, Fault> {
        let wrong = |why: String| Fault {
            what: format!("the rehearsal cannot go on: {why}"),
            retry: false,
        };
        let stand: Stand =
            serde_json::from_value(suspension.clone()).map_err(|error| wrong(error.to_string()))?;
        let at = match &stand.turn {
            None => None,
            Some(name) => Some(
                scenario
                    .index_of(name)
                    .ok_or_else(|| wrong(format!("its scenario has no turn `{name}` any more")))?,
            ),
        };
        let Stand {
            played,
            answers,
            open,
            ..
        } = stand;
        Ok(Self {
            scenario,
            at,
            played,
            answers,
            open,
        })
    }
}

/// Where a conversation stands, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Stand {
    turn: Option<String>,
    played: usize,
    answers: HashMap<String, Answered>,
    open: HashMap<CallId, String>,
}

fn meets(answered: &Answered, condition: &Condition) -> bool {
    let came = condition.came.is_empty() || condition.came.contains(&answered.came);
    let result = match (&condition.result, &answered.body) {
        (None, _) => true,
        (Some(pattern), Body::Result(text)) => pattern.is_match(text),
        (Some(_), Body::Confirmation { .. }) => false,
    };
    came && result
}

/// The text with `{{name.result}}` and `{{name.came}}` replaced by what the call came to.
fn filled(text: &str, answers: &HashMap<String, Answered>) -> String {
    let filled =
        scenario::PLACE.replace_all(text, |place: &Captures<'_>| value(&place[1], answers));
    filled.into_owned()
}

fn value(place: &str, answers: &HashMap<String, Answered>) -> String {
    let (name, part) = place.split_once('.').unwrap_or((place, "result"));
    match answers.get(name) {
        None => String::new(),
        Some(answered) if part == "came" => answered.came.word().to_owned(),
        Some(answered) => match &answered.body {
            Body::Result(text) => text.trim().to_owned(),
            Body::Confirmation { allow: true } => "allowed".to_owned(),
            Body::Confirmation { allow: false } => "denied".to_owned(),
        },
    }
}

/// Sends the text word by word, as a model streams it.
async fn stream(text: &str, pace: Duration, out: &mpsc::Sender<Streamed>) {
    for word in text.split_inclusive(' ') {
        // A reader that is gone is noticed by whoever awaits this reply.
        let _ = out
            .send(Streamed::Text {
                part: 0,
                piece: word.to_owned(),
            })
            .await;
        if !pace.is_zero() {
            tokio::time::sleep(pace).await;
        }
    }
}
