//! A call together with what would run of it: its own arguments, or those that an operator wrote in their place.
//!
//! Owns which of the two is shown where. What is found in edited arguments, and what they would change, is
//! `app::rewritten`.

use crate::app::rewritten::Change;
use crate::app::state::State;
use crate::core::arguments::Arguments;
use crate::core::call::CallKey;
use crate::core::decision::Decision;
use crate::core::fields::{self, Field};
use crate::core::pending::{Stage, Waiting};
use crate::core::places::Mark;

#[derive(Debug, Clone, Copy)]
pub struct Signed<'a> {
    /// As it waits.
    pub call: &'a Waiting,
    /// As it would run.
    pub runs: &'a Waiting,
    edited: Option<&'a Arguments>,
    change: Option<Change>,
}

/// What there is to say of what it would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Look {
    /// What was worked out for the model's own arguments, which run.
    Proposed,
    /// What was worked out for the edited ones, as far as it was.
    Rewritten(Change),
    /// Nobody has looked at the edited ones.
    Unlooked,
}

impl<'a> Signed<'a> {
    /// As the model wants it.
    pub const fn plain(call: &'a Waiting) -> Self {
        Self {
            call,
            runs: call,
            edited: None,
            change: None,
        }
    }

    /// With what this decision lets run.
    pub fn with(call: &'a Waiting, decision: &'a Decision, state: &'a State) -> Self {
        let rewritten = state.rewritten(&call.call.key, decision);
        Self {
            call,
            runs: rewritten.map_or(call, |rewritten| &rewritten.waiting),
            edited: decision.edited(),
            change: rewritten.map(|rewritten| rewritten.change),
        }
    }

    /// With what the decision lets run that was made of it and is not delivered yet, if there is one.
    pub fn now(call: &'a Waiting, state: &'a State) -> Self {
        match &call.stage {
            Stage::Awaiting => Self::plain(call),
            Stage::Held { ruling, .. } | Stage::Recording { ruling } => {
                Self::with(call, &ruling.decision, state)
            }
        }
    }

    pub const fn key(&self) -> &'a CallKey {
        &self.call.call.key
    }

    pub const fn is_edited(&self) -> bool {
        self.edited.is_some()
    }

    pub const fn look(&self) -> Look {
        match (self.edited, self.change) {
            (None, _) => Look::Proposed,
            (Some(_), Some(change)) => Look::Rewritten(change),
            (Some(_), None) => Look::Unlooked,
        }
    }

    /// The arguments that run.
    pub fn arguments(&self) -> &'a Arguments {
        self.edited.unwrap_or(&self.call.call.arguments)
    }

    pub fn fields(&self) -> Vec<Field> {
        fields::fields(self.arguments())
    }

    /// Where in them something was found.
    pub fn marks(&self) -> &'a [Mark] {
        match self.look() {
            Look::Proposed | Look::Rewritten(_) => &self.runs.marks,
            Look::Unlooked => &[],
        }
    }
}
