//! Keys that are held down, where the keyboard does not tell.
//!
//! Owns what is taken for a held key by time alone. A terminal without an enhanced keyboard sends a held
//! key as presses: a first one, after a pause the next, and then one after the other quicker than anybody
//! types. The second could be meant; whether it was shows when no third follows at once. So it decides a
//! moment later, and one that is followed decides nothing.

use crate::app::command::Command;
use crate::app::effect::Effect;
use crate::app::key::{Key, Stroke};
use crate::app::press::{Press, Suspect};
use crate::app::state::State;
use crate::core::time::Ticks;

/// Milliseconds. Nobody presses one key again so quickly; a held one comes again every 20 to 90, and a
/// line may hold it back a little.
const TOGETHER: u64 = 150;
/// Milliseconds after which a held key has come again for the first time.
pub(super) const AGAIN: u64 = 1100;

/// What a key is, judged by when it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    Pressed,
    /// The terminal says that it is held.
    Held,
    /// As quickly after itself as only a held key.
    AtOnce,
    /// So soon after itself, with no other between, that it may be held. Then it came the last time.
    Soon(Ticks),
}

/// Every key is to be shown here.
pub(super) fn judged(state: &mut State, key: Key, stroke: Stroke) -> Came {
    let now = state.now.ticks;
    let before = state.press.replace(Press { key, at: now });
    let last = before
        .filter(|press| press.key == key)
        .map(|press| press.at);
    match (stroke, last) {
        (Stroke::Repeat, _) => Came::Held,
        (Stroke::Press, Some(last)) if now.since(last) < TOGETHER => Came::AtOnce,
        (Stroke::Press, Some(last)) if now.since(last) < AGAIN => Came::Soon(last),
        (Stroke::Press, _) => Came::Pressed,
    }
}

/// Holds back a decision until it shows whether its key is held down.
pub(super) fn suspect(state: &mut State, key: Key, command: Command) {
    state.suspect = Some(Suspect {
        key,
        command,
        call: state.cursor.clone(),
        due: state.now.ticks.plus(TOGETHER),
        afresh: state.afresh,
    });
}

/// Another key has come, or the same again: what was held back is meant, or it is not.
pub(super) fn followed(state: &mut State, key: Key) -> Vec<Effect> {
    match state.suspect.take() {
        Some(suspect) if suspect.key != key => meant(state, &suspect),
        Some(_) | None => Vec::new(),
    }
}

/// Carries out what was held back for long enough.
pub(super) fn passed(state: &mut State) -> Vec<Effect> {
    let now = state.now.ticks;
    match state.suspect.take_if(|suspect| suspect.due <= now) {
        Some(suspect) => meant(state, &suspect),
        None => Vec::new(),
    }
}

/// Nobody knows what became of its key meanwhile.
pub(super) fn forget(state: &mut State) {
    state.suspect = None;
}

/// Only if it would still be on the same call, which nothing has covered or moved since.
fn meant(state: &mut State, suspect: &Suspect) -> Vec<Effect> {
    if state.cursor == suspect.call && state.afresh == suspect.afresh {
        super::keys::command(state, suspect.command)
    } else {
        Vec::new()
    }
}

pub(super) fn due(state: &State) -> Option<Ticks> {
    state.suspect.as_ref().map(|suspect| suspect.due)
}
