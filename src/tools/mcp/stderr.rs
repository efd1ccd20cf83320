//! What a server writes to stderr: into the log, made visible and within bounds.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use super::excerpt;
use crate::core::shown::Shown;

/// The most bytes that are read as one line.
const LINE: u64 = 8 * 1024;
/// The most characters of a line that are logged.
const LOGGED: usize = 1000;
/// How long the rest of it is waited for.
const REST: Duration = Duration::from_millis(200);
/// The most lines of one life of a server that are logged.
const LINES: usize = 5000;

/// Reads on until the end, so that the server never waits for a reader. Dropping it stops that.
pub(super) struct Stderr {
    last: Arc<Mutex<String>>,
    reads: AbortOnDropHandle<()>,
}

impl Stderr {
    pub(super) fn read<R: AsyncRead + Unpin + Send + 'static>(server: String, from: R) -> Self {
        let last = Arc::new(Mutex::new(String::new()));
        let reads = tokio::spawn(read(server, from, last.clone()));
        Self {
            last,
            reads: AbortOnDropHandle::new(reads),
        }
    }

    /// The last line that says something, for whoever asks why the server ended.
    pub(super) async fn last(&mut self) -> String {
        // Nobody else may hold the pipe; if somebody does, what is there must do.
        let _ = timeout(REST, &mut self.reads).await;
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }
}

async fn read<R: AsyncRead + Unpin>(server: String, from: R, last: Arc<Mutex<String>>) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    for number in 0_usize.. {
        line.clear();
        // A line without an end is taken in pieces.
        match (&mut from).take(LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = excerpt(&text, LOGGED);
        if text.is_empty() {
            continue;
        }
        let shown = Shown::label(&text);
        match number {
            ..LINES => tracing::info!(%server, stderr = shown.as_str(), "an MCP server writes"),
            LINES => tracing::warn!(%server, "an MCP server writes more; no more of it is logged"),
            _ => {}
        }
        text.clone_into(&mut last.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
