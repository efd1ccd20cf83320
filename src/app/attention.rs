//! Where the operator is: at this terminal, elsewhere, or not known.
//!
//! Owns when somebody is to be called and over which way. Calls nobody: that is an effect. What is told
//! outside is a number of calls and the ids of sessions, never anything of a call.

use super::state::State;
use crate::core::attention::Unknown;
use crate::core::call::SessionId;
use crate::core::pending::Waiting;
use crate::core::time::Ticks;

/// Calls that come together are told together.
const BURST: u64 = 300;
/// An operator whose terminal does not tell is away after so long without a key.
const IDLE: u64 = 30_000;

/// When the operator is called. Times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// At least this long lies between two notifications of the terminal; `None`: there are none.
    pub every: Option<u64>,
    pub unknown: Unknown,
    /// Somebody outside is told of calls that have waited for so long while no key was pressed.
    pub outside: Option<u64>,
}

/// What the terminal says of its focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Front {
    /// It has never said anything.
    #[default]
    Unknown,
    Here,
    Away,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attention {
    pub front: Front,
    /// When the terminal last came into focus.
    pub came: Ticks,
    /// When the operator last pressed a key or a button.
    pub acted: Ticks,
    /// When the terminal is to be asked to call.
    pub due: Option<Ticks>,
    /// When it last was.
    pub called: Option<Ticks>,
    /// Calls that began to wait before then have been told outside.
    pub told: Option<Ticks>,
}

/// What is told outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    /// Undecided calls, in all and by session.
    pub waiting: usize,
    pub sessions: Vec<(SessionId, usize)>,
    /// How long the oldest of them has waited, in seconds.
    pub oldest: u64,
}

/// A call has come: when to call the operator for it, if not already due.
pub fn due(state: &State) -> Option<Ticks> {
    let every = state.settings.attention.every?;
    let attention = &state.attention;
    let soon = state.now.ticks.plus(BURST);
    let next = attention.called.map(|called| called.plus(every));
    attention
        .due
        .or(Some(next.map_or(soon, |next| next.max(soon))))
}

/// Whether the operator looks elsewhere, as far as that is known.
pub fn is_away(state: &State) -> bool {
    let idle = state.now.ticks.since(state.attention.acted) >= IDLE;
    match (state.attention.front, state.settings.attention.unknown) {
        (Front::Away, _) | (Front::Unknown, Unknown::Away) => true,
        (Front::Here, _) | (Front::Unknown, Unknown::Here) => false,
        (Front::Unknown, Unknown::Idle) => idle,
    }
}

/// When somebody outside is to be told: the oldest call that has not been told has waited, and no key
/// was pressed, for long enough.
pub fn outside_due(state: &State) -> Option<Ticks> {
    let after = state.settings.attention.outside?;
    let oldest = state.pending.oldest_open(state.attention.told)?;
    Some(oldest.max(state.attention.acted).plus(after))
}

/// Calls that nobody has decided.
pub fn open(state: &State) -> impl Iterator<Item = &Waiting> {
    let asks = |waiting: &&Waiting| waiting.is_open() && !waiting.call.is_script();
    state.pending.iter().filter(asks)
}

/// What there is to tell outside.
pub fn waits(state: &State) -> Waits {
    let mut sessions: Vec<(SessionId, usize)> = Vec::new();
    let mut waiting = 0;
    let mut oldest = 0;
    for call in open(state) {
        waiting += 1;
        oldest = oldest.max(state.now.ticks.since(call.since) / 1000);
        let id = &call.call.key.session;
        match sessions.iter_mut().find(|(session, _)| session == id) {
            Some((_, count)) => *count += 1,
            None => sessions.push((id.clone(), 1)),
        }
    }
    Waits {
        waiting,
        sessions,
        oldest,
    }
}
