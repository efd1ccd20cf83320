//! Deferred state that a person is to decide: into the journal, and out of it as results.
//!
//! Owns when a state is the same as one of before, and what that means. A state is a session whose id
//! is made from its content; what was decided on it is in the journal, wherever the decision was made.
//! Results that have been handed over once are not handed over again unless a person asks for it.

use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::host::Host;
use crate::agent::foreign;
use crate::core::call::{CallId, SessionId};
use crate::core::decision::{Expiry, Ruling};
use crate::core::run::RunEvent;
use crate::deferred::{Decided, Imported, ImportedCall};
use crate::store::lease::{Lease, LeaseError, Owner};
use crate::store::projection::Projection;
use crate::store::step::Stored;
use crate::store::{Journal, Reader, Recorded, Step, StoreError};

/// Why a state cannot be decided now.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Its results have been handed over.
    #[error("{0}; to decide it once more, give --again")]
    HandedOver(String),
    #[error(transparent)]
    Held(#[from] LeaseError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether a state that has been handed over may be decided once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    No,
    Yes,
}

/// A state that is open for decisions. Nobody else can decide it meanwhile.
#[derive(Debug)]
pub struct Entered {
    pub session: SessionId,
    /// As the person named it.
    pub file: String,
    pub imported: Imported,
    pub projection: Projection,
    /// What was decided before, by our ids.
    pub before: HashMap<CallId, Ruling>,
    /// The calls that nobody decided in time, by our ids.
    pub expired: HashSet<CallId>,
    lease: Option<Lease>,
}

/// What became of the calls of a state.
#[derive(Debug)]
pub struct Outcome {
    pub decided: Vec<Decided>,
    /// How many can no longer be decided, though nobody has. Some may have expired since the state was entered.
    pub expired: usize,
}

/// Where states are entered.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    pub folder: &'a Path,
    pub journal: &'a Journal,
    pub again: Again,
}

impl Desk<'_> {
    /// Puts a state into the journal, or finds it there.
    pub async fn enter(self, file: String, imported: Imported) -> Result<Entered, Refused> {
        let reader = Reader::open(self.folder)?.for_journal(self.journal);
        let (session, lease, mut there) = self.place(&reader, &imported)?;
        let steps = foreign::steps(&session, &file, &imported, Timestamp::now());
        // What is said of a call may be written before the call.
        for step in &steps {
            self.journal.veil().heed_step(step);
        }
        // A process that was killed in between has written some of them.
        let missing = steps.into_iter().filter(|step| !there.has(step));
        self.journal.append_all(&session, missing).await?;
        let steps = self.expire(&reader, &session).await?;
        Ok(Entered {
            file,
            projection: Projection::of(&steps),
            expired: expired(&steps),
            before: rulings(steps),
            lease: Some(lease),
            imported,
            session,
        })
    }

    /// Records of the calls that nobody decided, that it is too late now. The steps of the session.
    async fn expire(self, reader: &Reader, session: &SessionId) -> Result<Vec<Stored>, Refused> {
        let steps = reader.steps(session, 0)?;
        let now = Timestamp::now();
        let calls = steps.iter().filter_map(|stored| match &stored.step {
            Step::Arrived(call) => Expiry::of(call),
            _ => None,
        });
        let mut late = 0;
        for expiry in calls.filter(|expiry| expiry.due <= now) {
            // A decision that was made in time stands.
            if self.journal.expire(expiry).await? == Recorded::Now {
                late += 1;
            }
        }
        if late == 0 {
            return Ok(steps);
        }
        Ok(reader.steps(session, 0)?)
    }

    /// The session of this state, held by this process, and which of its steps are there already.
    fn place(
        self,
        reader: &Reader,
        imported: &Imported,
    ) -> Result<(SessionId, Lease, There), Refused> {
        let mut round = 1;
        loop {
            let session = id(imported, round);
            let lease = self.hold(&session)?;
            let steps = reader.steps(&session, 0)?;
            match handed_over(&steps) {
                None => return Ok((session, lease, There::of(&steps))),
                Some(_) if self.again == Again::Yes => round += 1,
                Some(words) => {
                    // A later round may have been begun, and may not be finished.
                    let later = id(imported, round + 1);
                    if reader.steps(&later, 0)?.is_empty() {
                        return Err(Refused::HandedOver(words));
                    }
                    round += 1;
                }
            }
        }
    }

    fn hold(self, session: &SessionId) -> Result<Lease, LeaseError> {
        let who = crate::term::who::who();
        let owner = Owner {
            words: format!("{who} (process {})", std::process::id()),
            socket: Some(Host::path(self.folder)),
        };
        Lease::take(self.folder, session, &owner)
    }
}

