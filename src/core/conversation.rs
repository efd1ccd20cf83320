//! One session's conversation as the screen shows it: a projection of the run's events.
//!
//! Owns entries and calls in the order they came. Decides nothing and draws nothing.

use indexmap::IndexMap;

use super::arguments::Arguments;
use super::call::{Answer, CallId};
use super::changes::Changes;
use super::output::{Output, Stream};
use super::review::Review;
use super::run::{CallStatus, EntryId, Level, Outcome, RunEvent, TextKind};
use super::time::Ticks;

/// One item of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    User {
        text: String,
    },
    Agent {
        text: String,
        open: bool,
    },
    Thinking {
        text: String,
        open: bool,
    },
    Call(CallId),
    Server {
        tool: String,
        arguments: String,
        result: Option<String>,
    },
    Unknown {
        kind: String,
        raw: String,
    },
    Note {
        level: Level,
        text: String,
    },
}

impl Entry {
    /// Whether it is a text that is still coming in.
    pub const fn is_open(&self) -> bool {
        match self {
            Self::Agent { open, .. } | Self::Thinking { open, .. } => *open,
            Self::User { .. }
            | Self::Call(_)
            | Self::Server { .. }
            | Self::Unknown { .. }
            | Self::Note { .. } => false,
        }
    }
}

/// An entry with its name and how often it has changed, so that a layout of it can be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub id: EntryId,
    pub revision: u32,
    pub entry: Entry,
}

/// One call, from the model's wish to its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    pub entry: EntryId,
    /// The call that runs the script which made this one; `None` for a call of the model.
    pub parent: Option<CallId>,
    pub tool: String,
    /// The exact text the model wrote.
    pub arguments: String,
    pub status: CallStatus,
    /// The arguments that a person put in place of the model's own.
    pub edited: Option<Arguments>,
    /// What reviewers said of it.
    pub reviews: Vec<Review>,
    /// What was decided and by whom, once a person has.
    pub decided: Option<(Answer, String)>,
    /// When the status last changed.
    pub since: Ticks,
    /// Milliseconds it ran, once finished.
    pub took: Option<u64>,
    pub output: Output,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    items: Vec<Item>,
    calls: IndexMap<CallId, CallRecord>,
    running: usize,
    changes: Changes,
}

impl Conversation {
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    pub fn calls(&self) -> &IndexMap<CallId, CallRecord> {
        &self.calls
    }

    /// How many calls run now.
    pub const fn running(&self) -> usize {
        self.running
    }

    /// How often it may have changed since it began.
    pub const fn changes(&self) -> u64 {
        self.changes.count()
    }

    pub fn call(&self, id: &CallId) -> Option<&CallRecord> {
        self.calls.get(id)
    }

    /// The place of an entry in `items`.
    pub fn position(&self, id: EntryId) -> Option<usize> {
        self.items.binary_search_by_key(&id, |item| item.id).ok()
    }

    /// Takes in one event of the run. Events that do not concern the conversation change nothing.
    pub fn apply(&mut self, now: Ticks, event: &RunEvent) {
        self.changes.another();
        match event {
            RunEvent::User { entry, text } => self.push(*entry, Entry::User { text: text.clone() }),
            RunEvent::Text { entry, piece } => self.stream(*entry, piece, TextKind::Answer),
            RunEvent::Thinking { entry, piece } => self.stream(*entry, piece, TextKind::Thinking),
            RunEvent::TextEnded { entry, kind, text } => self.end_text(*entry, *kind, text),
            RunEvent::Called {
                entry,
                call,
                parent,
                tool,
                arguments,
            } => {
                let record = CallRecord {
                    entry: *entry,
                    parent: parent.clone(),
                    tool: tool.clone(),
                    arguments: arguments.clone(),
                    status: CallStatus::Proposed,
                    edited: None,
                    reviews: Vec::new(),
                    decided: None,
                    since: now,
                    took: None,
                    output: Output::default(),
                };
                self.called(call, record);
            }
            RunEvent::Status { call, status } => self.set_status(now, call, status),
            RunEvent::Output { call, stream, text } => {
                if let Some(record) = self.calls.get_mut(call) {
                    record.output.push(*stream, text);
                }
            }
            RunEvent::Server {
                entry,
                tool,
                arguments,
                result,
            } => {
                self.server(*entry, tool, arguments, result.as_deref());
            }
            RunEvent::Unknown { entry, kind, raw } => {
                self.push(
                    *entry,
                    Entry::Unknown {
                        kind: kind.clone(),
                        raw: raw.clone(),
                    },
                );
            }
            RunEvent::Note { entry, level, text } => {
                self.push(
                    *entry,
                    Entry::Note {
                        level: *level,
                        text: text.clone(),
                    },
                );
            }
            RunEvent::Discarded { entry, why } => self.discard(*entry, why),
            RunEvent::Reviewed { call, reviews } => self.reviewed(call, reviews),
            RunEvent::Began { .. }
            | RunEvent::Expired { .. }
            | RunEvent::State(_)
            | RunEvent::Arrived(_)
            | RunEvent::Stands { .. }
            | RunEvent::Withdrawn { .. } => {}
        }
    }

