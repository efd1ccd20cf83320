//! How soon one frame follows another.
//!
//! Owns the distance between frames: an isolated event is drawn at once, and a key waits only for the
//! frame of the key before it, whatever else is going on. Draws nothing.

use std::time::Duration;
use tokio::time::Instant;

/// Frames are at least this far apart.
const FRAME: Duration = Duration::from_millis(16);

#[derive(Debug, Default)]
pub struct Pace {
    drawn: Option<Instant>,
    /// When the last frame was drawn that a key had asked for.
    answered: Option<Instant>,
    /// A key came whose frame is still to be drawn.
    pressed: bool,
}

impl Pace {
    pub const fn key_came(&mut self) {
        self.pressed = true;
    }

    /// From when on the next frame may be drawn; `None`: at any time.
    pub fn next(&self) -> Option<Instant> {
        let last = if self.pressed {
            self.answered
        } else {
            self.drawn
        };
        last.map(|last| last + FRAME)
    }

    pub const fn drew(&mut self, now: Instant) {
        self.drawn = Some(now);
        if std::mem::replace(&mut self.pressed, false) {
            self.answered = Some(now);
        }
    }
}
