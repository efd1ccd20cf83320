//! What an operator may answer: a word, or the letter that the keymap gives it.

use crate::app::command::Command;
use crate::app::key::Key;
use crate::app::state::State;
use crate::core::call::Answer;
use crate::core::pending::{Stage, Waiting};
use crate::core::session::Home;

/// An answer to the question what is to become of a call, or of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    Approve,
    Reject,
    Edit,
    Respond,
    Retry,
    Fail,
    Skip,
    Repeat,
    Schema,
    /// To the script that makes the call.
    Script,
    Undo,
    Message,
    Resend,
    Interrupt,
    Quit,
}

impl Said {
    const ALL: [Self; 15] = [
        Self::Approve,
        Self::Reject,
        Self::Edit,
        Self::Respond,
        Self::Retry,
        Self::Fail,
        Self::Skip,
        Self::Repeat,
        Self::Schema,
        Self::Script,
        Self::Undo,
        Self::Message,
        Self::Resend,
        Self::Interrupt,
        Self::Quit,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Edit => "edit",
            Self::Respond => "answer",
            Self::Retry => "retry",
            Self::Fail => "fail",
            Self::Skip => "skip",
            Self::Repeat => "repeat",
            Self::Schema => "schema",
            Self::Script => "script",
            Self::Undo => "undo",
            Self::Message => "message",
            Self::Resend => "resend",
            Self::Interrupt => "interrupt",
            Self::Quit => "quit",
        }
    }

    /// The command whose keys mean the same.
    const fn command(self) -> Option<Command> {
        Some(match self {
            Self::Schema | Self::Script => return None,
            Self::Approve => Command::Approve,
            Self::Reject => Command::Reject,
            Self::Edit => Command::Edit,
            Self::Respond => Command::Answer,
            Self::Retry => Command::Retry,
            Self::Fail => Command::Fail,
            Self::Skip => Command::Next,
            Self::Repeat => Command::View,
            Self::Undo => Command::Undo,
            Self::Message => Command::Message,
            Self::Resend => Command::Resend,
            Self::Interrupt => Command::Interrupt,
            Self::Quit => Command::Quit,
        })
    }

    /// The answer in a line: one of the words, in any case, or a key of its command.
    pub fn of(line: &str, state: &State) -> Option<Self> {
        let line = line.trim();
        let lower = line.to_lowercase();
        let key = line.parse::<Key>().ok();
        Self::ALL.into_iter().find(|said| {
            let keys = said.command().map(|command| state.keymap.keys(command));
            let keys = keys.unwrap_or_default();
            said.word() == lower || key.is_some_and(|key| keys.contains(&key))
        })
    }

    /// Whether this is one of the words, and not a letter.
    pub fn is_word(word: &str) -> bool {
        Self::ALL.into_iter().any(|said| said.word() == word)
    }

    fn fits(self, waiting: &Waiting, state: &State) -> bool {
        let takes = |answer| waiting.call.answers.take(answer);
        match self {
            Self::Approve => takes(Answer::Approve),
            Self::Reject => takes(Answer::Reject),
            Self::Edit => waiting.call.is_editable(),
            Self::Respond => takes(Answer::Respond),
            Self::Retry => takes(Answer::Retry),
            Self::Fail => takes(Answer::Fail),
            Self::Schema => waiting.call.schema.is_some(),
            Self::Script => {
                let script = state.pending.outer(&waiting.call);
                script.is_some_and(Waiting::is_open)
            }
            Self::Undo => is_held(state),
            Self::Skip | Self::Repeat | Self::Quit => true,
            // The agent of a state that was handed over does not run here.
            Self::Message | Self::Interrupt => {
                let session = state.session(&waiting.call.key.session);
                session.is_some_and(|session| session.home != Home::File)
            }
            Self::Resend => false,
        }
    }
}

fn is_held(state: &State) -> bool {
    let held = |waiting: &Waiting| matches!(waiting.stage, Stage::Held { .. });
    state.pending.iter().any(held)
}

/// The answers that this call takes now.
pub fn choices(waiting: &Waiting, state: &State) -> Vec<Said> {
    let fits = |said: &Said| said.fits(waiting, state);
    Said::ALL.into_iter().filter(fits).collect()
}

/// A clear yes or a clear no. Anything else is neither.
pub fn yes(line: &str) -> Option<bool> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}
