//! Deferred state that a person is to decide: into the journal, and out of it as results.
//!
//! Owns when a state is the same as one of before, and what that means. A state is a session whose id
//! is made from its content; what was decided on it is in the journal, wherever the decision was made.
//! Results that have been handed over once are not handed over again unless a person asks for it.

use futures::stream::{self, StreamExt as _};
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::host::Host;
use crate::agent::foreign;
use crate::core::call::{CallId, SessionId};
use crate::core::decision::Ruling;
use crate::deferred::{Decided, Imported};
use crate::store::lease::{Lease, LeaseError, Owner};
use crate::store::projection::Projection;
use crate::store::step::Stored;
use crate::store::{Journal, Reader, Step, StoreError};

/// Steps on their way to the journal at the same time.
const UNDER_WAY: usize = 512;

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
    lease: Option<Lease>,
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
        let (session, lease, there) = self.place(&reader, &imported)?;
        let steps = foreign::steps(&session, &file, &imported, Timestamp::now());
        // What is said of a call may be written before the call.
        for step in &steps {
            self.journal.veil().heed_step(step);
        }
        // A process that was killed in between has written the first of them.
        let missing = steps.into_iter().skip(there);
        let journal = self.journal;
        let mut written =
            stream::iter(missing.map(|step| journal.append(&session, step))).buffered(UNDER_WAY);
        while let Some(written) = written.next().await {
            written?;
        }
        drop(written);
        let steps = reader.steps(&session, 0)?;
        Ok(Entered {
            file,
            projection: Projection::of(&steps),
            before: rulings(steps),
            lease: Some(lease),
            imported,
            session,
        })
    }

    /// The session of this state, held by this process, and how many of its steps are there already.
    fn place(
        self,
        reader: &Reader,
        imported: &Imported,
    ) -> Result<(SessionId, Lease, usize), Refused> {
        let mut round = 1;
        loop {
            let session = id(imported, round);
            let lease = self.hold(&session)?;
            let steps = reader.steps(&session, 0)?;
            match handed_over(&steps) {
                None => return Ok((session, lease, made(&steps))),
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

/// How many of the steps are those that entering wrote.
fn made(steps: &[Stored]) -> usize {
    let entered = |stored: &&Stored| match &stored.step {
        Step::Session { .. } | Step::Event(_) | Step::Arrived(_) | Step::Ended { .. } => true,
        Step::Sent { .. }
        | Step::Replied { .. }
        | Step::Verdict { .. }
        | Step::Ruling(_)
        | Step::Started { .. }
        | Step::Finished { .. }
        | Step::HandedOver { .. }
        | Step::Granted(_)
        | Step::Revoked(_) => false,
    };
    steps.iter().filter(entered).count()
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

fn rulings(steps: Vec<Stored>) -> HashMap<CallId, Ruling> {
    let ruling = |stored: Stored| match stored.step {
        Step::Ruling(ruling) => Some((ruling.key.call.clone(), *ruling)),
        _ => None,
    };
    steps.into_iter().filter_map(ruling).collect()
}

impl Entered {
    /// The calls that nobody has decided yet, by our ids.
    pub fn open(&self) -> HashSet<CallId> {
        let ids = self.imported.calls.iter().map(|call| call.id.foreign());
        ids.filter(|id| !self.before.contains_key(id)).collect()
    }

    /// Hands over the hold on the state, to whoever takes the decisions.
    pub fn take_lease(&mut self) -> Option<Lease> {
        self.lease.take()
    }

    /// What is decided by now, by the framework's own ids, in the order of the calls.
    pub fn decided(&self, folder: &Path) -> Result<Vec<Decided>, StoreError> {
        let steps = Reader::open(folder)?.steps(&self.session, 0)?;
        let rulings = rulings(steps);
        let decided = self.imported.calls.iter().filter_map(|call| {
            let ruling = rulings.get(&call.id.foreign())?;
            Some(Decided {
                call: call.id.clone(),
                ..Decided::from(ruling)
            })
        });
        Ok(decided.collect())
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
