//! The journal as what the screen shows: the events a console would have seen.

use std::collections::HashSet;

use super::step::{Step, Stored};
use crate::core::call::CallId;
use crate::core::run::{CallStatus, RunEvent};

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
        let mut projection = Self::default();
        for stored in steps {
            projection.take(&stored.step, &settled);
        }
        projection
    }

    fn take(&mut self, step: &Step, settled: &HashSet<&CallId>) {
        match step {
            Step::Event(RunEvent::Withdrawn { .. })
            | Step::Session { .. }
            | Step::Sent { .. }
            | Step::Replied { .. }
            | Step::Verdict { .. }
            | Step::Finished { .. } => {}
            Step::Event(event) => self.events.push(event.clone()),
            Step::Arrived(call) => {
                if !settled.contains(&call.key.call) {
                    self.events.push(RunEvent::Arrived(call.clone()));
                }
                self.status(&call.key.call, CallStatus::Waiting);
            }
            Step::Ruling(ruling) => {
                self.status(&ruling.key.call, CallStatus::of_ruling(ruling));
            }
            Step::Started { call, .. } => self.status(call, CallStatus::Running),
            Step::Ended { call, outcome } => {
                self.status(
                    call,
                    CallStatus::Finished {
                        outcome: outcome.clone(),
                    },
                );
            }
        }
    }

    fn status(&mut self, call: &CallId, status: CallStatus) {
        self.events.push(RunEvent::Status {
            call: call.base(),
            status,
        });
    }
}

/// The calls that no longer wait: ruled on, withdrawn or ended.
fn settled(steps: &[Stored]) -> HashSet<&CallId> {
    steps
        .iter()
        .filter_map(|stored| match &stored.step {
            Step::Ruling(ruling) => Some(&ruling.key.call),
            Step::Ended { call, .. } | Step::Event(RunEvent::Withdrawn { call, .. }) => Some(call),
            Step::Session { .. }
            | Step::Event(_)
            | Step::Sent { .. }
            | Step::Replied { .. }
            | Step::Verdict { .. }
            | Step::Arrived(_)
            | Step::Started { .. }
            | Step::Finished { .. } => None,
        })
        .collect()
}
