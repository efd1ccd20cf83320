//! What the journal already holds of a session, so that going on repeats nothing.
//!
//! Owns the one reading of a session's steps. A resumed call goes through the same code as a new one,
//! and at each step asks here first: what was judged, asked, ruled, started or finished is not done
//! again.

use std::collections::{HashMap, HashSet};

use crate::core::call::{Call, CallId};
use crate::core::decision::{Expiry, Ruling};
use crate::core::digest::Digest;
use crate::core::exchange::Append;
use crate::core::review::Review;
use crate::core::run::{EntryId, Outcome, Ran, RunEvent, RunState};
use crate::policy::Judgement;
use crate::store::Step;
use crate::store::step::{Named, Stored};

/// What is known of the calls of a session.
#[derive(Debug, Clone, Default)]
pub(super) struct Past {
    /// Tool and arguments, as the conversation shows them.
    pub(super) called: HashMap<CallId, (String, String)>,
    pub(super) verdicts: HashMap<CallId, Judgement>,
    /// What reviewers said, and of which call with which arguments.
    pub(super) reviewed: HashMap<CallId, (Digest, Vec<Review>)>,
    pub(super) arrived: HashMap<CallId, Call>,
    pub(super) rulings: HashMap<CallId, Ruling>,
    pub(super) expired: HashMap<CallId, Expiry>,
    pub(super) withdrawn: HashMap<CallId, String>,
    /// The newest pause of each script, and the digest of what it needs to go on.
    pub(super) paused: HashMap<CallId, (u32, Digest)>,
    /// What that is: the number of its pause, and what is sealed.
    pub(super) kept: HashMap<CallId, (u32, String)>,
    pub(super) started: HashSet<(CallId, u32)>,
    pub(super) finished: HashMap<(CallId, u32), Ran>,
    pub(super) ended: HashMap<CallId, Outcome>,
}

/// Where a session stands.
#[derive(Debug, Clone, Default)]
pub struct Recovered {
    pub(super) past: Past,
    /// The calls of the model's last response, if they are not all answered yet.
    pub(super) open: Vec<Named>,
    /// Texts that came with an answer of the model which is not in the journal as a whole.
    pub(super) loose: Vec<EntryId>,
    /// What was sent without an answer, and messages that have come since.
    pub(super) owed: Append,
    /// How many of the owed messages were sent.
    sent: usize,
    /// All calls of the session, by the names they have here.
    pub(super) ids: HashSet<CallId>,
    /// What the operator said last.
    pub(super) asked: String,
    pub(super) next_entry: u64,
    pub(super) state: Option<RunState>,
}

impl Recovered {
    /// Reads the steps of one session, in their order.
    pub fn from_steps(steps: &[Stored]) -> Self {
        let mut recovered = Self::default();
        for stored in steps {
            recovered.take(&stored.step);
        }
        recovered
    }

    /// With what the paused scripts of the session need to go on.
    #[must_use]
    pub fn with_scripts(mut self, kept: HashMap<CallId, (u32, String)>) -> Self {
        self.past.kept = kept;
        self
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Session { .. }
            | Step::HandedOver { .. }
            | Step::Granted(_)
            | Step::Revoked(_) => {}
            Step::Event(event) => self.take_event(event),
            Step::Sent { append } => {
                self.open.clear();
                self.sent = append.messages.len();
                self.owed = append.clone();
            }
            Step::Replied { calls, .. } => {
                self.ids.extend(calls.iter().map(|named| named.id.clone()));
                self.open.clone_from(calls);
                self.loose.clear();
                // Messages that came after the request are still to be told.
                self.owed.answers.clear();
                self.owed.messages.drain(..std::mem::take(&mut self.sent));
            }
            Step::Verdict {
                call,
                verdict,
                basis,
            } => {
                let judgement = Judgement {
                    verdict: *verdict,
                    basis: basis.clone(),
                };
                self.past.verdicts.insert(call.clone(), judgement);
            }
            Step::Reviewed {
                call,
                digest,
                reviews,
                ..
            } => {
                let said = (digest.clone(), reviews.clone());
                self.past.reviewed.insert(call.clone(), said);
            }
            Step::Expired(expiry) => {
                self.past
                    .expired
                    .insert(expiry.key.call.clone(), Expiry::clone(expiry));
            }
            Step::Arrived(call) => {
                self.past
                    .arrived
                    .insert(call.key.call.clone(), Call::clone(call));
            }
            Step::Ruling(ruling) => {
                self.past
                    .rulings
                    .insert(ruling.key.call.clone(), Ruling::clone(ruling));
            }
            Step::Withdrawn(withdrawal) => {
                let call = withdrawal.key.call.clone();
                self.past.withdrawn.insert(call, withdrawal.why.clone());
            }
            Step::Paused {
                call,
                number,
                digest,
                ..
            } => {
                self.past
                    .paused
                    .insert(call.clone(), (*number, digest.clone()));
            }
            Step::Started { call, attempt, .. } => {
                self.past.started.insert((call.clone(), *attempt));
            }
            Step::Finished { call, attempt, ran } => {
                self.past
                    .finished
                    .insert((call.clone(), *attempt), ran.clone());
            }
            Step::Ended { call, outcome } => {
                self.past.ended.insert(call.clone(), outcome.clone());
            }
        }
    }

    fn take_event(&mut self, event: &RunEvent) {
        if let Some(entry) = event.entry() {
            self.next_entry = self.next_entry.max(entry.0 + 1);
        }
        match event {
            RunEvent::State(state) => self.state = Some(state.clone()),
            RunEvent::User { text, .. } => {
                self.owed.messages.push(text.clone());
                self.asked.clone_from(text);
                // A message that comes while nothing is going on is what the agent does next.
                let busy = self.state.as_ref().is_some_and(RunState::is_busy);
                self.state = Some(RunState::Thinking)
                    .filter(|_| !busy)
                    .or(self.state.take());
            }
            RunEvent::TextEnded { entry, .. } => self.loose.push(*entry),
            RunEvent::Discarded { entry, .. } => self.loose.retain(|loose| loose != entry),
            RunEvent::Called {
                call,
                tool,
                arguments,
                ..
            } => {
                let call = call.clone();
                self.past
                    .called
                    .insert(call, (tool.clone(), arguments.clone()));
            }
            RunEvent::Began { .. }
            | RunEvent::Text { .. }
            | RunEvent::Thinking { .. }
            | RunEvent::Status { .. }
            | RunEvent::Arrived(_)
            | RunEvent::Stands { .. }
            | RunEvent::Reviewed { .. }
            | RunEvent::Expired { .. }
            | RunEvent::Withdrawn { .. }
            | RunEvent::Output { .. }
            | RunEvent::Server { .. }
            | RunEvent::Unknown { .. }
            | RunEvent::Note { .. } => {}
        }
    }
}
