//! Rulings on their way to the journal.

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};

use crate::app::event::StoreEvent;
use crate::core::call::CallKey;
use crate::core::decision::{How, Ruling};
use crate::core::run::RunEvent;
use crate::policy::grant::Grant;
use crate::store::reading::Form;
use crate::store::told::{self, Print};
use crate::store::{Journal, Reader, Recorded};
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The rulings that are being recorded. The loop goes on meanwhile; each ends as an event.
pub(super) struct Storing {
    journal: Journal,
    folder: PathBuf,
    under_way: FuturesUnordered<BoxFuture<'static, StoreEvent>>,
    /// How the given rules stood when they were last read for the calls that wait here.
    rules: Print,
}

impl Storing {
    pub(super) fn new(journal: Journal, folder: PathBuf) -> Self {
        Self {
            rules: told::print(&folder),
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

    /// Records a rule, which counts from then on, and takes back the one that it stands for.
    pub(super) fn give(&self, grant: Grant, replaces: Option<Box<Grant>>) {
        let journal = self.journal.clone();
        self.under_way.push(Box::pin(async move {
            if let Err(error) = journal.give(grant.clone()).await {
                return StoreEvent::RuleFailed(error.to_string());
            }
            if let Some(before) = replaces {
                let (id, who, at) = (before.id.clone(), grant.who.clone(), grant.at);
                if let Err(error) = journal.revoke(*before, who, at, How::Key).await {
                    let why = format!("rule {} counts, but {id} too: {error}", grant.id);
                    return StoreEvent::RuleFailed(why);
                }
            }
            StoreEvent::Given(Box::new(grant))
        }));
    }

    pub(super) fn revoke(&self, grant: Grant, who: String, at: Timestamp) {
        let (journal, id) = (self.journal.clone(), grant.id.clone());
        self.under_way.push(Box::pin(async move {
            match journal.revoke(grant, who, at, How::Key).await {
                Ok(()) => StoreEvent::Revoked(id),
                Err(error) => StoreEvent::RuleFailed(error.to_string()),
            }
        }));
    }

    pub(super) fn list_rules(&self) {
        let (journal, folder) = (self.journal.clone(), self.folder.clone());
        self.under_way.push(Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || read_rules(&folder, &journal)).await;
            StoreEvent::Rules(read.unwrap_or_else(|error| Err(error.to_string())))
        }));
    }

    /// The given rules, if any process gave or took back one since they were last looked at. Read at once,
    /// so that a key which comes after decides no call that a rule denies by now.
    pub(super) fn rules_changed(&mut self) -> Option<StoreEvent> {
        let rules = told::print(&self.folder);
        if rules == self.rules {
            return None;
        }
        self.rules = rules;
        Some(StoreEvent::Rules(read_rules(&self.folder, &self.journal)))
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

fn read_rules(folder: &Path, journal: &Journal) -> Result<Vec<Grant>, String> {
    let reader = Reader::open(folder).map_err(|error| error.to_string())?;
    reader.for_journal(journal).grants(Form::Real)
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
