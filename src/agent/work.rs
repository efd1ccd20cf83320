//! What the calls of a round work with, and what each of them comes to.

use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::past::Past;
use super::report::Reports;
use super::review::Oversight;
use super::rulings::Rulings;
use super::words;
use crate::core::arguments::Arguments;
use crate::core::call::{CallId, CallKey, SessionId};
use crate::core::decision::{Decision, Expiry, Ruling, Withdrawal};
use crate::core::run::{CallStatus, Level, Outcome, RunEvent};
use crate::core::verdict::Basis;
use crate::policy::Policy;
use crate::provider::{Answered, Body, Came};
use crate::store::{Journal, Step};
use crate::tools::{Ran, Toolbox};

/// What every call of a round works with.
#[derive(Clone)]
pub(super) struct Work {
    pub(super) session: SessionId,
    pub(super) agent: String,
    pub(super) tools: Arc<Toolbox>,
    pub(super) policy: Arc<Policy>,
    pub(super) workspace: PathBuf,
    pub(super) journal: Journal,
    pub(super) reports: Reports,
    pub(super) past: Arc<Past>,
    pub(super) rulings: Rulings,
    pub(super) oversight: Arc<Oversight>,
    /// What the operator said last.
    pub(super) asked: Arc<str>,
    pub(super) slots: Arc<Semaphore>,
    pub(super) cancel: CancellationToken,
}

impl Work {
    pub(super) fn key(&self, id: &CallId) -> CallKey {
        CallKey {
            session: self.session.clone(),
            call: id.clone(),
        }
    }

    /// Records that nobody is to decide the call any more, and says so. A ruling that was first stays the
    /// only one.
    pub(super) async fn withdraw(&self, id: &CallId, why: String) -> Ended {
        let withdrawal = Withdrawal {
            key: self.key(id),
            why: why.clone(),
        };
        if let Err(error) = self.journal.withdraw(withdrawal).await {
            let text = format!("that a call is withdrawn could not be recorded: {error}");
            self.reports.note(Level::Error, text).await;
        }
        let event = RunEvent::Withdrawn {
            call: id.clone(),
            why: why.clone(),
        };
        self.reports.send(event).await;
        Ended::withdrawn(why)
    }

    /// Records that the call has its answer, and shows it.
    pub(super) async fn finished(&self, id: &CallId, outcome: Outcome) {
        if !self.past.ended.contains_key(id) {
            let step = Step::Ended {
                call: id.clone(),
                outcome: outcome.clone(),
            };
            self.journal.note(&self.session, step).await;
        }
        self.reports
            .status(id, CallStatus::Finished { outcome })
            .await;
    }
}

/// Where an answer stands in the append: executed results first, then rejections, then what ran
/// after an approval, then confirmations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Executed,
    Rejected,
    Approved,
    Confirmed,
}

/// A call's answer, on its way to the model.
pub(super) struct Answer {
    pub(super) place: Place,
    pub(super) answered: Answered,
    /// A message that goes beside it, where the answer itself has no room for words.
    pub(super) aside: Option<String>,
}

/// How a call ended, and by whose word.
pub(super) struct Ended {
    pub(super) place: Place,
    pub(super) came: Came,
    pub(super) outcome: Outcome,
    /// The arguments that ran instead of the model's own, and the reviewer who changed them, if it was not a person.
    pub(super) edited: Option<(Arguments, Option<String>)>,
    /// What the model is told beside what the outcome says.
    pub(super) also: Option<String>,
}

impl Ended {
    pub(super) const fn plain(place: Place, came: Came, outcome: Outcome) -> Self {
        Self {
            place,
            came,
            outcome,
            edited: None,
            also: None,
        }
    }

    /// A call whose task broke down. Nothing is known of what it did.
    pub(super) fn lost() -> Self {
        let message =
            "the program failed while it worked on this call; whether it ran is not known";
        let message = message.to_owned();
        Self::plain(Place::Executed, Came::Failed, Outcome::Failed { message })
    }

    /// A call whose script no longer waits for it.
    pub(super) const fn withdrawn(why: String) -> Self {
        Self::plain(Place::Rejected, Came::Failed, Outcome::Withdrawn { why })
    }

    /// A call of a script that ended before the program stopped. How it got there does not matter any more.
    pub(super) const fn recorded(outcome: Outcome) -> Self {
        Self::plain(Place::Executed, Came::Executed, outcome)
    }

