//! Reads a program's two outputs as they come.

use std::future::pending;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::super::Written;
use super::super::text::Decoder;
use super::group::Group;
use crate::core::output::Stream;

/// Bytes read at once. Each can become three (a replacement character), so a piece of text stays
/// below 32 KiB.
const PIECE: usize = 8 * 1024;
/// Once the program has exited, what it wrote is in the pipe: whoever still holds the pipe open and
/// says nothing for this long is in the background.
const QUIET: Duration = Duration::from_millis(250);
/// And whoever goes on writing is too. No pipe holds more than this by default.
const AFTER_EXIT: usize = 1024 * 1024;

/// Takes all that a program writes.
pub(in super::super) trait Sink: Send {
    fn take(&mut self, stream: Stream, text: &str);
}

/// How far the run has come, as the reading must know it.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The program has exited.
    pub exited: CancellationToken,
    /// The run is being ended: do not wait for the one who watches.
    pub hurry: CancellationToken,
}

/// One output, while it is open.
struct Source<R> {
    pipe: Option<R>,
    decoder: Decoder,
    buffer: Box<[u8]>,
}

pub(super) struct Pump<'a> {
    out: Source<ChildStdout>,
    err: Source<ChildStderr>,
    after_exit: usize,
    state: &'a State,
    sink: &'a mut dyn Sink,
    output: &'a mpsc::Sender<Written>,
}

impl<'a> Pump<'a> {
    pub(super) fn of(
        group: &mut Group,
        state: &'a State,
        sink: &'a mut dyn Sink,
        output: &'a mpsc::Sender<Written>,
    ) -> Self {
        let (out, err) = group.take_outputs();
        Self {
            out: Source::new(out),
            err: Source::new(err),
            after_exit: 0,
            state,
            sink,
            output,
        }
    }

    /// Reads until both outputs are closed, or the program has exited and only others hold them.
    pub(super) async fn run(mut self) {
        while self.out.pipe.is_some() || self.err.pipe.is_some() {
            let (stream, text) = tokio::select! {
                text = self.out.read() => (Stream::Out, text),
                text = self.err.read() => (Stream::Err, text),
                () = quiet(self.state) => break,
            };
            if self.state.exited.is_cancelled() {
                self.after_exit += text.len();
            }
            self.give(stream, text).await;
            if self.after_exit > AFTER_EXIT {
                break;
            }
        }
        let (out, err) = (self.out.decoder.finish(), self.err.decoder.finish());
        self.give(Stream::Out, out).await;
        self.give(Stream::Err, err).await;
    }

    async fn give(&mut self, stream: Stream, text: String) {
        if text.is_empty() {
            return;
        }
        self.sink.take(stream, &text);
        let permit = tokio::select! {
            biased;
            permit = self.output.reserve() => permit.ok(),
            () = self.state.hurry.cancelled() => None,
        };
        // Without a permit nobody watches any more; the sink has the text all the same.
        if let Some(permit) = permit {
            permit.send(Written { stream, text });
        }
    }
}

/// Done when the program has exited and then nothing came for a while.
async fn quiet(state: &State) {
    state.exited.cancelled().await;
    sleep(QUIET).await;
}

impl<R: AsyncRead + Unpin> Source<R> {
    fn new(pipe: Option<R>) -> Self {
        Self {
            pipe,
            decoder: Decoder::default(),
            buffer: vec![0; PIECE].into_boxed_slice(),
        }
    }

    /// The next text; empty at the end, where the pipe is let go. Waits for ever once it is gone.
    async fn read(&mut self) -> String {
        let Some(pipe) = &mut self.pipe else {
            return pending().await;
        };
        // A pipe that cannot be read is at its end too.
        let length = pipe.read(&mut self.buffer).await.unwrap_or(0);
        if length > 0 {
            return self.decoder.push(&self.buffer[..length]);
        }
        self.pipe = None;
        self.decoder.finish()
    }
}
