//! One request to the model: what streams in becomes entries, what fails becomes one line.

use std::collections::HashMap;
use tokio::sync::mpsc;

use super::report::Reports;
use super::{Agent, Stopped};
use crate::core::run::{EntryId, Level, RunCommand, RunEvent, RunState};
use crate::provider::{Append, Fault, Reply, Streamed};

/// Pieces of a response that may wait to be reported.
const PIECES: usize = 256;

pub(super) enum Asked {
    Reply(Reply),
    /// There is no reply; why was reported.
    Failed {
        retry: bool,
    },
    Stopped(Stopped),
}

impl Agent {
    /// Sends `append` and reports what comes. An interrupt drops the request.
    pub(super) async fn ask_model(&mut self, append: &Append) -> Asked {
        self.reports.state(RunState::Thinking).await;
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
        let asked = entries.close(ended).await;
        for text in messages {
            self.message(text).await;
        }
        asked
    }
}

/// The entries that one response has begun.
struct Entries {
    reports: Reports,
    text: HashMap<usize, EntryId>,
    server: HashMap<usize, EntryId>,
}

impl Entries {
    fn new(reports: Reports) -> Self {
        Self {
            reports,
            text: HashMap::new(),
            server: HashMap::new(),
        }
    }

    async fn take(&mut self, piece: Streamed) {
        let reports = &self.reports;
        let event = match piece {
            Streamed::Text { part, piece } => RunEvent::Text {
                entry: *self.text.entry(part).or_insert_with(|| reports.entry()),
                piece,
            },
            Streamed::Thinking { part, piece } => RunEvent::Thinking {
                entry: *self.text.entry(part).or_insert_with(|| reports.entry()),
                piece,
            },
            Streamed::Server {
                part,
                tool,
                arguments,
                result,
            } => {
                let entry = *self.server.entry(part).or_insert_with(|| reports.entry());
                RunEvent::Server {
                    entry,
                    tool,
                    arguments,
                    result,
                }
            }
            Streamed::Unknown { kind, raw } => RunEvent::Unknown {
                entry: reports.entry(),
                kind,
                raw,
            },
            Streamed::Note(text) => RunEvent::Note {
                entry: reports.entry(),
                level: Level::Note,
                text,
            },
        };
        reports.send(event).await;
    }

    /// Ends the entries. Text of a response that did not end counts for nothing, and says so.
    async fn close(self, ended: Result<Result<Reply, Fault>, Stopped>) -> Asked {
        let (asked, why) = match ended {
            Ok(Ok(reply)) => (Asked::Reply(reply), None),
            Ok(Err(fault)) => {
                self.reports.note(Level::Error, fault.what).await;
                (
                    Asked::Failed { retry: fault.retry },
                    Some("the answer was cut; nothing of it counts"),
                )
            }
            Err(stopped) => (
                Asked::Stopped(stopped),
                Some("interrupted; nothing of this answer counts"),
            ),
        };
        let mut begun: Vec<_> = self.text.into_values().collect();
        begun.sort();
        for entry in begun {
            self.reports.send(RunEvent::TextEnded { entry }).await;
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
