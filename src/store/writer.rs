//! The one thread that writes the journal, and the handle to it.
//!
//! Whatever has queued up is written in one transaction, and each caller hears of its step only after
//! that transaction is durable. What nobody waits for waits a moment itself, for the next step that somebody
//! does wait for: one durable write does for both.

use rusqlite::{Connection, TransactionBehavior};
use std::collections::VecDeque;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::announce::{self, Announce, Announced};
use super::place::{self, Held};
use super::sqlite::Appended;
use super::{FILE, Recorded, Step, StoreError, Veil, sqlite};
use crate::core::call::SessionId;
use crate::core::decision::{Expiry, Ruling, Withdrawal};
use crate::core::redact::Redaction;

/// Steps that may wait to be written; beyond that the sender waits.
const QUEUE: usize = 1024;
/// Steps written in one transaction at the most.
const GROUP: usize = 256;
/// How long a step that nobody waits for may wait for one that somebody does.
const COMPANY: Duration = Duration::from_millis(3);

struct Request {
    session: SessionId,
    step: Step,
    haste: Haste,
    answer: oneshot::Sender<Answer>,
}

type Answer = Result<Recorded, StoreError>;

/// How soon a step is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Haste {
    /// Somebody waits for it.
    Now,
    /// Together with what comes next.
    Soon,
}

/// A step that is in the queue.
#[derive(Debug)]
struct Queued(oneshot::Receiver<Answer>);

impl Queued {
    async fn answer(self) -> Answer {
        self.0.await.map_err(|_| StoreError::Closed)?
    }
}

/// A handle to the journal. Cheap to clone; the thread ends when the last one is dropped.
#[derive(Debug, Clone)]
pub struct Journal {
    requests: mpsc::Sender<Request>,
    veil: Arc<Veil>,
    folder: Arc<Path>,
}

/// The writing thread, to be joined at the end.
#[derive(Debug)]
pub struct Writer(JoinHandle<()>);

impl Writer {
    /// Waits until everything is written. All handles must have been dropped.
    pub fn join(self) {
        if self.0.join().is_err() {
            tracing::error!("the journal's thread panicked");
        }
    }
}

impl Journal {
    /// Opens the journal in the data folder, which is created if need be. Nothing in it is redacted.
    pub fn open(folder: &Path) -> Result<(Self, Writer), StoreError> {
        Self::redacting(folder, Redaction::default())
    }

    /// As `open`; what is declared to be secret is sealed.
    pub fn redacting(folder: &Path, declared: Redaction) -> Result<(Self, Writer), StoreError> {
        Self::announcing(folder, declared, None)
    }

    /// As `redacting`; `announce` is told of every step once it is durable.
    pub fn announcing(
        folder: &Path,
        declared: Redaction,
        announce: Option<Box<dyn Announce>>,
    ) -> Result<(Self, Writer), StoreError> {
        // Arguments and results are nobody else's business.
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|source| StoreError::Folder {
            path: folder.to_owned(),
            source,
        })?;
        // To open an empty file would destroy the commits that stand beside it.
        place::is_begun(folder)?;
        let path = folder.join(FILE);
        let connection = sqlite::open(&path)?;
        let held = Held::of(&path);
        let redacts = !declared.is_empty();
        let veil = Arc::new(Veil::new(folder, declared));
        if redacts {
            // Before anything runs that could not be recorded then.
            veil.vault.check(&connection)?;
        }
        let writing = veil.clone();
        let (requests, queue) = mpsc::channel(QUEUE);
        let no_thread = |source| StoreError::Folder {
            path: folder.to_owned(),
            source,
        };
        let pause = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(no_thread)?;
        let mut queue = Queue {
            requests: queue,
            pause,
        };
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || write(connection, &held, &writing, &mut queue, announce))
            .map_err(no_thread)?;
        let journal = Self {
            requests,
            veil,
            folder: folder.into(),
        };
        Ok((journal, Writer(thread)))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What takes the secrets out of whatever this process writes.
    pub const fn veil(&self) -> &Arc<Veil> {
        &self.veil
    }

    /// Records a ruling, if the call has none yet.
    pub async fn record(&self, ruling: Ruling) -> Result<Recorded, StoreError> {
        let session = ruling.key.session.clone();
        self.request(&session, Step::Ruling(Box::new(ruling))).await
    }

    /// Records that nobody decided a call in time, if nobody has.
    pub async fn expire(&self, expiry: Expiry) -> Result<Recorded, StoreError> {
        let session = expiry.key.session.clone();
        self.request(&session, Step::Expired(Box::new(expiry)))
            .await
    }

    /// Records that a call is no longer wanted, if nobody has decided it.
    pub async fn withdraw(&self, withdrawal: Withdrawal) -> Result<Recorded, StoreError> {
        let session = withdrawal.key.session.clone();
        self.request(&session, Step::Withdrawn(Box::new(withdrawal)))
            .await
    }

    /// Writes a step and waits until it is durable. It must not be in the journal yet.
    pub async fn append(&self, session: &SessionId, step: Step) -> Result<(), StoreError> {
        self.request(session, step).await.map(|_| ())
    }

    /// Writes steps in their order and waits until all are durable. If the program is killed meanwhile,
    /// the first of them are there and the rest is not.
    pub async fn append_all(
        &self,
        session: &SessionId,
        steps: impl IntoIterator<Item = Step>,
    ) -> Result<(), StoreError> {
        let steps = steps.into_iter().map(|step| (session.clone(), step));
        self.write_all(steps).await.map(drop)
    }

    /// Records rulings, each if its call has none yet, and waits until all are durable.
    pub async fn record_all(
        &self,
        rulings: impl IntoIterator<Item = Ruling>,
    ) -> Result<Vec<Recorded>, StoreError> {
        let step = |ruling: Ruling| (ruling.key.session.clone(), Step::Ruling(Box::new(ruling)));
        self.write_all(rulings.into_iter().map(step)).await
    }

    /// The last of them is the one that is waited for, so that they are written together.
    async fn write_all(
        &self,
        steps: impl Iterator<Item = (SessionId, Step)>,
    ) -> Result<Vec<Recorded>, StoreError> {
        let mut steps = steps.peekable();
        let (mut waiting, mut recorded) = (VecDeque::new(), Vec::new());
        while let Some((session, step)) = steps.next() {
            let haste = match steps.peek() {
                Some(_) => Haste::Soon,
                None => Haste::Now,
            };
            waiting.push_back(self.queue(&session, step, haste).await?);
            if waiting.len() > QUEUE
                && let Some(first) = waiting.pop_front()
            {
                recorded.push(first.answer().await?);
            }
        }
        for queued in waiting {
            recorded.push(queued.answer().await?);
        }
        Ok(recorded)
    }

    /// Puts a step into the queue without waiting for it: it is written before every later one, but
    /// nothing may depend on it.
    pub async fn note(&self, session: &SessionId, step: Step) {
        if self.queue(session, step, Haste::Soon).await.is_err() {
            tracing::error!("a step came after the journal was closed");
        }
    }

    async fn queue(
        &self,
        session: &SessionId,
        step: Step,
        haste: Haste,
    ) -> Result<Queued, StoreError> {
        let (answer, answered) = oneshot::channel();
        let request = Request {
            session: session.clone(),
            step,
            haste,
            answer,
        };
        let sent = self.requests.send(request).await;
        sent.map(|()| Queued(answered))
            .map_err(|_| StoreError::Closed)
    }

    async fn request(&self, session: &SessionId, step: Step) -> Answer {
        let queued = self.queue(session, step, Haste::Now).await?;
        queued.answer().await
    }
}

