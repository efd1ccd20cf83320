//! Which commands the footer names, the most wanted first.
//!
//! Owns their order. Whether one means something now is `available`'s.

use super::available::{Availability, contexts, fitting, marked};
use super::command::{Command, Context};
use super::state::State;

/// The commands to name in the footer, the most wanted first: those that are available, or will be as
/// soon as the call has been on screen long enough.
pub fn offered(state: &State) -> Vec<Command> {
    let mut wanted: Vec<Command> = Vec::new();
    for context in contexts(state) {
        wanted.extend(footer(*context));
    }
    let mut offered: Vec<Command> = wanted
        .into_iter()
        .filter(|command| is_offered(state, *command))
        .collect();
    offered.dedup();
    offered
}

/// From this many calls on they are more than a list at one glance.
const MANY: usize = 20;

fn is_offered(state: &State, command: Command) -> bool {
    if state.keymap.keys(command).is_empty() {
        return false;
    }
    // A text of one line is accepted with the key that everybody tries first.
    let enters = || is_offered(state, Command::AcceptLine);
    if command == Command::Accept && enters() {
        return false;
    }
    // What is for many calls is not named while there are few.
    let few = command == Command::Set && marked(state) < 2
        || command == Command::Group && state.pending.len() < MANY;
    if few {
        return false;
    }
    // Shown from the start, so that the row of keys does not jump when the call arms.
    fitting(state, command) == Availability::Yes
}

const fn footer(context: Context) -> &'static [Command] {
    match context {
        Context::Pending => &[
            Command::Approve,
            Command::Reject,
            Command::Edit,
            Command::Set,
            Command::Take,
            Command::Undo,
            Command::Mark,
            Command::ApproveAll,
            Command::Answer,
            Command::Retry,
            Command::Fail,
            Command::Always,
            Command::Propose,
            Command::RejectAll,
            Command::View,
            Command::Filter,
            Command::Unfilter,
            Command::Group,
        ],
        Context::Global => &[
            Command::Resend,
            Command::Message,
            Command::Interrupt,
            Command::NextSession,
            Command::Narrow,
            Command::FocusNext,
            Command::Batch,
            Command::Sessions,
            Command::Rules,
            Command::Help,
            Command::Quit,
        ],
        Context::Scroll => &[
            Command::ScrollDown,
            Command::ScrollUp,
            Command::ScrollBottom,
        ],
        Context::Text => &[
            Command::AcceptLine,
            Command::Accept,
            Command::Leave,
            Command::Editor,
            Command::Older,
        ],
        Context::Sheet => &[Command::Sign, Command::Close],
        Context::List => &[Command::Choose, Command::Search],
        Context::Rules => &[
            Command::Wider,
            Command::Narrower,
            Command::AllowOrDeny,
            Command::Lasts,
            Command::Change,
            Command::Revoke,
        ],
    }
}
