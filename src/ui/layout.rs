//! Where the panes are. Owns the three layouts and when each is used.

use ratatui::layout::Rect;

use super::paint::{split_left, split_top};
use crate::app::draft::Purpose;
use crate::app::state::{Pane, State};

/// From this width on the panes stand side by side.
const WIDE: u16 = 100;
/// From this width on they are stacked; below there is one at a time.
const STACKED: u16 = 60;
/// Fewer rows than this cannot hold three panes one above the other.
const STACKED_ROWS: u16 = 17;
const SIDE_ROWS: u16 = 14;
/// Below this nothing useful fits.
const LEAST: (u16, u16) = (20, 6);

/// The areas of one frame. A pane without an area is not on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Places {
    pub header: Rect,
    pub tabs: Option<Rect>,
    /// Everything between header and footer.
    pub body: Rect,
    pub conversation: Option<Rect>,
    pub pending: Option<Rect>,
    pub output: Option<Rect>,
    /// Where arguments are edited: as much as can be spared.
    pub editor: Rect,
    pub footer: Rect,
}

/// Divides the screen, or `None` if it is too small for anything. `footer` is the rows it wants.
pub fn places(area: Rect, footer: u16, state: &State) -> Option<Places> {
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return None;
    }
    let (header, rest) = split_top(area, 1);
    let footer = footer.min(area.height - LEAST.1 + 1).max(1);
    let (body, footer) = split_top(rest, rest.height - footer);
    let bare = Places {
        header,
        body,
        footer,
        editor: body,
        ..Places::default()
    };
    Some(if area.width >= WIDE && area.height >= SIDE_ROWS {
        side_by_side(bare)
    } else if area.width >= STACKED && area.height >= STACKED_ROWS {
        stacked(bare, shown_pane(state))
    } else {
        one(bare, shown_pane(state))
    })
}

/// The pane that must be visible: the one that is written in, else the one in focus.
pub fn shown_pane(state: &State) -> Pane {
    match state.draft.as_ref().map(|draft| &draft.purpose) {
        Some(Purpose::Message) => Pane::Conversation,
        Some(
            Purpose::Reason { .. }
            | Purpose::Edit { .. }
            | Purpose::Answer { .. }
            | Purpose::Retry { .. }
            | Purpose::Filter,
        ) => Pane::Pending,
        None => state.focus,
    }
}

/// The sizes do not depend on the focus, so nothing moves when it does.
fn side_by_side(bare: Places) -> Places {
    let (left, right) = split_left(bare.body, bare.body.width * 13 / 25);
    let (pending, output) = split_top(right, right.height * 16 / 25);
    Places {
        conversation: Some(left),
        pending: Some(pending),
        output: Some(output),
        editor: right,
        ..bare
    }
}

/// The pane in focus gets about half of the rows; pending calls get a little more than the others.
fn stacked(bare: Places, focus: Pane) -> Places {
    let rows = bare.body.height;
    let (conversation, output) = match focus {
        Pane::Conversation => (rows * 11 / 22, rows * 4 / 22),
        Pane::Pending => (rows * 5 / 22, rows * 5 / 22),
        Pane::Output => (rows * 4 / 22, rows * 10 / 22),
    };
    let (conversation, rest) = split_top(bare.body, conversation);
    let (pending, output) = split_top(rest, rest.height - output);
    Places {
        conversation: Some(conversation),
        pending: Some(pending),
        output: Some(output),
        ..bare
    }
}

fn one(bare: Places, focus: Pane) -> Places {
    let (tabs, body) = split_top(bare.body, 1);
    let pane = |which| (which == focus).then_some(body);
    Places {
        tabs: Some(tabs),
        body,
        conversation: pane(Pane::Conversation),
        pending: pane(Pane::Pending),
        output: pane(Pane::Output),
        editor: body,
        ..bare
    }
}
