//! The signals that end the program: SIGTERM and SIGHUP.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for a request to end. SIGINT is not one: the terminal sends ctrl-c as a key.
#[derive(Debug)]
pub(super) struct Signals {
    terminate: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}
