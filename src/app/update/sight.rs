//! What has really been on screen, and for how long.
//!
//! A key decides a call only after the call has been drawn, as the selected one, without a break, for
//! the arming time. Anything that covers or moves it begins the wait afresh.

use crate::app::state::{Drawn, Overlay, Scroll, Seen, Sight, State};
use crate::core::call::CallKey;

pub(super) fn drawn(state: &mut State, drawn: Drawn) {
    state.conversation_scroll = Scroll {
        anchor: drawn.conversation,
        by: 0,
    };
    state.output_scroll = Scroll {
        anchor: drawn.output,
        by: 0,
    };
    state.sight = sighted(state, drawn.call.as_ref());
    if let Some(key) = &drawn.call {
        let first = state.now.ticks;
        let seen = state.seen.entry(key.clone()).or_insert(Seen {
            first,
            ..Seen::default()
        });
        seen.extend(drawn.arguments.without(drawn.beside));
    }
    if let (true, Some(Overlay::Review(review))) = (drawn.review, &mut state.overlay) {
        review.seen.extend(drawn.overlay);
    }
    if let (true, Some(Overlay::Rule(proposal))) = (drawn.review, &mut state.overlay) {
        proposal.seen.extend(drawn.overlay);
    }
    state.sheet_since = drawn
        .review
        .then(|| state.sheet_since.unwrap_or(state.now.ticks));
    state.draft_since = drawn
        .draft
        .then(|| state.draft_since.unwrap_or(state.now.ticks));
    state.drawn = drawn;
}

/// What was on screen is not any more, or not as it was: whatever a key could decide is armed afresh.
pub(super) fn lost(state: &mut State) {
    state.sight = None;
    state.sheet_since = None;
    state.draft_since = None;
}

fn sighted(state: &State, call: Option<&CallKey>) -> Option<Sight> {
    let call = call.filter(|call| state.cursor.as_ref() == Some(*call))?;
    let going_on = state.sight.clone().filter(|sight| sight.call == *call);
    Some(going_on.unwrap_or_else(|| Sight {
        call: call.clone(),
        since: state.now.ticks,
    }))
}
