//! What only shows once all turns are read: names that lead nowhere, turns that nothing leads to.
//!
//! Where a part could not be read, what refers to it would look wrong too: `Gaps` says what is then
//! not asked. That mistake is told already.

use super::{PLACE, Scenario, Step, Turn};
use crate::core::mistake::Mistakes;
use std::collections::HashSet;

/// What of all turns could not be read.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    /// A turn has no name that could be read.
    pub names: bool,
    /// A call may be missing, or be named otherwise.
    pub calls: bool,
    /// A step may be missing, or lead elsewhere.
    pub steps: bool,
}

impl Gaps {
    /// Nothing of a turn is known.
    pub(super) const ALL: Self = Self {
        names: true,
        calls: true,
        steps: true,
    };

    pub(super) const fn add(&mut self, other: &Self) {
        self.names |= other.names;
        self.calls |= other.calls;
        self.steps |= other.steps;
    }
}

pub(super) fn check(scenario: &Scenario, gaps: &Gaps, mistakes: &Mistakes<'_>) {
    let checks = Checks {
        scenario,
        gaps,
        mistakes,
    };
    for (place, turn) in scenario.turns.iter().enumerate() {
        checks.name(place, turn);
        checks.text(turn);
        checks.ids(turn);
        turn.then.iter().for_each(|step| checks.step(step));
    }
    let begins = scenario.turns.iter().any(|turn| turn.on.is_some());
    if !begins && !gaps.names {
        mistakes.add(
            &(0..0),
            "no turn has an `on`, so nothing can begin",
            "`on = \"\"` answers any message",
        );
    }
}

struct Checks<'a> {
    scenario: &'a Scenario,
    gaps: &'a Gaps,
    mistakes: &'a Mistakes<'a>,
}

impl Checks<'_> {
    fn name(&self, place: usize, turn: &Turn) {
        let (name, span) = (turn.name.get_ref(), turn.name.span());
        // One that could not be read is told already.
        if name.is_empty() {
            return;
        }
        if self.scenario.index_of(name) != Some(place) {
            let what = format!("another turn is named `{name}` already");
            self.mistakes.add(&span, what, "rename one");
        }
        if turn.on.is_none() && !self.gaps.steps && !self.leads_to(name) {
            self.mistakes.add(
                &span,
                format!("nothing leads to the turn `{name}`"),
                "name it in a `then`, or give it an `on`",
            );
        }
    }

    /// Two calls of one turn under one name: what refers to it could mean either.
    fn ids(&self, turn: &Turn) {
        let mut seen = HashSet::new();
        for id in turn.calls.iter().filter_map(|call| call.id.as_ref()) {
            if !seen.insert(id) {
                let what = format!("two calls of this turn have the id `{id}`");
                self.mistakes
                    .add(&turn.name.span(), what, "give each its own");
            }
        }
    }

    fn leads_to(&self, name: &str) -> bool {
        let mut steps = self.scenario.turns.iter().flat_map(|turn| &turn.then);
        steps.any(|step| step.turn.get_ref() == name)
    }

    /// Whether a call of this name is made, as far as that can be told.
    fn makes(&self, call: &str) -> bool {
        let mut calls = self.scenario.turns.iter().flat_map(|turn| &turn.calls);
        self.gaps.calls || calls.any(|made| made.name() == call)
    }

    fn text(&self, turn: &Turn) {
        for place in PLACE.captures_iter(&turn.text) {
            let (call, part) = place[1].split_once('.').unwrap_or((&place[1], "result"));
            if !self.makes(call) || !matches!(part, "result" | "came") {
                self.mistakes.add(
                    &turn.name.span(),
                    format!("nothing fills {} in the text of this turn", &place[0]),
                    "write {{name.result}} or {{name.came}}, with the name of a call",
                );
            }
        }
    }

    fn step(&self, step: &Step) {
        let name = step.turn.get_ref();
        let known = self.gaps.names || self.scenario.index_of(name).is_some();
        if !name.is_empty() && !known {
            self.mistakes.add(
                &step.turn.span(),
                format!("there is no turn named `{name}`"),
                "add it, or name another",
            );
        }
        for condition in &step.conditions {
            let call = condition.call.get_ref();
            if !call.is_empty() && !self.makes(call) {
                self.mistakes.add(
                    &condition.call.span(),
                    format!("no turn makes a call named `{call}`"),
                    "give a call this `id`, or name another",
                );
            }
        }
    }
}
