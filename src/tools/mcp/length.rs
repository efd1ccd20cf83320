//! How long the messages of a server's program are: the protocol's reader leaves one out that is too long, and
//! whoever waits for it is to know.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};

use super::server::Server;

/// The longest message of a server.
pub(super) const MESSAGE: usize = 8 * 1024 * 1024;

/// What a program writes, measured line by line as it is read.
pub(super) struct Measured<R> {
    from: R,
    /// Bytes since the last line break.
    line: usize,
    server: Arc<Server>,
}

impl<R> Measured<R> {
    pub(super) const fn new(from: R, server: Arc<Server>) -> Self {
        Self {
            from,
            line: 0,
            server,
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let was_within = self.line <= MESSAGE;
        self.line += first.len();
        if was_within && self.line > MESSAGE {
            self.server.was_too_long();
        }
        // A piece that is read at once is far shorter than a message may be.
        if let Some(last) = lines.next_back() {
            self.line = last.len();
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Measured<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.from).poll_read(context, buffer);
        let read = buffer.filled().get(before..).unwrap_or_default();
        self.take(read);
        polled
    }
}
