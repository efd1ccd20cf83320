//! What still waits when a console is left.
//!
//! Owns the counting. Prints nothing.

use crate::app::state::State;
use crate::core::call::SessionId;
use crate::core::session::{Home, Session};

/// Calls that wait in a session after the console was left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    pub session: SessionId,
    pub agent: String,
    pub home: Home,
    pub calls: usize,
}

pub(super) fn left(state: &State) -> Vec<Left> {
    let of = |session: &Session| {
        let open = state.pending.iter().filter(|waiting| waiting.is_open());
        let calls = open.filter(|waiting| waiting.call.key.session == session.id);
        Left {
            session: session.id.clone(),
            agent: session.agent.clone(),
            home: session.home,
            calls: calls.count(),
        }
    };
    let all = state.sessions.iter().map(of);
    all.filter(|left| left.calls > 0).collect()
}
