//! What comes from the terminal, as events of the console.
//!
//! Owns reading, and when it stops: a dropped `Input` reads no more, so that a shell or an editor gets
//! its keys. What a key means to the console is `app::keymap`'s.
//!
//! The library reads with blocking calls as soon as a sequence is incomplete: a bracketed paste whose
//! end does not come keeps it reading, and takes in every key until an end comes. That cannot be told
//! from a long paste on a slow line, so it is not cut short; but it happens on a thread of its own. The
//! console goes on drawing and serving its agents, follows the terminal's size, signals end it
//! properly, and pasting anything once more ends the first paste: all that was taken in arrives as one
//! paste, which is only ever text.

mod translate;

use crossterm::event::EventStream;
use futures::stream::{Stream, StreamExt as _};
use std::io;
use std::pin::Pin;
use std::sync::mpsc as blocking;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::app::event::Event;
pub use translate::translate;

/// Events on their way. A loop that is this far behind does not need more of them.
const WAITING: usize = 256;
/// How long nothing must come until all that was typed ahead has come.
const QUIET: Duration = Duration::from_millis(5);
/// How long dropping waits for the reader to let go of the terminal. Only a reader inside an
/// unfinished sequence takes longer than a moment.
const LETTING_GO: Duration = Duration::from_millis(100);

/// The stream of what comes from the terminal. Ends, after an error, if the terminal is gone.
#[derive(Debug)]
pub struct Input {
    events: mpsc::Receiver<io::Result<Event>>,
    /// Not from the reader, which sees no change of size while it is inside a sequence.
    resizes: Signal,
    /// Disconnects when the reader has let go of the terminal.
    let_go: blocking::Receiver<()>,
}

impl Input {
    /// Begins to read. To be called inside the asynchronous runtime, after the session was entered.
    ///
    /// # Errors
    /// If no thread can be started or the signal for a new size cannot be caught.
    pub fn open() -> io::Result<Self> {
        let (sender, events) = mpsc::channel(WAITING);
        let (holding, let_go) = blocking::channel();
        let resizes = signal(SignalKind::window_change())?;
        let runtime = Handle::current();
        std::thread::Builder::new()
            .name("terminal-input".to_owned())
            .spawn(move || {
                runtime.block_on(read(&sender));
                wait_until_released();
                drop(holding);
            })?;
        Ok(Self {
            events,
            resizes,
            let_go,
        })
    }
}

impl Stream for Input {
    type Item = io::Result<Event>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(Some(())) = self.resizes.poll_recv(context) {
            let (columns, rows) = super::session::size();
            return Poll::Ready(Some(Ok(Event::Resized { columns, rows })));
        }
        self.events.poll_recv(context)
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.events.close();
        // Either way nothing more can be done: it let go, or it is stuck until more keys come.
        let _ = self.let_go.recv_timeout(LETTING_GO);
    }
}

/// Passes events on until nobody wants them, or the terminal is gone.
async fn read(sender: &mpsc::Sender<io::Result<Event>>) {
    let mut stream = EventStream::new();
    loop {
        let next = tokio::select! { biased;
            () = sender.closed() => return skip_typed_ahead(&mut stream).await,
            next = stream.next() => next,
        };
        let (event, last) = match next {
            Some(Ok(event)) => (translate(event).map(Ok), false),
            Some(Err(error)) => (Some(Err(error)), true),
            None => (None, true),
        };
        if let Some(event) = event
            && sender.send(event).await.is_err()
        {
            return skip_typed_ahead(&mut stream).await;
        }
        if last {
            return;
        }
    }
}

/// Keys pressed before the terminal changes hands were meant for what was on the screen then: they go
/// nowhere, instead of deciding something when it comes back.
async fn skip_typed_ahead(stream: &mut EventStream) {
    for _ in 0..WAITING {
        match timeout(QUIET, stream.next()).await {
            Ok(Some(Ok(_))) => {}
            Ok(Some(Err(_)) | None) | Err(_) => return,
        }
    }
}

/// Waits until the library's own thread reads no more.
fn wait_until_released() {
    // A new stream needs the lock that the old one's thread holds while it reads.
    drop(EventStream::new());
}
