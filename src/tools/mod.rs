//! The tools our own agents can call: built-in ones, and commands declared in the configuration.
//!
//! Owns running them: confinement to the workspace, processes, time-outs, output. Does not decide
//! whether a call may run.

mod builtin;
pub mod code;
pub mod command;
pub mod consult;
mod environment;
mod fault;
mod fetch;
mod file;
pub mod keeper;
pub mod mcp;
mod place;
mod process;
mod shell;
mod text;
mod toolbox;
mod workspace;

use serde_json::Value;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::core::arguments::Arguments;
use crate::core::call::{CallId, Risk, ShownFile};
use crate::core::digest::Digest;
use crate::core::output::Stream;
pub use crate::core::run::Ran;
use crate::core::schema::Schema;
use crate::core::verdict::Verdict;

pub use builtin::Builtin;
pub use command::CommandTool;
pub use fault::ToolFault;
pub use toolbox::{Definition, Toolbox};

/// A tool as policy, operator and model know it.
#[derive(Debug, Clone)]
pub struct Tool {
    pub name: String,
    pub description: String,
    pub schema: Schema,
    pub risks: Vec<Risk>,
    /// What happens to a call that no rule speaks of.
    pub default: Verdict,
    /// JSON pointer to the argument that is a shell command line.
    pub command_line: Option<&'static str>,
    /// How long a call of it may wait for a person, if it says so.
    pub expires: Option<Duration>,
}

/// What the file that a call changes has to be, by what was shown of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Expected {
    #[default]
    Anything,
    /// There was none.
    Absent,
    /// The shown diff starts from this content.
    Content(Digest),
    /// Nothing of it was shown: the operator has named another one. A text must not take the place of what is
    /// there; an edit and a deletion say themselves what they take away.
    Unseen,
}

impl Expected {
    /// As a diff that starts from this content, or from none, was shown.
    pub fn of(before: Option<Digest>) -> Self {
        before.map_or(Self::Absent, Self::Content)
    }

    /// As this was shown.
    pub fn shown(file: &ShownFile) -> Self {
        match file {
            ShownFile::Absent => Self::Absent,
            ShownFile::Content(digest) => Self::Content(digest.clone()),
        }
    }
}

/// One execution.
#[derive(Debug, Clone)]
pub struct Job {
    pub call: CallId,
    pub tool: String,
    pub arguments: Arguments,
    /// Set when the tool asked for approval and got it: what it sent along then.
    pub approved: Option<Value>,
    /// For a change of a file: the tool must fail if the file is not that.
    pub expected: Expected,
    pub cancel: CancellationToken,
    /// Where questions to the operator go while it runs; `None`: nobody is there to be asked.
    pub questions: Option<mpsc::Sender<Question>>,
}

/// What a server asks the operator while a call of its tool runs. Untrusted text.
#[derive(Debug)]
pub struct Question {
    pub server: String,
    pub message: String,
    /// How many calls the server runs. With more than one it does not say for which it asks.
    pub open: usize,
    pub wants: Wants,
    /// Closed by the other end once nobody waits for the answer any more.
    pub reply: oneshot::Sender<Reply>,
}

/// What a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wants {
    /// An object that fits this schema.
    Content(Schema),
    /// That the operator visits this address. It is shown, never opened.
    Visit(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Accept(Option<Value>),
    Decline,
    Cancel,
}

/// Output as it is written, in pieces of valid text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub stream: Stream,
    pub text: String,
}