/// The id of the session in which a state is decided for the `round`th time.
fn id(imported: &Imported, round: usize) -> SessionId {
    let identity = &imported.identity.as_str()[..32];
    SessionId(format!("state-{identity}-{round}"))
}

/// What entering has written before: the calls by their names, the rest by its number.
struct There {
    arrived: HashSet<CallId>,
    others: usize,
}

impl There {
    fn of(steps: &[Stored]) -> Self {
        let mut there = Self {
            arrived: HashSet::new(),
            others: 0,
        };
        for stored in steps {
            match &stored.step {
                Step::Arrived(call) => {
                    there.arrived.insert(call.key.call.clone());
                }
                Step::Session { .. } | Step::Event(_) | Step::Ended { .. } => there.others += 1,
                _ => {}
            }
        }
        there
    }

    /// Whether the next of the steps is there. To be asked in their order.
    fn has(&mut self, step: &Step) -> bool {
        if let Step::Arrived(call) = step {
            return self.arrived.contains(&call.key.call);
        }
        let there = self.others > 0;
        self.others = self.others.saturating_sub(1);
        there
    }
}

/// When the results were written, where to, and who had decided, if they were.
fn handed_over(steps: &[Stored]) -> Option<String> {
    let (at, to, decided) = steps.iter().find_map(|stored| match &stored.step {
        Step::HandedOver { to, decided } => Some((stored.at, to, *decided)),
        _ => None,
    })?;
    let mut who: Vec<&str> = Vec::new();
    for stored in steps {
        if let Step::Ruling(ruling) = &stored.step
            && !who.contains(&ruling.who.as_str())
        {
            who.push(&ruling.who);
        }
    }
    let calls = if decided == 1 { "call" } else { "calls" };
    Some(format!(
        "this state was decided at {at:.0} by {}: {decided} {calls}, written to {to}",
        who.join(" and ")
    ))
}

/// The calls that can no longer be decided.
fn expired(steps: &[Stored]) -> HashSet<CallId> {
    let expired = |stored: &Stored| match &stored.step {
        Step::Expired(expiry) => Some(expiry.key.call.clone()),
        _ => None,
    };
    steps.iter().filter_map(expired).collect()
}

fn rulings(steps: Vec<Stored>) -> HashMap<CallId, Ruling> {
    let ruling = |stored: Stored| match stored.step {
        Step::Ruling(ruling) => Some((ruling.key.call.clone(), *ruling)),
        _ => None,
    };
    steps.into_iter().filter_map(ruling).collect()
}

impl Entered {
    /// The calls that can be decided, by our ids: nobody has, and it is not too late.
    pub fn open(&self) -> HashSet<CallId> {
        let is_open = |id: &CallId| !self.before.contains_key(id) && !self.expired.contains(id);
        let ids = self.imported.calls.iter().map(ImportedCall::key);
        let mut open: HashSet<CallId> = ids.filter(is_open).collect();
        for call in self.left_over(&open) {
            open.remove(&call);
        }
        open
    }

