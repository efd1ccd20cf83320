//! `LangChain`'s interrupts for a person in the loop, and the answers they take.
//!
//! Read: one request, one interrupt, a list of interrupts, or a state that has them as `__interrupt__` or
//! `interrupts`. Written: what `Command(resume=…)` takes. A batched interrupt takes all its answers at
//! once, by their places; one interrupt for each call takes one answer each, by the interrupt's id.

mod interrupt;
mod past;
mod schema;

use serde_json::{Map, Value, json};
use std::collections::HashMap;

use super::decided::Decided;
use super::imported::{self, Imported, ImportedCall, ReadFault};
use super::{cursor, identity};
use crate::core::decision::Decision;
use cursor::{At, Ids};
use interrupt::{Interrupt, Shape};

/// What the results are made from, beside the decisions.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// In the order of the calls.
    interrupts: Vec<Asked>,
    /// Whether the answers go by the ids of the interrupts.
    keyed: bool,
}

/// One interrupt, and how many of the calls are its own.
#[derive(Debug, Clone)]
struct Asked {
    id: Option<String>,
    shape: Shape,
    calls: usize,
}

/// Whether a document looks like this form.
pub(super) fn recognises(document: &Value) -> bool {
    let at = At::root(document);
    let listed = interrupt::listed(&at);
    interrupt::find(&at).is_some()
        || listed.is_some_and(|list| {
            let mut items = list.value.as_array().into_iter().flatten();
            items.any(|item| interrupt::find(&At::root(item)).is_some())
        })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the forms have the same functions, and some keep it"
)]
pub(super) fn read(document: Value) -> Result<Imported, ReadFault> {
    let root = At::root(&document);
    let (interrupts, others) = interrupt::all(&root)?;
    let several = interrupts.len() + others > 1;
    let mut calls = Vec::new();
    let mut asked = Vec::with_capacity(interrupts.len());
    let (mut seen, mut ids) = (Ids::default(), Ids::default());
    for interrupt in &interrupts {
        interrupt.check_id(several, &mut ids)?;
        let before = calls.len();
        interrupt.calls(several, &mut seen, &mut calls)?;
        asked.push(Asked {
            id: interrupt.id.map(ToOwned::to_owned),
            shape: interrupt.shape,
            calls: calls.len() - before,
        });
    }
    let keyed = several || interrupts.iter().any(Interrupt::goes_by_id);
    Ok(Imported {
        agent: None,
        model: None,
        calls,
        history: past::of(&root),
        warnings: warnings(others),
        identity: identity::of(&document),
        state: imported::State::Langchain(State {
            interrupts: asked,
            keyed,
        }),
    })
}

fn warnings(others: usize) -> Vec<String> {
    match others {
        0 => Vec::new(),
        1 => vec!["one interrupt asks for something else and is left as it is".to_owned()],
        several => vec![format!(
            "{several} interrupts ask for something else and are left as they are"
        )],
    }
}

impl State {
    /// Whether the framework goes on with answers to some of the calls: where each has its own interrupt.
    pub(super) fn takes_a_part(&self) -> bool {
        self.interrupts.len() > 1 && self.interrupts.iter().all(|asked| asked.calls == 1)
    }

    /// The results of these decisions, which were checked against the calls.
    pub(super) fn results(&self, calls: &[ImportedCall], decided: &[Decided]) -> Value {
        let decided: HashMap<_, _> = decided.iter().map(|one| (&one.call, one)).collect();
        let mut left = calls;
        let mut resume = Map::new();
        let mut only = Value::Null;
        for asked in &self.interrupts {
            let (mine, rest) = left.split_at(asked.calls.min(left.len()));
            left = rest;
            let answers = mine.iter().map(|call| {
                let decided = decided.get(&call.id)?;
                Some(answer(&call.tool, &decided.decision))
            });
            let Some(mut answers) = answers.collect::<Option<Vec<_>>>() else {
                continue;
            };
            let answer = match asked.shape {
                Shape::Batched => json!({ "decisions": answers }),
                Shape::PerCall => answers.pop().unwrap_or_default(),
            };
            match &asked.id {
                Some(id) if self.keyed => {
                    resume.insert(id.clone(), answer);
                }
                Some(_) | None => only = answer,
            }
        }
        if self.keyed {
            Value::Object(resume)
        } else {
            only
        }
    }
}

fn answer(tool: &str, decision: &Decision) -> Value {
    match decision {
        Decision::Approve { arguments: None } => json!({ "type": "approve" }),
        Decision::Approve {
            arguments: Some(edited),
        } => json!({
            "type": "edit",
            "edited_action": { "name": tool, "args": edited.value() },
        }),
        Decision::Reject { reason } if reason.is_empty() => json!({ "type": "reject" }),
        Decision::Reject { reason } => json!({ "type": "reject", "message": reason }),
        Decision::Respond { result } => json!({ "type": "respond", "message": result }),
        // Not among the answers of any call here, so none comes.
        Decision::Retry { message } | Decision::Fail { message } => {
            json!({ "type": "reject", "message": message })
        }
    }
}
