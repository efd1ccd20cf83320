//! Which keys the footer names, and how they are broken over its rows.
//!
//! Owns what gives way where there is no room for all of them. The words are the footer's.

use ratatui::layout::Rect;

use super::hint;
use crate::app::command::Command;
use crate::app::offered;
use crate::app::state::{Overlay, State};
use crate::ui::text::Row;
use crate::ui::words::Scene;

/// Between two keys.
pub(super) const BETWEEN: &str = "  ";

/// As many of the offered commands as fit, whole, the most wanted first, on the rows that there are.
pub(super) fn kept(scene: Scene<'_>, area: Rect) -> Vec<Vec<(Command, Row)>> {
    let width = usize::from(area.width).saturating_sub(1);
    let most = rows_of_keys(scene.state)
        .min(usize::from(area.height))
        .max(1);
    let offered = offered::offered(scene.state);
    let hints: Vec<(Command, Row)> = offered
        .into_iter()
        .filter_map(|command| Some((command, hint(scene, command)?)))
        .collect();
    // Where a call takes no approval, what it takes instead comes before what it does not need.
    let approved = hints
        .iter()
        .any(|(command, _)| *command == Command::Approve);
    let wanted = |command| match rank(command) {
        LAST_RANK if !approved && is_answer(command) => 1,
        rank => rank,
    };
    let widths: Vec<usize> = hints.iter().map(|(_, hint)| hint.width()).collect();
    let mut kept = vec![false; hints.len()];
    for rank in 0..=LAST_RANK {
        // What can be guessed begins no row of its own.
        let most = match rank {
            LAST_RANK => broken(&widths, &kept, width).map_or(1, |rows| rows.len()),
            _ => most,
        };
        for at in 0..hints.len() {
            if wanted(hints[at].0) == rank {
                kept[at] = true;
                kept[at] = broken(&widths, &kept, width).is_some_and(|rows| rows.len() <= most);
            }
        }
    }
    let rows = broken(&widths, &kept, width).unwrap_or_default();
    let mut hints = hints.into_iter().zip(kept).filter(|(_, kept)| *kept);
    rows.into_iter()
        .map(|length| hints.by_ref().take(length).map(|(hint, _)| hint).collect())
        .collect()
}

/// How many rows they take.
pub(super) fn rows(scene: Scene<'_>, area: Rect) -> usize {
    match rows_of_keys(scene.state) {
        1 => 1,
        _ => kept(scene, area).len(),
    }
}

/// How many of the kept hints stand on each row; nothing if one is wider than a row.
fn broken(widths: &[usize], kept: &[bool], width: usize) -> Option<Vec<usize>> {
    let (mut rows, mut used) = (vec![0], 0);
    let kept = widths.iter().zip(kept).filter(|(_, kept)| **kept);
    for (needs, _) in kept {
        let needs = *needs;
        if needs > width {
            return None;
        }
        let gap = if used > 0 { BETWEEN.len() } else { 0 };
        if used + gap + needs > width {
            rows.push(0);
            used = needs;
        } else {
            used += gap + needs;
        }
        *rows.last_mut()? += 1;
    }
    Some(rows)
}

/// The sheets of rules have more keys than a narrow row names, and none of them can be guessed.
const fn rows_of_keys(state: &State) -> usize {
    match state.overlay {
        Some(Overlay::Rule(_) | Overlay::Rules(_)) => 2,
        Some(
            Overlay::View { .. }
            | Overlay::Help { .. }
            | Overlay::Batch { .. }
            | Overlay::Review(_)
            | Overlay::Sessions(_)
            | Overlay::Quit,
        )
        | None => 1,
    }
}

const LAST_RANK: u8 = 2;

/// Whether a command answers the selected call in another way than by running it.
const fn is_answer(command: Command) -> bool {
    matches!(command, Command::Answer | Command::Retry | Command::Fail)
}

/// Which commands are named first where there is little room: the way out and the way to learn the
/// others, then what this program is for.
const fn rank(command: Command) -> u8 {
    match command {
        Command::Help
        | Command::Quit
        | Command::Accept
        | Command::Choose
        | Command::AcceptLine
        | Command::Leave
        | Command::Sign
        | Command::Close => 0,
        Command::Approve
        | Command::Reject
        | Command::Edit
        | Command::Set
        | Command::Take
        | Command::Wider
        | Command::Narrower
        | Command::AllowOrDeny
        | Command::Lasts
        | Command::Change
        | Command::Revoke
        | Command::Undo
        | Command::Resend
        | Command::Mark
        | Command::ApproveAll => 1,
        Command::Answer
        | Command::Retry
        | Command::Fail
        | Command::Always
        | Command::Propose
        | Command::Rules
        | Command::Message
        | Command::MarkAll
        | Command::RejectAll
        | Command::View
        | Command::Filter
        | Command::Unfilter
        | Command::Group
        | Command::Sort
        | Command::Next
        | Command::Previous
        | Command::First
        | Command::Last
        | Command::NextPage
        | Command::PreviousPage
        | Command::ArgumentsDown
        | Command::ArgumentsUp
        | Command::FocusNext
        | Command::FocusPrevious
        | Command::OutputNext
        | Command::OutputPrevious
        | Command::NextSession
        | Command::Narrow
        | Command::Sessions
        | Command::Batch
        | Command::Search
        | Command::Interrupt
        | Command::Copy
        | Command::CopyId
        | Command::Redraw
        | Command::Suspend
        | Command::ScrollDown
        | Command::ScrollUp
        | Command::ScrollPageDown
        | Command::ScrollPageUp
        | Command::ScrollTop
        | Command::ScrollBottom
        | Command::Editor
        | Command::Older
        | Command::Newer => LAST_RANK,
    }
}
