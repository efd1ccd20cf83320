//! The way to one sink: bounded, never waited for, and honest about what it has lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TryRecvError;

use super::shape;

/// Lines that may wait for a sink; beyond that they are dropped.
const ROOM: usize = 1024;

/// The end that lines are put into.
pub(super) struct Outbox {
    lines: mpsc::Sender<Arc<str>>,
    lost: Arc<AtomicU64>,
}

/// The end that they are taken out of.
pub(super) struct Inbox {
    lines: mpsc::Receiver<Arc<str>>,
    lost: Arc<AtomicU64>,
    /// A line that comes after the number of those that were lost before it.
    next: Option<Line>,
}

/// One line to be delivered.
pub(super) struct Line {
    pub(super) text: Arc<str>,
    /// How many lines are lost with it: itself, or those that it says were lost.
    stands_for: u64,
}

pub(super) fn pair() -> (Outbox, Inbox) {
    let (sender, receiver) = mpsc::channel(ROOM);
    let lost = Arc::new(AtomicU64::new(0));
    let outbox = Outbox {
        lines: sender,
        lost: lost.clone(),
    };
    let inbox = Inbox {
        lines: receiver,
        lost,
        next: None,
    };
    (outbox, inbox)
}

impl Outbox {
    pub(super) fn put(&self, line: &str) {
        if self.lines.try_send(line.into()).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Inbox {
    /// This line could not be delivered.
    pub(super) fn lose(&self, line: &Line) {
        self.lost.fetch_add(line.stands_for, Ordering::Relaxed);
    }

    /// The next line; nothing at the end. May be dropped at any time.
    pub(super) async fn next(&mut self) -> Option<Line> {
        if let Some(line) = self.next.take() {
            return Some(line);
        }
        let line = self.lines.recv().await;
        self.after_losses(line)
    }

    /// The same, for a thread that waits for nothing else.
    pub(super) fn wait(&mut self) -> Option<Line> {
        if let Some(line) = self.next.take() {
            return Some(line);
        }
        let line = self.lines.blocking_recv();
        self.after_losses(line)
    }

    /// A line that is there already.
    pub(super) fn ready(&mut self) -> Option<Line> {
        if let Some(line) = self.next.take() {
            return Some(line);
        }
        match self.lines.try_recv() {
            Ok(line) => self.after_losses(Some(line)),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
        }
    }

    /// First how many were lost, then the line.
    fn after_losses(&mut self, text: Option<Arc<str>>) -> Option<Line> {
        let line = text.map(|text| Line {
            text,
            stands_for: 1,
        });
        match self.lost.swap(0, Ordering::Relaxed) {
            0 => line,
            lost => {
                tracing::warn!(
                    lost,
                    "events were dropped: whoever is told of them is too slow or not there"
                );
                self.next = line;
                Some(Line {
                    text: shape::dropped(lost).into(),
                    stands_for: lost,
                })
            }
        }
    }
}
