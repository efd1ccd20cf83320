//! What comes from the terminal, as events of the console.
//!
//! Owns reading, and when it stops: once an `Input` is dropped nothing reads any more, so that a shell
//! or an editor gets its keys, and what was typed ahead goes nowhere. What bytes mean is `parser`'s, what
//! a key means to the console is `app::keymap`'s.

mod csi;
mod keys;
mod parser;

use futures::stream::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};
use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::thread::JoinHandle;
use std::time::Instant;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use super::mark::Mark;
use super::{modes, tty};
use crate::app::event::Event;
pub use parser::{Came, Parser};

/// Events on their way. A loop that is this far behind does not need more of them.
const WAITING: usize = 256;

/// What the terminal tells the console.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    Event(Event),
    /// It has taken in all that was written before this mark.
    Reached(Mark),
}

/// How often the reader looks whether it is in front again, while there is something to read.
const BEHIND: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// The stream of what comes from the terminal. Ends, after an error, if the terminal is gone.
#[derive(Debug)]
pub struct Input {
    came: mpsc::Receiver<io::Result<Came>>,
    resizes: Signal,
    /// Closing it stops the reader. `None` once that was done.
    open: Option<UnixStream>,
    reader: Option<JoinHandle<()>>,
}

impl Input {
    /// Begins to read. To be called inside the asynchronous runtime, after the session was entered.
    ///
    /// # Errors
    /// If no thread can be started or the signal for a new size cannot be caught.
    pub fn open() -> io::Result<Self> {
        let (sender, came) = mpsc::channel(WAITING);
        let (open, stop) = UnixStream::pair()?;
        let keyboard = tty::keyboard()?;
        let resizes = signal(SignalKind::window_change())?;
        let reader = std::thread::Builder::new()
            .name("terminal-input".to_owned())
            .spawn(move || read(&keyboard, &stop, &sender))?;
        Ok(Self {
            came,
            resizes,
            open: Some(open),
            reader: Some(reader),
        })
    }
}

impl Stream for Input {
    type Item = io::Result<Told>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(Some(())) = self.resizes.poll_recv(context) {
            let (columns, rows) = super::session::size();
            let event = Event::Resized { columns, rows };
            return Poll::Ready(Some(Ok(Told::Event(event))));
        }
        loop {
            return Poll::Ready(match ready!(self.came.poll_recv(context)) {
                Some(Ok(Came::Event(event))) => Some(Ok(Told::Event(event))),
                Some(Ok(Came::Reached(mark))) => Some(Ok(Told::Reached(mark))),
                // Here and not where it was read: nothing is written in the middle of a frame.
                Some(Ok(Came::Keyboard(flags))) => match modes::keyboard(flags) {
                    Ok(()) => continue,
                    Err(error) => Some(Err(error)),
                },
                Some(Err(error)) => Some(Err(error)),
                None => None,
            });
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.came.close();
        self.open = None;
        if let Some(reader) = self.reader.take() {
            // It was told to stop and waits for nothing else. If it panicked, that was told.
            let _ = reader.join();
        }
        // Keys pressed before the terminal changes hands were meant for what was on the screen then: they
        // go nowhere, instead of deciding something when it comes back. From the background the system
        // would stop whoever tries.
        if modes::is_in_front() {
            let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        }
    }
}

/// Passes on what comes until nobody wants it, or the terminal is gone.
fn read(keyboard: &File, stop: &UnixStream, sender: &mpsc::Sender<io::Result<Came>>) {
    let mut parser = Parser::default();
    let mut last = Instant::now();
    let mut bytes = [0; 4096];
    loop {
        let came = match next((keyboard, stop), &parser, last, &mut bytes) {
            Ok(Next::Stop) => return,
            Ok(Next::Again) => continue,
            Ok(Next::Silence) => parser.silence(),
            Ok(Next::Bytes(count)) => {
                let silence = last.elapsed();
                last = Instant::now();
                parser.feed(&bytes[..count], silence)
            }
            Err(error) => {
                // Nobody may be left to be told.
                let _ = sender.blocking_send(Err(error.into()));
                return;
            }
        };
        for came in came {
            if sender.blocking_send(Ok(came)).is_err() {
                return;
            }
        }
    }
}

enum Next {
    Bytes(usize),
    Silence,
    Again,
    Stop,
}

/// Waits for bytes, for as much silence as means something, or for the end.
fn next(
    (keyboard, stop): (&File, &UnixStream),
    parser: &Parser,
    last: Instant,
    bytes: &mut [u8],
) -> Result<Next, Errno> {
    let left = parser
        .patience()
        .map(|patience| patience.saturating_sub(last.elapsed()));
    // A wait that the system cannot count is longer than anybody waits.
    let timeout = left.and_then(|left| Timespec::try_from(left).ok());
    let mut waited = [
        PollFd::new(keyboard, PollFlags::IN),
        PollFd::new(stop, PollFlags::IN),
    ];
    match poll(&mut waited, timeout.as_ref()) {
        Ok(0) => return Ok(Next::Silence),
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(Next::Again),
        Err(error) => return Err(error),
    }
    if !waited[1].revents().is_empty() {
        return Ok(Next::Stop);
    }
    if !modes::is_in_front() {
        // The system stops whoever reads from the background. What came is for who is in front.
        waited[1].clear_revents();
        return match poll(&mut waited[1..], Some(&BEHIND)) {
            Ok(0) | Err(Errno::INTR) => Ok(Next::Again),
            Ok(_) => Ok(Next::Stop),
            Err(error) => Err(error),
        };
    }
    match rustix::io::read(keyboard, bytes) {
        // The terminal is gone.
        Ok(0) => Ok(Next::Stop),
        Ok(count) => Ok(Next::Bytes(count)),
        Err(Errno::INTR | Errno::AGAIN) => Ok(Next::Again),
        Err(error) => Err(error),
    }
}
