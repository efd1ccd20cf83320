//! The journal as what the screen shows: the events a console would have seen.

use std::collections::HashSet;

use super::answers::Answers;
use super::step::{Step, Stored};
use crate::core::call::CallId;
use crate::core::run::{CallStatus, Outcome, RunEvent, RunState};
use crate::core::verdict::Verdict;

/// What a session's steps come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Projection {
    /// In their order. Pieces of texts and output of tools are not among them: a text comes whole, and
    /// of a call's output there is its result.
    pub events: Vec<RunEvent>,
}

impl Projection {
    pub fn of(steps: &[Stored]) -> Self {
        let settled = settled(steps);
        let mut held = HashSet::new();
        let mut answers = Answers::default();
        let mut projection = Self::default();
        for stored in steps {
            if let Step::Replied { calls, .. } = &stored.step {
                let calls = calls.iter().filter(|named| named.wanted.held_by_provider);
                held.extend(calls.map(|named| &named.id));
            }
            projection.take(&stored.step, &settled);
            for (call, outcome) in answers.take(&stored.step) {
                projection.status(call, CallStatus::Finished { outcome });
            }
            if let Some(call) = confirmed(&stored.step).filter(|call| held.contains(call)) {
                projection.status(call, CallStatus::Confirmed);
            }
        }
        projection
    }

    fn take(&mut self, step: &Step, settled: &HashSet<&CallId>) {
        match step {
            // An agent that had ended then is there again, or its session is not shown.
            Step::Event(RunEvent::State(RunState::Ended) | RunEvent::Withdrawn { .. })
            | Step::Session { .. }
            | Step::Sent { .. }
            | Step::Replied { .. }
            | Step::Verdict { .. }
            | Step::Finished { .. }
            | Step::Withdrawn(_)
            | Step::Paused { .. }
            | Step::HandedOver { .. }
            | Step::Granted(_)
            | Step::Revoked(_) => {}
            Step::Event(event) => self.events.push(event.clone()),
            Step::Arrived(call) => {
                if !settled.contains(&call.key.call) {
                    self.events.push(RunEvent::Arrived(call.clone()));
                }
                self.status(&call.key.call, CallStatus::Waiting);
            }
            Step::Reviewed { call, reviews, .. } => self.events.push(RunEvent::Reviewed {
                call: call.base(),
                reviews: reviews.clone(),
            }),
            Step::Ruling(ruling) if ruling.key.call.is_question() => {
                self.status(&ruling.key.call, CallStatus::Running);
            }
            Step::Ruling(ruling) => {
                self.status(&ruling.key.call, CallStatus::of_ruling(ruling));
            }
            Step::Expired(expiry) => self.status(
                &expiry.key.call,
                CallStatus::Finished {
                    outcome: Outcome::expired(expiry),
                },
            ),
            Step::Started { call, .. } => self.status(call, CallStatus::Running),
            // A call that was decided and never made stands there under the name of the question.
            Step::Ended { call, outcome } => self.events.push(RunEvent::Status {
                call: call.clone(),
                status: CallStatus::Finished {
                    outcome: outcome.clone(),
                },
            }),
        }
    }

    fn status(&mut self, call: &CallId, status: CallStatus) {
        self.events.push(RunEvent::Status {
            call: call.base(),
            status,
        });
    }
}

/// The call that a step lets run, if it does. One that the provider holds is confirmed with that: nothing
/// of it runs here.
fn confirmed(step: &Step) -> Option<&CallId> {
    match step {
        Step::Verdict {
            call,
            verdict: Verdict::Allow,
            ..
        } => Some(call),
        Step::Ruling(ruling) => ruling.permits().map(|_| &ruling.key.call),
        Step::Session { .. }
        | Step::Event(_)
        | Step::Sent { .. }
        | Step::Replied { .. }
        | Step::Verdict { .. }
        | Step::Reviewed { .. }
        | Step::Expired(_)
        | Step::Arrived(_)
        | Step::Started { .. }
        | Step::Finished { .. }
        | Step::Ended { .. }
        | Step::Withdrawn(_)
        | Step::Paused { .. }
        | Step::HandedOver { .. }
        | Step::Granted(_)
        | Step::Revoked(_) => None,
    }
}

/// The calls that no longer wait: ruled on, withdrawn, ended or answered.
fn settled(steps: &[Stored]) -> HashSet<&CallId> {
    let mut settled = HashSet::new();
    let mut arrived = Vec::new();
    for stored in steps {
        match &stored.step {
            Step::Arrived(call) => arrived.push(&call.key.call),
            // With it goes the answer to each call of the model's last response.
            Step::Sent { .. } => settled.extend(arrived.drain(..)),
            Step::Ruling(ruling) => {
                settled.insert(&ruling.key.call);
            }
            Step::Expired(expiry) => {
                settled.insert(&expiry.key.call);
            }
            Step::Withdrawn(withdrawal) => {
                settled.insert(&withdrawal.key.call);
            }
            Step::Ended { call, .. } | Step::Event(RunEvent::Withdrawn { call, .. }) => {
                settled.insert(call);
            }
            Step::Session { .. }
            | Step::Event(_)
            | Step::Replied { .. }
            | Step::Verdict { .. }
            | Step::Reviewed { .. }
            | Step::Started { .. }
            | Step::Finished { .. }
            | Step::Paused { .. }
            | Step::HandedOver { .. }
            | Step::Granted(_)
            | Step::Revoked(_) => {}
        }
    }
    settled
}
