//! The one function that changes `State`.

use super::effect::Effect;
use super::event::Event;
use super::state::State;

/// Takes in one event and says what is to be done outside.
pub fn update(state: &mut State, event: Event) -> Vec<Effect> {
    let _ = (state, event);
    Vec::new()
}
