//! Putting a call before a person, and waiting for the ruling.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

use super::call::One;
use super::script::{self, Row};
use super::work::Ended;
use crate::core::call::{Answers, Call, CallId, Grounds, Preview};
use crate::core::decision::{Expiry, Ruling};
use crate::core::review::Review;
use crate::core::run::{CallStatus, Level, RunEvent};
use crate::core::schema::Schema;
use crate::core::script::Script;
use crate::core::verdict::Basis;
use crate::store::{Recorded, Step};

/// Why a person is asked, and with what beside it.
#[derive(Clone)]
pub(super) struct Asking {
    pub(super) basis: Basis,
    pub(super) answers: Answers,
    /// What the tool itself sent along.
    pub(super) metadata: Option<Value>,
    pub(super) preview: Option<Preview>,
    /// What an answer must fit, where it is not the tool's arguments.
    pub(super) wants: Option<Schema>,
    /// What reviewers said of it.
    pub(super) reviews: Vec<Review>,
    /// Where the script stands that it is about.
    pub(super) script: Option<Arc<Script>>,
}

impl Asking {
    pub(super) const fn plain(basis: Basis, answers: Answers) -> Self {
        Self {
            basis,
            answers,
            metadata: None,
            preview: None,
            wants: None,
            reviews: Vec::new(),
            script: None,
        }
    }

    pub(super) fn with(self, metadata: Value) -> Self {
        Self {
            // JSON writes "none" and "null" alike, and the journal is JSON.
            metadata: Some(metadata).filter(|metadata| !metadata.is_null()),
            ..self
        }
    }
}

/// Where a ruling comes, once there is one.
pub(super) struct Decided {
    ruling: oneshot::Receiver<Ruling>,
    /// What is recorded if none comes in time; `None`: it may wait for ever.
    expiry: Option<Expiry>,
    /// The row of the script that made the call, where that is told once a person is asked no more.
    row: Option<Arc<Row>>,
}

impl Decided {
    pub(super) fn into_ruling(self) -> oneshot::Receiver<Ruling> {
        self.ruling
    }
}

