//! Scrolling. What is asked for is kept as rows; drawing resolves it, since it alone knows the rows.

use super::{notice, rule_list, sessions};
use crate::app::state::{Anchor, Overlay, Pane, Scroll, State};
use crate::core::call::CallKey;

/// Scrolls what has the focus by `rows`; `isize::MIN` and `MAX` mean the ends.
pub(super) fn by(state: &mut State, rows: isize) {
    match &mut state.overlay {
        Some(Overlay::View { top } | Overlay::Help { top } | Overlay::Batch { top }) => {
            *top = top
                .saturating_add_signed(rows)
                .min(state.drawn.overlay.hidden());
        }
        Some(Overlay::Review(review)) => {
            review.top = review
                .top
                .saturating_add_signed(rows)
                .min(state.drawn.overlay.hidden());
        }
        Some(Overlay::Rule(proposal)) => {
            proposal.top = proposal
                .top
                .saturating_add_signed(rows)
                .min(state.drawn.overlay.hidden());
        }
        Some(Overlay::Rules(_)) => rule_list::step(state, rows),
        Some(Overlay::Sessions(_)) => sessions::step(state, rows),
        Some(Overlay::Quit) => {}
        None => pane(state, state.focus, rows),
    }
}

/// Scrolls one pane, whether or not it has the focus.
pub(super) fn pane(state: &mut State, pane: Pane, rows: isize) {
    match pane {
        Pane::Conversation => scroll(&mut state.conversation_scroll, rows),
        Pane::Output => scroll(&mut state.output_scroll, rows),
        Pane::Pending => arguments(state, rows),
    }
}

/// Scrolls by pages of what has the focus.
pub(super) fn page(state: &mut State, pages: isize) {
    let height = match (&state.overlay, state.focus) {
        (Some(_), _) => state.drawn.overlay.height,
        (None, Pane::Conversation) => state.drawn.conversation_height,
        (None, Pane::Output) => state.drawn.output_height,
        (None, Pane::Pending) => state.drawn.arguments.height,
    };
    let rows = isize::try_from(height.saturating_sub(1).max(1)).unwrap_or(isize::MAX);
    by(state, rows.saturating_mul(pages));
}

pub(super) fn arguments(state: &mut State, rows: isize) {
    let last = state.drawn.arguments.hidden();
    state.arguments_top = state.arguments_top.saturating_add_signed(rows).min(last);
}

fn scroll(scroll: &mut Scroll, rows: isize) {
    match rows {
        isize::MAX => *scroll = Scroll::default(),
        isize::MIN => {
            *scroll = Scroll {
                anchor: Anchor::At { item: 0, row: 0 },
                by: 0,
            }
        }
        rows => scroll.by = scroll.by.saturating_add(rows),
    }
}

/// Shows the output of the next or previous call; past the newest it follows the newest again.
pub(super) fn output_of(state: &mut State, by: isize) {
    let Some(session) = state.current_session() else {
        return;
    };
    let calls = session.conversation.calls();
    let shown = state
        .shown_output()
        .and_then(|key| calls.get_index_of(&key.call));
    let to = shown.unwrap_or(0).saturating_add_signed(by);
    let end = match shown {
        Some(shown) if shown == to => Some("this is the output of the first call"),
        Some(_) if to >= calls.len() => Some("this is the output of the last call"),
        Some(_) | None => None,
    };
    let session = session.id.clone();
    let chosen = calls.get_index(to).map(|(call, _)| CallKey {
        session,
        call: call.clone(),
    });
    state.output_of = chosen;
    state.output_scroll = Scroll::default();
    if let Some(end) = end {
        notice::note(state, end);
    }
}
