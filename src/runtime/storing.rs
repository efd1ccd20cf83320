//! Rulings on their way to the journal.

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};

use crate::app::event::StoreEvent;
use crate::core::decision::Ruling;
use crate::store::{Journal, Recorded};

/// The rulings that are being recorded. The loop goes on meanwhile; each ends as an event.
pub(super) struct Storing {
    journal: Journal,
    under_way: FuturesUnordered<BoxFuture<'static, StoreEvent>>,
}

impl Storing {
    pub(super) fn new(journal: Journal) -> Self {
        Self {
            journal,
            under_way: FuturesUnordered::new(),
        }
    }

    pub(super) fn record(&mut self, ruling: Ruling) {
        let journal = self.journal.clone();
        self.under_way.push(Box::pin(async move {
            let key = ruling.key.clone();
            match journal.record(ruling).await {
                Ok(Recorded::Now) => StoreEvent::Recorded(key),
                Ok(Recorded::Before { by }) => StoreEvent::DecidedElsewhere { key, by },
                Err(error) => StoreEvent::RecordFailed {
                    key,
                    why: error.to_string(),
                },
            }
        }));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// The next one that ended. To be awaited only while there is one.
    pub(super) async fn next(&mut self) -> Option<StoreEvent> {
        self.under_way.next().await
    }
}
