//! Everything the console can ask to be done outside of itself.

use super::attention::Waits;
use crate::core::arguments::Arguments;
use crate::core::call::{CallKey, SessionId};
use crate::core::decision::Ruling;
use crate::policy::grant::Grant;
use jiff::Timestamp;

#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Write the ruling to the journal, if nobody has decided the call yet.
    Record(Box<Ruling>),
    /// The ruling is recorded: tell the call's origin.
    Deliver(Box<Ruling>),
    Message {
        session: SessionId,
        text: String,
    },
    Interrupt(SessionId),
    Resend(SessionId),
    /// Record a rule, which then counts, and take back the one it stands for.
    Give {
        grant: Box<Grant>,
        replaces: Option<Box<Grant>>,
    },
    /// Take a given rule back.
    Revoke {
        grant: Box<Grant>,
        who: String,
        at: Timestamp,
    },
    /// Read which rules were given.
    ListRules,
    /// Read which sessions the journal has.
    ListSessions,
    /// Go on with a session of the journal, or join the process that runs it.
    Open(SessionId),
    /// Begin a new session of this agent.
    Start(String),
    /// Work out what a call would change with these arguments.
    Foresee {
        key: CallKey,
        /// The folder that the tool works in, absolute.
        workspace: String,
        tool: String,
        arguments: Arguments,
    },
    /// Give the terminal to the operator's editor. `extension` is the file's, such as `json`.
    OpenEditor {
        text: String,
        extension: &'static str,
    },
    /// Hand a text to the operator's clipboard.
    Copy(String),
    /// Have the terminal call its operator: this many calls wait.
    Notify {
        waiting: usize,
    },
    /// Tell somebody outside of this terminal that calls wait.
    TellOutside(Waits),
    /// Give the terminal back to the shell until `fg`.
    Suspend,
    /// Draw every cell again.
    Redraw,
    Quit,
}
