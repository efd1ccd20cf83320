//! The one line for the operator.
//!
//! It takes the place of the keys, so it does not stay longer than it is news. Only what went wrong
//! stays until the next key.

use crate::app::state::{Notice, State};
use crate::core::run::Level;
use crate::core::time::Ticks;

/// Milliseconds a note or a warning stays.
const STAYS: u64 = 4000;

pub(super) fn note(state: &mut State, text: impl Into<String>) {
    let until = state.now.ticks.plus(STAYS);
    put(state, Level::Note, text.into(), Some(until));
}

/// A note that is true until then, and no longer.
pub(super) fn note_until(state: &mut State, text: impl Into<String>, until: Ticks) {
    put(state, Level::Note, text.into(), Some(until));
}

pub(super) fn warn(state: &mut State, text: impl Into<String>) {
    let until = state.now.ticks.plus(STAYS);
    put(state, Level::Warning, text.into(), Some(until));
}

pub(super) fn error(state: &mut State, text: impl Into<String>) {
    put(state, Level::Error, text.into(), None);
}

fn put(state: &mut State, level: Level, text: String, until: Option<Ticks>) {
    state.notice = Some(Notice { level, text, until });
}

/// Takes away what is no longer news.
pub(super) fn expire(state: &mut State) {
    let now = state.now.ticks;
    if state
        .notice
        .as_ref()
        .and_then(|notice| notice.until)
        .is_some_and(|until| until <= now)
    {
        state.notice = None;
    }
}
