//! One call, from its verdict to its answer.
//!
//! Owns the order that rule 6 of the design demands: judged, asked, ruled, *started* written, run,
//! *finished* written, answered. Runs in a task of its own.

use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::intake::{Taken, result_of};
use super::report::Reports;
use super::words;
use crate::core::arguments::Arguments;
use crate::core::call::{Answers, Call, CallId, CallKey, Origin, Preview, SessionId};
use crate::core::decision::{Decision, Ruling};
use crate::core::run::{CallStatus, Outcome, RunEvent};
use crate::core::verdict::{Basis, Verdict};
use crate::policy::{Judgement, Policy, Subject};
use crate::provider::{Answered, Body, Came};
use crate::store::{Journal, Step};
use crate::tools::{Job, Ran, Tool, Toolbox, Written};

/// Pieces of output that may wait to be reported.
const OUTPUT: usize = 64;

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
    pub(super) slots: Arc<Semaphore>,
    pub(super) cancel: CancellationToken,
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

/// The ways on which a call's rulings come: on whether it runs, and on its deferred result.
pub(super) struct Ruled {
    pub(super) decided: oneshot::Receiver<Ruling>,
    pub(super) handed_in: oneshot::Receiver<Ruling>,
}

pub(super) struct Answer {
    pub(super) place: Place,
    pub(super) answered: Answered,
    /// A message that goes beside it, where the answer itself has no room for words.
    pub(super) aside: Option<String>,
}

impl Answer {
    pub(super) const fn executed(answered: Answered) -> Self {
        Self {
            place: Place::Executed,
            answered,
            aside: None,
        }
    }
}

/// How a call ended, and by whose word.
struct Ended {
    place: Place,
    came: Came,
    outcome: Outcome,
    /// The arguments that ran instead of the model's own.
    edited: Option<Arguments>,
}

impl Ended {
    fn plain(place: Place, came: Came, outcome: Outcome) -> Self {
        Self {
            place,
            came,
            outcome,
            edited: None,
        }
    }

    fn interrupted() -> Self {
        Self::plain(Place::Rejected, Came::Failed, Outcome::Interrupted)
    }
}

/// Sees one call through to its answer.
pub(super) async fn answer(work: Work, taken: Taken, ruled: Ruled) -> Answer {
    let Taken {
        original,
        id,
        tool,
        held_by_provider,
        checked,
    } = taken;
    let ended = match checked {
        Err(fault) => Ended::plain(Place::Executed, Came::Refused, Outcome::Refused { fault }),
        Ok(arguments) => {
            let one = One {
                work: &work,
                id: &id,
                tool: &tool,
                arguments,
            };
            if held_by_provider {
                one.confirm(ruled).await
            } else {
                one.see_through(ruled).await
            }
        }
    };
    work.finished(&id, ended.outcome.clone()).await;
    if held_by_provider {
        confirmation(original, tool, &ended)
    } else {
        in_words(original, tool, ended)
    }
}

fn in_words(call: CallId, tool: String, ended: Ended) -> Answer {
    let mut text = words::result(&ended.outcome);
    if let Some(arguments) = &ended.edited {
        text.insert_str(0, &words::edited(arguments));
    }
    let answered = Answered {
        call,
        tool,
        body: Body::Result(text),
        came: ended.came,
    };
    Answer {
        place: ended.place,
        answered,
        aside: None,
    }
}

/// A call that the provider runs takes only yes or no; a reason goes beside it as a message.
fn confirmation(call: CallId, tool: String, ended: &Ended) -> Answer {
    let allow = matches!(ended.came, Came::Approved | Came::Executed);
    let aside = match &ended.outcome {
        Outcome::Rejected { reason } if reason.is_empty() => None,
        Outcome::Result { .. } | Outcome::Interrupted => None,
        outcome => Some(format!("{tool}: {}", words::result(outcome))),
    };
    let answered = Answered {
        call,
        tool,
        body: Body::Confirmation { allow },
        came: ended.came,
    };
    Answer {
        place: Place::Confirmed,
        answered,
        aside,
    }
}

