//! The agents that run in this process: their tasks, and the way to each.

use futures::future::select_all;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::path::Path;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::JoinHandle;

use super::remote;
use super::saved::Saved;
use crate::agent::foreign::Foreign;
use crate::agent::{Agent, Parts, Report};
use crate::core::call::{CallId, SessionId};
use crate::core::run::RunCommand;
use crate::store::lease::Lease;

/// Commands that may wait in an agent's channel; more wait here.
const COMMANDS: usize = 64;
/// Events of all agents that may wait to be taken in.
const REPORTS: usize = 1024;

/// An agent to start.
pub struct Start {
    pub parts: Parts,
    /// The message it begins with.
    pub prompt: Option<String>,
    /// Where it goes on, if it is not a new session.
    pub saved: Option<Saved>,
    pub lease: Lease,
}

struct Running {
    commands: mpsc::Sender<RunCommand>,
    /// Commands that the channel had no room for, in order. The loop never waits for an agent.
    outbox: VecDeque<RunCommand>,
    task: JoinHandle<()>,
    /// Held as long as the agent runs here; `None` for one that another process runs.
    _lease: Option<Lease>,
}

/// Dropping an agent stops it and all that it runs.
impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The agents of this process, and the way to each.
pub struct Agents {
    running: HashMap<SessionId, Running>,
    report: mpsc::Sender<Report>,
}

/// Where the reports of all agents arrive.
pub type Reports = mpsc::Receiver<Report>;

impl Agents {
    /// No agents yet, and where their reports will arrive.
    pub fn new() -> (Self, Reports) {
        let (report, reports) = mpsc::channel(REPORTS);
        (
            Self {
                running: HashMap::new(),
                report,
            },
            reports,
        )
    }

    pub fn start(&mut self, start: Start) {
        let session = start.parts.session.clone();
        let (commands, taken) = mpsc::channel(COMMANDS);
        let report = self.report.clone();
        let agent = match start.saved {
            None => Agent::new(start.parts, report, taken),
            Some(saved) => Agent::resuming(start.parts, saved.recovered, report, taken),
        };
        let task = tokio::spawn(agent.run());
        self.running.insert(
            session.clone(),
            Running {
                commands,
                outbox: VecDeque::new(),
                task,
                _lease: Some(start.lease),
            },
        );
        if let Some(text) = start.prompt {
            self.send(&session, RunCommand::Message { text });
        }
    }

    /// A session of deferred state, with the calls that nobody has decided yet.
    pub fn stand_in(&mut self, session: SessionId, open: HashSet<CallId>, lease: Lease) {
        let (commands, taken) = mpsc::channel(COMMANDS);
        let foreign = Foreign {
            session: session.clone(),
            open,
            reports: self.report.clone(),
            commands: taken,
        };
        let task = tokio::spawn(foreign.run());
        self.running.insert(
            session,
            Running {
                commands,
                outbox: VecDeque::new(),
                task,
                _lease: Some(lease),
            },
        );
    }

    /// Watches and steers a session that another process runs. What happens from now on is reported.
    pub async fn attach(&mut self, session: SessionId, socket: &Path) -> io::Result<()> {
        let stream = remote::connect(socket).await?;
        let (commands, taken) = mpsc::channel(COMMANDS);
        let task = tokio::spawn(remote::carry(
            stream,
            session.clone(),
            taken,
            self.report.clone(),
        ));
        self.running.insert(
            session,
            Running {
                commands,
                outbox: VecDeque::new(),
                task,
                _lease: None,
            },
        );
        Ok(())
    }

    /// Sends a command, or keeps it until there is room. An agent that has ended takes none.
    pub(super) fn send(&mut self, session: &SessionId, command: RunCommand) {
        let Some(agent) = self.running.get_mut(session) else {
            return;
        };
        if !agent.outbox.is_empty() {
            return agent.outbox.push_back(command);
        }
        if let Err(TrySendError::Full(command)) = agent.commands.try_send(command) {
            agent.outbox.push_back(command);
        }
    }

    pub(super) fn has_outgoing(&self) -> bool {
        self.running.values().any(|agent| !agent.outbox.is_empty())
    }

    /// Waits for room in some agent's channel and sends what is next for it. To be awaited only while
    /// something is outgoing; may be dropped at any time.
    pub(super) async fn flush(&mut self) {
        let waiting = self
            .running
            .iter()
            .filter(|(_, agent)| !agent.outbox.is_empty());
        let room = waiting.map(|(session, agent)| {
            let (session, commands) = (session.clone(), agent.commands.clone());
            Box::pin(async move { (session, commands.reserve_owned().await) })
        });
        let ((session, room), ..) = select_all(room).await;
        let Some(agent) = self.running.get_mut(&session) else {
            return;
        };
        match (room, agent.outbox.pop_front()) {
            (Ok(room), Some(command)) => drop(room.send(command)),
            // It has ended: nobody is left to take the rest.
            (Err(_), _) => agent.outbox.clear(),
            (Ok(_), None) => {}
        }
    }
}
