//! Which waiting calls belong together because a script makes them.
//!
//! Owns where such calls stand among the others: all of them where the first of them stood when it came,
//! until the last has left, so that neither an arrival nor a departure moves a row. Knows nothing of
//! filters and of groups.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::{Pending, Place, Waiting};
use crate::core::call::{Call, CallKey};
use crate::core::script::Script;

/// The scripts of which something waits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Families(HashMap<CallKey, Family>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Family {
    /// The place of the first of them that came.
    anchor: Place,
    /// The row of the script itself.
    outer: Option<Place>,
    /// The calls that it made.
    inner: BTreeSet<Place>,
}

/// What a call is to its script. A call of no script is like one that has made none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kin {
    Outer,
    Inner,
}

/// Where a call stands by its arrival: with its script, below the script's own row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stand {
    pub(super) anchor: Place,
    kin: Kin,
    pub(super) place: Place,
}

impl Stand {
    pub(super) const fn alone(place: Place) -> Self {
        Self {
            anchor: place,
            kin: Kin::Outer,
            place,
        }
    }
}

/// The script that a call is part of, and as what.
fn kin(call: &Call) -> Option<(CallKey, Kin)> {
    let kin = if call.parent.is_some() {
        Kin::Inner
    } else {
        Kin::Outer
    };
    Some((call.outer_key()?, kin))
}

impl Families {
    pub(super) fn enter(&mut self, place: Place, call: &Call) {
        let Some((key, kin)) = kin(call) else { return };
        let family = self.0.entry(key).or_insert_with(|| Family {
            anchor: place,
            outer: None,
            inner: BTreeSet::new(),
        });
        match kin {
            Kin::Outer => family.outer = Some(place),
            Kin::Inner => {
                family.inner.insert(place);
            }
        }
    }

    pub(super) fn leave(&mut self, place: Place, call: &Call) {
        let Some((key, kin)) = kin(call) else { return };
        let Some(family) = self.0.get_mut(&key) else {
            return;
        };
        match kin {
            Kin::Outer => family.outer = None,
            Kin::Inner => {
                family.inner.remove(&place);
            }
        }
        if family.outer.is_none() && family.inner.is_empty() {
            self.0.remove(&key);
        }
    }

    pub(super) fn stand(&self, place: Place, call: &Call) -> Stand {
        let found = kin(call).and_then(|(key, kin)| Some((self.0.get(&key)?.anchor, kin)));
        match found {
            Some((anchor, kin)) => Stand { anchor, kin, place },
            None => Stand::alone(place),
        }
    }
}

/// The scripts.
impl Pending {
    /// Whether calls of one script stand together in the list, below its own row.
    pub fn is_tree(&self) -> bool {
        self.arrangement().is_tree()
    }

    /// The row of the script that makes this call.
    pub fn outer(&self, call: &Call) -> Option<&Waiting> {
        call.parent.as_ref()?;
        let family = self.families.0.get(&call.outer_key()?)?;
        self.calls.get(&family.outer?)
    }

    /// The script of this row stands there by now. It is of no other one.
    pub fn stands(&mut self, key: &CallKey, script: Arc<Script>) {
        self.change(key, |waiting| {
            let call = &mut waiting.call;
            if call.is_script()
                && call
                    .script
                    .as_ref()
                    .is_some_and(|now| now.outer == script.outer)
            {
                call.script = Some(script);
            }
        });
    }

    /// Where the script stands by now that this call is part of, or is: what its own row says, and where that
    /// is not here, what came with the call.
    pub fn script<'a>(&'a self, call: &'a Call) -> Option<&'a Arc<Script>> {
        let outer = self
            .outer(call)
            .and_then(|outer| outer.call.script.as_ref());
        outer.or(call.script.as_ref())
    }

    /// How many calls wait of the script that this one is part of.
    pub fn inner(&self, call: &Call) -> usize {
        let family = call.outer_key().and_then(|key| self.families.0.get(&key));
        family.map_or(0, |family| family.inner.len())
    }
}
