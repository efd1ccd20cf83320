//! Sessions that are opened while the console runs: listed, begun, gone on with or joined.
//!
//! Owns the way from a choice to a session that can be shown, all of it away from the loop: reading the
//! journal, the disk and other processes may take its time. What became of it is an event.

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::UnixStream;

use super::agents::Start;
use super::assemble::{self, Ground, Unfit};
use super::clock::Clock;
use super::host::Host;
use super::remote;
use crate::app::event::Opened;
use crate::config::sources::Sources;
use crate::config::{self, Config};
use crate::core::call::SessionId;
use crate::core::name::quoted;
use crate::core::run::RunEvent;
use crate::core::session::{Home, SavedSession, Session};
use crate::core::time::Ticks;
use crate::store::lease::{Lease, Owner};
use crate::store::projection::Projection;
use crate::store::reading::SessionRow;
use crate::store::{Journal, Reader, StoreError};

/// What sessions are opened from.
#[derive(Clone)]
pub struct Opener {
    pub config: Arc<Config>,
    pub sources: Arc<Sources>,
    pub journal: Journal,
    pub clock: Clock,
}

/// How an opened session goes on.
pub(super) enum Way {
    /// Its agent is to be started here.
    Run(Box<Start>),
    /// Another process runs it.
    Watch(UnixStream),
}

/// What came of something that was asked for.
pub(super) enum Came {
    Listed(Result<Vec<SavedSession>, String>),
    Opened(Result<(Box<Opened>, Way), String>),
}

/// What is under way.
pub(super) struct Opening {
    opener: Opener,
    under_way: FuturesUnordered<BoxFuture<'static, Came>>,
}

impl Opening {
    pub(super) fn new(opener: Opener) -> Self {
        Self {
            opener,
            under_way: FuturesUnordered::new(),
        }
    }

    pub(super) fn list(&self) {
        let opener = self.opener.clone();
        let list = async move { Came::Listed(aside(move || opener.list()).await) };
        self.under_way.push(Box::pin(list));
    }

    pub(super) fn start(&self, agent: String) {
        let opener = self.opener.clone();
        let start = async move { Came::Opened(aside(move || opener.begin(&agent)).await) };
        self.under_way.push(Box::pin(start));
    }

    pub(super) fn open(&self, session: SessionId) {
        let opener = self.opener.clone();
        let open = async move { Came::Opened(opener.open(session).await) };
        self.under_way.push(Box::pin(open));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// The next one that ended. To be awaited only while there is one.
    pub(super) async fn next(&mut self) -> Option<Came> {
        self.under_way.next().await
    }
}

/// Does what may block on a thread of its own.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(format!("it could not be opened ({error}); see the log")))
}

impl Opener {
    fn folder(&self) -> &Path {
        &self.config.data_dir
    }

    fn list(&self) -> Result<Vec<SavedSession>, String> {
        let rows = Reader::open(self.folder()).and_then(|reader| reader.sessions());
        let rows = rows.map_err(|error| error.to_string())?.into_iter();
        // Deferred state is nothing to go on with here, unless some console has it open.
        let saved = rows.map(|row| (row.file.is_some(), self.saved(row)));
        let there = |(file, saved): &(bool, SavedSession)| !file || saved.owner.is_some();
        Ok(saved.filter(there).map(|(_, saved)| saved).collect())
    }

    fn saved(&self, row: SessionRow) -> SavedSession {
        let owner = Lease::owner(self.folder(), &row.id).map(|owner| owner.words);
        SavedSession {
            unknown: if owner.is_none() { row.begun } else { 0 },
            owner,
            id: row.id,
            agent: row.agent,
            model: row.model,
            last: row.last,
            pending: row.pending,
        }
    }