    /// Adds an entry at its place: tools that run at the same time may report out of order. One that
    /// is there already is replaced.
    fn push(&mut self, id: EntryId, entry: Entry) {
        match self.items.binary_search_by_key(&id, |item| item.id) {
            Ok(_) => self.change(id, |old| *old = entry),
            Err(at) => self.items.insert(
                at,
                Item {
                    id,
                    revision: 0,
                    entry,
                },
            ),
        }
    }

    fn change(&mut self, id: EntryId, change: impl FnOnce(&mut Entry)) {
        if let Some(at) = self.position(id) {
            let item = &mut self.items[at];
            item.revision += 1;
            change(&mut item.entry);
        }
    }

    fn stream(&mut self, id: EntryId, piece: &str, kind: TextKind) {
        if self.position(id).is_none() {
            self.push(id, begun(kind));
        }
        self.change(id, |entry| {
            if let Entry::Agent { text, .. } | Entry::Thinking { text, .. } = entry {
                text.push_str(piece);
            }
        });
    }

    /// The whole text stands in for its pieces: some may have been missed, or all of them.
    fn end_text(&mut self, id: EntryId, kind: TextKind, whole: &str) {
        if self.position(id).is_none() {
            self.push(id, begun(kind));
        }
        self.change(id, |entry| {
            if let Entry::Agent { text, open } | Entry::Thinking { text, open } = entry {
                whole.clone_into(text);
                *open = false;
            }
        });
    }

    fn discard(&mut self, id: EntryId, why: &str) {
        self.change(id, |entry| match entry {
            Entry::Agent { text, .. } | Entry::Thinking { text, .. } => {
                let text = format!("{text}\n[{why}]");
                *entry = Entry::Note {
                    level: Level::Warning,
                    text,
                };
            }
            Entry::User { .. }
            | Entry::Call(_)
            | Entry::Server { .. }
            | Entry::Unknown { .. }
            | Entry::Note { .. } => {}
        });
    }

    fn called(&mut self, call: &CallId, record: CallRecord) {
        self.push(record.entry, Entry::Call(call.clone()));
        // Told again to a console that came later: what is known of the call stays.
        self.calls.entry(call.clone()).or_insert(record);
    }

    fn set_status(&mut self, now: Ticks, call: &CallId, status: &CallStatus) {
        let Some(record) = self.calls.get_mut(call) else {
            return;
        };
        match status {
            CallStatus::Decided { answer, by, edited } => {
                record.decided = Some((*answer, by.clone()));
                record.edited.clone_from(edited);
            }
            CallStatus::Finished { outcome } => {
                if record.status == CallStatus::Running {
                    record.took = Some(now.since(record.since));
                }
                record.output.end_row();
                if let (true, Some((stream, text))) = (record.output.is_empty(), text_of(outcome)) {
                    record.output.push(stream, text);
                    record.output.end_row();
                }
            }
            CallStatus::Proposed
            | CallStatus::Reviewing { .. }
            | CallStatus::Waiting
            | CallStatus::Running
            | CallStatus::Confirmed => {}
        }
        let (ran, runs) = (
            record.status == CallStatus::Running,
            *status == CallStatus::Running,
        );
        self.running = self.running + usize::from(runs) - usize::from(ran);
        record.status = status.clone();
        record.since = now;
        let entry = record.entry;
        self.change(entry, |_| {});
    }

    fn reviewed(&mut self, call: &CallId, reviews: &[Review]) {
        let Some(record) = self.calls.get_mut(call) else {
            return;
        };
        record.reviews = reviews.to_vec();
        let entry = record.entry;
        self.change(entry, |_| {});
    }

    fn server(&mut self, id: EntryId, tool: &str, arguments: &str, result: Option<&str>) {
        let entry = Entry::Server {
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
            result: result.map(ToOwned::to_owned),
        };
        self.push(id, entry);
    }
}

/// What the output pane shows of a call that wrote nothing by itself.
fn text_of(outcome: &Outcome) -> Option<(Stream, &str)> {
    match outcome {
        Outcome::Result { text } | Outcome::Responded { result: text } => Some((Stream::Out, text)),
        Outcome::Failed { message } | Outcome::Refused { fault: message } => {
            Some((Stream::Err, message))
        }
        Outcome::Denied { .. }
        | Outcome::Rejected { .. }
        | Outcome::SentBack { .. }
        | Outcome::Withdrawn { .. }
        | Outcome::Interrupted
        | Outcome::Expired { .. } => None,
    }
}

const fn begun(kind: TextKind) -> Entry {
    match kind {
        TextKind::Answer => Entry::Agent {
            text: String::new(),
            open: true,
        },
        TextKind::Thinking => Entry::Thinking {
            text: String::new(),
            open: true,
        },
    }
}