impl Work {
    fn key(&self, id: &CallId) -> CallKey {
        CallKey {
            session: self.session.clone(),
            call: id.clone(),
        }
    }

    pub(super) async fn finished(&self, id: &CallId, outcome: Outcome) {
        self.reports
            .status(id, CallStatus::Finished { outcome })
            .await;
    }
}

/// One call with what it works with.
struct One<'a> {
    work: &'a Work,
    id: &'a CallId,
    tool: &'a str,
    arguments: Arguments,
}

/// What a run is asked for: nothing special, or what the tool itself sent along.
struct Asking {
    basis: Basis,
    answers: Answers,
    origin: Origin,
    metadata: Option<Value>,
    preview: Option<Preview>,
}

impl One<'_> {
    fn judge(&self, tool: Option<&Tool>) -> Judgement {
        self.work.policy.evaluate(&Subject {
            agent: &self.work.agent,
            tool: self.tool,
            arguments: self.arguments.value(),
            default: tool.map_or(Verdict::Ask, |tool| tool.default),
            command_line: tool.and_then(|tool| tool.command_line),
            workspace: &self.work.workspace,
        })
    }

    /// A call of one of our own tools.
    async fn see_through(&self, ruled: Ruled) -> Ended {
        let tool = self.work.tools.get(self.tool);
        let judgement = self.judge(tool);
        match judgement.verdict {
            Verdict::Deny => denied(judgement.basis),
            Verdict::Allow => self.run_allowed(ruled).await,
            Verdict::Ask => {
                let preview = self.work.tools.preview(self.tool, &self.arguments).await;
                let (basis, origin) = (judgement.basis, Origin::Agent);
                let asking = Asking {
                    basis,
                    answers: Answers::all(),
                    origin,
                    metadata: None,
                    preview,
                };
                self.ask_then_run(asking, ruled).await
            }
        }
    }

    /// A call that the provider holds: policy or a person says yes or no, the provider runs it.
    async fn confirm(&self, ruled: Ruled) -> Ended {
        let judgement = self.judge(None);
        let allowed = Outcome::Result {
            text: "allowed; the provider runs it".to_owned(),
        };
        match judgement.verdict {
            Verdict::Deny => denied(judgement.basis),
            Verdict::Allow => Ended::plain(Place::Confirmed, Came::Executed, allowed),
            Verdict::Ask => {
                let basis = match judgement.basis {
                    Basis::ToolDefault => Basis::Provider,
                    basis => basis,
                };
                let (answers, origin) = (Answers::confirmation(), Origin::Provider);
                let asking = Asking {
                    basis,
                    answers,
                    origin,
                    metadata: None,
                    preview: None,
                };
                match self.ask(self.id, &asking, ruled.decided).await {
                    Ok(ruling) if ruling.permits().is_some() => {
                        Ended::plain(Place::Confirmed, Came::Approved, allowed)
                    }
                    Ok(ruling) => not_run(&ruling),
                    Err(ended) => ended,
                }
            }
        }
    }

    /// Runs a call that policy allows. The tool itself may still want a person.
    async fn run_allowed(&self, ruled: Ruled) -> Ended {
        match self.run(&self.arguments, Attempt::first()).await {
            Ran::ApprovalRequired { reason, metadata } => {
                let basis = Basis::Tool { reason };
                let (answers, origin) = (Answers::all(), Origin::Agent);
                let asking = Asking {
                    basis,
                    answers,
                    origin,
                    metadata: Some(metadata),
                    preview: None,
                };
                self.ask_then_run(asking, ruled).await
            }
            Ran::Deferred { reason, metadata } => {
                self.await_result(reason, metadata, ruled.handed_in, Place::Executed)
                    .await
            }
            ran => ended(ran, Place::Executed, Came::Executed, None),
        }
    }

    async fn ask_then_run(&self, asking: Asking, ruled: Ruled) -> Ended {
        let ruling = match self.ask(self.id, &asking, ruled.decided).await {
            Ok(ruling) => ruling,
            Err(ended) => return ended,
        };
        let Some(arguments) = self.permitted(&ruling) else {
            return not_run(&ruling);
        };
        let edited = match &ruling.decision {
            Decision::Approve { arguments } => arguments.clone(),
            Decision::Reject { .. } | Decision::Respond { .. } | Decision::Retry { .. } => None,
        };
        let came = if edited.is_some() {
            Came::Edited
        } else {
            Came::Approved
        };
        let expected = asking
            .preview
            .filter(|_| edited.is_none())
            .map(|preview| preview.before);
        let metadata = asking.metadata.unwrap_or(Value::Null);
        let attempt = Attempt {
            number: 1,
            approved: Some(metadata),
            expected,
        };
        match self.run(&arguments, attempt).await {
            Ran::Deferred { reason, metadata } => {
                self.await_result(reason, metadata, ruled.handed_in, Place::Approved)
                    .await
            }
            ran => ended(ran, Place::Approved, came, edited),
        }
    }

    /// A deferred call: the operator hands in the result that came from outside.
    async fn await_result(
        &self,
        reason: String,
        metadata: Value,
        handed_in: oneshot::Receiver<Ruling>,
        place: Place,
    ) -> Ended {
        let (basis, answers, origin) = (
            Basis::External { reason },
            Answers::external(),
            Origin::Agent,
        );
        let asking = Asking {
            basis,
            answers,
            origin,
            metadata: Some(metadata),
            preview: None,
        };
        match self.ask(&result_of(self.id), &asking, handed_in).await {
            Ok(ruling) => Ended {
                place,
                ..not_run(&ruling)
            },
            Err(ended) => ended,
        }
    }

    /// The arguments a ruling lets run: it must be about this very call, its digest must fit, and what
    /// an operator wrote must fit the schema too.
    fn permitted(&self, ruling: &Ruling) -> Option<Arguments> {
        let arguments = ruling.permits()?;
        let same = ruling.tool == self.tool && ruling.proposed == self.arguments;
        let sound = self
            .work
            .tools
            .get(self.tool)?
            .schema
            .check(arguments.value())
            .is_empty();
        (same && sound).then(|| arguments.clone())
    }

    /// Puts the call before a person and waits for the ruling.
    async fn ask(
        &self,
        id: &CallId,
        asking: &Asking,
        ruled: oneshot::Receiver<Ruling>,
    ) -> Result<Ruling, Ended> {
        let call = self.call(id, asking);
        let step = Step::Arrived(Box::new(call.clone()));
        if let Err(error) = self.work.journal.append(step).await {
            return Err(unrecorded(&error.to_string()));
        }
        self.work
            .reports
            .send(RunEvent::Arrived(Box::new(call)))
            .await;
        self.work.reports.status(self.id, CallStatus::Waiting).await;
        tokio::select! {
            ruling = ruled => match ruling {
                Ok(ruling) => {
                    let (word, by) = (ruling.decision.word().to_owned(), ruling.who.clone());
                    self.work.reports.status(self.id, CallStatus::Decided { word, by }).await;
                    Ok(ruling)
                }
                Err(_) => Err(self.withdraw(id, "the run has ended").await),
            },
            () = self.work.cancel.cancelled() => Err(self.withdraw(id, "the run was interrupted").await),
        }
    }

    async fn withdraw(&self, id: &CallId, why: &str) -> Ended {
        let event = RunEvent::Withdrawn {
            call: id.clone(),
            why: why.to_owned(),
        };
        self.work.reports.send(event).await;
        Ended::interrupted()
    }

    fn call(&self, id: &CallId, asking: &Asking) -> Call {
        let tool = self
            .work
            .tools
            .get(self.tool)
            .filter(|_| asking.origin == Origin::Agent);
        Call {
            key: self.work.key(id),
            agent: self.work.agent.clone(),
            tool: self.tool.to_owned(),
            arguments: self.arguments.clone(),
            origin: asking.origin,
            parent: (id != self.id).then(|| self.id.clone()),
            answers: asking.answers.clone(),
            basis: asking.basis.clone(),
            risks: tool.map(|tool| tool.risks.clone()).unwrap_or_default(),
            schema: tool.map(|tool| tool.schema.clone()),
            preview: asking.preview.clone(),
            metadata: asking.metadata.clone(),
            arrived: jiff::Timestamp::now(),
        }
    }

    /// Runs the tool: *started* is written before, *finished* after.
    async fn run(&self, arguments: &Arguments, attempt: Attempt) -> Ran {
        let Some(_slot) = self.slot().await else {
            return Ran::Interrupted;
        };
        let (key, number) = (self.work.key(self.id), attempt.number);
        let step = Step::Started {
            key: key.clone(),
            attempt: number,
            digest: arguments.digest(self.tool),
        };
        if let Err(error) = self.work.journal.append(step).await {
            return Ran::Failed(format!(
                "not run, because it could not be recorded: {error}"
            ));
        }
        self.work.reports.status(self.id, CallStatus::Running).await;
        let job = Job {
            call: self.id.clone(),
            tool: self.tool.to_owned(),
            arguments: arguments.clone(),
            approved: attempt.approved,
            expected: attempt.expected,
            cancel: self.work.cancel.clone(),
        };
        let ran = self.run_with_output(job).await;
        let step = Step::Finished {
            key,
            attempt: number,
            outcome: outcome_of(&ran),
        };
        if let Err(error) = self.work.journal.append(step).await {
            tracing::error!(%error, "a finished call could not be recorded");
        }
        ran
    }

    /// A place among those that run at the same time, or nothing if the run is interrupted first.
    async fn slot(&self) -> Option<tokio::sync::SemaphorePermit<'_>> {
        tokio::select! {
            biased;
            () = self.work.cancel.cancelled() => None,
            slot = self.work.slots.acquire() => slot.ok(),
        }
    }

    async fn run_with_output(&self, job: Job) -> Ran {
        let (output, mut written) = mpsc::channel::<Written>(OUTPUT);
        let run = async move { self.work.tools.run(job, &output).await };
        let report = async {
            while let Some(Written { stream, text }) = written.recv().await {
                let call = self.id.clone();
                self.work
                    .reports
                    .send(RunEvent::Output { call, stream, text })
                    .await;
            }
        };
        tokio::join!(run, report).0
    }
}

