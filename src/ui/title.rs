//! The terminal's title: a number and fixed words, never anything of a call.

use crate::app::state::State;
use crate::core::count;
use crate::core::shown::Shown;

/// `3 waiting · countersign`: the number first, since tabs show only the start.
pub fn title(state: &State) -> Shown {
    match state.pending.len() {
        0 => Shown::literal("countersign"),
        waiting => Shown::label(&format!("{} waiting · countersign", count::number(waiting))),
    }
}
