//! What became of the calls that were signed together last.
//!
//! Owns one row for each of them and how many there are in each phase. Learns of what happens from
//! `update`; decides nothing.

use std::collections::{BTreeMap, HashMap};

use crate::core::call::{Answer, CallKey, SessionId};
use crate::core::decision::Decision;
use crate::core::fields;
use crate::core::pending::Waiting;
use crate::core::shown::Shown;

/// How far a signed call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// What went wrong comes first where phases are counted.
    NotRecorded,
    Failed,
    Elsewhere,
    Gone,
    Interrupted,
    Undone,
    Held,
    Recording,
    /// In the journal, and handed to where the call came from.
    Recorded,
    Running,
    /// It ran.
    Done,
    /// It does not run, as was decided; the model is told of all calls of its answer together.
    Untold,
    /// It did not run, as was decided, and whoever made it has been told.
    Told,
}

impl Phase {
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotRecorded => "not recorded",
            Self::Failed => "failed",
            Self::Elsewhere => "decided elsewhere",
            Self::Gone => "no longer wanted",
            Self::Interrupted => "interrupted",
            Self::Undone => "undone",
            Self::Held => "held back",
            Self::Recording => "being recorded",
            Self::Recorded => "recorded, handed over",
            Self::Running => "running",
            Self::Done => "done",
            Self::Untold => "recorded, not told yet",
            Self::Told => "not run, as decided",
        }
    }

    /// Whether nothing more of this batch can happen to the call.
    const fn is_final(self) -> bool {
        match self {
            Self::NotRecorded
            | Self::Failed
            | Self::Elsewhere
            | Self::Gone
            | Self::Interrupted
            | Self::Undone
            | Self::Done
            | Self::Told => true,
            Self::Held | Self::Recording | Self::Recorded | Self::Running | Self::Untold => false,
        }
    }
}

/// One call of the batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    pub key: CallKey,
    pub tool: Shown,
    /// The arguments that were signed, on one row.
    pub summary: Shown,
    pub answer: Answer,
    pub phase: Phase,
    /// Why, or by whom, where there is more to say.
    pub why: Option<Shown>,
}

impl Signed {
    /// A call whose decision was just signed and is held back.
    pub fn of(waiting: &Waiting, decision: &Decision) -> Self {
        let edited = decision.edited().map(fields::summary);
        Self {
            key: waiting.call.key.clone(),
            tool: waiting.tool.clone(),
            summary: edited.unwrap_or_else(|| waiting.summary.clone()),
            answer: decision.answer(),
            phase: Phase::Held,
            why: None,
        }
    }

    pub fn at(self, phase: Phase) -> Self {
        Self { phase, ..self }
    }
}

/// The calls of one batch, in the order in which they were signed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    calls: Vec<Signed>,
    places: HashMap<CallKey, usize>,
    counts: BTreeMap<Phase, usize>,
}

impl Extend<Signed> for Batch {
    fn extend<I: IntoIterator<Item = Signed>>(&mut self, calls: I) {
        for signed in calls {
            let place = self.calls.len();
            *self.counts.entry(signed.phase).or_default() += 1;
            // What is reported of a further question names the call that it is about.
            let about = CallKey {
                call: signed.key.call.base(),
                ..signed.key.clone()
            };
            self.places.entry(about).or_insert(place);
            self.places.insert(signed.key.clone(), place);
            self.calls.push(signed);
        }
    }
}

impl Batch {
    pub fn calls(&self) -> &[Signed] {
        &self.calls
    }

    /// How many calls are in each phase that some are in, what went wrong first.
    pub fn counts(&self) -> impl Iterator<Item = (Phase, usize)> {
        let some = self.counts.iter().filter(|(_, calls)| **calls > 0);
        some.map(|(phase, calls)| (*phase, *calls))
    }

    pub fn get(&self, key: &CallKey) -> Option<&Signed> {
        self.calls.get(*self.places.get(key)?)
    }

    /// The model of this session has all answers now.
    pub fn told(&mut self, session: &SessionId) {
        let untold =
            |signed: &&Signed| signed.phase == Phase::Untold && signed.key.session == *session;
        let keys: Vec<CallKey> = match self.counts.get(&Phase::Untold) {
            None | Some(0) => return,
            Some(_) => self
                .calls
                .iter()
                .filter(untold)
                .map(|signed| signed.key.clone())
                .collect(),
        };
        for key in &keys {
            self.becomes(key, Phase::Told, None);
        }
    }

    /// The call has come this far, unless its end is known already.
    pub fn becomes(&mut self, key: &CallKey, phase: Phase, why: Option<Shown>) {
        let Some(place) = self.places.get(key) else {
            return;
        };
        let Some(signed) = self.calls.get_mut(*place) else {
            return;
        };
        if signed.phase.is_final() {
            return;
        }
        if let Some(calls) = self.counts.get_mut(&signed.phase) {
            *calls -= 1;
        }
        *self.counts.entry(phase).or_default() += 1;
        signed.phase = phase;
        signed.why = why;
    }
}
