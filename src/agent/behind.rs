//! Steps that were put into the journal's queue and not waited for, because the next step that is waited for
//! waits for them too.
//!
//! Owns that the operator is told of one that could not be written. Decides nothing: whatever depends on such a
//! step is itself a later one.

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::mpsc;

use crate::store::{Queued, StoreError};

/// Steps that may wait to be watched.
const STEPS: usize = 64;

/// The end of an execution that is being recorded, with the name of the tool.
type Ending = (String, Queued);

/// The way to whoever watches. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ToBehind(mpsc::Sender<Ending>);

impl ToBehind {
    /// That the tool has run is on its way into the journal.
    pub(super) async fn has_run(&self, tool: &str, queued: Queued) {
        // Whoever is gone tells nobody.
        let _ = self.0.send((tool.to_owned(), queued)).await;
    }
}

/// What is on its way into the journal.
pub(super) struct Behind {
    come: mpsc::Receiver<Ending>,
    on_the_way: FuturesUnordered<BoxFuture<'static, Option<String>>>,
}

impl Behind {
    pub(super) fn new() -> (ToBehind, Self) {
        let (to, come) = mpsc::channel(STEPS);
        let on_the_way = FuturesUnordered::new();
        (ToBehind(to), Self { come, on_the_way })
    }

    /// The next one that could not be written, in words; never, as long as all are. May be dropped at any time.
    pub(super) async fn failure(&mut self) -> String {
        loop {
            tokio::select! {
                Some(ending) = self.come.recv() => self.watch(ending),
                Some(failure) = self.on_the_way.next(), if !self.on_the_way.is_empty() => {
                    if let Some(why) = failure {
                        return why;
                    }
                }
                else => return std::future::pending().await,
            }
        }
    }

    /// Waits until all of them are written, where no later step is waited for. Those that could not be, in words.
    pub(super) async fn settle(&mut self) -> Vec<String> {
        while let Ok(ending) = self.come.try_recv() {
            self.watch(ending);
        }
        let ends = std::mem::take(&mut self.on_the_way);
        ends.filter_map(std::future::ready).collect().await
    }

    fn watch(&self, (tool, queued): Ending) {
        let written = async move { Some(unrecorded(&tool, &queued.written().await.err()?)) };
        self.on_the_way.push(Box::pin(written));
    }
}

/// What the operator is told.
pub(super) fn unrecorded(tool: &str, error: &StoreError) -> String {
    tracing::error!(%error, tool, "a finished call could not be recorded");
    format!("{tool} has run, but that could not be recorded: {error}")
}
