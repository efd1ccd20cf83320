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
    waiting: Mutex<HashMap<CallId, Waiting>>,
    changed: Notify,
}

#[derive(Debug)]
struct Waiting {
    decide: oneshot::Sender<Ruling>,
    /// The operator was told. Until then the call is not one of those that only wait.
    asked: bool,
}

impl Rulings {
    /// Begins to wait for the ruling on `call`.
    pub(super) fn expect(&self, call: &CallId) -> oneshot::Receiver<Ruling> {
        let (decide, decided) = oneshot::channel();
        let asked = false;
        self.waiting()
            .insert(call.clone(), Waiting { decide, asked });
        decided
    }

    /// The operator was told of the call.
    pub(super) fn asked(&self, call: &CallId) {
        if let Some(waiting) = self.waiting().get_mut(call) {
            waiting.asked = true;
        }
        self.0.changed.notify_one();
    }

    /// Stops waiting for it.
    pub(super) fn forget(&self, call: &CallId) {
        self.waiting().remove(call);
        self.0.changed.notify_one();
    }

    /// Hands a ruling to the call that waits for it. One that nobody waits for is dropped: the call
    /// has ended, or will find the ruling in the journal.
    pub(super) fn hand_over(&self, ruling: Ruling) {
        if let Some(waiting) = self.waiting().remove(&ruling.key.call) {
            let _ = waiting.decide.send(ruling);
        }
        self.0.changed.notify_one();
    }

    /// How many calls wait for the operator.
    pub(super) fn count(&self) -> usize {
        let waiting = self.waiting();
        waiting.values().filter(|waiting| waiting.asked).count()
    }

    /// Returns once the number may have changed.
    pub(super) async fn changed(&self) {
        self.0.changed.notified().await;
    }

    /// No panic can happen while the lock is held, so what is behind a poisoned one is sound.
    fn waiting(&self) -> MutexGuard<'_, HashMap<CallId, Waiting>> {
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
