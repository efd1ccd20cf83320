//! A session of deferred state: its calls come from a file, and the program that wrote it runs them.
//!
//! Owns how such a state stands in the journal, and the task that stands in for its agent. Runs
//! nothing, asks no model, and writes no results: those are made from the rulings in the journal.

use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::mpsc;

use super::ask::until;
use super::report::Report;
use crate::core::call::{Call, CallId, CallKey, Origin, SessionId};
use crate::core::decision::{Expiry, Ruling};
use crate::core::run::{
    CallStatus, EntryId, Level, Outcome, RunCommand, RunEvent, RunState, TextKind,
};
use crate::core::script::Script;
use crate::deferred::{Imported, ImportedCall, Past};
use crate::store::{Journal, Recorded, Step};

/// The steps that a state is in the journal: the same steps for the same state, but for the time.
pub fn steps(session: &SessionId, file: &str, imported: &Imported, now: Timestamp) -> Vec<Step> {
    let agent = name(imported);
    let model = imported.model.clone().unwrap_or_default();
    let mut steps = vec![
        Step::Session {
            agent: agent.clone(),
            model: model.clone(),
            config: None,
            file: Some(file.to_owned()),
        },
        Step::Event(RunEvent::Began {
            agent: agent.clone(),
            model,
        }),
    ];
    let mut entries = Entries::default();
    for past in &imported.history {
        steps.push(entries.past(past));
    }
    for warning in &imported.warnings {
        steps.push(entries.note(Level::Warning, warning));
    }
    for call in &imported.calls {
        let id = call.key();
        // A script itself is the call that runs it.
        if entries.called.insert(id.base()) {
            let arguments = call.arguments.text().to_owned();
            let parent = call.parent.as_ref().map(CallId::foreign);
            steps.push(entries.wanted(&id.base(), parent, &call.tool, arguments));
        }
        let key = CallKey {
            session: session.clone(),
            call: id,
        };
        steps.push(Step::Arrived(Box::new(pending(call, key, &agent, now))));
    }
    steps.push(Step::Event(RunEvent::State(RunState::Waiting)));
    steps
}

/// What the agent is called: by its own name, else by the framework's.
fn name(imported: &Imported) -> String {
    let format = || imported.format().name().to_owned();
    imported.agent.clone().unwrap_or_else(format)
}

fn pending(call: &ImportedCall, key: CallKey, agent: &str, now: Timestamp) -> Call {
    Call {
        key,
        agent: agent.to_owned(),
        tool: call.tool.clone(),
        arguments: call.arguments.clone(),
        origin: Origin::File,
        parent: call.parent.as_ref().map(CallId::foreign),
        answers: call.answers.clone(),
        basis: call.basis.clone(),
        risks: call.risks.clone(),
        schema: call.schema.clone(),
        preview: None,
        metadata: call.metadata.clone(),
        workspace: None,
        warnings: call.warnings.clone(),
        reviews: Vec::new(),
        expires: call.expires,
        script: call.script.as_deref().map(|script| {
            let outer = script.outer.foreign();
            Arc::new(Script {
                outer,
                ..script.clone()
            })
        }),
        grounds: None,
        // It may have waited before it came here. By the clock of another machine it may not have begun yet.
        arrived: call.arrived.map_or(now, |arrived| arrived.min(now)),
    }
}

/// Why a call of a script leaves without an answer.
pub const DROPPED: &str = "its script was dropped";
/// Why the row of a script leaves without one.
pub const GOES_ON: &str = "the script goes on with the answers to its calls";

/// A call that needs no answer any more.
pub fn withdrawn(call: CallId, why: &str) -> RunEvent {
    RunEvent::Withdrawn {
        call,
        why: why.to_owned(),
    }
}

/// Numbers the entries, and knows which calls have one.
#[derive(Default)]
struct Entries {
    next: u64,
    called: HashSet<CallId>,
}

impl Entries {
    fn entry(&mut self) -> EntryId {
        self.next += 1;
        EntryId(self.next)
    }

    fn past(&mut self, past: &Past) -> Step {
        match past {
            Past::User(text) => {
                let entry = self.entry();
                let text = text.clone();
                Step::Event(RunEvent::User { entry, text })
            }
            Past::Agent(text) => self.text(TextKind::Answer, text),
            Past::Thinking(text) => self.text(TextKind::Thinking, text),
            Past::Called {
                call,
                tool,
                arguments,
            } => {
                let id = call.foreign();
                self.called.insert(id.clone());
                self.wanted(&id, None, tool, arguments.clone())
            }
            Past::Result { call, text } => Step::Ended {
                call: call.foreign(),
                outcome: Outcome::Result { text: text.clone() },
            },
            Past::Note(text) => self.note(Level::Note, text),
        }
    }

