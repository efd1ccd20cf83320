//! The way from an agent to the console.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;

use super::Parts;
use crate::core::call::{CallId, SessionId};
use crate::core::run::{CallStatus, EntryId, Level, RunEvent, RunState};
use crate::store::{Journal, Step};

/// One event of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub session: SessionId,
    pub event: RunEvent,
}

/// Reports for one session, and numbers its entries. What the journal keeps is put there first. Cheap
/// to clone.
#[derive(Debug, Clone)]
pub(super) struct Reports {
    session: SessionId,
    journal: Journal,
    to: mpsc::Sender<Report>,
    next: Arc<AtomicU64>,
}

impl Reports {
    /// `first` is the number of the next entry.
    pub(super) fn new(parts: &Parts, to: mpsc::Sender<Report>, first: u64) -> Self {
        Self {
            session: parts.session.clone(),
            journal: parts.journal.clone(),
            to,
            next: Arc::new(AtomicU64::new(first)),
        }
    }

    /// The name of the next entry.
    pub(super) fn entry(&self) -> EntryId {
        EntryId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) async fn send(&self, event: RunEvent) {
        if event.is_kept() {
            self.journal
                .note(&self.session, Step::Event(event.clone()))
                .await;
        }
        // A console that is gone also closes the commands, which ends the run.
        let _ = self
            .to
            .send(Report {
                session: self.session.clone(),
                event,
            })
            .await;
    }

    pub(super) async fn state(&self, state: RunState) {
        self.send(RunEvent::State(state)).await;
    }

    pub(super) async fn status(&self, call: &CallId, status: CallStatus) {
        self.send(RunEvent::Status {
            call: call.clone(),
            status,
        })
        .await;
    }

    pub(super) async fn note(&self, level: Level, text: impl Into<String>) {
        let entry = self.entry();
        self.send(RunEvent::Note {
            entry,
            level,
            text: text.into(),
        })
        .await;
    }
}
