//! The time as a value. Owns no clock: the runtime reads one and sends the reading as an event.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Milliseconds of a monotonic clock since the program began.
///
/// Timers and arming use this, so a wall clock that jumps cannot shorten a wait.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Ticks(pub u64);

impl Ticks {
    /// The moment `millis` milliseconds after this one.
    pub const fn plus(self, millis: u64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// The moment `millis` milliseconds before this one.
    pub const fn before(self, millis: u64) -> Self {
        Self(self.0.saturating_sub(millis))
    }

    /// Milliseconds from `earlier` to this moment; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// One reading of both clocks: monotonic for waiting, wall for the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Now {
    pub ticks: Ticks,
    pub wall: Timestamp,
}

impl Default for Now {
    fn default() -> Self {
        Self {
            ticks: Ticks(0),
            wall: Timestamp::UNIX_EPOCH,
        }
    }
}

/// `42s`, `3m`, `2h`, `5d`: a clock that was set back shows `0s`.
pub fn age(then: Timestamp, now: Timestamp) -> String {
    let millis = now.duration_since(then).as_millis();
    short(u64::try_from(millis).unwrap_or(0))
}

/// `42s`, `3m`, `2h`, `5d`, of milliseconds.
pub fn short(millis: u64) -> String {
    let seconds = millis / 1000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// `0:42`, `12:05`, `1:02:03`: the form in which a wait is shown.
pub fn elapsed(millis: u64) -> String {
    let seconds = millis / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// `42s`, `3m`, `2h`: what is left, rounded up, so that it never says zero while something is left.
pub fn left(millis: u64) -> String {
    let seconds = millis.div_ceil(1000);
    match seconds {
        0..=60 => format!("{seconds}s"),
        61..=3600 => format!("{}m", seconds.div_ceil(60)),
        _ => format!(
            "{}h {:02}m",
            seconds.div_ceil(60) / 60,
            seconds.div_ceil(60) % 60
        ),
    }
}

/// `45 seconds`, `30 min`, `2 h 5 min`: a span as it is told in words.
pub fn span(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 1) => "1 second".to_owned(),
        (0, 0, seconds) => format!("{seconds} seconds"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
