//! The five file tools: their arguments, and what each does once they are read.
//!
//! Owns the words of results. Reaches files only through `workspace`; blocks, so `toolbox` runs all
//! of it off the event loop.

mod before;
mod change;
mod list;
mod preview;
mod read;

use serde::Deserialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Expected;
use super::fault::FileFault;
use super::workspace::Workspace;

pub(super) use change::{delete, edit, write};
pub(super) use list::list;
pub(super) use preview::{Change, preview};
pub(super) use read::read;

/// The most bytes of a file that are read whole, to compare or to edit.
const WHOLE: u64 = 16 * 1024 * 1024;

/// One piece of work on files.
pub(super) struct Task<'a> {
    pub workspace: &'a Workspace,
    pub arguments: &'a Value,
    /// As in `Job`.
    pub expected: &'a Expected,
    pub stop: &'a CancellationToken,
}

impl<'a> Task<'a> {
    /// The arguments as a tool's own type. The agent has checked the schema; this is for callers
    /// that have not.
    fn read<T: Deserialize<'a>>(&self) -> Result<T, FileFault> {
        Ok(T::deserialize(self.arguments)?)
    }

    /// To be asked before each step that takes time or changes something.
    fn go_on(&self) -> Result<(), FileFault> {
        if self.stop.is_cancelled() {
            return Err(FileFault::Interrupted);
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteArguments {
    path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditArguments {
    path: String,
    old: String,
    new: String,
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteArguments {
    path: String,
}
