//! Telling other systems what happens: each step that is in the journal, as a line of JSON.
//!
//! Owns the form of these lines and the ways they take: a file, a program that reads them, an address.
//! Whoever is told is never waited for: a line that finds no room is dropped, and how many were is told
//! in their place. Decides nothing, and is told nothing that the journal does not have.

mod file;
mod inbox;
mod post;
mod program;
mod shape;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::core::call::SessionId;
use crate::store::Step;
use crate::store::announce::{Announce, Announced};
use inbox::{Inbox, Outbox};
pub use post::Webhook;

/// How long the last lines may take at the end of the program.
const GRACE: Duration = Duration::from_secs(2);

/// Where events go.
#[derive(Debug, Clone, Default)]
pub struct Places {
    pub file: Option<PathBuf>,
    /// A program, by its path, and its arguments.
    pub command: Option<Vec<String>>,
    /// Where the program runs.
    pub directory: PathBuf,
    /// Variables that it is not to see: the keys of models.
    pub hidden: Vec<String>,
    pub webhook: Option<Webhook>,
}

/// One way, on a thread of its own.
struct Sink {
    outbox: Outbox,
    /// Closed once everything is delivered.
    done: Receiver<()>,
}

struct Announcer {
    sinks: Vec<Sink>,
    /// The sessions that this process runs.
    sessions: BTreeSet<SessionId>,
}

/// Whoever tells these places; `None` if there are none. `Err`: a thread could not be started.
pub fn announcer(places: Places) -> std::io::Result<Option<Box<dyn Announce>>> {
    let mut sinks = Vec::new();
    if let Some(path) = places.file {
        sinks.push(sink("events-file", move |inbox| file::run(&path, inbox))?);
    }
    if let Some(command) = places.command {
        let program = program::Program {
            command,
            directory: places.directory,
            hidden: places.hidden,
        };
        sinks.push(sink("events-program", move |inbox| program.run(inbox))?);
    }
    if let Some(webhook) = places.webhook {
        sinks.push(sink("events-webhook", move |inbox| webhook.run(inbox))?);
    }
    if sinks.is_empty() {
        return Ok(None);
    }
    let sessions = BTreeSet::new();
    Ok(Some(Box::new(Announcer { sinks, sessions })))
}

fn sink(name: &str, run: impl FnOnce(Inbox) + Send + 'static) -> std::io::Result<Sink> {
    let (outbox, inbox) = inbox::pair();
    let (ended, done) = channel();
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            run(inbox);
            drop(ended);
        })?;
    Ok(Sink { outbox, done })
}

impl Announcer {
    fn tell(&self, line: &str) {
        for sink in &self.sinks {
            sink.outbox.put(line);
        }
    }
}

impl Announce for Announcer {
    fn announce(&mut self, announced: Announced<'_>) {
        // Rulings are also written by consoles on sessions that other processes run.
        let runs = matches!(announced.step, Step::Session { .. } | Step::Event(_));
        if runs && !self.sessions.contains(announced.session) {
            self.sessions.insert(announced.session.clone());
        }
        if let Some(line) = shape::line(announced) {
            self.tell(&line);
        }
    }
}

/// Nothing more can be recorded. The last lines have a moment to arrive.
impl Drop for Announcer {
    fn drop(&mut self) {
        for session in std::mem::take(&mut self.sessions) {
            self.tell(&shape::left(&session));
        }
        let until = Instant::now() + GRACE;
        let waiting: Vec<_> = self.sinks.drain(..).map(|sink| sink.done).collect();
        for done in waiting {
            let left = until.saturating_duration_since(Instant::now());
            if done.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                tracing::warn!("some events were not delivered before the program ended");
            }
        }
    }
}
