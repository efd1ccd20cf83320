//! One conversation with an agent: what the agent is, what it is doing, what was said.

use jiff::Timestamp;

use super::call::SessionId;
use super::conversation::{CallRecord, Conversation};
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
    /// Calls decided by a person in this session.
    pub decided: usize,
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
            decided: 0,
        }
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
                let first = |record: &CallRecord| record.decided.is_none();
                let decided = matches!(status, CallStatus::Decided { .. });
                // Told again to a console that came later, it counts once.
                if decided && self.conversation.call(call).is_some_and(first) {
                    self.decided += 1;
                }
                self.conversation.apply(now, event);
            }
            RunEvent::User { .. }
            | RunEvent::Text { .. }
            | RunEvent::Thinking { .. }
            | RunEvent::TextEnded { .. }
            | RunEvent::Called { .. }
            | RunEvent::Arrived(_)
            | RunEvent::Withdrawn { .. }
            | RunEvent::Output { .. }
            | RunEvent::Server { .. }
            | RunEvent::Unknown { .. }
            | RunEvent::Note { .. }
            | RunEvent::Discarded { .. } => self.conversation.apply(now, event),
        }
    }
}
