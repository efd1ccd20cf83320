//! Lines that an operator types, on a terminal that is left as it is.
//!
//! Owns reading, and the one thing that can be told of a line: what came with it. Lines that come at once
//! were pasted or typed ahead; nobody types two within a moment.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};
use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::os::unix::net::UnixStream;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

use super::{NoTerminal, tty};

/// Lines closer together than this came at once.
const AT_ONCE: Duration = Duration::from_millis(60);
/// What a terminal takes as one line; what is beyond it is lost.
pub const LONGEST: usize = 4095;
/// More than this is not kept of what came at once.
const MOST: usize = 1024 * 1024;

/// What came at once: one line, unless it was pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    pub lines: Vec<String>,
    /// When the first of them came.
    pub at: Instant,
}

/// The lines, until the terminal is gone or the operator ends the input.
#[derive(Debug)]
pub struct Lines {
    came: mpsc::Receiver<Typed>,
    /// Closing it stops the reader. `None` once that was done.
    open: Option<UnixStream>,
    reader: Option<JoinHandle<()>>,
}

impl Lines {
    /// Whether there is somebody to read lines from and to print for.
    ///
    /// # Errors
    /// What is missing.
    pub fn check() -> Result<(), NoTerminal> {
        if !io::stdin().is_terminal() {
            return Err(NoTerminal::Input);
        }
        if !io::stdout().is_terminal() {
            return Err(NoTerminal::Output);
        }
        Ok(())
    }

    /// Begins to read.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn open() -> io::Result<Self> {
        let (sender, came) = mpsc::channel(16);
        let (open, stop) = UnixStream::pair()?;
        let keyboard = tty::keyboard()?;
        let reader = std::thread::Builder::new()
            .name("terminal-lines".to_owned())
            .spawn(move || {
                // The terminal is gone then, which the end of the channel says.
                let _ = read(&keyboard, &stop, &sender);
            })?;
        Ok(Self {
            came,
            open: Some(open),
            reader: Some(reader),
        })
    }

    /// The next lines; `None` at the end. May be dropped at any time.
    pub async fn next(&mut self) -> Option<Typed> {
        self.came.recv().await
    }

    /// Lets go what was typed so far: it was meant for what stood there before.
    pub fn forget(&mut self) {
        // There may be no queue to flush.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        while self.came.try_recv().is_ok() {}
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.came.close();
        self.open = None;
        if let Some(reader) = self.reader.take() {
            // It was told to stop. If it panicked, that was told.
            let _ = reader.join();
        }
    }
}

fn read(keyboard: &File, stop: &UnixStream, sender: &mpsc::Sender<Typed>) -> Result<(), Errno> {
    let mut bytes = [0; 8192];
    let mut text = Vec::new();
    let mut first = Instant::now();
    let at_once = Timespec::try_from(AT_ONCE).ok();
    loop {
        let mut waited = [
            PollFd::new(keyboard, PollFlags::IN),
            PollFd::new(stop, PollFlags::IN),
        ];
        let timeout = at_once.as_ref().filter(|_| !text.is_empty());
        match poll(&mut waited, timeout) {
            Ok(0) => {
                let lines = lines(&std::mem::take(&mut text));
                if sender.blocking_send(Typed { lines, at: first }).is_err() {
                    return Ok(());
                }
                continue;
            }
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error),
        }
        if !waited[1].revents().is_empty() {
            return Ok(());
        }
        let count = match rustix::io::read(keyboard, &mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(Errno::INTR | Errno::AGAIN) => continue,
            Err(error) => return Err(error),
        };
        if text.is_empty() {
            first = Instant::now();
        }
        let room = MOST.saturating_sub(text.len()).min(count);
        text.extend_from_slice(&bytes[..room]);
    }
}

fn lines(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let whole = text.strip_suffix('\n').unwrap_or(&text);
    whole.split('\n').map(ToOwned::to_owned).collect()
}
