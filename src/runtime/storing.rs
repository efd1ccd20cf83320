//! Rulings on their way to the journal.

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};

use crate::app::event::StoreEvent;
use crate::core::call::CallKey;
use crate::core::decision::Ruling;
use crate::core::run::RunEvent;
use crate::store::{Journal, Reader, Recorded};
use std::path::PathBuf;

/// The rulings that are being recorded. The loop goes on meanwhile; each ends as an event.
pub(super) struct Storing {
    journal: Journal,
    folder: PathBuf,
    under_way: FuturesUnordered<BoxFuture<'static, StoreEvent>>,
}

impl Storing {
    pub(super) fn new(journal: Journal, folder: PathBuf) -> Self {
        Self {
            journal,
            folder,
            under_way: FuturesUnordered::new(),
        }
    }

    pub(super) fn record(&mut self, ruling: Ruling) {
        let (journal, folder) = (self.journal.clone(), self.folder.clone());
        self.under_way.push(Box::pin(async move {
            let key = ruling.key.clone();
            match journal.record(ruling).await {
                Ok(Recorded::Now) => StoreEvent::Recorded(key),
                Ok(Recorded::Before { by }) => {
                    let ruling = first_ruling(folder, key.clone()).await.map(Box::new);
                    StoreEvent::DecidedElsewhere { key, by, ruling }
                }
                Err(error) => StoreEvent::RecordFailed {
                    key,
                    why: error.to_string(),
                },
            }
        }));
    }

    /// Keeps in mind what is secret in the calls of an agent, which another process may run: a reason
    /// that is recorded here may repeat it.
    pub(super) fn heed(&self, event: &RunEvent) {
        self.journal.veil().heed_event(event);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// The next one that ended. To be awaited only while there is one.
    pub(super) async fn next(&mut self) -> Option<StoreEvent> {
        self.under_way.next().await
    }
}

/// The ruling that was first. Without it the row leaves all the same.
pub(super) async fn first_ruling(folder: PathBuf, key: CallKey) -> Option<Ruling> {
    let read = move || Reader::open(&folder).and_then(|reader| reader.ruling(&key));
    match tokio::task::spawn_blocking(read).await {
        Ok(Ok(ruling)) => ruling,
        Ok(Err(error)) => {
            tracing::warn!(%error, "a ruling could not be read");
            None
        }
        Err(_) => None,
    }
}
