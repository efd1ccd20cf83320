//! One request to the model: what streams in becomes entries, what fails becomes one line.

use std::collections::{BTreeMap, HashMap};
use tokio::sync::mpsc;

use super::report::Reports;
use super::{Agent, Stopped};
use crate::core::exchange::{Append, Reply, Wanted};
use crate::core::run::{EntryId, Level, RunCommand, RunEvent, RunState, TextKind};
use crate::provider::{Fault, Streamed};
use crate::store::Step;
use crate::store::step::Named;

/// Pieces of a response that may wait to be reported.
const PIECES: usize = 256;

pub(super) enum Asked {
    /// The calls the model wants, under the names they have here. They are in the journal.
    Calls(Vec<Named>),
    /// There is no reply; why was reported.
    Failed {
        retry: bool,
    },
    Stopped(Stopped),
}

impl Agent {
    /// Sends `append` and reports what comes. An interrupt drops the request. What is sent is recorded
    /// before, the calls that come back are recorded before any of them is looked at.
    pub(super) async fn ask_model(&mut self, append: &Append) -> Asked {
        self.reports.state(RunState::Thinking).await;
        let step = Step::Sent {
            append: append.clone(),
        };
        if let Err(error) = self.parts.journal.append(&self.parts.session, step).await {
            self.reports
                .note(Level::Error, format!("not sent: {error}"))
                .await;
            return Asked::Failed { retry: true };
        }
        match self.exchange(append).await {
            Ok(reply) => self.named(reply).await,
            Err(asked) => asked,
        }
    }

    /// Gives the calls of a response their names, and records them.
    async fn named(&mut self, reply: Reply) -> Asked {
        let name = |wanted: Wanted| Named {
            id: self.own_id(&wanted.id),
            wanted,
        };
        let calls: Vec<_> = reply.calls.into_iter().map(name).collect();
        let suspension = self.parts.provider.suspension();
        let step = Step::Replied {
            calls: calls.clone(),
            suspension,
        };
        match self.parts.journal.append(&self.parts.session, step).await {
            Ok(()) => Asked::Calls(calls),
            Err(error) => {
                let text = format!(
                    "the model's answer could not be recorded, so nothing of it runs: {error}"
                );
                self.reports.note(Level::Error, text).await;
                Asked::Failed { retry: true }
            }
        }
    }

    /// The response, or why there is none.
    async fn exchange(&mut self, append: &Append) -> Result<Reply, Asked> {
        let (out, mut pieces) = mpsc::channel(PIECES);
        let mut entries = Entries::new(self.reports.clone());
        let mut messages = Vec::new();
        let ended = {
            let request = self.parts.provider.respond(append, &out);
            tokio::pin!(request);
            loop {
                tokio::select! {
                    biased;
                    command = self.commands.recv() => match command {
                        None => break Err(Stopped::Closed),
                        Some(RunCommand::Interrupt) => break Err(Stopped::Interrupted),
                        Some(RunCommand::Message { text }) => messages.push(text),
                        // Neither means anything while no call waits and nothing has failed.
                        Some(RunCommand::Ruling(_) | RunCommand::Retry) => {}
                    },
                    Some(piece) = pieces.recv() => entries.take(piece).await,
                    reply = &mut request => break Ok(reply),
                }
            }
        };
        while let Ok(piece) = pieces.try_recv() {
            entries.take(piece).await;
        }
        if let Ok(Ok(reply)) = &ended {
            // What the model says beside its calls is written before them.
            for Wanted {
                tool, arguments, ..
            } in &self.own_names(reply.clone()).calls
            {
                self.parts.journal.veil().heed(tool, arguments);
            }
        }
        let asked = entries
            .close(ended)
            .await
            .map(|reply| self.own_names(reply));
        for text in messages {
            self.message(text).await;
        }
        asked
    }

    /// The calls under the names that tools have here.
    fn own_names(&self, mut reply: Reply) -> Reply {
        if let Some(servers) = self.parts.tools.servers() {
            for wanted in &mut reply.calls {
                wanted.tool = servers.of_model(&wanted.tool);
            }
        }
        reply
    }
}

/// The entries that one response has begun.
struct Entries {
    reports: Reports,
    /// By the number of the part; in the order of the parts.
    text: BTreeMap<usize, Streaming>,
    server: HashMap<usize, EntryId>,
}

/// A text that is being streamed.
struct Streaming {
    entry: EntryId,
    kind: TextKind,
    text: String,
}

impl Entries {
    fn new(reports: Reports) -> Self {
        Self {
            reports,
            text: BTreeMap::new(),
            server: HashMap::new(),
        }
    }

    async fn take(&mut self, piece: Streamed) {
        let event = match piece {
            Streamed::Text { part, piece } => RunEvent::Text {
                entry: self.add(part, TextKind::Answer, &piece),
                piece,
            },
            Streamed::Thinking { part, piece } => RunEvent::Thinking {
                entry: self.add(part, TextKind::Thinking, &piece),
                piece,
            },
            Streamed::Server {
                part,
                tool,
                arguments,
                result,
            } => {
                let entry = *self
                    .server
                    .entry(part)
                    .or_insert_with(|| self.reports.entry());
                RunEvent::Server {
                    entry,
                    tool,
                    arguments,
                    result,
                }
            }
            Streamed::Unknown { kind, raw } => RunEvent::Unknown {
                entry: self.reports.entry(),
                kind,
                raw,
            },
            Streamed::Note(text) => RunEvent::Note {
                entry: self.reports.entry(),
                level: Level::Note,
                text,
            },
        };
        self.reports.send(event).await;
    }

    /// Adds a piece to its text and names the entry it belongs to.
    fn add(&mut self, part: usize, kind: TextKind, piece: &str) -> EntryId {
        let reports = &self.reports;
        let begin = || Streaming {
            entry: reports.entry(),
            kind,
            text: String::new(),
        };
        let text = self.text.entry(part).or_insert_with(begin);
        text.text.push_str(piece);
        text.entry
    }

    /// Ends the entries. Text of a response that did not end counts for nothing, and says so.
    async fn close(self, ended: Result<Result<Reply, Fault>, Stopped>) -> Result<Reply, Asked> {
        let (asked, why) = match ended {
            Ok(Ok(reply)) => (Ok(reply), None),
            Ok(Err(fault)) => {
                self.reports.note(Level::Error, fault.what).await;
                let why = "the answer was cut; nothing of it counts";
                (Err(Asked::Failed { retry: fault.retry }), Some(why))
            }
            Err(stopped) => {
                let why = "interrupted; nothing of this answer counts";
                (Err(Asked::Stopped(stopped)), Some(why))
            }
        };
        for Streaming { entry, kind, text } in self.text.into_values() {
            self.reports
                .send(RunEvent::TextEnded { entry, kind, text })
                .await;
            if let Some(why) = why {
                self.reports
                    .send(RunEvent::Discarded {
                        entry,
                        why: why.to_owned(),
                    })
                    .await;
            }
        }
        asked
    }
}
