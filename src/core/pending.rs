//! The one set of calls that wait for a person, in arrival order.
//!
//! Owns which calls wait, which are marked, how far each one's decision has come, and how they are
//! listed. Does not know which of them is selected or on screen: that is the interface's state.
//!
//! Ten thousand calls may wait. No question that a key or a frame asks looks at all of them, and each
//! change costs as little as there are calls beside it.

mod arrangement;
mod family;
mod listed;
mod listing;
mod summary;
mod tally;
mod times;

use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::call::{Call, CallId, CallKey, SessionId};
use super::changes::Changes;
use super::decision::{Reach, Ruling};
use super::finding::Findings;
use super::places::{self, Mark};
use super::shown::Shown;
use super::time::Ticks;
pub use arrangement::{Arrangement, Gravity, Group, Grouping, Sorting};
use family::{Families, Stand};
use listing::Listing;
pub use tally::Tally;
use times::Times;

/// How far a waiting call's decision has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// Nothing decided.
    Awaiting,
    /// Decided and held back until then, so that it can be undone.
    Held { ruling: Box<Ruling>, until: Ticks },
    /// Being written to the journal. Cannot be undone any more.
    Recording { ruling: Box<Ruling> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub call: Call,
    /// The call's arguments on one row, for lists.
    pub summary: Shown,
    pub tool: Shown,
    /// What a filter looks into: tool, agent and arguments, in lower case.
    pub search: String,
    /// What a look at the arguments found, and where in their visible text.
    pub findings: Findings,
    pub marks: Vec<Mark>,
    pub marked: bool,
    /// How far a decision on it is to reach, where its origin keeps more than the call.
    pub reach: Reach,
    pub stage: Stage,
    pub since: Ticks,
    /// When nobody can decide it any more, by the clock that cannot be set.
    pub due: Option<Ticks>,
    /// That moment has come, by either clock. It does not go away again.
    pub late: bool,
    /// Why the last attempt to record a decision failed.
    pub failure: Option<String>,
}

impl Waiting {
    pub const fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Awaiting) && !self.late
    }

    /// The same with other arguments, and what was found in those.
    pub fn rewritten(&self, call: Call, findings: Findings) -> Self {
        Self {
            summary: summary::of(&call),
            search: search(&call),
            marks: places::marks(&call.arguments, &findings),
            findings,
            call,
            ..self.clone()
        }
    }
}

/// Milliseconds.
const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;

/// A call's place in arrival order: behind those that arrived before it, and behind those that arrived
/// at the same moment and were told before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Place {
    arrived: Timestamp,
    number: u64,
}

impl Place {
    /// Before every other.
    const FIRST: Self = Self {
        arrived: Timestamp::MIN,
        number: 0,
    };
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pending {
    calls: BTreeMap<Place, Waiting>,
    places: HashMap<CallKey, Place>,
    /// Calls that are further questions, by the call that they are about.
    asides: HashMap<CallKey, Vec<Place>>,
    families: Families,
    /// How many there are of each session.
    sessions: HashMap<SessionId, usize>,
    /// Those of which a decision is held or being recorded.
    decided: BTreeSet<Place>,
    held: BTreeSet<(Ticks, Place)>,
    times: Times,
    listing: Listing,
    now: Ticks,
    told: u64,
    changes: Changes,
}

impl Pending {
    /// Adds a call, with what was found in it, behind those that arrived before it: that is at the end, unless it waited already
    /// when its session was opened here. One that already waits is not added again: `false`.
    pub fn arrive(&mut self, call: Call, findings: Findings, since: Ticks) -> bool {
        if self.places.contains_key(&call.key) {
            return false;
        }
        self.told += 1;
        self.changes.another();
        let place = Place {
            arrived: call.arrived,
            number: self.told,
        };
        let waiting = Waiting {
            summary: summary::of(&call),
            tool: Shown::label(&call.name()),
            search: search(&call),
            marks: places::marks(&call.arguments, &findings),
            findings,
            marked: false,
            reach: Reach::Once,
            stage: Stage::Awaiting,
            since,
            due: None,
            late: false,
            failure: None,
            call,
        };
        let key = &waiting.call.key;
        self.places.insert(key.clone(), place);
        *self.sessions.entry(key.session.clone()).or_default() += 1;
        if let Some(about) = about(key) {
            self.asides.entry(about).or_default().push(place);
        }
        self.times.enter(place, &waiting);
        self.families.enter(place, &waiting.call);
        let stand = self.stand(place, &waiting);
        self.listing.enter(stand, &waiting, self.now);
        self.calls.insert(place, waiting);
        true
    }

