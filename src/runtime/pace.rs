//! How soon one frame follows another.
//!
//! Owns the distance between frames: an isolated event is drawn at once, and a key waits only for the
//! frame of the key before it, whatever else is going on. Text that comes in piece by piece is drawn no
//! more often than it can be read. Draws nothing.

use std::time::Duration;
use tokio::time::Instant;

/// Frames are at least this far apart.
const FRAME: Duration = Duration::from_millis(16);
/// Frames that show only more of a text are at least this far apart.
const TEXT: Duration = Duration::from_millis(40);

#[derive(Debug, Default)]
pub struct Pace {
    drawn: Option<Instant>,
    /// When the last frame was drawn that a key had asked for.
    answered: Option<Instant>,
    /// A key came whose frame is still to be drawn.
    pressed: bool,
    /// Something else than more of a text came that is still to be drawn.
    changed: bool,
}

impl Pace {
    pub const fn key_came(&mut self) {
        self.pressed = true;
    }

    /// Something changed that is not a piece of a text.
    pub const fn change_came(&mut self) {
        self.changed = true;
    }

    /// From when on the next frame may be drawn; `None`: at any time.
    pub fn next(&self) -> Option<Instant> {
        match (self.pressed, self.changed) {
            (true, _) => self.answered.map(|last| last + FRAME),
            (false, true) => self.drawn.map(|last| last + FRAME),
            (false, false) => self.drawn.map(|last| last + TEXT),
        }
    }

    pub const fn drew(&mut self, now: Instant) {
        self.drawn = Some(now);
        self.changed = false;
        if std::mem::replace(&mut self.pressed, false) {
            self.answered = Some(now);
        }
    }
}
