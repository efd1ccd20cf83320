//! The ways to the calls that wait for a ruling.
//!
//! Owns the count of what is under way, too: once all of that waits for a person, nothing runs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    /// Calls and scripts that have no answer yet. A script that waits for its calls is not one: they are.
    under_way: AtomicUsize,
    changed: Notify,
}

#[derive(Debug)]
struct Waiting {
    decide: oneshot::Sender<Ruling>,
    /// The operator was told. Until then the call is not one of those that only wait.
    asked: bool,
}

/// Something that is under way as long as this is there.
#[derive(Debug)]
pub(super) struct UnderWay(Rulings);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.0.under_way.fetch_sub(1, Ordering::SeqCst);
        self.0.0.changed.notify_one();
    }
}

/// A script that waits for its calls as long as this is there.
#[derive(Debug)]
pub(super) struct Rest(Rulings);

impl Drop for Rest {
    fn drop(&mut self) {
        self.0.0.under_way.fetch_add(1, Ordering::SeqCst);
        self.0.0.changed.notify_one();
    }
}

impl Rulings {
    /// One more call is under way.
    pub(super) fn begin(&self) -> UnderWay {
        self.0.under_way.fetch_add(1, Ordering::SeqCst);
        UnderWay(self.clone())
    }

    /// Something that is under way does nothing but wait for others that are.
    pub(super) fn rest(&self) -> Rest {
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
        self.0.changed.notify_one();
        Rest(self.clone())
    }

    /// Whether all that is under way waits for a person.
    pub(super) fn all_wait(&self) -> bool {
        let under_way = self.0.under_way.load(Ordering::SeqCst);
        under_way > 0 && self.count() == under_way
    }

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
    fn count(&self) -> usize {
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
