//! The terminal as a file: opened for reading keys, or where standard input or output is none, since a step in a
//! pipe still has a person in front.
//!
//! Owns the exchange of the standard streams. What was read from standard input before stays read;
//! what standard output was is handed to the caller, for the results. What that terminal can do is
//! checked elsewhere.

use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt as _;

use super::NoTerminal;

/// Standard input for a reader that must never wait for it. Who is stopped after it has seen that there is something
/// to read finds nothing when it goes on: the shell has read it meanwhile. Opened anew, since a flag of ours would
/// hold for the shell too; where that is refused, it is standard input itself.
///
/// # Errors
/// If the process may have no more files.
pub fn keyboard() -> io::Result<File> {
    let never_wait = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(never_wait.bits().cast_signed())
        .open("/dev/stdin");
    opened.or_else(|_| Ok(io::stdin().as_fd().try_clone_to_owned()?.into()))
}

/// Puts the terminal that this process was started from in the place of standard input and output, and
/// gives back what standard output was.
///
/// # Errors
/// If there is no such terminal, as in a service or a CI job.
pub fn take() -> Result<File, NoTerminal> {
    let taken = || -> io::Result<File> {
        let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stdin(&terminal)?;
        rustix::stdio::dup2_stdout(&terminal)?;
        Ok(output.into())
    };
    taken().map_err(|_| NoTerminal::None)
}
