//! One agent's run: model, calls, verdicts, wait, execute, model.
//!
//! Owns the loop and what each call goes through. Knows nothing of screens: it reports events and
//! takes commands over channels, so that it may live in another process than the console. Nothing
//! here runs before its step is in the journal.

mod ask;
mod call;
mod execute;
pub mod foreign;
mod intake;
mod judge;
mod model;
pub mod offers;
mod past;
mod question;
mod report;
pub mod review;
mod rulings;
mod script;
mod turn;
pub mod words;
mod work;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::mpsc;

use crate::core::call::{CallId, SessionId};
use crate::core::run::{EntryId, Level, RunCommand, RunEvent, RunState};
use crate::policy::Policy;
use crate::provider::{Append, Provider};
use crate::store::step::Named;
use crate::store::{Journal, Step, StoreError};
use crate::tools::Toolbox;

use past::Past;
pub use past::Recovered;
pub use report::Report;
use report::Reports;
use review::Oversight;

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
    /// The configuration file, so that a resumed session finds it again.
    pub config: Option<PathBuf>,
    pub journal: Journal,
    pub limits: Limits,
    pub oversight: Arc<Oversight>,
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
    /// What the journal holds of this session from before.
    past: Arc<Past>,
    /// What the operator said last.
    asked: Arc<str>,
    resume: Option<Resume>,
}

/// Where a resumed session goes on.
struct Resume {
    /// Calls of the model's last response that are not all answered.
    open: Vec<Named>,
    /// Texts of an answer that did not end.
    loose: Vec<EntryId>,
    state: RunState,
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
    /// An agent that begins a session.
    pub fn new(
        parts: Parts,
        reports: mpsc::Sender<Report>,
        commands: mpsc::Receiver<RunCommand>,
    ) -> Self {
        let reports = Reports::new(&parts, reports, 0);
        Self {
            parts,
            reports,
            commands,
            owed: Append::default(),
            ids: HashSet::new(),
            past: Arc::default(),
            asked: Arc::default(),
            resume: None,
        }
    }

    /// An agent that goes on with a session where the journal says it stood.
    pub fn resuming(
        parts: Parts,
        recovered: Recovered,
        reports: mpsc::Sender<Report>,
        commands: mpsc::Receiver<RunCommand>,
    ) -> Self {
        let state = recovered.state.unwrap_or(RunState::Idle);
        Self {
            reports: Reports::new(&parts, reports, recovered.next_entry),
            parts,
            commands,
            owed: recovered.owed,
            ids: recovered.ids,
            past: Arc::new(recovered.past),
            asked: recovered.asked.into(),
            resume: Some(Resume {
                open: recovered.open,
                loose: recovered.loose,
                state,
            }),
        }
    }

    /// Runs until the channel of commands is closed. Dropping the future stops everything it started.
    pub async fn run(mut self) {
        // Held as long as the agent runs.
        let _carries = self.start_servers();
        match self.resume.take() {
            None => {
                if let Err(error) = self.begin().await {
                    let text = format!("{error}; no agent can run without it");
                    self.reports.note(Level::Error, text).await;
                    return self.reports.state(RunState::Ended).await;
                }
            }
            Some(resume) => {
                // The journal says where it stands; that nobody watches any more changes nothing there.
                if self.go_on(resume).await == Err(Stopped::Closed) {
                    return;
                }
            }
        }
        while let Some(command) = self.commands.recv().await {
            let ready = match command {
                RunCommand::Message { text } => {
                    self.message(text).await;
                    true
                }
                RunCommand::Retry => self.owes(),
                // A ruling for a call of a run that was interrupted: it waits no more.
                RunCommand::Ruling(_) | RunCommand::Interrupt => false,
            };
            if ready && self.work().await == Err(Stopped::Closed) {
                return;
            }
        }
    }

    async fn begin(&self) -> Result<(), StoreError> {
        let Parts {
            session,
            name,
            model,
            journal,
            config,
            ..
        } = &self.parts;
        let (agent, model) = (name.clone(), model.clone());
        let step = Step::Session {
            agent: agent.clone(),
            model: model.clone(),
            config: config.clone(),
            file: None,
        };
        journal.append(session, step).await?;
        self.reports.send(RunEvent::Began { agent, model }).await;
        self.reports.state(RunState::Idle).await;
        Ok(())
    }

    /// Brings the open calls to their answers, which repeats nothing that the journal holds, and goes
    /// on with what the session was doing.
    async fn go_on(&mut self, resume: Resume) -> Result<(), Stopped> {
        for entry in resume.loose {
            let why = "the program stopped before this answer was complete; nothing of it counts";
            let why = why.to_owned();
            self.reports.send(RunEvent::Discarded { entry, why }).await;
        }
        if !resume.open.is_empty() {
            self.renew_tools().await;
        }
        self.answer_calls(resume.open).await?;
        match resume.state {
            state @ (RunState::Idle | RunState::Failed { .. } | RunState::Ended) => {
                let state = if state == RunState::Ended {
                    RunState::Idle
                } else {
                    state
                };
                self.reports.state(state).await;
                Ok(())
            }
            RunState::Thinking | RunState::Working | RunState::Waiting if self.owes() => {
                self.work().await
            }
            RunState::Thinking | RunState::Working | RunState::Waiting => {
                self.reports.state(RunState::Idle).await;
                Ok(())
            }
        }
    }

    /// Whether there is anything to tell the model.
    const fn owes(&self) -> bool {
        !self.owed.answers.is_empty() || !self.owed.messages.is_empty()
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
        self.asked = text.as_str().into();
        self.owed.messages.push(text);
    }
}