    fn ground<'a>(&'a self, config: &'a Config, sources: &'a Sources) -> Ground<'a> {
        Ground {
            config,
            sources,
            journal: &self.journal,
        }
    }

    fn begin(&self, agent: &str) -> Result<(Box<Opened>, Way), String> {
        let told = |unfit: Unfit| format!("{} cannot be started: {unfit}", quoted(agent));
        let ground = self.ground(&self.config, &self.sources);
        let configured = ground
            .config
            .agent(Some(agent))
            .map_err(|mistake| told(Unfit::Mistakes(vec![mistake])))?;
        let start = assemble::begin(ground, configured, None).map_err(told)?;
        let opened = of_start(&start, self.clock.now().ticks);
        Ok((Box::new(opened), Way::Run(Box::new(start))))
    }

    /// Goes on with a session here, or joins the process that runs it.
    async fn open(self, session: SessionId) -> Result<(Box<Opened>, Way), String> {
        let (folder, id) = (self.folder().to_owned(), session.clone());
        let owner = aside(move || Ok(Lease::owner(&folder, &id))).await?;
        let Some(owner) = owner else {
            return aside(move || self.resume(&session)).await;
        };
        let connection = self.join(&owner).await?;
        // Read after connecting: what happens in between comes twice, and counts once.
        let opened = aside(move || self.watched(&session)).await?;
        Ok((Box::new(opened), Way::Watch(connection)))
    }

    async fn join(&self, owner: &Owner) -> Result<UnixStream, String> {
        let words = &owner.words;
        let own = Host::path(self.folder());
        let Some(socket) = owner.socket.as_ref().filter(|socket| **socket != own) else {
            return Err(format!(
                "the session is run by {words}, where no other console can join in; end it there first"
            ));
        };
        remote::connect(socket).await.map_err(|error| {
            format!("the session is run by {words}, which cannot be joined ({error}); end it there first")
        })
    }

    fn watched(&self, session: &SessionId) -> Result<Opened, String> {
        let told = |error: StoreError| error.to_string();
        let reader = Reader::open(self.folder()).map_err(told)?;
        let reader = reader.for_journal(&self.journal);
        let row = row(&reader, session)?;
        // What is decided here is written here: what is secret there must be so.
        if let Some(file) = self.other_file(&row) {
            let (config, _) = self.load(file).map_err(|unfit| cannot(&row, &unfit))?;
            self.journal.veil().declare(&config.redaction);
        }
        let steps = reader.steps(session, 0).map_err(told)?;
        Ok(of_row(&row, Projection::of(&steps), self.clock.now().ticks))
    }

    /// The configuration that a session was begun with, if it is not ours.
    fn other_file<'a>(&self, row: &'a SessionRow) -> Option<&'a PathBuf> {
        let own = row.config.as_ref();
        own.filter(|own| self.config.file.as_ref() != Some(own))
    }

    fn load(&self, file: &Path) -> Result<(Config, Sources), Unfit> {
        let mut sources = Sources::clone(&self.sources);
        sources.config = Some(file.to_owned());
        Ok((config::load(&sources)?, sources))
    }

    fn resume(&self, session: &SessionId) -> Result<(Box<Opened>, Way), String> {
        let told = |error: StoreError| error.to_string();
        let row = row(&Reader::open(self.folder()).map_err(told)?, session)?;
        if let Some(file) = &row.file {
            return Err(format!(
                "this is the deferred state of {file}; to decide it, give it to `countersign decide` again"
            ));
        }
        let own = self.other_file(&row);
        let (config, sources) = match own {
            None => (Arc::clone(&self.config), Arc::clone(&self.sources)),
            // Its tools and its rules are those that it was begun with.
            Some(file) => {
                let (config, sources) = self.load(file).map_err(|unfit| cannot(&row, &unfit))?;
                self.journal.veil().declare(&config.redaction);
                (Arc::new(config), Arc::new(sources))
            }
        };
        let ground = self.ground(&config, &sources);
        let start = config
            .agent(Some(&row.agent))
            .map_err(|mistake| Unfit::Mistakes(vec![mistake]))
            .and_then(|agent| assemble::resume(ground, agent, session));
        let start = start.map_err(|unfit| cannot(&row, &unfit))?;
        let mut opened = of_start(&start, self.clock.now().ticks);
        opened.note = own.map(|file| {
            let file = file.display();
            format!("opened with the configuration it was begun with, {file}: its tools and rules")
        });
        Ok((Box::new(opened), Way::Run(Box::new(start))))
    }
}

fn cannot(row: &SessionRow, unfit: &Unfit) -> String {
    format!(
        "the session of {} cannot be opened: {unfit}",
        quoted(&row.agent)
    )
}

fn row(reader: &Reader, session: &SessionId) -> Result<SessionRow, String> {
    let rows = reader.sessions().map_err(|error| error.to_string())?;
    let row = rows.into_iter().find(|row| row.id == *session);
    row.ok_or_else(|| format!("the journal has no session {session} any more; open the list again"))
}

/// A session of ours as the journal shows it: a new one is empty.
pub fn of_start(start: &Start, now: Ticks) -> Opened {
    let parts = &start.parts;
    let session = Session::new(
        parts.session.clone(),
        parts.name.clone(),
        parts.model.clone(),
    );
    let saved = start.saved.as_ref();
    let projection = saved.map(|saved| saved.projection.clone());
    opened_as(session, projection.unwrap_or_default(), now)
}

/// A session that another process runs, as the journal shows it.
pub fn of_row(row: &SessionRow, projection: Projection, now: Ticks) -> Opened {
    let mut session = Session::new(row.id.clone(), row.agent.clone(), row.model.clone());
    session.home = Home::Elsewhere;
    opened_as(session, projection, now)
}

/// What these events would have made of it, without the loop having to see them all.
pub fn opened_as(mut session: Session, projection: Projection, now: Ticks) -> Opened {
    let mut calls = Vec::new();
    for event in projection.events {
        match event {
            RunEvent::Arrived(call) => calls.push(*call),
            event => session.apply(now, &event),
        }
    }
    Opened {
        session,
        calls,
        note: None,
    }
}
