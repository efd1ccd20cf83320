//! What calls came to of which only the answer is recorded: the step that ends a call is written without
//! waiting for it, and a full disk may have kept it out.
//!
//! Owns the way from what was sent to the calls' names here. A call whose end is recorded is left alone.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::step::{Named, Step};
use crate::core::call::CallId;
use crate::core::exchange::{Answered, Append, Body};
use crate::core::review::{Weighed, weigh};
use crate::core::run::Outcome;
use crate::core::told;
use crate::core::verdict::{Basis, Verdict};

/// The calls of a session so far, as its answers name them.
#[derive(Default)]
pub(super) struct Answers<'a> {
    /// The calls of the model's last response that have no answer yet.
    open: Vec<&'a Named>,
    ended: HashSet<&'a CallId>,
    judged: HashMap<&'a CallId, Cow<'a, Basis>>,
}

impl<'a> Answers<'a> {
    /// Takes the next step, and gives what it tells of calls that have not ended.
    pub(super) fn take(&mut self, step: &'a Step) -> Vec<(&'a CallId, Outcome)> {
        match step {
            Step::Replied { calls, .. } => self.open = calls.iter().collect(),
            Step::Verdict { call, basis, .. } => {
                self.judged.insert(call, Cow::Borrowed(basis));
            }
            Step::Ended { call, .. } => {
                self.ended.insert(call);
            }
            Step::Sent { append } => return self.sent(append),
            // Where a reviewer denied it, that is what it was denied by.
            Step::Reviewed { call, reviews, .. } => {
                if let Weighed::Deny(review) = weigh(Verdict::Ask, reviews) {
                    self.judged.insert(call, Cow::Owned(review.basis()));
                }
            }
            Step::Session { .. }
            | Step::Event(_)
            | Step::Expired(_)
            | Step::Arrived(_)
            | Step::Ruling(_)
            | Step::Started { .. }
            | Step::Finished { .. }
            | Step::Withdrawn(_)
            | Step::Paused { .. }
            | Step::HandedOver { .. }
            | Step::Granted(_)
            | Step::Revoked(_) => {}
        }
        Vec::new()
    }

    fn sent(&mut self, append: &'a Append) -> Vec<(&'a CallId, Outcome)> {
        let mut found = Vec::new();
        for answered in &append.answers {
            let named = |named: &&Named| named.wanted.id == answered.call;
            // Of two calls with one id, each has an answer of its own.
            let Some(at) = self.open.iter().position(named) else {
                continue;
            };
            let call = &self.open.remove(at).id;
            if !self.ended.contains(call)
                && let Some(outcome) = self.outcome(call, answered)
            {
                found.push((call, outcome));
            }
        }
        found
    }

    /// `None` for one that the provider holds: what came of it, its next response says.
    fn outcome(&self, call: &CallId, answered: &Answered) -> Option<Outcome> {
        match &answered.body {
            Body::Result(text) => {
                let basis = self.judged.get(call).map(Cow::as_ref);
                Some(told::outcome(answered.came, text, basis))
            }
            Body::Confirmation { .. } => None,
        }
    }
}
