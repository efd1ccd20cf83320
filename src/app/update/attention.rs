//! Following where the operator is, and calling when it is time.

use crate::app::attention::{self, Front};
use crate::app::effect::Effect;
use crate::app::state::State;

pub(super) fn focus_gained(state: &mut State) {
    state.attention.front = Front::Here;
    state.attention.came = state.now.ticks;
    // Whoever looks sees what waits.
    state.attention.due = None;
}

pub(super) fn focus_lost(state: &mut State) {
    state.attention.front = Front::Away;
}

/// The operator pressed something.
pub(super) fn acted(state: &mut State) {
    state.attention.acted = state.now.ticks;
}

/// A call has begun to wait.
pub(super) fn arrived(state: &mut State) {
    state.attention.due = attention::due(state);
}

pub(super) fn passed(state: &mut State) -> Vec<Effect> {
    let now = state.now.ticks;
    let is_due = |due: Option<_>| due.is_some_and(|due| due <= now);
    let mut effects = Vec::new();
    if is_due(state.attention.due) {
        state.attention.due = None;
        let waiting = attention::open(state).count();
        if waiting > 0 && attention::is_away(state) {
            state.attention.called = Some(now);
            effects.push(Effect::Notify { waiting });
        }
    }
    if is_due(attention::outside_due(state)) {
        state.attention.told = Some(now);
        effects.push(Effect::TellOutside(attention::waits(state)));
    }
    effects
}
