//! What is asked about the list of pending calls.
//!
//! Owns the questions; the order and the counts are `listing`'s.

use super::arrangement::{Arrangement, Group};
use super::{Pending, SECOND, Tally, Waiting};
use crate::core::call::CallKey;
use crate::core::time::Ticks;

impl Pending {
    pub const fn arrangement(&self) -> &Arrangement {
        &self.listing.arrangement
    }

    pub fn arrange(&mut self, arrangement: Arrangement) {
        if self.listing.arrangement != arrangement {
            self.listing.arrangement = arrangement;
            self.relist();
        }
    }

    /// Takes in the time. `true` if calls have come onto the list or off it by their age. Ages count in
    /// whole seconds of the clock, so that ten thousand of them do not list anew ten thousand times.
    pub fn passed(&mut self, now: Ticks) -> bool {
        self.now = Ticks(now.0 - now.0 % SECOND);
        let turned = self.listing.turns().is_some_and(|turns| turns <= self.now);
        if turned {
            self.relist();
        }
        turned
    }

    /// When a call comes onto the list or off it by its age.
    pub const fn turns(&self) -> Option<Ticks> {
        self.listing.turns()
    }

    pub(super) fn relist(&mut self) {
        let families = &self.families;
        let calls = self.calls.iter();
        let calls = calls.map(|(place, waiting)| (families.stand(*place, &waiting.call), waiting));
        self.listing.rebuild(calls, self.now);
    }

    /// The listed calls in the order of the list.
    pub fn listed(&self) -> impl DoubleEndedIterator<Item = &Waiting> {
        self.listed_from(0)
    }

    /// The same from this place on, counted from 0.
    pub fn listed_from(&self, from: usize) -> impl DoubleEndedIterator<Item = &Waiting> {
        self.listing
            .order(from)
            .filter_map(|place| self.calls.get(&place))
    }

    pub fn listed_len(&self) -> usize {
        self.listing.len()
    }

    /// The place of a call in the list, counted from 0; where it would be if it is not listed.
    pub fn rank(&self, key: &CallKey) -> Result<usize, usize> {
        let place = self.places.get(key).ok_or(0_usize)?;
        let waiting = self.calls.get(place).ok_or(0_usize)?;
        self.listing.rank(self.stand(*place, waiting), waiting)
    }

    /// The groups of the list in its order, each with its calls; one for a list that is not divided.
    pub fn groups(&self) -> impl Iterator<Item = (&Group, usize)> {
        self.listing.groups()
    }

    /// The listed calls that nobody has decided, in the order of the list.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &Waiting> {
        let open = self.listing.open();
        open.filter_map(|place| self.calls.get(&place))
    }

    /// Those of them that are marked.
    pub fn marked(&self) -> impl Iterator<Item = &Waiting> {
        let marked = self.listing.marked();
        marked.filter_map(|place| self.calls.get(&place))
    }

    /// What the listed, undecided calls take. The row of a script is decided by itself, so it counts not.
    pub const fn open_tally(&self) -> &Tally {
        &self.listing.open_tally
    }

    /// What those of them that are marked take.
    pub const fn marked_tally(&self) -> &Tally {
        &self.listing.marked_tally
    }

    /// How many undecided calls are marked and not listed: no decision acts on them.
    pub const fn marked_aside(&self) -> usize {
        self.listing.marked_aside
    }

    /// The nearest other call below this one that is listed and undecided, else above it.
    pub fn open_beside(&self, key: &CallKey) -> Option<&Waiting> {
        let place = self.places.get(key)?;
        let waiting = self.calls.get(place)?;
        let beside = self
            .listing
            .open_beside(self.stand(*place, waiting), waiting)?;
        self.calls.get(&beside)
    }
}