/// What is to be written, as the writing thread takes it.
struct Queue {
    requests: mpsc::Receiver<Request>,
    /// Only ever waits.
    pause: Runtime,
}

impl Queue {
    /// Takes what has queued up. False: nothing comes any more.
    fn next(&mut self, group: &mut Vec<Request>) -> bool {
        let Self { requests, pause } = self;
        pause.block_on(gather(requests, group))
    }
}

async fn gather(requests: &mut mpsc::Receiver<Request>, group: &mut Vec<Request>) -> bool {
    if requests.recv_many(group, GROUP).await == 0 {
        return false;
    }
    let until = Instant::now() + COMPANY;
    while group.len() < GROUP && group.iter().all(|request| request.haste == Haste::Soon) {
        let room = GROUP - group.len();
        match timeout_at(until, requests.recv_many(group, room)).await {
            // Nothing comes any more, or nothing came in time.
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
    }
    true
}

fn write(
    mut connection: Connection,
    held: &Held,
    veil: &Veil,
    queue: &mut Queue,
    mut announce: Option<Box<dyn Announce>>,
) {
    let mut group = Vec::new();
    while queue.next(&mut group) {
        // What is written to a file that has lost its name is lost with the process.
        if held.is_in_place() {
            write_group(&mut connection, veil, &mut group, &mut announce);
        } else {
            refuse(&mut group, || held.moved());
        }
    }
}

fn write_group(
    connection: &mut Connection,
    veil: &Veil,
    group: &mut Vec<Request>,
    announce: &mut Option<Box<dyn Announce>>,
) {
    let written = in_transaction(connection, veil, group);
    match written {
        Ok(results) => {
            for (request, result) in group.drain(..).zip(results) {
                let result = result.map(|appended| {
                    if let Some(announce) = announce {
                        tell(announce.as_mut(), &request, &appended);
                    }
                    appended.recorded
                });
                // Nobody waits for a note, nor any more for a step of a task that was stopped.
                if let Err(Err(error)) = request.answer.send(result) {
                    tracing::error!(%error, kind = request.step.kind(), "a step could not be recorded");
                }
            }
        }
        Err(error) => refuse(group, || StoreError::writing(&error)),
    }
}

fn refuse(group: &mut Vec<Request>, why: impl Fn() -> StoreError) {
    tracing::error!(error = %why(), "the journal cannot be written");
    for request in group.drain(..) {
        let _ = request.answer.send(Err(why()));
    }
}

/// Tells of a step that is durable now.
fn tell(announce: &mut dyn Announce, request: &Request, appended: &Appended) {
    if appended.recorded != Recorded::Now {
        return;
    }
    announce.announce(Announced {
        seq: appended.seq,
        at: appended.at,
        session: &request.session,
        step: appended.veiled.as_ref().unwrap_or(&request.step),
        digest: announce::digest(&request.step).as_ref(),
    });
}

/// One transaction for all. If it fails as a whole, none of the steps is recorded.
fn in_transaction(
    connection: &mut Connection,
    veil: &Veil,
    group: &[Request],
) -> rusqlite::Result<Vec<Result<Appended, StoreError>>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut results = Vec::with_capacity(group.len());
    for request in group {
        results.push(sqlite::append(
            &transaction,
            veil,
            &request.session,
            &request.step,
        ));
        if transaction.is_autocommit() {
            // A full disk, say, has undone all of it; what came next would be written on its own.
            break;
        }
    }
    transaction.commit()?;
    Ok(results)
}
