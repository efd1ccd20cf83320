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
const BORDERS: u16 = 2;
/// Arguments take rows of this many at a time.
const STEP: usize = 3;
/// Rows of the output pane, one of which it takes; with more output, it takes all that it can have.
const OUTPUT_STEPS: [u16; 4] = [1, 3, 5, 11];
/// Rows, with its borders, that arguments never take from an output that needs them.
const LEAST_OUTPUT: u16 = 7;
/// Output is counted no further than this.
pub const MOST_OUTPUT: usize = 12;
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
    /// Rows of the list of pending calls.
    pub list: u16,
    pub output: Option<Rect>,
    /// Where arguments are edited: as much as can be spared.
    pub editor: Rect,
    pub footer: Rect,
}

/// What the panes hold: the only thing but the screen and the focus that their sizes depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Rows of the list.
    pub calls: usize,
    /// Rows about the selected call.
    pub arguments: usize,
    /// Rows of tool output, counted no further than a screen.
    pub output: usize,
}

/// Divides the screen, or `None` if it is too small for anything. `footer` is the rows it wants, and
/// `needs` says what panes of this many columns hold.
pub fn places(
    area: Rect,
    footer: u16,
    state: &State,
    needs: impl FnOnce(u16) -> Needs,
) -> Option<Places> {
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
        side_by_side(bare, needs)
    } else if area.width >= STACKED && area.height >= STACKED_ROWS {
        stacked(bare, shown_pane(state), needs(area.width))
    } else {
        one(bare, shown_pane(state), needs(area.width))
    })
}

/// The pane that must be visible: the one that is written in, else the one in focus.
pub fn shown_pane(state: &State) -> Pane {
    match state.draft.as_ref().map(|draft| &draft.purpose) {
        Some(Purpose::Message) => Pane::Conversation,
        Some(
            Purpose::Reason { .. }
            | Purpose::Edit { .. }
            | Purpose::Set { .. }
            | Purpose::Answer { .. }
            | Purpose::Retry { .. }
            | Purpose::Failure { .. }
            | Purpose::Filter,
        ) => Pane::Pending,
        Some(Purpose::Sessions) | None => state.focus,
    }
}

/// The sizes do not depend on the focus, so nothing moves when it does. Arguments have what they
/// need, but for a few rows of output; output has what the arguments do not need.
fn side_by_side(bare: Places, needs: impl FnOnce(u16) -> Needs) -> Places {
    let (left, right) = split_left(bare.body, bare.body.width * 13 / 25);
    let needs = needs(right.width);
    let share = right.height * 16 / 25;
    let list = list_rows(share.saturating_sub(BORDERS), needs.calls);
    let (pending, output) = (pending_rows(list, needs), output_rows(needs));
    let rest = right.height.saturating_sub(output);
    let rows = if pending > share {
        let most = right.height.saturating_sub(output.min(LEAST_OUTPUT));
        pending.min(most).max(share)
    } else {
        pending.max(rest).max(right.height * 2 / 5).min(share)
    };
    let (pending, output) = split_top(right, rows);
    Places {
        conversation: Some(left),
        pending: Some(pending),
        list,
        output: Some(output),
        editor: right,
        ..bare
    }
}

/// The pane in focus gets about half of the rows, if it needs them; what the others do not need goes to
/// the conversation, which says what the calls are for.
fn stacked(bare: Places, focus: Pane, needs: Needs) -> Places {
    let rows = bare.body.height;
    let (conversation, output) = match focus {
        Pane::Conversation => (rows * 11 / 22, rows * 4 / 22),
        Pane::Pending => (rows * 5 / 22, rows * 5 / 22),
        Pane::Output => (rows * 4 / 22, rows * 10 / 22),
    };
    let share = rows - conversation - output;
    let list = list_rows(share.saturating_sub(BORDERS), needs.calls);
    let wanted = (pending_rows(list, needs), output_rows(needs));
    let (mut pending, mut output) = (wanted.0.min(share), wanted.1.min(output));
    let left = rows - conversation - pending - output;
    match focus {
        Pane::Conversation => {}
        Pane::Pending => pending += left.min(wanted.0 - pending),
        Pane::Output => output += left.min(wanted.1 - output),
    }
    let (conversation, rest) = split_top(bare.body, rows - pending - output);
    let (pending, output) = split_top(rest, pending);
    Places {
        conversation: Some(conversation),
        pending: Some(pending),
        list,
        output: Some(output),
        ..bare
    }
}

fn one(bare: Places, focus: Pane, needs: Needs) -> Places {
    let (tabs, body) = split_top(bare.body, 1);
    let pane = |which| (which == focus).then_some(body);
    Places {
        tabs: Some(tabs),
        body,
        conversation: pane(Pane::Conversation),
        pending: pane(Pane::Pending),
        list: list_rows(body.height.saturating_sub(BORDERS), needs.calls),
        output: pane(Pane::Output),
        editor: body,
        ..bare
    }
}

/// Rows of the list in a pane of `inner` rows: it depends on how many calls there are, not on which is
/// selected, so the list does not jump while the cursor moves.
fn list_rows(inner: u16, calls: usize) -> u16 {
    let most = if inner <= 4 {
        1
    } else {
        (inner * 2 / 5).max(2)
    };
    u16::try_from(calls)
        .unwrap_or(u16::MAX)
        .min(most)
        .min(inner)
}

/// The rows that the pane of pending calls needs, in steps, so that calls that are alike get the same.
fn pending_rows(list: u16, needs: Needs) -> u16 {
    // Without calls there is no rule, and a text of ours that is always the same.
    let (rule, rows) = match needs.calls {
        0 => (0, needs.arguments),
        _ => (1, needs.arguments.next_multiple_of(STEP)),
    };
    u16::try_from(rows)
        .unwrap_or(u16::MAX)
        .saturating_add(BORDERS + list + rule)
}

/// The rows that the output pane needs, in a few steps, so that its border does not move with each row
/// that a tool writes.
fn output_rows(needs: Needs) -> u16 {
    let step = OUTPUT_STEPS
        .into_iter()
        .find(|step| usize::from(*step) >= needs.output);
    step.map_or(u16::MAX, |rows| rows + BORDERS)
}
