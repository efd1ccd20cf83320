//! The two clocks, read in one place.

use std::time::{Duration, Instant};

use crate::core::time::{Now, Ticks};

/// What the clock shows at the start: late enough that a call which has waited for ten years can have
/// begun to wait.
const START: Ticks = Ticks(3653 * 24 * 3600 * 1000);

/// The moment that ticks are counted from.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub fn now(self) -> Now {
        let millis = u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX);
        Now {
            ticks: START.plus(millis),
            wall: jiff::Timestamp::now(),
        }
    }

    /// When a moment comes. A millisecond late rather than early: what is due then is due.
    pub(super) fn instant(self, ticks: Ticks) -> tokio::time::Instant {
        (self.0 + Duration::from_millis(ticks.since(START).saturating_add(1))).into()
    }
}
