//! The `OpenAI` Agents SDK's run state with its interruptions.
//!
//! Read: the state as JSON, with agents that run as tools of another. Written: the same state with the
//! decisions in the books that the SDK itself keeps them in; everything else stays as it was.

mod book;
mod interruption;
mod ledger;
mod owner;
mod past;
mod version;

use serde_json::Value;
use std::collections::HashMap;

use super::decided::Decided;
use super::imported::{self, Imported, ImportedCall, ReadFault};
use super::{cursor, identity};
use cursor::{At, Ids};
use interruption::{Interruption, Schemas};
use ledger::Ledger;
use owner::Owners;
use version::Version;

/// What the results are made from, beside the decisions.
#[derive(Debug, Clone)]
pub(super) struct State {
    document: Value,
    /// Where the decision on each call goes, in the order of the calls.
    slots: Vec<book::Slot>,
}

/// Whether a document looks like this form.
pub(super) fn recognises(document: &Value) -> bool {
    document.get("$schemaVersion").is_some()
}

pub(super) fn read(document: Value) -> Result<Imported, ReadFault> {
    let root = At::root(&document);
    let version = Version::read(&root)?;
    let agent = root.member("current_agent");
    let agent = agent.and_then(|agent| Some(agent.value.get("name")?.as_str()?.to_owned()));
    let owners = Owners::of(&root)?;
    let schemas = Schemas::of(&owners);
    let (mut calls, mut slots, mut before) = (Vec::new(), Vec::new(), 0);
    let mut seen = Ids::default();
    let ledgers = ledgers(&document, &owners)?;
    for item in interruptions(&root)? {
        let interruption = Interruption::read(&item)?;
        let owner = owners.owner(&interruption)?;
        let slot = interruption.slot(version, &owner.place)?;
        owner.knows(version, &interruption)?;
        seen.take(&interruption.id, &item)?;
        if ledgers.get(&owner.place).is_some_and(|l| l.decided(&slot)) {
            before += 1;
            continue;
        }
        let mut call = interruption.call(version, agent.as_deref())?;
        call.parent.clone_from(&owner.parent);
        call.schema = schemas.find(&owner.place, &call.id);
        calls.push(call);
        slots.push(slot);
    }
    Ok(Imported {
        agent,
        model: None,
        calls,
        history: past::of(&root),
        warnings: warnings(before),
        identity: identity::of(&document),
        state: imported::State::OpenAiAgents(State { document, slots }),
    })
}

/// The calls that wait, as the run stopped with them.
fn interruptions<'a>(root: &At<'a>) -> Result<impl Iterator<Item = At<'a>> + use<'a>, ReadFault> {
    let step = root.member("current_step");
    let list = step
        .as_ref()
        .and_then(|step| step.member("data")?.member("interruptions"));
    let list = list.ok_or_else(|| {
        let at = step.as_ref().unwrap_or(root);
        ReadFault::new(
            at.place(),
            "the run did not stop for a decision",
            "there is nothing to decide; go on with the program",
        )
    })?;
    list.items()
}

/// What the books say already, by the place of the run state they belong to.
fn ledgers(document: &Value, owners: &Owners<'_>) -> Result<HashMap<String, Ledger>, ReadFault> {
    let mut ledgers = HashMap::new();
    for place in owners.places() {
        let state = document.pointer(place).unwrap_or(document);
        ledgers.insert(place.to_owned(), Ledger::open(state, place)?);
    }
    Ok(ledgers)
}

fn warnings(before: usize) -> Vec<String> {
    match before {
        0 => Vec::new(),
        1 => vec!["one call of this state is decided already and stays so".to_owned()],
        several => vec![format!(
            "{several} calls of this state are decided already and stay so"
        )],
    }
}

impl State {
    /// The run goes on with what is decided and stops again for the rest.
    #[expect(clippy::unused_self, reason = "the forms have the same methods")]
    pub(super) fn takes_a_part(&self) -> bool {
        true
    }

    /// The results of these decisions, which were checked against the calls.
    pub(super) fn results(&self, calls: &[ImportedCall], decided: &[Decided]) -> Value {
        let decided: HashMap<_, _> = decided.iter().map(|one| (&one.call, one)).collect();
        let mut by_owner: Vec<(&str, Vec<(&book::Slot, &Decided)>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (call, slot) in calls.iter().zip(&self.slots) {
            let Some(decided) = decided.get(&call.id) else {
                continue;
            };
            let at = *places.entry(&slot.owner).or_insert_with(|| {
                by_owner.push((&slot.owner, Vec::new()));
                by_owner.len() - 1
            });
            by_owner[at].1.push((slot, decided));
        }
        let mut document = self.document.clone();
        for (place, decided) in by_owner {
            if let Some(state) = document.pointer_mut(place)
                // Opened without a fault when the state was read.
                && let Ok(mut ledger) = Ledger::open(state, place)
            {
                ledger.enter(state, &decided);
            }
        }
        document
    }
}
