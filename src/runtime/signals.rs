//! The signals that the program heeds: SIGTERM and SIGHUP end it, SIGCONT says that it was stopped.

use signal_hook::consts::SIGCONT;
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Terminate,
    /// The program was stopped and goes on.
    Continued,
}

/// Waits for a request to end, or for the end of a stop. SIGINT is not one: the terminal sends ctrl-c as a key.
#[derive(Debug)]
pub(super) struct Signals {
    terminate: Signal,
    hang_up: Signal,
    continued: Signal,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            continued: signal(SignalKind::from_raw(SIGCONT))?,
        })
    }

    /// Waits for a request to end, for whoever has no terminal to lose by a stop.
    pub(super) async fn end(&mut self) {
        while self.next().await == Sign::Continued {}
    }

    pub(super) async fn next(&mut self) -> Sign {
        tokio::select! {
            biased;
            _ = self.terminate.recv() => Sign::Terminate,
            _ = self.hang_up.recv() => Sign::Terminate,
            _ = self.continued.recv() => Sign::Continued,
        }
    }
}
