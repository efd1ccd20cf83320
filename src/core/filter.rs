//! The filter of the list of pending calls: a short text, read once when it changes.
//!
//! Owns what the text means and what is wrong with it. A text with a mistake fits no call: it never
//! lists what nobody asked for. Does not know which calls there are: that is `pending`.

mod reading;
mod term;

use std::fmt;

use super::call::SessionId;
use super::pending::{Pending, Waiting};
use super::time::Ticks;
use term::Term;
pub use term::{At, Kind};

/// All that a filter may say, on one row.
pub const HELP: &str = "text tool: agent: session: risk: origin: FIELD: script: age>5m marked -not";

/// What lists only some of the pending calls. The default lists all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    text: String,
    terms: Vec<Term>,
    faults: Vec<FilterFault>,
}

/// A part of a filter that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct FilterFault {
    /// The part as it was written.
    pub part: String,
    /// What is wrong with it, and what could stand there.
    pub what: String,
}

impl fmt::Display for FilterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&told(&self.part, &self.what))
    }
}

/// A part of a filter, and what is to be said of it. A part may end in a colon of its own.
fn told(part: &str, what: &str) -> String {
    format!("{}: {what}", part.trim_end_matches(':'))
}

impl Filter {
    /// Reads a filter. `sessions` are those that the console numbers from 1.
    pub fn parse(text: &str, sessions: &[SessionId]) -> Self {
        let (mut terms, mut faults) = (Vec::new(), Vec::new());
        for part in reading::parts(text) {
            match part.and_then(|part| term::read(part, sessions)) {
                Ok(term) => terms.push(term),
                Err(fault) => faults.push(fault),
            }
        }
        Self {
            text: text.to_owned(),
            terms,
            faults,
        }
    }

    /// As the operator wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it lists every call.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.faults.is_empty()
    }

    pub fn faults(&self) -> &[FilterFault] {
        &self.faults
    }

    /// Whether the call fits each part of it.
    pub fn fits(&self, waiting: &Waiting, now: Ticks) -> bool {
        self.faults.is_empty() && self.terms.iter().all(|term| term.fits(waiting, now))
    }

    /// The next moment at which a call may begin or cease to fit by its age alone.
    pub fn turns(&self, waiting: &Waiting, now: Ticks) -> Option<Ticks> {
        self.terms
            .iter()
            .filter_map(|term| term.turns(waiting, now))
            .min()
    }

    /// Why no call is listed: the parts that fit none of the calls, each with what there is.
    pub fn unmet(&self, pending: &Pending) -> Vec<String> {
        let now = Ticks(u64::MAX);
        let unmet = |term: &&Term| {
            term.can_be_explained() && !pending.iter().any(|call| term.fits(call, now))
        };
        self.terms
            .iter()
            .filter(unmet)
            .map(|term| term.explained(pending))
            .collect()
    }
}