    /// Those of the open calls that need no answer: the row of a script whose calls all have theirs, and
    /// the calls of one that is dropped.
    fn left_over(&self, open: &HashSet<CallId>) -> Vec<CallId> {
        let mut left = Vec::new();
        for (row, inner) in self.scripts() {
            if self.before.contains_key(&row) {
                left.extend(inner);
            } else if !inner.iter().any(|call| open.contains(call)) {
                left.push(row);
            }
        }
        left
    }

    /// The row of each script, and the calls that it makes, by our ids.
    pub fn scripts(&self) -> HashMap<CallId, HashSet<CallId>> {
        let scripts = self.imported.scripts();
        let keys = |calls: Vec<&ImportedCall>| calls.into_iter().map(ImportedCall::key).collect();
        scripts
            .map(|(row, inner)| (row.key(), keys(inner)))
            .collect()
    }

    /// Records of the calls that need no answer any more that they do not wait, where nobody stands in
    /// for the agent.
    pub async fn settle(&self, journal: &Journal, folder: &Path) -> Result<(), StoreError> {
        let scripts = self.scripts();
        if scripts.is_empty() {
            return Ok(());
        }
        let steps = Reader::open(folder)?.steps(&self.session, 0)?;
        let mut waits: HashSet<CallId> =
            self.imported.calls.iter().map(ImportedCall::key).collect();
        let mut ruled = HashSet::new();
        for stored in &steps {
            match &stored.step {
                Step::Ruling(ruling) => {
                    waits.remove(&ruling.key.call);
                    ruled.insert(&ruling.key.call);
                }
                Step::Expired(expiry) => {
                    waits.remove(&expiry.key.call);
                }
                Step::Event(RunEvent::Withdrawn { call, .. }) => {
                    waits.remove(call);
                }
                _ => {}
            }
        }
        for (row, inner) in scripts {
            let (gone, why) = if ruled.contains(&row) {
                (
                    inner.intersection(&waits).cloned().collect(),
                    foreign::DROPPED,
                )
            } else if waits.contains(&row) && inner.is_disjoint(&waits) {
                (vec![row], foreign::GOES_ON)
            } else {
                continue;
            };
            for call in gone {
                let step = Step::Event(foreign::withdrawn(call, why));
                journal.append(&self.session, step).await?;
            }
        }
        Ok(())
    }

    /// The same calls, with what is recorded of those that may not wait for ever.
    pub fn waiting(&self) -> HashMap<CallId, Option<Expiry>> {
        let arrived = self
            .projection
            .events
            .iter()
            .filter_map(|event| match event {
                RunEvent::Arrived(call) => Some(call),
                _ => None,
            });
        let open = self.open();
        let waiting = arrived.map(|call| (call.key.call.clone(), Expiry::of(call)));
        waiting.filter(|(id, _)| open.contains(id)).collect()
    }

    /// Hands over the hold on the state, to whoever takes the decisions.
    pub fn take_lease(&mut self) -> Option<Lease> {
        self.lease.take()
    }

    /// What is decided by now, by the framework's own ids, in the order of the calls.
    pub fn outcome(&self, folder: &Path) -> Result<Outcome, StoreError> {
        let steps = Reader::open(folder)?.rulings(&self.session)?;
        let expired = expired(&steps).len();
        let rulings = rulings(steps);
        let decided = self.imported.calls.iter().filter_map(|call| {
            let ruling = rulings.get(&call.key())?;
            Some(Decided {
                call: call.id.clone(),
                ..Decided::from(ruling)
            })
        });
        Ok(Outcome {
            decided: decided.collect(),
            expired,
        })
    }

    /// Records that the results are about to be handed over.
    pub async fn hand_over(
        &self,
        journal: &Journal,
        to: &str,
        decided: usize,
    ) -> Result<(), StoreError> {
        let to = to.to_owned();
        let step = Step::HandedOver { to, decided };
        journal.append(&self.session, step).await
    }
}
