//! A terminal where standard input or output is none: a step in a pipe still has a person in front.
//!
//! Owns the exchange of the standard streams. What was read from standard input before stays read;
//! what standard output was is handed to the caller, for the results. What that terminal can do is
//! checked elsewhere.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd as _;

use super::NoTerminal;

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
