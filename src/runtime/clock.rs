//! The two clocks, read in one place.

use std::time::{Duration, Instant};

use crate::core::time::{Now, Ticks};

/// The moment that ticks are counted from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now(self) -> Now {
        let millis = u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX);
        Now {
            ticks: Ticks(millis),
            wall: jiff::Timestamp::now(),
        }
    }

    /// When a moment comes. A millisecond late rather than early: what is due then is due.
    pub(super) fn instant(self, ticks: Ticks) -> tokio::time::Instant {
        (self.0 + Duration::from_millis(ticks.0.saturating_add(1))).into()
    }
}
