//! When the calls that wait were asked, and when it is too late for them: in order, so that the passing
//! of the time looks only at those that it changes.

use jiff::Timestamp;
use std::collections::BTreeSet;

use super::{MINUTE, Pending, Place, SECOND, Waiting};
use crate::core::time::{Now, Ticks};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Times {
    /// Those that are not late yet, by the end of their time: by the clock that cannot be set,
    deadlines: BTreeSet<(Ticks, Place)>,
    /// and by the wall's.
    expiries: BTreeSet<(Timestamp, Place)>,
    /// The same deadlines by where in a minute they lie.
    phases: BTreeSet<(u64, Place)>,
    /// Those that nobody has decided, by when they began to wait.
    open: BTreeSet<(Ticks, Place)>,
}

impl Times {
    pub(super) fn enter(&mut self, place: Place, waiting: &Waiting) {
        if waiting.is_open() {
            self.open.insert((waiting.since, place));
        }
        if waiting.late {
            return;
        }
        if let Some(due) = waiting.due {
            self.deadlines.insert((due, place));
            self.phases.insert((due.0 % MINUTE, place));
        }
        if let Some(expires) = waiting.call.expires {
            self.expiries.insert((expires, place));
        }
    }

    /// The call as it was when it entered.
    pub(super) fn leave(&mut self, place: Place, waiting: &Waiting) {
        self.open.remove(&(waiting.since, place));
        if let Some(due) = waiting.due {
            self.deadlines.remove(&(due, place));
            self.phases.remove(&(due.0 % MINUTE, place));
        }
        if let Some(expires) = waiting.call.expires {
            self.expiries.remove(&(expires, place));
        }
    }

    /// The calls whose time is over, by either clock.
    pub(super) fn over(&self, now: Now) -> BTreeSet<Place> {
        let deadlines = self.deadlines.iter();
        let deadlines = deadlines.take_while(|(due, _)| *due <= now.ticks);
        let expiries = self.expiries.iter();
        let expiries = expiries.take_while(|(due, _)| *due <= now.wall);
        deadlines
            .map(|(_, place)| *place)
            .chain(expiries.map(|(_, place)| *place))
            .collect()
    }

    /// When what is shown of the time that is left changes. For the call whose end is next exactly: with
    /// each minute, in the last one with each second, and at its end. For the others within a second, so
    /// that ten thousand of them do not make a frame each.
    pub(super) fn counts_down(&self, now: Ticks) -> Option<Ticks> {
        let (first, _) = self.deadlines.first()?;
        let left = first.since(now);
        let unit = if left <= MINUTE { SECOND } else { MINUTE };
        let first = now.plus(until_next(left % unit, unit));
        let phase = now.0 % MINUTE;
        let later = self.phases.range((phase + 1, Place::FIRST)..);
        let (next, _) = later.chain(&self.phases).next()?;
        let left = (next + MINUTE - phase) % MINUTE;
        let minute = now.plus(until_next(left, MINUTE)).0.div_ceil(SECOND);
        Some(first.min(Ticks(minute.saturating_mul(SECOND))))
    }

    /// Since when the oldest has waited that began after `after` and that nobody has decided.
    pub(super) fn oldest_open(&self, after: Option<Ticks>) -> Option<Ticks> {
        let from = after.map_or(Ticks(0), |after| after.plus(1));
        let mut open = self.open.range((from, Place::FIRST)..);
        open.next().map(|(since, _)| *since)
    }
}

/// How long until `left` has shrunk to the next whole unit.
const fn until_next(rest: u64, unit: u64) -> u64 {
    if rest == 0 { unit } else { rest }
}

impl Pending {
    /// Marks the calls whose time is over. They stay so, even if a clock is set back.
    pub fn expire(&mut self, now: Now) {
        for place in self.times.over(now) {
            let key = self
                .calls
                .get(&place)
                .map(|waiting| waiting.call.key.clone());
            if let Some(key) = key {
                self.change(&key, |waiting| {
                    waiting.late = true;
                    waiting.marked = false;
                });
            }
        }
    }

    /// The next moment at which what is shown of the time that calls have left changes.
    pub fn counts_down(&self, now: Ticks) -> Option<Ticks> {
        self.times.counts_down(now)
    }

    /// Since when the oldest undecided call has waited, of those that began to wait after this moment.
    pub fn oldest_open(&self, after: Option<Ticks>) -> Option<Ticks> {
        self.times.oldest_open(after)
    }
}
