//! The way to one sink: bounded, never waited for, and honest about what it has lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;

use super::shape;

/// Lines that may wait for a sink; beyond that they are dropped.
const ROOM: usize = 1024;

/// A line, and how many found no room since the one before it.
type Queued = (Arc<str>, u64);

/// The end that lines are put into.
pub(super) struct Outbox {
    lines: mpsc::Sender<Queued>,
    /// Lines that found no room, of which no later line has told yet.
    lost: Arc<AtomicU64>,
}

/// The end that they are taken out of.
pub(super) struct Inbox {
    lines: mpsc::Receiver<Queued>,
    lost: Arc<AtomicU64>,
    /// Lines that were taken out and could not be delivered.
    undelivered: u64,
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
        undelivered: 0,
        next: None,
    };
    (outbox, inbox)
}

impl Outbox {
    pub(super) fn put(&self, line: &str) {
        let before = self.lost.swap(0, Ordering::Relaxed);
        if self.lines.try_send((line.into(), before)).is_err() {
            self.lost.fetch_add(before + 1, Ordering::Relaxed);
        }
    }
}

impl Inbox {
    /// This line could not be delivered.
    pub(super) const fn lose(&mut self, line: &Line) {
        self.undelivered += line.stands_for;
    }

    /// The next line; nothing at the end. May be dropped at any time.
    pub(super) async fn next(&mut self) -> Option<Line> {
        if let Some(line) = self.next.take() {
            return Some(line);
        }
        let queued = self.lines.recv().await;
        self.after_losses(queued)
    }

    /// The same, for a thread that waits for nothing else.
    pub(super) fn wait(&mut self) -> Option<Line> {
        if let Some(line) = self.next.take() {
            return Some(line);
        }
        let queued = self.lines.blocking_recv();
        self.after_losses(queued)
    }

    /// A line that is there already.
    pub(super) fn ready(&mut self) -> Option<Line> {
        if let Some(line) = self.next.take() {
            return Some(line);
        }
        let queued = self.lines.try_recv().ok()?;
        self.after_losses(Some(queued))
    }

    /// First how many were lost, then the line; at the end what was lost last.
    fn after_losses(&mut self, queued: Option<Queued>) -> Option<Line> {
        let (line, lost) = match queued {
            Some((text, lost)) => {
                let stands_for = 1;
                (Some(Line { text, stands_for }), lost)
            }
            None => (None, self.lost.swap(0, Ordering::Relaxed)),
        };
        match lost + std::mem::take(&mut self.undelivered) {
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
