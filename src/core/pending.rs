//! The one set of calls that wait for a person, in arrival order.
//!
//! Owns which calls wait, which are marked, and how far each one's decision has come. Does not
//! know which of them is selected or on screen: that is the interface's state.

use indexmap::IndexMap;

use super::call::{Call, CallKey};
use super::decision::{Reach, Ruling};
use super::finding::Findings;
use super::places::{self, Mark};
use super::shown::Shown;
use super::time::Ticks;

/// How far a waiting call's decision has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Nothing decided.
    Awaiting,
    /// Decided and held back until then, so that it can be undone.
    Held { ruling: Box<Ruling>, until: Ticks },
    /// Being written to the journal. Cannot be undone any more.
    Recording { ruling: Box<Ruling> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub call: Call,
    /// The call's arguments on one row, for lists.
    pub summary: Shown,
    pub tool: Shown,
    /// What a filter looks into: tool, agent and arguments, in lower case.
    pub search: String,
    /// What a look at the arguments found, and where in their visible text.
    pub findings: Findings,
    pub marks: Vec<Mark>,
    pub marked: bool,
    /// How far a decision on it is to reach, where its origin keeps more than the call.
    pub reach: Reach,
    pub stage: Stage,
    pub since: Ticks,
    /// When nobody can decide it any more, by the clock that cannot be set.
    pub due: Option<Ticks>,
    /// That moment has come, by either clock. It does not go away again.
    pub late: bool,
    /// Why the last attempt to record a decision failed.
    pub failure: Option<String>,
}

impl Waiting {
    pub const fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Awaiting) && !self.late
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pending {
    calls: IndexMap<CallKey, Waiting>,
}

impl Pending {
    /// Adds a call, with what was found in it, behind those that arrived before it: that is at the end, unless it waited already
    /// when its session was opened here. One that already waits is not added again: `false`.
    pub fn arrive(&mut self, call: Call, findings: Findings, now: Ticks) -> bool {
        if self.calls.contains_key(&call.key) {
            return false;
        }
        let waiting = Waiting {
            summary: super::fields::summary(&call.arguments),
            tool: Shown::label(&call.tool),
            search: search(&call),
            marks: places::marks(&call.arguments, &findings),
            findings,
            marked: false,
            reach: Reach::Once,
            stage: Stage::Awaiting,
            since: now,
            due: None,
            late: false,
            failure: None,
            call,
        };
        let arrived = waiting.call.arrived;
        let place = self
            .calls
            .values()
            .rposition(|other| other.call.arrived <= arrived)
            .map_or(0, |last| last + 1);
        self.calls
            .shift_insert(place, waiting.call.key.clone(), waiting);
        true
    }

    /// Takes a call out; the others keep their order.
    pub fn leave(&mut self, key: &CallKey) -> Option<Waiting> {
        self.calls.shift_remove(key)
    }

    pub fn get(&self, key: &CallKey) -> Option<&Waiting> {
        self.calls.get(key)
    }

    pub fn get_mut(&mut self, key: &CallKey) -> Option<&mut Waiting> {
        self.calls.get_mut(key)
    }

    pub fn contains(&self, key: &CallKey) -> bool {
        self.calls.contains_key(key)
    }

    /// In arrival order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Waiting> {
        self.calls.values()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Waiting> {
        self.calls.values_mut()
    }

    pub fn len(&self) -> usize {
        self.calls.len()
    }

    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The moment the next held decision is due.
    pub fn next_due(&self) -> Option<Ticks> {
        let due = |waiting: &Waiting| match &waiting.stage {
            Stage::Held { until, .. } => Some(*until),
            Stage::Awaiting | Stage::Recording { .. } => None,
        };
        self.calls.values().filter_map(due).min()
    }
}

fn search(call: &Call) -> String {
    [call.tool.as_str(), &call.agent, call.arguments.text()]
        .join("\n")
        .to_lowercase()
}
