//! The agents that run in this process: their tasks, and the way to each and from each.

use futures::future::select_all;
use std::collections::{HashMap, HashSet, VecDeque};
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::JoinHandle;

use super::lanes::Lanes;
use super::remote;
use super::saved::Saved;
use crate::agent::foreign::Foreign;
use crate::agent::{Agent, Parts, Report};
use crate::core::call::{CallId, SessionId};
use crate::core::decision::Expiry;
use crate::core::run::RunCommand;
use crate::store::Journal;
use crate::store::lease::Lease;

/// Commands that may wait in an agent's channel; more wait here.
const COMMANDS: usize = 64;

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

/// The agents of this process, the way to each, and what they report.
#[derive(Default)]
pub struct Agents {
    running: HashMap<SessionId, Running>,
    lanes: Lanes,
}

impl Agents {
    pub fn start(&mut self, start: Start) {
        let session = start.parts.session.clone();
        let (commands, taken) = mpsc::channel(COMMANDS);
        let report = self.lanes.open(session.clone());
        let agent = match start.saved {
            None => Agent::new(start.parts, report, taken),
            Some(saved) => Agent::resuming(start.parts, saved.recovered, report, taken),
        };
        let task = tokio::spawn(agent.run());
        self.take_on(session.clone(), commands, task, Some(start.lease));
        if let Some(text) = start.prompt {
            self.send(&session, RunCommand::Message { text });
        }
    }

    /// A session of deferred state, with the calls that nobody has decided yet.
    pub fn stand_in(
        &mut self,
        session: SessionId,
        open: HashMap<CallId, Option<Expiry>>,
        scripts: HashMap<CallId, HashSet<CallId>>,
        (journal, lease): (Journal, Lease),
    ) {
        let (commands, taken) = mpsc::channel(COMMANDS);
        let foreign = Foreign {
            session: session.clone(),
            open,
            scripts,
            journal,
            reports: self.lanes.open(session.clone()),
            commands: taken,
        };
        let task = tokio::spawn(foreign.run());
        self.take_on(session, commands, task, Some(lease));
    }

    /// Watches and steers a session that another process runs, over a connection to it. What happens
    /// from the connecting on is reported.
    pub fn watch(&mut self, session: SessionId, connection: UnixStream) {
        let (commands, taken) = mpsc::channel(COMMANDS);
        let report = self.lanes.open(session.clone());
        let task = tokio::spawn(remote::carry(connection, session.clone(), taken, report));
        self.take_on(session, commands, task, None);
    }

    fn take_on(
        &mut self,
        session: SessionId,
        commands: mpsc::Sender<RunCommand>,
        task: JoinHandle<()>,
        lease: Option<Lease>,
    ) {
        let running = Running {
            commands,
            outbox: VecDeque::new(),
            task,
            _lease: lease,
        };
        self.running.insert(session, running);
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

    /// Waits for reports and takes in at most `limit` of them; meanwhile sends what is outgoing. May be
    /// dropped at any time.
    pub(super) async fn next(&mut self, into: &mut Vec<Report>, limit: usize) {
        let Self { running, lanes } = self;
        loop {
            let outgoing = running.values().any(|agent| !agent.outbox.is_empty());
            tokio::select! {
                biased;
                gone = lanes.receive(into, limit) => {
                    // With its task an agent leaves its lease: whoever wants to can go on with it.
                    for session in &gone {
                        running.remove(session);
                    }
                    if !into.is_empty() {
                        return;
                    }
                }
                () = flush(running), if outgoing => {}
            }
        }
    }
}

/// Waits for room in some agent's channel and sends what is next for it. To be awaited only while
/// something is outgoing; may be dropped at any time.
async fn flush(running: &mut HashMap<SessionId, Running>) {
    let waiting = running.iter().filter(|(_, agent)| !agent.outbox.is_empty());
    let room = waiting.map(|(session, agent)| {
        let (session, commands) = (session.clone(), agent.commands.clone());
        Box::pin(async move { (session, commands.reserve_owned().await) })
    });
    let ((session, room), ..) = select_all(room).await;
    let Some(agent) = running.get_mut(&session) else {
        return;
    };
    match (room, agent.outbox.pop_front()) {
        (Ok(room), Some(command)) => drop(room.send(command)),
        // It has ended: nobody is left to take the rest.
        (Err(_), _) => agent.outbox.clear(),
        (Ok(_), None) => {}
    }
}
