//! What a reviewer proposes instead of a call's arguments. Changes nothing.

use super::available::{marked, targets};
use super::state::State;
use crate::core::arguments::Arguments;
use crate::core::call::CallKey;
use crate::core::review::Review;

/// The one call that a decision key acts on, if a reviewer proposes other arguments for it.
pub fn proposed(state: &State) -> Option<(CallKey, &Arguments)> {
    // Asked with every frame: not all of many thousand marked calls are to be gathered for it.
    if marked(state) > 1 {
        return None;
    }
    let targets = targets(state);
    let [only] = targets.as_slice() else {
        return None;
    };
    let waiting = state.pending.get(only)?;
    let mut proposals = waiting.call.reviews.iter().filter_map(Review::proposal);
    Some((only.clone(), proposals.next()?))
}
