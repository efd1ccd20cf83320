//! A program without a terminal.
//!
//! In our session it could write to `/dev/tty`, past the screen and past everything that makes its text
//! visible; in a session of its own there is none. Where the system has no `setsid` it is only in a
//! group of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tokio::process::Command;

use super::Leader;
use crate::tools::keeper;

/// The command for a program, to which arguments can be added, and who makes its group.
pub(in super::super) fn apart(program: impl AsRef<OsStr>) -> (Command, Leader) {
    static SETSID: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let path = std::env::var_os("PATH")?;
        let places = std::env::split_paths(&path).map(|folder| folder.join("setsid"));
        places
            .into_iter()
            .find(|place| place.is_absolute() && place.is_file())
    });
    let Some(setsid) = SETSID.as_deref() else {
        return (Command::new(program), Leader::MadeHere);
    };
    let mut command = Command::new(setsid);
    command.arg("--").arg(program);
    (command, Leader::MakesItself)
}

/// The same by way of a keeper, our own executable, which ends the program also when this process cannot.
pub(in super::super) fn kept(keeper: &Path, program: impl AsRef<OsStr>) -> (Command, Leader) {
    let mut command = Command::new(keeper);
    command.arg(keeper::ARGUMENT).arg(program);
    (command, Leader::Keeper)
}
