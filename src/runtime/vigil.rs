//! Calls that wait in the background while no console is there to show them.
//!
//! Owns when somebody outside is told of them. While a console is attached, that is the console's.

use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

use super::outside::Outside;
use crate::app::attention::Waits;
use crate::core::call::{CallKey, SessionId};

pub(super) struct Vigil {
    pub(super) outside: Outside,
    /// `None`: nobody is to be told.
    after: Option<Duration>,
    waiting: HashMap<CallKey, Instant>,
    /// When the last console went, or since there was none.
    alone: Instant,
    told: Option<Instant>,
}

impl Vigil {
    pub(super) fn new(outside: Outside, after: Option<Duration>) -> Self {
        Self {
            outside,
            after,
            waiting: HashMap::new(),
            alone: Instant::now(),
            told: None,
        }
    }

    pub(super) fn arrived(&mut self, key: CallKey) {
        self.waiting.entry(key).or_insert_with(Instant::now);
    }

    pub(super) fn left(&mut self, mut is_it: impl FnMut(&CallKey) -> bool) {
        self.waiting.retain(|key, _| !is_it(key));
    }

    pub(super) fn calls(&self) -> Vec<CallKey> {
        self.waiting.keys().cloned().collect()
    }

    /// A console came or went.
    pub(super) fn watched(&mut self) {
        self.alone = Instant::now();
    }

    /// When to tell, if nobody watches by then.
    pub(super) fn due(&self) -> Option<Instant> {
        let after = self.after?;
        let new = |since: &&Instant| self.told.is_none_or(|told| **since > told);
        let oldest = self.waiting.values().filter(new).min()?;
        Some((*oldest).max(self.alone) + after)
    }

    pub(super) fn tell(&mut self) {
        let now = Instant::now();
        self.told = Some(now);
        let mut sessions: Vec<(SessionId, usize)> = Vec::new();
        for key in self.waiting.keys() {
            match sessions.iter_mut().find(|(id, _)| *id == key.session) {
                Some((_, count)) => *count += 1,
                None => sessions.push((key.session.clone(), 1)),
            }
        }
        let since = self.waiting.values().min();
        self.outside.tell(Waits {
            waiting: self.waiting.len(),
            sessions,
            oldest: since.map_or(0, |since| (now - *since).as_secs()),
        });
    }
}
