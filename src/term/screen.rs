//! Where drawing goes.
//!
//! Owns the check that there is a terminal, and the writer under the frames. The writer drops what is
//! written while the terminal is not ours, so that a half-drawn frame cannot land on the main screen
//! after a panic.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};

use super::modes;

/// Why there is no console: what is missing, and what to do. One line each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoTerminal {
    #[error(
        "standard input is not a terminal, so no key could be read; start countersign in a terminal, over SSH with `ssh -t`"
    )]
    Input,
    #[error(
        "standard output is not a terminal, so nothing could be shown; start countersign in a terminal, without a pipe or `>` behind it"
    )]
    Output,
    #[error(
        "this terminal cannot show a full screen (TERM is `dumb`); start countersign with --plain, in another terminal, or set TERM to what this one is"
    )]
    Dumb,
    #[error(
        "there is no terminal to decide on; decide without one: --decisions FILE, --approve-all or --reject-all REASON"
    )]
    None,
}

impl NoTerminal {
    /// Looks at the standard streams and at `TERM`. Asks the terminal nothing.
    ///
    /// # Errors
    /// What is missing, the first of it.
    pub fn check() -> Result<(), Self> {
        if !io::stdin().is_terminal() {
            return Err(Self::Input);
        }
        if !io::stdout().is_terminal() {
            return Err(Self::Output);
        }
        if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
            return Err(Self::Dumb);
        }
        Ok(())
    }
}

/// A terminal to draw on. A descriptor of its own, so that it does not matter what else holds
/// standard output, and so that another terminal device can take its place.
#[derive(Debug)]
pub struct Screen {
    device: File,
}

impl Screen {
    /// The terminal that standard output goes to.
    ///
    /// # Errors
    /// If the descriptor cannot be duplicated.
    pub fn stdout() -> io::Result<Self> {
        Self::on(io::stdout().as_fd())
    }

    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Self::on(self.device.as_fd())
    }

    fn on(device: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self {
            device: device.try_clone_to_owned()?.into(),
        })
    }

    /// Writes whether or not the terminal is ours: for entering and leaving.
    pub(super) fn write_regardless(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.device.write_all(bytes)
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if modes::is_ours() {
            self.device.write(bytes)
        } else {
            Ok(bytes.len())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
