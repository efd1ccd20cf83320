//! What has really been on screen, and for how long.
//!
//! A key decides a call only after the call has been on screen, as the selected one, without a break, for
//! the arming time. Anything that covers or moves it begins the wait afresh. A frame counts from when the
//! terminal has taken it in: on a slow line that is long after it was drawn.

use crate::app::state::{Drawn, Overlay, Scroll, Seen, Sight, State};
use crate::core::call::CallKey;
use crate::core::pending::Waiting;

/// A frame is on its way. What it shows no more is not on screen any more, whatever the terminal still has.
pub(super) fn drawn(state: &mut State, drawn: Drawn) {
    state.conversation_scroll = Scroll {
        anchor: drawn.conversation,
        by: 0,
    };
    state.output_scroll = Scroll {
        anchor: drawn.output,
        by: 0,
    };
    note_if_stood(state);
    state.sight = going_on(state, drawn.call.as_ref());
    state.sheet_since = state.sheet_since.filter(|_| drawn.review);
    state.draft_since = state.draft_since.filter(|_| drawn.draft);
    state.drawn = drawn;
}

/// The terminal has taken in this frame.
pub(super) fn on_screen(state: &mut State, drawn: &Drawn) {
    if drawn.afresh != state.afresh {
        // It shows another call, sheet or text than there is to be decided now.
        return;
    }
    note_if_stood(state);
    let now = state.now.ticks;
    let selected = drawn
        .call
        .as_ref()
        .filter(|call| state.cursor.as_ref() == Some(*call));
    state.sight = selected.map(|call| {
        going_on(state, Some(call)).unwrap_or_else(|| Sight {
            call: call.clone(),
            since: now,
            laid: now,
        })
    });
    if let Some(key) = &drawn.call {
        let seen = state.seen.entry(key.clone()).or_insert(Seen {
            first: now,
            ..Seen::default()
        });
        // What is shown of a call that was decided may be other arguments.
        if state.pending.get(key).is_some_and(Waiting::is_open) {
            let extent = drawn.arguments.without(drawn.beside);
            if let Some(sight) = state.sight.as_mut().filter(|_| seen.total != extent.total) {
                sight.laid = now;
            }
            seen.extend(extent);
        }
    }
    if let (true, Some(Overlay::Review(review))) = (drawn.review, &mut state.overlay) {
        review.seen.extend(drawn.overlay.without(drawn.beside));
    }
    if let (true, Some(Overlay::Rule(proposal))) = (drawn.review, &mut state.overlay) {
        proposal.seen.extend(drawn.overlay);
    }
    state.sheet_since = drawn.review.then(|| state.sheet_since.unwrap_or(now));
    state.draft_since = drawn.draft.then(|| state.draft_since.unwrap_or(now));
}

/// The size is another one, so all rows may be.
pub(super) fn laid_anew(state: &mut State) {
    note_if_stood(state);
    for seen in state.seen.values_mut() {
        seen.laid_anew();
    }
    match &mut state.overlay {
        Some(Overlay::Review(review)) => {
            // What it asked was about other rows.
            if review.asked {
                state.notice = None;
            }
            review.laid_anew();
        }
        Some(Overlay::Rule(proposal)) => {
            proposal.seen.laid_anew();
            proposal.asked = false;
        }
        Some(
            Overlay::View { .. }
            | Overlay::Help { .. }
            | Overlay::Batch { .. }
            | Overlay::Rules(_)
            | Overlay::Sessions(_)
            | Overlay::Quit,
        )
        | None => {}
    }
}

/// What was on screen is not any more, or not as it was: whatever a key could decide is armed afresh.
pub(super) fn lost(state: &mut State) {
    note_if_stood(state);
    state.sight = None;
    state.sheet_since = None;
    state.draft_since = None;
    state.afresh += 1;
}

/// The selected call has moved, or another one is selected.
pub(super) fn moved(state: &mut State) {
    note_if_stood(state);
    state.sight = None;
    state.afresh += 1;
}

/// Another sheet lies over the panes, or the same with other things on it.
pub(super) fn other_sheet(state: &mut State) {
    state.sheet_since = None;
    state.afresh += 1;
}

/// Another text is being written, or about other calls.
pub(super) fn other_draft(state: &mut State) {
    state.draft_since = None;
    state.afresh += 1;
}

/// To be called before what is on screen leaves it, or is laid out anew, in one way or another.
pub(super) fn note_if_stood(state: &mut State) {
    let laid = state
        .sight
        .as_ref()
        .filter(|sight| state.is_past(sight.laid));
    let sheet = state.sheet_since.is_some_and(|since| state.is_past(since));
    if let Some(seen) = laid.and_then(|sight| state.seen.get_mut(&sight.call)) {
        seen.stands();
    }
    match &mut state.overlay {
        Some(Overlay::Review(review)) if sheet => review.seen.stands(),
        Some(Overlay::Rule(proposal)) if sheet => proposal.seen.stands(),
        Some(
            Overlay::Review(_)
            | Overlay::Rule(_)
            | Overlay::View { .. }
            | Overlay::Help { .. }
            | Overlay::Batch { .. }
            | Overlay::Rules(_)
            | Overlay::Sessions(_)
            | Overlay::Quit,
        )
        | None => {}
    }
}

fn going_on(state: &State, call: Option<&CallKey>) -> Option<Sight> {
    let sight = state.sight.as_ref()?;
    (call == Some(&sight.call) && state.cursor.as_ref() == call).then(|| sight.clone())
}
