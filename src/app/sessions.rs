//! The list of sessions: those that are open here, the agents that can be started, and the sessions of
//! the journal.
//!
//! Owns what is listed, in which order, and what is chosen of it. Opens nothing: that is outside.

use super::state::State;
use crate::core::call::SessionId;
use crate::core::session::{SavedSession, Session};

/// An agent of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configured {
    pub agent: String,
    pub model: String,
}

/// What the list has under its cursor. Names a thing, not a row, so nothing that arrives changes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// A session that is open in this console.
    Open(SessionId),
    /// A new session of this agent.
    Start(String),
    /// A session of the journal.
    Saved(SessionId),
}

/// What the journal says, once it has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    Reading,
    Read(Vec<SavedSession>),
    Failed(String),
}

/// The list as it is on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionList {
    pub saved: Saved,
    /// What lists only some of them; empty lists all.
    pub filter: String,
    pub chosen: Choice,
}

/// One thing to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item<'a> {
    /// Its place among the open sessions, counted from 1, as the rows of the pending calls name it.
    Open(usize, &'a Session),
    Start(&'a Configured),
    Saved(&'a SavedSession),
}

impl SessionList {
    pub const fn new(chosen: Choice) -> Self {
        Self {
            saved: Saved::Reading,
            filter: String::new(),
            chosen,
        }
    }

    /// What is listed, in its order: open sessions, agents, the journal's other sessions.
    pub fn items<'a>(&'a self, state: &'a State) -> Vec<Item<'a>> {
        let wanted = self.filter.to_lowercase();
        let open = state.sessions.iter().enumerate();
        let open = open.map(|(at, session)| Item::Open(at + 1, session));
        let saved: &[SavedSession] = match &self.saved {
            Saved::Read(rows) => rows,
            Saved::Reading | Saved::Failed(_) => &[],
        };
        let elsewhere = saved.iter().filter(|row| state.session(&row.id).is_none());
        open.chain(state.agents.iter().map(Item::Start))
            .chain(elsewhere.map(Item::Saved))
            .filter(|item| wanted.is_empty() || item.contains(&wanted))
            .collect()
    }
}

impl Item<'_> {
    pub fn choice(self) -> Choice {
        match self {
            Self::Open(_, session) => Choice::Open(session.id.clone()),
            Self::Start(configured) => Choice::Start(configured.agent.clone()),
            Self::Saved(row) => Choice::Saved(row.id.clone()),
        }
    }

    pub fn is(self, choice: &Choice) -> bool {
        match (self, choice) {
            (Self::Open(_, session), Choice::Open(id)) => session.id == *id,
            (Self::Start(configured), Choice::Start(agent)) => configured.agent == *agent,
            (Self::Saved(row), Choice::Saved(id)) => row.id == *id,
            (Self::Open(..) | Self::Start(_) | Self::Saved(_), _) => false,
        }
    }

    /// Whether the agent's name, its model or the session's id contains this lower-case text.
    fn contains(self, wanted: &str) -> bool {
        let (agent, model, id) = match self {
            Self::Open(_, session) => (&session.agent, &session.model, session.id.0.as_str()),
            Self::Start(configured) => (&configured.agent, &configured.model, ""),
            Self::Saved(row) => (&row.agent, &row.model, row.id.0.as_str()),
        };
        [agent, model, id]
            .into_iter()
            .any(|text| text.to_lowercase().contains(wanted))
    }
}
