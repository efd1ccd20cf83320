//! Why a key or an answer comes to nothing, in words.
//!
//! Owns the words, so that no key is met with silence. What counts is decided elsewhere.

use super::command::Command;
use super::key::Key;
use super::rules::Proposal;
use super::state::{Overlay, State};
use crate::core::call::Call;
use crate::core::session::Home;
use crate::core::verdict::Basis;

/// Why the call cannot be `done`: approved, edited, whatever its answers leave out.
pub fn not_taken(call: &Call, done: &str) -> String {
    if matches!(call.basis, Basis::Question { .. }) {
        return format!(
            "a question cannot be {done} as it stands: write the answer, decline it or cancel it"
        );
    }
    format!("where this call comes from, it cannot be {done}")
}

/// Why a command that nothing stands against still comes to nothing now.
pub fn idle(state: &State, command: Command) -> &'static str {
    match command {
        Command::Undo => "nothing to undo: no decision is held back",
        Command::Resend => "nothing to send again: no request failed",
        Command::NextSession => "there is no other session here",
        Command::Narrow => "only one session is here",
        Command::OutputNext | Command::OutputPrevious => "no call of this session has any output",
        Command::Sessions => "no other sessions: it closes with its calls",
        Command::Interrupt => interrupt(state),
        Command::Unfilter => "no filter is set: all calls are listed",
        Command::View if matches!(state.overlay, Some(Overlay::View { .. })) => {
            "this is the whole call already"
        }
        Command::Mark | Command::Always if state.selected().is_some_and(|it| !it.is_open()) => {
            "this call is decided already"
        }
        Command::Group | Command::Sort if state.overlay.is_some() => "close this first",
        Command::Wider | Command::Narrower | Command::AllowOrDeny | Command::Lasts => rule(state),
        Command::Revoke if matches!(state.overlay, Some(Overlay::Rule(_))) => {
            "not given yet: there is nothing to revoke"
        }
        Command::Change | Command::Revoke => "no given rule is listed",
        Command::Sign => "nothing is signed here",
        Command::Choose | Command::Search => "no session is listed",
        Command::Editor => "a text of one line is written here",
        Command::Older | Command::Newer => "no message was sent before",
        Command::MarkAll
        | Command::ApproveAll
        | Command::RejectAll
        | Command::Next
        | Command::Previous
        | Command::First
        | Command::Last
        | Command::NextPage
        | Command::PreviousPage => none_listed(state, command),
        Command::Approve
        | Command::Reject
        | Command::Edit
        | Command::Take
        | Command::Set
        | Command::Answer
        | Command::Retry
        | Command::Fail
        | Command::Always
        | Command::Propose
        | Command::Mark
        | Command::View
        | Command::Filter
        | Command::Group
        | Command::Sort
        | Command::ArgumentsDown
        | Command::ArgumentsUp
        | Command::CopyId => no_call(state),
        // Nothing stands against these at any time.
        Command::Message
        | Command::FocusNext
        | Command::FocusPrevious
        | Command::Batch
        | Command::Rules
        | Command::Copy
        | Command::Help
        | Command::Redraw
        | Command::Suspend
        | Command::Quit
        | Command::ScrollDown
        | Command::ScrollUp
        | Command::ScrollPageDown
        | Command::ScrollPageUp
        | Command::ScrollTop
        | Command::ScrollBottom
        | Command::Accept
        | Command::AcceptLine
        | Command::Leave
        | Command::Close => "that does nothing here",
    }
}

fn no_call(state: &State) -> &'static str {
    if state.pending.is_empty() {
        "no call waits for you"
    } else {
        "no call is selected"
    }
}

fn none_listed(state: &State, command: Command) -> &'static str {
    if state.pending.is_empty() {
        return "no call waits for you";
    }
    if state.pending.listed_len() == 0 {
        return "no call is listed";
    }
    if command == Command::ApproveAll {
        "none of the listed calls can be approved now"
    } else if command == Command::RejectAll {
        "none of the listed calls can be rejected now"
    } else {
        "each listed call is decided already"
    }
}

fn interrupt(state: &State) -> &'static str {
    let session = state.current_session();
    if session.is_some_and(|session| session.home == Home::File) {
        "nothing to interrupt: its agent is not here"
    } else {
        "nothing to interrupt: the agent rests"
    }
}

/// Why a choice of the rule's sheet cannot be made.
fn rule(state: &State) -> &'static str {
    match &state.overlay {
        Some(Overlay::Rules(_)) => "that is chosen on the sheet of one rule",
        Some(Overlay::Rule(proposal)) => proposal.only(),
        Some(
            Overlay::View { .. }
            | Overlay::Help { .. }
            | Overlay::Batch { .. }
            | Overlay::Review(_)
            | Overlay::Sessions(_)
            | Overlay::Quit,
        )
        | None => "no rule is being made",
    }
}

impl Proposal {
    /// Why there is no other rule to choose.
    fn only(&self) -> &'static str {
        if self.replaces.is_some() {
            "this rule is changed by its text"
        } else if self.is_of_command_lines() {
            "only this line: it has no plain first words"
        } else {
            "no other rule is offered for this"
        }
    }
}

/// What is said of a key that has no meaning here, and where the others stand.
pub fn unbound(state: &State, key: Key) -> String {
    let (command, does) = if state.overlay.is_some() {
        (Command::Close, "closes this")
    } else {
        (Command::Help, "shows all keys")
    };
    match state.keymap.keys(command).first() {
        Some(way) => format!("`{key}` does nothing here; `{way}` {does}"),
        None => format!("`{key}` does nothing here"),
    }
}
