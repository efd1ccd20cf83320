//! Figures as lines of text.

use std::io::{Write as _, stdout};
use std::time::Duration;

/// One line of what was measured.
pub fn say(line: &str) {
    writeln!(stdout().lock(), "{line}").expect("stdout");
}

pub fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Several times of the same thing.
#[derive(Debug, Default)]
pub struct Figures(Vec<Duration>);

impl Figures {
    pub fn add(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// The one below which so many of a hundred lie, in milliseconds.
    pub fn at(&self, percent: usize) -> f64 {
        let mut all = self.0.clone();
        all.sort_unstable();
        let at = (all.len() * percent / 100).min(all.len().saturating_sub(1));
        all.get(at).copied().map_or(0.0, millis)
    }

    pub fn best(&self) -> f64 {
        self.at(0)
    }
}

impl Extend<Duration> for Figures {
    fn extend<I: IntoIterator<Item = Duration>>(&mut self, times: I) {
        self.0.extend(times);
    }
}
