//! One conversation with an agent: what the agent is, what it is doing, what was said.

use jiff::Timestamp;
use std::collections::{HashMap, HashSet};

use super::call::{CallId, SessionId};
use super::conversation::Conversation;
use super::run::{CallStatus, RunEvent, RunState};
use super::time::Ticks;

/// Which process runs a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Home {
    /// This one: the session stops with it.
    #[default]
    Here,
    /// Another one: it goes on without this console.
    Elsewhere,
    /// None: it is deferred state, and the program that wrote it waits for the results.
    File,
}

/// A session as the journal has it, for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSession {
    pub id: SessionId,
    pub agent: String,
    pub model: String,
    /// When its last step was written.
    pub last: Timestamp,
    /// Calls that wait for a person.
    pub pending: usize,
    /// Calls of which nobody knows what they did: they ran when its process ended.
    pub unknown: usize,
    /// The process that runs it now, in words.
    pub owner: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub home: Home,
    pub agent: String,
    pub model: String,
    pub run: RunState,
    /// When `run` last changed.
    pub since: Ticks,
    pub conversation: Conversation,
    /// What persons have ruled on, by the call that it is about.
    ruled: HashMap<CallId, Ruled>,
    decided: usize,
}

/// The rulings on a call and on what was further asked about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Ruled {
    /// Those that were recorded from here.
    recorded: HashSet<CallId>,
    /// The agent has told of one. That names the call alone.
    told: bool,
}

impl Ruled {
    fn count(&self) -> usize {
        self.recorded.len().max(usize::from(self.told))
    }
}

impl Session {
    pub fn new(id: SessionId, agent: String, model: String) -> Self {
        let (run, since) = (RunState::Idle, Ticks(0));
        Self {
            id,
            home: Home::default(),
            agent,
            model,
            run,
            since,
            conversation: Conversation::default(),
            ruled: HashMap::new(),
            decided: 0,
        }
    }

    /// How many rulings of persons are recorded in this session.
    pub const fn decided(&self) -> usize {
        self.decided
    }

    /// A person's ruling on this was recorded.
    pub fn ruled(&mut self, call: CallId) {
        self.count(&call.base(), |ruled| {
            ruled.recorded.insert(call);
        });
    }

    fn count(&mut self, about: &CallId, change: impl FnOnce(&mut Ruled)) {
        let ruled = self.ruled.entry(about.clone()).or_default();
        self.decided -= ruled.count();
        change(ruled);
        self.decided += ruled.count();
    }

    pub fn apply(&mut self, now: Ticks, event: &RunEvent) {
        match event {
            RunEvent::State(state) => {
                self.run = state.clone();
                self.since = now;
            }
            RunEvent::Began { agent, model } => {
                self.agent.clone_from(agent);
                self.model.clone_from(model);
            }
            RunEvent::Status { call, status } => {
                // Told again, or recorded from here, it counts once.
                if matches!(status, CallStatus::Decided { .. }) {
                    self.count(&call.base(), |ruled| ruled.told = true);
                }
                self.conversation.apply(now, event);
            }
            RunEvent::User { .. }
            | RunEvent::Text { .. }
            | RunEvent::Thinking { .. }
            | RunEvent::TextEnded { .. }
            | RunEvent::Called { .. }
            | RunEvent::Arrived(_)
            | RunEvent::Stands { .. }
            | RunEvent::Reviewed { .. }
            | RunEvent::Expired { .. }
            | RunEvent::Withdrawn { .. }
            | RunEvent::Output { .. }
            | RunEvent::Server { .. }
            | RunEvent::Unknown { .. }
            | RunEvent::Note { .. }
            | RunEvent::Discarded { .. } => self.conversation.apply(now, event),
        }
    }
}
