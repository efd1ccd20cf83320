//! The servers of one agent: started together, and ended with it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, watch};
use tokio_util::task::AbortOnDropHandle;

use super::call::{self, Wanted};
use super::keep::keep;
use super::naming::Names;
use super::server::Server;
use super::{Notice, Spec};
use crate::core::digest::Digest;
use crate::core::run::Ran;
use crate::tools::{Job, Tool, Written};

/// Notices that may wait to be shown. They are all in the log.
const NOTICES: usize = 256;

/// Dropping it ends every server and all that they started.
#[derive(Debug)]
pub struct Servers {
    all: Vec<Arc<Server>>,
    folder: PathBuf,
    names: Mutex<Names>,
    version: watch::Sender<u64>,
    notices: Mutex<Option<mpsc::Receiver<Notice>>>,
    tasks: Mutex<Vec<AbortOnDropHandle<()>>>,
}

/// A tool of a server, as it was when it was listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    server: usize,
    tool: String,
    print: Digest,
}

impl Servers {
    /// Servers that are yet to be started. `taken` are the names of tools that are not theirs.
    pub fn new(specs: Vec<Spec>, folder: &Path, taken: impl IntoIterator<Item = String>) -> Self {
        let (tell, notices) = mpsc::channel(NOTICES);
        let version = watch::Sender::new(0);
        let server = |spec| Arc::new(Server::new(spec, tell.clone(), version.clone()));
        Self {
            all: specs.into_iter().map(server).collect(),
            folder: folder.to_owned(),
            names: Mutex::new(Names::without(taken)),
            version,
            notices: Mutex::new(Some(notices)),
            tasks: Mutex::default(),
        }
    }

    pub const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Starts all of them; what the operator should know comes out of the channel. Only the first time.
    pub fn start(&self) -> Option<mpsc::Receiver<Notice>> {
        let notices = lock(&self.notices).take()?;
        let keep = |server: &Arc<Server>| {
            let task = tokio::spawn(keep(server.clone(), self.folder.clone()));
            AbortOnDropHandle::new(task)
        };
        lock(&self.tasks).extend(self.all.iter().map(keep));
        Some(notices)
    }

    /// Waits until each is up or is known not to be. Each has its own patience.
    pub async fn settled(&self) {
        for server in &self.all {
            server.settled().await;
        }
    }

    /// Goes up with each change of what is offered.
    pub fn version(&self) -> u64 {
        *self.version.borrow()
    }

    /// All that is offered now.
    pub(in crate::tools) fn offered(&self) -> Vec<(Tool, Remote)> {
        let mut offered = Vec::new();
        for (number, server) in self.all.iter().enumerate() {
            let Some(listing) = server.offers() else {
                continue;
            };
            offered.extend(listing.offered.iter().map(|(name, found)| {
                let remote = Remote {
                    server: number,
                    tool: name.clone(),
                    print: found.print.clone(),
                };
                (found.tool.clone(), remote)
            }));
        }
        offered
    }

    /// What each server that is there offers, by the names that rules know.
    pub fn names(&self) -> Vec<(String, Vec<String>)> {
        let there = self.all.iter().filter_map(|server| {
            let listing = server.offers()?;
            let tools = listing.offered.values();
            let names = tools.map(|offered| offered.tool.name.clone()).collect();
            Some((server.name().to_owned(), names))
        });
        there.collect()
    }

    /// What a model calls the tool.
    pub(in crate::tools) fn for_model(&self, remote: &Remote) -> String {
        let server = self.all.get(remote.server);
        let server = server.map(|server| server.name()).unwrap_or_default();
        lock(&self.names).for_model(server, &remote.tool)
    }

    /// The tool that a model means.
    pub fn of_model(&self, name: &str) -> String {
        lock(&self.names).of_model(name)
    }

    pub(in crate::tools) async fn run(
        &self,
        remote: &Remote,
        job: &Job,
        output: &mpsc::Sender<Written>,
    ) -> Ran {
        let Some(server) = self.all.get(remote.server) else {
            return Ran::Failed(format!("there is no tool named {}", job.tool));
        };
        let wanted = Wanted {
            tool: &remote.tool,
            print: &remote.print,
        };
        call::call(server, wanted, job, output).await
    }
}

// No panic can happen while one of these locks is held, so what is behind a poisoned one is sound.
fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
