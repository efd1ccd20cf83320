//! What a click or the wheel comes to.
//!
//! A click on a key of the footer is that key, pressed once, with all that holds for it. A click on a
//! call selects it and decides nothing; its wait begins afresh. A click that brought the terminal into
//! focus was meant for the window and does nothing.

use super::{click, cursor, keys, scroll, sight};
use crate::app::attention::Front;
use crate::app::command::Command;
use crate::app::effect::Effect;
use crate::app::mouse::{Mouse, Spot, Turn, spot_at};
use crate::app::offered::offered;
use crate::app::state::{Pane, State};
use crate::core::call::CallKey;

/// Rows that one notch of the wheel scrolls.
const NOTCH: isize = 3;

pub(super) fn turned(state: &mut State, mouse: Mouse) -> Vec<Effect> {
    let spot = spot_at(&state.drawn.regions, mouse).cloned();
    match mouse.turn {
        Turn::Click => clicked(state, mouse, spot),
        Turn::WheelUp => {
            wheel(state, spot.as_ref(), -1);
            Vec::new()
        }
        Turn::WheelDown => {
            wheel(state, spot.as_ref(), 1);
            Vec::new()
        }
    }
}

fn clicked(state: &mut State, mouse: Mouse, spot: Option<Spot>) -> Vec<Effect> {
    let attention = &state.attention;
    let came = state.now.ticks.since(attention.came);
    let for_window = match attention.front {
        Front::Away => true,
        Front::Here => came < state.settings.arming,
        Front::Unknown => false,
    };
    if for_window {
        return Vec::new();
    }
    let Some(spot) = spot.or_else(|| click::asked_for(state, mouse)) else {
        return Vec::new();
    };
    if click::is_other(state, mouse, &spot) {
        return Vec::new();
    }
    let covered = state.overlay.is_some() || state.draft.is_some();
    match spot {
        Spot::Key(command) => pressed(state, command),
        Spot::Call(_) | Spot::Pane(_) if covered => Vec::new(),
        Spot::Call(key) => {
            select(state, key);
            Vec::new()
        }
        Spot::Pane(pane) => {
            state.focus = pane;
            Vec::new()
        }
    }
}

/// The screen may be a frame behind: a key that is not offered any more is not pressed.
fn pressed(state: &mut State, command: Command) -> Vec<Effect> {
    if offered(state).contains(&command) {
        keys::command(state, command)
    } else {
        Vec::new()
    }
}

fn select(state: &mut State, key: CallKey) {
    if state.pending.rank(&key).is_ok() {
        state.focus = Pane::Pending;
        cursor::place(state, Some(key));
        sight::moved(state);
    }
}

fn wheel(state: &mut State, spot: Option<&Spot>, notches: isize) {
    let rows = notches * NOTCH;
    if state.overlay.is_some() {
        return scroll::by(state, rows);
    }
    match spot {
        Some(Spot::Call(_)) if state.draft.is_none() => cursor::step(state, notches),
        Some(Spot::Pane(pane)) => scroll::pane(state, *pane, rows),
        Some(Spot::Call(_) | Spot::Key(_)) | None => {}
    }
}
