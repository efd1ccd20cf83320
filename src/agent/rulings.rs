//! The ways to the calls that wait for a ruling.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, oneshot};

use crate::core::call::CallId;
use crate::core::decision::Ruling;

/// Who waits for which ruling. Cheap to clone; shared by the calls of a round.
#[derive(Debug, Clone, Default)]
pub(super) struct Rulings(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    waiting: Mutex<HashMap<CallId, oneshot::Sender<Ruling>>>,
    changed: Notify,
}

impl Rulings {
    /// Begins to wait for the ruling on `call`.
    pub(super) fn expect(&self, call: &CallId) -> oneshot::Receiver<Ruling> {
        let (decide, decided) = oneshot::channel();
        self.waiting().insert(call.clone(), decide);
        self.0.changed.notify_one();
        decided
    }

    /// Stops waiting for it.
    pub(super) fn forget(&self, call: &CallId) {
        self.waiting().remove(call);
        self.0.changed.notify_one();
    }

    /// Hands a ruling to the call that waits for it. One that nobody waits for is dropped: the call
    /// has ended, or will find the ruling in the journal.
    pub(super) fn hand_over(&self, ruling: Ruling) {
        if let Some(call) = self.waiting().remove(&ruling.key.call) {
            let _ = call.send(ruling);
        }
        self.0.changed.notify_one();
    }

    /// How many calls wait.
    pub(super) fn count(&self) -> usize {
        self.waiting().len()
    }

    /// Returns once the number may have changed.
    pub(super) async fn changed(&self) {
        self.0.changed.notified().await;
    }

    /// No panic can happen while the lock is held, so what is behind a poisoned one is sound.
    fn waiting(&self) -> MutexGuard<'_, HashMap<CallId, oneshot::Sender<Ruling>>> {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
