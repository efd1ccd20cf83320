//! The way from an agent to the console.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::mpsc;

use crate::core::call::{CallId, SessionId};
use crate::core::run::{CallStatus, EntryId, Level, RunEvent, RunState};

/// One event of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    pub session: SessionId,
    pub event: RunEvent,
}

/// Reports for one session, and numbers its entries. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Reports {
    session: SessionId,
    to: mpsc::Sender<Report>,
    next: Arc<AtomicU64>,
}

impl Reports {
    pub(super) fn new(session: SessionId, to: mpsc::Sender<Report>) -> Self {
        Self {
            session,
            to,
            next: Arc::new(AtomicU64::new(0)),
        }
    }

    /// The name of the next entry.
    pub(super) fn entry(&self) -> EntryId {
        EntryId(self.next.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) async fn send(&self, event: RunEvent) {
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