    fn text(&mut self, kind: TextKind, text: &str) -> Step {
        Step::Event(RunEvent::TextEnded {
            entry: self.entry(),
            kind,
            text: text.to_owned(),
        })
    }

    fn note(&mut self, level: Level, text: &str) -> Step {
        Step::Event(RunEvent::Note {
            entry: self.entry(),
            level,
            text: text.to_owned(),
        })
    }

    fn wanted(
        &mut self,
        call: &CallId,
        parent: Option<CallId>,
        tool: &str,
        arguments: String,
    ) -> Step {
        Step::Event(RunEvent::Called {
            entry: self.entry(),
            call: call.clone(),
            parent,
            tool: tool.to_owned(),
            arguments,
        })
    }
}

/// The task in an agent's place: it takes the rulings, and ends when each call has one or has expired.
#[derive(Debug)]
pub struct Foreign {
    pub session: SessionId,
    /// The calls that nobody has decided yet, with what is recorded of those that may not wait for ever.
    pub open: HashMap<CallId, Option<Expiry>>,
    /// The row of each script, and the calls that it makes.
    pub scripts: HashMap<CallId, HashSet<CallId>>,
    pub journal: Journal,
    pub reports: mpsc::Sender<Report>,
    pub commands: mpsc::Receiver<RunCommand>,
}

impl Foreign {
    pub async fn run(mut self) {
        while !self.open.is_empty() {
            let next = self.next_due();
            let over = async {
                match &next {
                    Some(expiry) => tokio::time::sleep(until(expiry.due)).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(RunCommand::Ruling(ruling)) => self.ruled(&ruling).await,
                    // There is no agent here to speak to or to stop.
                    Some(RunCommand::Message { .. } | RunCommand::Interrupt | RunCommand::Retry) => {}
                    // The console is gone.
                    None => return,
                },
                () = over => if let Some(expiry) = next {
                    self.expire(expiry).await;
                },
            }
        }
        self.report(RunEvent::State(RunState::Ended)).await;
    }

    /// The call whose time is over next.
    fn next_due(&self) -> Option<Expiry> {
        let expiries = self.open.values().flatten();
        expiries.min_by_key(|expiry| expiry.due).cloned()
    }

    async fn ruled(&mut self, ruling: &Ruling) {
        if self.open.remove(&ruling.key.call).is_some() {
            let status = CallStatus::of_ruling(ruling);
            let call = ruling.key.call.clone();
            self.report(RunEvent::Status { call, status }).await;
            self.settle(&ruling.key.call).await;
        }
    }

    /// A script that has an answer itself is dropped, and its calls with it; one whose calls all have theirs
    /// goes on.
    async fn settle(&mut self, answered: &CallId) {
        if let Some(inner) = self.scripts.remove(answered) {
            for call in inner {
                self.withdraw(call, DROPPED).await;
            }
            return;
        }
        let open = |call: &CallId| self.open.contains_key(call);
        let goes_on = |(_, inner): &(&CallId, &HashSet<CallId>)| {
            inner.contains(answered) && !inner.iter().any(open)
        };
        let script = self.scripts.iter().find(goes_on);
        if let Some(script) = script.map(|(script, _)| script.clone()) {
            self.withdraw(script, GOES_ON).await;
        }
    }

    async fn withdraw(&mut self, call: CallId, why: &str) {
        if self.open.remove(&call).is_none() {
            return;
        }
        let event = withdrawn(call, why);
        let step = Step::Event(event.clone());
        if let Err(error) = self.journal.append(&self.session, step).await {
            tracing::error!(%error, "a call that needs no answer any more could not be recorded as such");
        }
        self.report(event).await;
    }

    /// Whoever was first in the journal counts: a ruling that was is on its way here.
    async fn expire(&mut self, expiry: Expiry) {
        let call = expiry.key.call.clone();
        match self.journal.expire(expiry.clone()).await {
            Ok(Recorded::Now) => {
                self.open.remove(&call);
                let (tool, waited) = (expiry.tool.clone(), expiry.waited());
                self.report(RunEvent::Expired {
                    call: call.clone(),
                    tool,
                    waited,
                })
                .await;
                let outcome = Outcome::expired(&expiry);
                let status = CallStatus::Finished { outcome };
                let expired = call.clone();
                self.report(RunEvent::Status { call, status }).await;
                self.settle(&expired).await;
            }
            Ok(Recorded::Before { .. }) => {
                self.open.insert(call, None);
            }
            Err(error) => {
                tracing::error!(%error, "a call that nobody decided in time could not be recorded as such");
                self.open.insert(call, None);
            }
        }
    }

    async fn report(&self, event: RunEvent) {
        let session = self.session.clone();
        // A console that is gone also closes the commands, which ends this.
        let _ = self.reports.send(Report { session, event }).await;
    }
}