impl One<'_> {
    /// What a person was asked before the program stopped: just that is asked again, so that a decision
    /// is on what was shown.
    pub(super) fn asked_before(&self, id: &CallId) -> Option<Asking> {
        let call = self.work.past.arrived.get(id)?;
        Some(Asking {
            basis: call.basis.clone(),
            answers: call.answers.clone(),
            metadata: call.metadata.clone(),
            preview: call.preview.clone(),
            wants: None,
            reviews: call.reviews.clone(),
            script: call.script.clone(),
        })
    }

    /// Records that the call waits, and shows it. A call that was ruled on before is not shown again.
    pub(super) async fn put_before_person(
        &self,
        id: &CallId,
        asking: &Asking,
    ) -> Result<Decided, Ended> {
        let past = &self.work.past;
        if let Some(why) = past.withdrawn.get(id) {
            return Err(Ended::withdrawn(why.clone()));
        }
        if let Some(expiry) = past.expired.get(id) {
            return Err(Ended::expired(expiry));
        }
        if let Some(before) = past.rulings.get(id) {
            let (decide, ruling) = oneshot::channel();
            // The receiver is right here, so it cannot be gone.
            let _ = decide.send(before.clone());
            return Ok(Decided {
                ruling,
                expiry: None,
                row: None,
            });
        }
        if let Some(why) = self.within.and_then(|within| within.left.why()) {
            return Err(Ended::withdrawn(why.to_owned()));
        }
        // The script that made it comes before it.
        let row = self.within.map(|within| within.row.clone());
        if let Some(row) = &row {
            row.enter().await?;
        }
        let asked = self.ask(id, asking).await;
        match (asked, row) {
            (Ok(decided), row) => Ok(Decided { row, ..decided }),
            (Err(ended), Some(row)) => {
                row.leave().await;
                Err(ended)
            }
            (Err(ended), None) => Err(ended),
        }
    }

    async fn ask(&self, id: &CallId, asking: &Asking) -> Result<Decided, Ended> {
        let call = if let Some(call) = self.work.past.arrived.get(id) {
            let mut call = call.clone();
            // It may have come further since its row came first.
            if asking.basis == Basis::Script {
                call.script.clone_from(&asking.script);
            }
            call
        } else {
            let call = self.pending(id, asking);
            let step = Step::Arrived(Box::new(call.clone()));
            let recorded = self.work.journal.append(&self.work.session, step).await;
            recorded.map_err(|error| Ended::unrecorded(&error.to_string()))?;
            call
        };
        let expiry = Expiry::of(&call);
        if let Some(expiry) = expiry.as_ref().filter(|expiry| is_over(expiry)) {
            // Nobody ran while its time went by.
            if self.expire(expiry).await {
                return Err(Ended::expired(expiry));
            }
        }
        let ruling = self.work.rulings.expect(id);
        self.work
            .reports
            .send(RunEvent::Arrived(Box::new(call)))
            .await;
        self.work.reports.status(self.id, CallStatus::Waiting).await;
        // A script waits only as long as its calls do, and they count.
        if asking.basis != Basis::Script {
            self.work.rulings.asked(id);
        }
        Ok(Decided {
            ruling,
            expiry,
            row: None,
        })
    }

    /// Records that nobody has decided the call, and says so. `false`: somebody was first after all, or it
    /// could not be recorded.
    async fn expire(&self, expiry: &Expiry) -> bool {
        match self.work.journal.expire(expiry.clone()).await {
            Ok(Recorded::Now) => {
                let event = RunEvent::Expired {
                    call: expiry.key.call.clone(),
                    tool: expiry.tool.clone(),
                    waited: expiry.waited(),
                };
                self.work.reports.send(event).await;
                true
            }
            Ok(Recorded::Before { .. }) => false,
            Err(error) => {
                let text = format!("a call that nobody decided in time still waits: {error}");
                self.work.reports.note(Level::Error, text).await;
                false
            }
        }
    }

    /// Waits for the ruling, until its time is over or the run ends.
    pub(super) async fn ruling(&self, id: &CallId, decided: Decided) -> Result<Ruling, Ended> {
        let row = decided.row.clone();
        let ruled = self.ruled(id, decided).await;
        if let Some(row) = row {
            row.leave().await;
        }
        ruled
    }

    async fn ruled(&self, id: &CallId, decided: Decided) -> Result<Ruling, Ended> {
        let Decided {
            mut ruling, expiry, ..
        } = decided;
        let due = async {
            match &expiry {
                None => std::future::pending().await,
                Some(expiry) => {
                    tokio::time::sleep(until(expiry.due)).await;
                    if !self.expire(expiry).await {
                        // The ruling that was first is on its way.
                        std::future::pending::<()>().await;
                    }
                    expiry
                }
            }
        };
        let why = tokio::select! {
            biased;
            ruling = &mut ruling => match ruling {
                Ok(ruling) => {
                    let status = if id.is_question() {
                        CallStatus::Running
                    } else {
                        CallStatus::of_ruling(&ruling)
                    };
                    self.work.reports.status(self.id, status).await;
                    return Ok(ruling);
                }
                Err(_) => "the run has ended",
            },
            why = self.left() => return Err(self.withdraw(id, why).await),
            () = self.work.cancel.cancelled() => "the run was interrupted",
            expiry = due => {
                self.work.rulings.forget(id);
                return Err(Ended::expired(expiry));
            }
        };
        self.work.rulings.forget(id);
        let event = RunEvent::Withdrawn {
            call: id.clone(),
            why: why.to_owned(),
        };
        self.work.reports.send(event).await;
        Err(Ended::interrupted())
    }

    /// Why the script that made the call no longer waits for it, once that is so.
    pub(super) async fn left(&self) -> String {
        match self.within {
            Some(within) => within.left.gone().await,
            None => std::future::pending().await,
        }
    }

    /// Asks no more. Nothing runs, even if somebody has just decided it.
    async fn withdraw(&self, id: &CallId, why: String) -> Ended {
        self.work.rulings.forget(id);
        self.work.withdraw(id, why).await
    }

    /// When nobody can decide it any more. What may have run already stays a question.
    fn expires(&self, basis: &Basis, arrived: Timestamp) -> Option<Timestamp> {
        let own = self.own_tool().and_then(|tool| tool.expires);
        let after = own.or(self.work.oversight.expires)?;
        let after = SignedDuration::try_from(after).ok()?;
        let asks = !basis.is_unknown() && *basis != Basis::Script;
        asks.then(|| arrived.checked_add(after).ok()).flatten()
    }

    pub(super) fn pending(&self, id: &CallId, asking: &Asking) -> Call {
        let tool = self.own_tool();
        let arrived = Timestamp::now();
        Call {
            key: self.work.key(id),
            agent: self.work.agent.clone(),
            tool: self.tool.to_owned(),
            arguments: self.arguments.clone(),
            origin: self.origin,
            parent: self.parent(id, &asking.basis),
            answers: asking.answers.clone(),
            basis: asking.basis.clone(),
            risks: tool.map(|tool| tool.risks.clone()).unwrap_or_default(),
            schema: asking
                .wants
                .clone()
                .or_else(|| tool.map(|tool| tool.schema.clone())),
            preview: asking.preview.clone(),
            metadata: asking.metadata.clone(),
            workspace: self.work.workspace.to_str().map(str::to_owned),
            warnings: Vec::new(),
            reviews: asking.reviews.clone(),
            expires: self.expires(&asking.basis, arrived),
            script: asking
                .script
                .clone()
                .or_else(|| self.within.map(|within| within.script.clone())),
            grounds: self.grounds(id, &asking.basis),
            arrived,
        }
    }

    /// The call that this one was made from, or is a further question about.
    fn parent(&self, id: &CallId, basis: &Basis) -> Option<CallId> {
        if *basis == Basis::Script {
            // It stands for the call itself, above those that the script made.
            return None;
        }
        let outer = self.within.map(|within| within.outer.clone());
        outer.or_else(|| (id != self.id).then(|| self.id.clone()))
    }

    /// Only what the policy asks can be answered by a rule.
    fn grounds(&self, id: &CallId, basis: &Basis) -> Option<Grounds> {
        let by_policy = match basis {
            Basis::Rule { .. }
            | Basis::ToolDefault
            | Basis::NotUnderstood { .. }
            // Also before its script has come to it.
            | Basis::Provider => id == self.id || *id == script::asked_ahead(self.id),
            Basis::Tool { .. }
            | Basis::OutcomeUnknown
            | Basis::Script
            | Basis::Lost { .. }
            | Basis::Question { .. }
            | Basis::Framework { .. }
            | Basis::External { .. }
            | Basis::Grant { .. }
            | Basis::GrantsUnread { .. }
            | Basis::Reviewer { .. } => false,
        };
        let digest = self.arguments.digest(self.tool);
        let subject = self.subject(self.own_tool(), &digest);
        // A rule names its workspace as text.
        let workspace = self.work.workspace.to_str().filter(|_| by_policy)?;
        Some(Grounds {
            workspace: workspace.to_owned(),
            command_line: subject.command_line.map(str::to_owned),
            questions: self.work.policy.questions(&subject),
        })
    }
}

fn is_over(expiry: &Expiry) -> bool {
    until(expiry.due).is_zero()
}

/// How long it is until then; nothing, if that is past.
pub(super) fn until(due: Timestamp) -> Duration {
    let left = due.duration_since(Timestamp::now());
    Duration::try_from(left).unwrap_or_default()
}
