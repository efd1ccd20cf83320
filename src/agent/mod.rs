//! One agent's run: model, calls, verdicts, wait, execute, model.
//!
//! Owns the loop and what each call goes through. Knows nothing of screens: it reports events and
//! takes commands over channels, so that it may live in another process than the console. Nothing
//! here runs before its step is in the journal.

mod ask;
mod call;
mod execute;
mod intake;
mod model;
mod report;
mod turn;
pub mod words;
mod work;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

use crate::core::call::{CallId, SessionId};
use crate::core::run::{Level, RunCommand, RunEvent, RunState};
use crate::policy::Policy;
use crate::provider::{Append, Provider};
use crate::store::{Journal, Step, StoreError};
use crate::tools::Toolbox;

pub use report::Report;
use report::Reports;

/// How far a run may go by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Requests to the model for one message of the operator.
    pub rounds: usize,
    /// Calls that run at the same time.
    pub parallel: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds: 50,
            parallel: 8,
        }
    }
}

/// What an agent is made of.
pub struct Parts {
    pub session: SessionId,
    pub name: String,
    pub model: String,
    pub provider: Provider,
    pub tools: Arc<Toolbox>,
    pub policy: Arc<Policy>,
    pub workspace: PathBuf,
    pub journal: Journal,
    pub limits: Limits,
}

/// An agent that is about to run.
pub struct Agent {
    parts: Parts,
    reports: Reports,
    commands: mpsc::Receiver<RunCommand>,
    /// What the model has yet to be told: answers of an interrupted or failed round, new messages.
    owed: Append,
    /// The ids that calls of this session have, so that each has one of its own.
    ids: HashSet<CallId>,
}

/// Why a piece of work stopped before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopped {
    /// The operator interrupted it.
    Interrupted,
    /// The console is gone.
    Closed,
}

impl Agent {
    pub fn new(
        parts: Parts,
        reports: mpsc::Sender<Report>,
        commands: mpsc::Receiver<RunCommand>,
    ) -> Self {
        let reports = Reports::new(parts.session.clone(), reports);
        Self {
            parts,
            reports,
            commands,
            owed: Append::default(),
            ids: HashSet::new(),
        }
    }

    /// Runs until the channel of commands is closed. Dropping the future stops everything it started.
    pub async fn run(mut self) {
        if let Err(error) = self.begin().await {
            self.reports
                .note(
                    Level::Error,
                    format!("{error}; no agent can run without it"),
                )
                .await;
            self.reports.state(RunState::Ended).await;
            return;
        }
        while let Some(command) = self.commands.recv().await {
            let ready = match command {
                RunCommand::Message { text } => {
                    self.message(text).await;
                    true
                }
                RunCommand::Retry => {
                    !self.owed.answers.is_empty() || !self.owed.messages.is_empty()
                }
                // A ruling for a call of a run that was interrupted: it waits no more.
                RunCommand::Ruling(_) | RunCommand::Interrupt => false,
            };
            if ready && self.work().await == Err(Stopped::Closed) {
                break;
            }
        }
        self.reports.state(RunState::Ended).await;
    }

    async fn begin(&self) -> Result<(), StoreError> {
        let Parts {
            session,
            name,
            model,
            journal,
            ..
        } = &self.parts;
        let (agent, model) = (name.clone(), model.clone());
        let step = Step::Session {
            session: session.clone(),
            agent: agent.clone(),
            model: model.clone(),
        };
        journal.append(step).await?;
        self.reports.send(RunEvent::Began { agent, model }).await;
        self.reports.state(RunState::Idle).await;
        Ok(())
    }

    /// Takes in a message of the operator, to go out with the next request.
    async fn message(&mut self, text: String) {
        let entry = self.reports.entry();
        self.reports
            .send(RunEvent::User {
                entry,
                text: text.clone(),
            })
            .await;
        self.owed.messages.push(text);
    }
}
