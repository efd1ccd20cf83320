//! Agents without a console of their own: a process in the background that consoles attach to.
//!
//! Owns when it ends: once nothing runs, nothing waits and nobody watches. Until then it goes on,
//! whether or not a console is there.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;

use super::agents::Agents;
use super::host::Host;
use super::outside::Outside;
use super::signals::Signals;
use super::storing::first_ruling;
use super::vigil::Vigil;
use super::wire::ToAgent;
use crate::agent::Report;
use crate::config::Config;
use crate::config::sources::Sources;
use crate::core::call::{CallKey, SessionId};
use crate::core::run::{CallStatus, RunCommand, RunEvent, RunState};

/// How long a session that is done waits for somebody to come, before the process ends.
const LINGER: Duration = Duration::from_mins(1);
/// Reports taken in before the next look at anything else.
const BATCH: usize = 256;

/// A background process's agents.
pub struct Detached {
    agents: Agents,
    host: Host,
    folder: PathBuf,
    states: HashMap<SessionId, RunState>,
    pending: Vigil,
}

impl Detached {
    pub fn new(agents: Agents, host: Host, config: &Config, sources: &Sources) -> Self {
        let webhook = config.attention.webhook.as_ref();
        let outside = Outside::new(webhook, sources);
        Self {
            agents,
            host,
            folder: config.data_dir.clone(),
            states: HashMap::new(),
            pending: Vigil::new(outside, webhook.map(|webhook| webhook.after)),
        }
    }

    /// Runs until nothing is left to do or the process is asked to end.
    pub async fn run(mut self) -> io::Result<()> {
        let mut signals = Signals::listen()?;
        let mut clients = self.host.clients();
        let mut reported = Vec::new();
        loop {
            let alone = *clients.borrow_and_update() == 0;
            let done = self.is_done() && alone;
            let due = self.pending.due().filter(|_| alone);
            tokio::select! {
                biased;
                () = signals.end() => return Ok(()),
                // Before the reports: what a person asks does not wait behind what an agent writes.
                Some(ToAgent { session, command }) = self.host.next() => self.agents.send(&session, command),
                // A console that went away may have recorded a ruling that it could not deliver any more.
                Ok(()) = clients.changed() => {
                    self.pending.watched();
                    self.deliver_recorded().await;
                }
                // It was logged; nobody is here to be shown it.
                _ = self.pending.outside.failed() => {}
                () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => self.pending.tell(),
                () = self.agents.next(&mut reported, BATCH) => {
                    for report in reported.drain(..) {
                        self.take(&report);
                    }
                }
                () = tokio::time::sleep(LINGER), if done => return Ok(()),
            }
        }
    }

    fn is_done(&self) -> bool {
        !self.states.is_empty() && self.states.values().all(|state| !state.is_busy())
    }

    fn take(&mut self, report: &Report) {
        self.host.publish(report);
        let session = &report.session;
        match &report.event {
            RunEvent::State(state) => {
                self.states.insert(session.clone(), state.clone());
            }
            RunEvent::Arrived(call) => {
                self.pending.arrived(call.key.clone());
            }
            RunEvent::Withdrawn { call, .. } | RunEvent::Expired { call, .. } => {
                let gone = CallKey {
                    session: session.clone(),
                    call: call.clone(),
                };
                self.pending.left(|key| *key == gone);
            }
            RunEvent::Status {
                call,
                status: CallStatus::Decided { .. } | CallStatus::Finished { .. },
            } => {
                self.pending
                    .left(|key| key.session == *session && key.call.base() == *call);
            }
            RunEvent::Began { .. }
            | RunEvent::User { .. }
            | RunEvent::Text { .. }
            | RunEvent::Thinking { .. }
            | RunEvent::TextEnded { .. }
            | RunEvent::Called { .. }
            | RunEvent::Status { .. }
            | RunEvent::Stands { .. }
            | RunEvent::Reviewed { .. }
            | RunEvent::Output { .. }
            | RunEvent::Server { .. }
            | RunEvent::Unknown { .. }
            | RunEvent::Note { .. }
            | RunEvent::Discarded { .. } => {}
        }
    }

    async fn deliver_recorded(&mut self) {
        for key in self.pending.calls() {
            if let Some(ruling) = first_ruling(self.folder.clone(), key.clone()).await {
                self.agents
                    .send(&key.session, RunCommand::Ruling(Box::new(ruling)));
            }
        }
    }
}
