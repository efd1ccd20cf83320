//! A click where something else lies than when the last click came there.
//!
//! Owns the one question. The first click of two may open a sheet or decide a call, and what then lies under
//! the pointer was not aimed at: a key that decides, signs or revokes is first named, and the next click counts.

use super::held::AGAIN;
use super::notice;
use crate::app::available::decides_selected;
use crate::app::command::Command;
use crate::app::mouse::{Click, Mouse, Spot, spot_at};
use crate::app::state::{Overlay, State};

/// The key whose place the note has taken that asks for another click on it.
pub(super) fn asked_for(state: &State, mouse: Mouse) -> Option<Spot> {
    let click = state.click.as_ref().filter(|click| click.is_about(mouse))?;
    let command = click.refused?;
    let told = asking(verb(state, command)?);
    let notice = state.notice.as_ref();
    let stands = notice.is_some_and(|notice| notice.text == told);
    stands.then_some(Spot::Key(command))
}

/// Remembers the click. Whether it only asks for another, because it was aimed at something else.
pub(super) fn is_other(state: &mut State, mouse: Mouse, spot: &Spot) -> bool {
    let refused = refused(state, mouse, spot);
    let now = state.now.ticks;
    let behind = |click: Click| click.regions;
    let mut regions = state.drawn.regions.clone();
    if spot_at(&regions, mouse).is_none() {
        // The note lies over the keys: what lay there before it is what the next click is measured by.
        regions = state.click.take().map(behind).unwrap_or_default();
    }
    state.click = Some(Click {
        mouse,
        at: now,
        regions,
        refused: refused.map(|(command, _)| command),
    });
    if let Some((_, verb)) = refused {
        notice::note(state, asking(verb));
    }
    refused.is_some()
}

/// The key that the click is not taken for, and what it would do.
fn refused(state: &State, mouse: Mouse, spot: &Spot) -> Option<(Command, &'static str)> {
    let Spot::Key(command) = *spot else {
        return None;
    };
    let verb = verb(state, command)?;
    let last = state.click.as_ref().filter(|last| last.is_about(mouse))?;
    let since = state.now.ticks.since(last.at);
    let another = spot_at(&last.regions, mouse) != Some(spot);
    // Somebody who clicks quickly has not read the note.
    let unread = last.refused == Some(command) && since < state.settings.arming;
    let selected = state
        .selected()
        .filter(|_| decides_selected(state, command));
    let newer = selected.is_some_and(|waiting| waiting.since > last.at) && since < AGAIN;
    (another || unread || newer).then_some((command, verb))
}

fn asking(verb: &str) -> String {
    format!("what is under the pointer has changed; click again to {verb}")
}

/// What a key does that decides, signs or revokes; `None` for the others.
fn verb(state: &State, command: Command) -> Option<&'static str> {
    Some(match command {
        Command::Approve => "approve",
        Command::Reject => "reject",
        Command::ApproveAll => "approve all",
        Command::RejectAll => "reject all",
        Command::Sign if state.overlay == Some(Overlay::Quit) => "quit",
        Command::Sign => "sign",
        Command::Revoke => "revoke",
        Command::Accept | Command::AcceptLine => "accept the text",
        Command::Interrupt => "interrupt",
        Command::Quit => "quit",
        Command::Take
        | Command::Edit
        | Command::Set
        | Command::Answer
        | Command::Retry
        | Command::Fail
        | Command::Always
        | Command::Propose
        | Command::Rules
        | Command::Wider
        | Command::Narrower
        | Command::AllowOrDeny
        | Command::Lasts
        | Command::Change
        | Command::Mark
        | Command::MarkAll
        | Command::Undo
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
        | Command::Message
        | Command::FocusNext
        | Command::FocusPrevious
        | Command::OutputNext
        | Command::OutputPrevious
        | Command::NextSession
        | Command::Narrow
        | Command::Sessions
        | Command::Batch
        | Command::Choose
        | Command::Search
        | Command::Resend
        | Command::Help
        | Command::Redraw
        | Command::Suspend
        | Command::Leave
        | Command::Copy
        | Command::CopyId
        | Command::Editor
        | Command::Older
        | Command::Newer
        | Command::Close
        | Command::ScrollDown
        | Command::ScrollUp
        | Command::ScrollPageDown
        | Command::ScrollPageUp
        | Command::ScrollTop
        | Command::ScrollBottom => return None,
    })
}