/// What is special about one execution.
struct Attempt {
    number: u32,
    approved: Option<Value>,
    expected: Option<Option<crate::core::digest::Digest>>,
}

impl Attempt {
    const fn first() -> Self {
        Self {
            number: 0,
            approved: None,
            expected: None,
        }
    }
}

fn denied(basis: Basis) -> Ended {
    Ended::plain(Place::Executed, Came::Denied, Outcome::Denied { basis })
}

fn unrecorded(error: &str) -> Ended {
    let message = format!("not run, because it could not be recorded: {error}");
    Ended::plain(Place::Executed, Came::Failed, Outcome::Failed { message })
}

/// What a ruling that lets nothing run comes to.
fn not_run(ruling: &Ruling) -> Ended {
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
        Decision::Approve { .. } => {
            let message = "the approval does not fit this call, so it was not run".to_owned();
            (Came::Failed, Outcome::Failed { message })
        }
    };
    Ended::plain(Place::Rejected, came, outcome)
}

fn ended(ran: Ran, place: Place, came: Came, edited: Option<Arguments>) -> Ended {
    let outcome = outcome_of(&ran);
    let came = match outcome {
        Outcome::Failed { .. } | Outcome::Interrupted => Came::Failed,
        Outcome::Result { .. }
        | Outcome::Denied { .. }
        | Outcome::Rejected { .. }
        | Outcome::Responded { .. }
        | Outcome::SentBack { .. }
        | Outcome::Refused { .. } => came,
    };
    Ended {
        place,
        came,
        outcome,
        edited,
    }
}

fn outcome_of(ran: &Ran) -> Outcome {
    match ran {
        Ran::Result(text) => Outcome::Result { text: text.clone() },
        Ran::Failed(message) => Outcome::Failed {
            message: message.clone(),
        },
        Ran::Interrupted => Outcome::Interrupted,
        Ran::ApprovalRequired { reason, .. } => Outcome::Failed {
            message: format!("asked for approval: {reason}"),
        },
        Ran::Deferred { reason, .. } => Outcome::Failed {
            message: format!("deferred: {reason}"),
        },
    }
}