    /// Takes a call out; the others keep their order.
    pub fn leave(&mut self, key: &CallKey) -> Option<Waiting> {
        let place = self.places.remove(key)?;
        let waiting = self.calls.remove(&place)?;
        self.changes.another();
        let standing = self.listing.standing(&waiting, self.now);
        let stand = self.stand(place, &waiting);
        self.listing.leave(stand, &waiting, standing);
        self.families.leave(place, &waiting.call);
        self.unstage(place, &waiting);
        if let Some(calls) = self.sessions.get_mut(&key.session) {
            *calls -= 1;
            if *calls == 0 {
                self.sessions.remove(&key.session);
            }
        }
        if let Some(about) = about(key)
            && let Some(asides) = self.asides.get_mut(&about)
        {
            asides.retain(|aside| *aside != place);
            if asides.is_empty() {
                self.asides.remove(&about);
            }
        }
        Some(waiting)
    }

    pub fn get(&self, key: &CallKey) -> Option<&Waiting> {
        self.calls.get(self.places.get(key)?)
    }

    /// Changes what may change of a call. `None` if it does not wait.
    pub fn change<R>(
        &mut self,
        key: &CallKey,
        change: impl FnOnce(&mut Waiting) -> R,
    ) -> Option<R> {
        let place = *self.places.get(key)?;
        let mut waiting = self.calls.remove(&place)?;
        self.changes.another();
        let before = self.listing.standing(&waiting, self.now);
        self.unstage(place, &waiting);
        let changed = change(&mut waiting);
        self.stage(place, &waiting);
        let stand = self.stand(place, &waiting);
        self.listing.restand(stand, &waiting, before, self.now);
        self.calls.insert(place, waiting);
        Some(changed)
    }

    fn stand(&self, place: Place, waiting: &Waiting) -> Stand {
        self.families.stand(place, &waiting.call)
    }

    fn stage(&mut self, place: Place, waiting: &Waiting) {
        self.times.enter(place, waiting);
        match waiting.stage {
            Stage::Awaiting => {}
            Stage::Held { until, .. } => {
                self.decided.insert(place);
                self.held.insert((until, place));
            }
            Stage::Recording { .. } => {
                self.decided.insert(place);
            }
        }
    }

    fn unstage(&mut self, place: Place, waiting: &Waiting) {
        self.times.leave(place, waiting);
        self.decided.remove(&place);
        if let Stage::Held { until, .. } = waiting.stage {
            self.held.remove(&(until, place));
        }
    }

    /// How often a call came, went or changed. How they are listed does not count.
    pub const fn changes(&self) -> u64 {
        self.changes.count()
    }

    pub fn contains(&self, key: &CallKey) -> bool {
        self.places.contains_key(key)
    }

    /// In arrival order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Waiting> + Clone {
        self.calls.values()
    }

    pub fn len(&self) -> usize {
        self.calls.len()
    }

    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// How many calls of this session wait.
    pub fn of_session(&self, session: &SessionId) -> usize {
        self.sessions.get(session).copied().unwrap_or_default()
    }

    /// What is asked about this call: itself, or else a further question.
    pub fn about(&self, session: &SessionId, call: &CallId) -> Option<&Waiting> {
        let key = CallKey {
            session: session.clone(),
            call: call.clone(),
        };
        let aside = || self.calls.get(self.asides.get(&key)?.first()?);
        self.get(&key).or_else(aside)
    }

    /// Those of which a decision is held or being recorded, in arrival order.
    pub fn decided(&self) -> impl DoubleEndedIterator<Item = &Waiting> {
        self.decided
            .iter()
            .filter_map(|place| self.calls.get(place))
    }

    /// Those of which a decision is held, and until when, the one due first before the others.
    pub fn held(&self) -> impl DoubleEndedIterator<Item = (Ticks, &Waiting)> {
        let call = |(until, place): &(Ticks, Place)| Some((*until, self.calls.get(place)?));
        self.held.iter().filter_map(call)
    }

    /// The moment the next held decision is due.
    pub fn next_due(&self) -> Option<Ticks> {
        self.held.first().map(|(until, _)| *until)
    }

    /// Since when the last that arrived has waited.
    pub fn youngest(&self) -> Option<Ticks> {
        self.calls.values().next_back().map(|waiting| waiting.since)
    }
}

/// The call that a further question is about; `None` for a call itself.
fn about(key: &CallKey) -> Option<CallKey> {
    let call = key.call.base();
    (call != key.call).then(|| CallKey {
        session: key.session.clone(),
        call,
    })
}

fn search(call: &Call) -> String {
    [call.tool.as_str(), &call.agent, call.arguments.text()]
        .join("\n")
        .to_lowercase()
}
