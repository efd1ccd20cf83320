//! One server, as all who deal with it see it: what it offers now, and which calls it runs.

use indexmap::IndexMap;
use rmcp::RoleClient;
use rmcp::model::ProgressToken;
use rmcp::service::Peer;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::length::MESSAGE;
use super::listing::{First, Listing};
use super::{Notice, Spec};
use crate::core::run::Level;
use crate::tools::{Question, Written};

/// How a server stands.
#[derive(Debug, Clone)]
pub(super) enum Standing {
    Starting,
    Up(Arc<Up>),
    Down {
        why: String,
        /// It is being started again.
        again: bool,
    },
}

/// A server that answers.
#[derive(Debug)]
pub(super) struct Up {
    pub(super) peer: Peer<RoleClient>,
    pub(super) listing: Arc<Listing>,
    /// Cancelled by a call that finds that it cannot be reached.
    pub(super) broken: CancellationToken,
}

/// The way from a server to one call that it runs.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) output: mpsc::Sender<Written>,
    pub(super) questions: Option<mpsc::Sender<Question>>,
    /// It has told of its progress.
    pub(super) progress: Arc<AtomicBool>,
    /// The call has its end.
    pub(super) ended: CancellationToken,
    /// A message was too long to be taken in, and no other call can have been answered by it.
    pub(super) too_long: CancellationToken,
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) spec: Spec,
    pub(super) standing: watch::Sender<Standing>,
    /// Its list of tools has changed.
    pub(super) changed: Notify,
    /// Held while a call is sent and noted down, so that what comes of it finds it.
    pub(super) sending: tokio::sync::Mutex<()>,
    /// How many of its questions are open. Meanwhile the time of all its calls stands still.
    pub(super) asked: watch::Sender<usize>,
    /// In the order they were sent.
    lines: Mutex<IndexMap<ProgressToken, Line>>,
    first: Mutex<Option<Arc<First>>>,
    /// What it offered when it last said so.
    last: Mutex<Option<Arc<Listing>>>,
    notices: mpsc::Sender<Notice>,
    /// Goes up with each change of what any server offers.
    version: watch::Sender<u64>,
}

/// Takes a call off the list of those that are open.
pub(super) struct Listed<'a> {
    server: &'a Server,
    token: ProgressToken,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        if let Some(line) = self.server.lines().shift_remove(&self.token) {
            line.ended.cancel();
        }
    }
}

impl Server {
    pub(super) fn new(
        spec: Spec,
        notices: mpsc::Sender<Notice>,
        version: watch::Sender<u64>,
    ) -> Self {
        Self {
            spec,
            standing: watch::Sender::new(Standing::Starting),
            changed: Notify::new(),
            sending: tokio::sync::Mutex::new(()),
            asked: watch::Sender::new(0),
            lines: Mutex::default(),
            first: Mutex::default(),
            last: Mutex::default(),
            notices,
            version,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }

    pub(super) fn tell(&self, level: Level, what: &str) {
        let text = format!("MCP server {}: {what}", self.name());
        tracing::info!(text = crate::core::shown::Shown::label(&text).as_str());
        // Without an agent there is nobody to tell; one that is far behind has enough to read.
        let _ = self.notices.try_send(Notice { level, text });
    }

    pub(super) fn stands(&self, standing: Standing) {
        let next = |version: &mut u64| *version += 1;
        // Before, for whoever waits for it to stand so; after, for whoever looked in between.
        self.version.send_modify(next);
        self.standing.send_replace(standing);
        self.version.send_modify(next);
    }

    /// Waits until it is known whether the server can be used.
    pub(super) async fn settled(&self) {
        let mut standing = self.standing.subscribe();
        let settled = |standing: &Standing| !matches!(standing, Standing::Starting);
        // The sender is here, so the wait ends only with that.
        let _ = standing.wait_for(settled).await;
    }

    pub(super) fn up(&self) -> Option<Arc<Up>> {
        match &*self.standing.borrow() {
            Standing::Up(up) => Some(up.clone()),
            Standing::Starting | Standing::Down { .. } => None,
        }
    }

    /// What it offers: what it said last, also while it is being started again.
    pub(super) fn offers(&self) -> Option<Arc<Listing>> {
        match &*self.standing.borrow() {
            Standing::Up(up) => Some(up.listing.clone()),
            Standing::Down { again: true, .. } => {
                let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
                last.clone()
            }
            Standing::Starting | Standing::Down { again: false, .. } => None,
        }
    }

    /// What it said when it was first asked; that is kept, whoever answers later.
    pub(super) fn first(&self) -> Option<Arc<First>> {
        self.lock_first().clone()
    }

    pub(super) fn keep_first(&self, listing: &Listing) {
        self.lock_first()
            .get_or_insert_with(|| Arc::new(listing.first()));
    }

    /// What it offers now, and what it offered before.
    pub(super) fn keep_last(&self, listing: &Arc<Listing>) -> Option<Arc<Listing>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.replace(listing.clone())
    }

    pub(super) fn list(&self, token: ProgressToken, line: Line) -> Listed<'_> {
        self.lines().insert(token.clone(), line);
        Listed {
            server: self,
            token,
        }
    }

    pub(super) fn line(&self, token: &ProgressToken) -> Option<Line> {
        self.lines().get(token).cloned()
    }

    /// It has sent a message that is not taken in. With several calls open it may be about any of them.
    pub(super) fn was_too_long(&self) {
        let most = MESSAGE / 1024 / 1024;
        let what = format!("sends a message of more than {most} MiB, which is not taken in");
        self.tell(Level::Warning, &what);
        if let [line] = self.open().as_slice() {
            line.too_long.cancel();
        }
    }

    /// The calls that are open now.
    pub(super) fn open(&self) -> Vec<Line> {
        self.lines().values().cloned().collect()
    }

    // No panic can happen while one of these locks is held, so what is behind a poisoned one is sound.
    fn lines(&self) -> MutexGuard<'_, IndexMap<ProgressToken, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_first(&self) -> MutexGuard<'_, Option<Arc<First>>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