    pub(super) const fn interrupted() -> Self {
        Self::plain(Place::Rejected, Came::Failed, Outcome::Interrupted)
    }

    pub(super) const fn refused(fault: String) -> Self {
        Self::plain(Place::Executed, Came::Refused, Outcome::Refused { fault })
    }

    pub(super) const fn denied(basis: Basis) -> Self {
        Self::plain(Place::Executed, Came::Denied, Outcome::Denied { basis })
    }

    /// A call that nobody decided in time.
    pub(super) fn expired(expiry: &Expiry) -> Self {
        Self::plain(Place::Rejected, Came::Expired, Outcome::expired(expiry))
    }

    /// A call that was looked into beforehand and cannot succeed.
    pub(super) const fn failing(message: String) -> Self {
        Self::plain(Place::Executed, Came::Failed, Outcome::Failed { message })
    }

    pub(super) fn unrecorded(error: &str) -> Self {
        let message = format!("not run, because it could not be recorded: {error}");
        Self::plain(Place::Executed, Came::Failed, Outcome::Failed { message })
    }

    /// What a ruling that lets nothing run comes to.
    pub(super) fn not_run(ruling: &Ruling) -> Self {
        let (came, outcome) = match &ruling.decision {
            Decision::Reject { reason } => (
                Came::Rejected,
                Outcome::Rejected {
                    reason: reason.clone(),
                },
            ),
            Decision::Respond { result } => (
                Came::Responded,
                Outcome::Responded {
                    result: result.clone(),
                },
            ),
            Decision::Retry { message } => (
                Came::SentBack,
                Outcome::SentBack {
                    message: message.clone(),
                },
            ),
            Decision::Fail { message } => (
                Came::Failed,
                Outcome::Failed {
                    message: message.clone(),
                },
            ),
            Decision::Approve { .. } => {
                let message = "the approval does not fit this call, so it was not run".to_owned();
                (Came::Failed, Outcome::Failed { message })
            }
        };
        Self::plain(Place::Rejected, came, outcome)
    }

    /// What an execution comes to.
    pub(super) fn ran(ran: &Ran, place: Place, came: Came) -> Self {
        let outcome = outcome_of(ran);
        let went_well = matches!(outcome, Outcome::Result { .. });
        Self::plain(place, if went_well { came } else { Came::Failed }, outcome)
    }

    /// The answer in words: the call's result as the model is given it.
    pub(super) fn in_words(self, call: CallId, tool: String) -> Answer {
        let mut text = words::result(&self.outcome);
        if let Some((arguments, by)) = &self.edited {
            text.insert_str(0, &words::edited(arguments, by.as_deref()));
        }
        if let Some(also) = &self.also {
            text.push_str("\n\n");
            text.push_str(also);
        }
        let answered = Answered {
            call,
            tool,
            body: Body::Result(text),
            came: self.came,
        };
        Answer {
            place: self.place,
            answered,
            aside: None,
        }
    }

    /// The answer to a call that the provider runs: yes or no. A reason goes beside it as a message.
    pub(super) fn confirmation(self, call: CallId, tool: String) -> Answer {
        let allow = matches!(self.came, Came::Approved | Came::Executed);
        let aside = match &self.outcome {
            Outcome::Result { .. } | Outcome::Interrupted => None,
            Outcome::Rejected { reason } if reason.is_empty() => None,
            outcome => Some(format!("{tool}: {}", words::result(outcome))),
        };
        let answered = Answered {
            call,
            tool,
            body: Body::Confirmation { allow },
            came: self.came,
        };
        Answer {
            place: Place::Confirmed,
            answered,
            aside,
        }
    }
}

/// An execution as it is recorded and shown.
pub(super) fn outcome_of(ran: &Ran) -> Outcome {
    match ran {
        Ran::Result(text) => Outcome::Result { text: text.clone() },
        Ran::Failed(message) => Outcome::Failed {
            message: message.clone(),
        },
        Ran::Interrupted => Outcome::Interrupted,
        Ran::Lost(why) => Outcome::Failed {
            message: words::lost(why),
        },
        Ran::ApprovalRequired { reason, .. } => Outcome::Failed {
            message: format!("asked for approval: {reason}"),
        },
        Ran::Deferred { reason, .. } => Outcome::Failed {
            message: format!("deferred: {reason}"),
        },
    }
}
