//! Putting a call before a person, and waiting for the ruling.

use serde_json::Value;
use tokio::sync::oneshot;

use super::call::One;
use super::work::Ended;
use crate::core::call::{Answers, Call, CallId, Grounds, Preview};
use crate::core::decision::Ruling;
use crate::core::run::{CallStatus, RunEvent};
use crate::core::verdict::Basis;
use crate::store::Step;

/// Why a person is asked, and with what beside it.
pub(super) struct Asking {
    pub(super) basis: Basis,
    pub(super) answers: Answers,
    /// What the tool itself sent along.
    pub(super) metadata: Option<Value>,
    pub(super) preview: Option<Preview>,
}

impl Asking {
    pub(super) const fn plain(basis: Basis, answers: Answers) -> Self {
        Self {
            basis,
            answers,
            metadata: None,
            preview: None,
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
pub(super) type Decided = oneshot::Receiver<Ruling>;

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
        })
    }

    /// Records that the call waits, and shows it. A call that was ruled on before is not shown again.
    pub(super) async fn put_before_person(
        &self,
        id: &CallId,
        asking: &Asking,
    ) -> Result<Decided, Ended> {
        if let Some(ruling) = self.work.past.rulings.get(id) {
            let (decide, decided) = oneshot::channel();
            // The receiver is right here, so it cannot be gone.
            let _ = decide.send(ruling.clone());
            return Ok(decided);
        }
        let call = if let Some(call) = self.work.past.arrived.get(id) {
            call.clone()
        } else {
            let call = self.pending(id, asking);
            let step = Step::Arrived(Box::new(call.clone()));
            let recorded = self.work.journal.append(&self.work.session, step).await;
            recorded.map_err(|error| Ended::unrecorded(&error.to_string()))?;
            call
        };
        let decided = self.work.rulings.expect(id);
        self.work
            .reports
            .send(RunEvent::Arrived(Box::new(call)))
            .await;
        self.work.reports.status(self.id, CallStatus::Waiting).await;
        self.work.rulings.asked(id);
        Ok(decided)
    }

    /// Waits for the ruling, or for the end of the run.
    pub(super) async fn ruling(&self, id: &CallId, decided: Decided) -> Result<Ruling, Ended> {
        let why = tokio::select! {
            biased;
            ruling = decided => match ruling {
                Ok(ruling) => {
                    self.work.reports.status(self.id, CallStatus::of_ruling(&ruling)).await;
                    return Ok(ruling);
                }
                Err(_) => "the run has ended",
            },
            () = self.work.cancel.cancelled() => "the run was interrupted",
        };
        self.work.rulings.forget(id);
        let event = RunEvent::Withdrawn {
            call: id.clone(),
            why: why.to_owned(),
        };
        self.work.reports.send(event).await;
        Err(Ended::interrupted())
    }

    fn pending(&self, id: &CallId, asking: &Asking) -> Call {
        let tool = self.own_tool();
        Call {
            key: self.work.key(id),
            agent: self.work.agent.clone(),
            tool: self.tool.to_owned(),
            arguments: self.arguments.clone(),
            origin: self.origin,
            parent: (id != self.id).then(|| self.id.clone()),
            answers: asking.answers.clone(),
            basis: asking.basis.clone(),
            risks: tool.map(|tool| tool.risks.clone()).unwrap_or_default(),
            schema: tool.map(|tool| tool.schema.clone()),
            preview: asking.preview.clone(),
            metadata: asking.metadata.clone(),
            workspace: self.work.workspace.to_str().map(str::to_owned),
            warnings: Vec::new(),
            expires: None,
            grounds: self.grounds(id, &asking.basis),
            arrived: jiff::Timestamp::now(),
        }
    }

    /// Only what the policy asks can be answered by a rule.
    fn grounds(&self, id: &CallId, basis: &Basis) -> Option<Grounds> {
        let by_policy = match basis {
            Basis::Rule { .. }
            | Basis::ToolDefault
            | Basis::NotUnderstood { .. }
            | Basis::Provider => id == self.id,
            Basis::Tool { .. }
            | Basis::OutcomeUnknown
            | Basis::Framework { .. }
            | Basis::External { .. }
            | Basis::Grant { .. }
            | Basis::GrantsUnread { .. } => false,
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
