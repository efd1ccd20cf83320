//! Which pending calls are listed, in which order, and how many of them take which answer.
//!
//! Kept in step with each single change, so that neither a key nor a frame looks at all calls. Only a
//! new arrangement, and an age that a filter asks for, make it look at all of them again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::arrangement::{Arrangement, Group, Slot};
use super::tally::Tally;
use super::{Place, SECOND, Stand, Waiting};
use crate::core::time::Ticks;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) arrangement: Arrangement,
    order: VecDeque<Slot>,
    /// The listed calls that nobody has decided.
    open: BTreeSet<Slot>,
    /// Those of them that are marked.
    marked: BTreeSet<Slot>,
    groups: BTreeMap<Group, usize>,
    pub(super) open_tally: Tally,
    pub(super) marked_tally: Tally,
    /// How many undecided calls are marked and not listed.
    pub(super) marked_aside: usize,
    /// When a call's age may list it or take it off the list.
    turns: Option<Ticks>,
}

/// What the listing knows of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    listed: bool,
    /// Nobody has decided it.
    open: bool,
    /// Marked, and undecided.
    marked: bool,
}

impl Standing {
    const ABSENT: Self = Self {
        listed: false,
        open: false,
        marked: false,
    };

    const fn is_open(self) -> bool {
        self.listed && self.open
    }

    const fn is_marked(self) -> bool {
        self.listed && self.marked
    }

    /// Marked, but not listed.
    const fn is_aside(self) -> bool {
        !self.listed && self.marked
    }
}

impl Listing {
    /// Lists anew.
    pub(super) fn rebuild<'a>(
        &mut self,
        calls: impl Iterator<Item = (Stand, &'a Waiting)>,
        now: Ticks,
    ) {
        let arrangement = std::mem::take(&mut self.arrangement);
        *self = Self {
            arrangement,
            ..Self::default()
        };
        let mut order = Vec::new();
        for (stand, waiting) in calls {
            self.watch(waiting, now);
            let standing = self.standing(waiting, now);
            if standing.listed {
                let slot = self.arrangement.slot(stand, waiting);
                self.count(&slot, waiting, Standing::ABSENT, standing);
                order.push(slot);
            } else {
                self.marked_aside += usize::from(standing.is_aside());
            }
        }
        order.sort_unstable();
        self.order = order.into();
    }

    pub(super) fn standing(&self, waiting: &Waiting, now: Ticks) -> Standing {
        let Arrangement { filter, only, .. } = &self.arrangement;
        let here = only
            .as_ref()
            .is_none_or(|only| *only == waiting.call.key.session);
        let listed = here && (filter.is_empty() || filter.fits(waiting, now));
        let open = waiting.is_open();
        Standing {
            listed,
            open,
            marked: open && waiting.marked,
        }
    }

    pub(super) fn enter(&mut self, stand: Stand, waiting: &Waiting, now: Ticks) {
        self.watch(waiting, now);
        self.restand(stand, waiting, Standing::ABSENT, now);
    }

    pub(super) fn leave(&mut self, stand: Stand, waiting: &Waiting, before: Standing) {
        let slot = self.arrangement.slot(stand, waiting);
        self.move_to(slot, waiting, before, Standing::ABSENT);
    }

    /// The call changed; `before` is how it stood.
    pub(super) fn restand(
        &mut self,
        stand: Stand,
        waiting: &Waiting,
        before: Standing,
        now: Ticks,
    ) {
        let after = self.standing(waiting, now);
        if before != after {
            let slot = self.arrangement.slot(stand, waiting);
            self.move_to(slot, waiting, before, after);
        }
    }

    fn move_to(&mut self, slot: Slot, waiting: &Waiting, before: Standing, after: Standing) {
        self.count(&slot, waiting, before, after);
        match (before.listed, after.listed) {
            (false, true) => {
                if let Err(at) = self.order.binary_search(&slot) {
                    self.order.insert(at, slot);
                }
            }
            (true, false) => {
                if let Ok(at) = self.order.binary_search(&slot) {
                    self.order.remove(at);
                }
            }
            (true, true) | (false, false) => {}
        }
    }

    /// Everything but the order.
    fn count(&mut self, slot: &Slot, waiting: &Waiting, before: Standing, after: Standing) {
        match (before.listed, after.listed) {
            (false, true) => *self.groups.entry(slot.group.clone()).or_default() += 1,
            (true, false) => {
                if let Some(calls) = self.groups.get_mut(&slot.group) {
                    *calls -= 1;
                    if *calls == 0 {
                        self.groups.remove(&slot.group);
                    }
                }
            }
            (true, true) | (false, false) => {}
        }
        if before.is_open() != after.is_open() {
            toggle(&mut self.open, &mut self.open_tally, slot, waiting);
        }
        if before.is_marked() != after.is_marked() {
            toggle(&mut self.marked, &mut self.marked_tally, slot, waiting);
        }
        self.marked_aside += usize::from(after.is_aside());
        self.marked_aside -= usize::from(before.is_aside());
    }

    /// Remembers when this call's age will matter.
    fn watch(&mut self, waiting: &Waiting, now: Ticks) {
        let second = |turns: Ticks| Ticks(turns.0.div_ceil(SECOND).saturating_mul(SECOND));
        let turns = self.arrangement.filter.turns(waiting, now).map(second);
        self.turns = [self.turns, turns].into_iter().flatten().min();
    }

    pub(super) const fn turns(&self) -> Option<Ticks> {
        self.turns
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn order(&self, from: usize) -> impl DoubleEndedIterator<Item = Place> {
        let from = from.min(self.order.len());
        self.order.range(from..).map(|slot| slot.stand.place)
    }

    pub(super) fn groups(&self) -> impl Iterator<Item = (&Group, usize)> {
        self.groups.iter().map(|(group, calls)| (group, *calls))
    }

    pub(super) fn open(&self) -> impl DoubleEndedIterator<Item = Place> {
        self.open.iter().map(|slot| slot.stand.place)
    }

    pub(super) fn marked(&self) -> impl Iterator<Item = Place> {
        self.marked.iter().map(|slot| slot.stand.place)
    }

    /// The place among the listed calls, or where it would be.
    pub(super) fn rank(&self, stand: Stand, waiting: &Waiting) -> Result<usize, usize> {
        self.order
            .binary_search(&self.arrangement.slot(stand, waiting))
    }

    /// The nearest open call below, else above.
    pub(super) fn open_beside(&self, stand: Stand, waiting: &Waiting) -> Option<Place> {
        let slot = self.arrangement.slot(stand, waiting);
        let after = self.open.range(&slot..).find(|other| **other != slot);
        let found = after.or_else(|| self.open.range(..&slot).next_back());
        found.map(|slot| slot.stand.place)
    }
}

fn toggle(set: &mut BTreeSet<Slot>, tally: &mut Tally, slot: &Slot, waiting: &Waiting) {
    if set.remove(slot) {
        tally.remove(&waiting.call);
    } else {
        set.insert(slot.clone());
        tally.add(&waiting.call);
    }
}
