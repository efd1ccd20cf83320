//! A response put together from its entries or events.
//!
//! Owns which calls are to be answered: `pending` is the provider's to run, `allowed` and `denied`
//! are only told, without a status it is ours. Does no I/O.

use super::entry::{CallPiece, Item, ToolPiece, View};
use crate::core::call::CallId;
use crate::provider::content::{Parts, Voice, runs, settled};
use crate::provider::{Reply, Streamed, Wanted};
use indexmap::{IndexMap, IndexSet};

/// The place and name of an entry; neither alone tells entries apart in every stream.
type Key = (u64, String);

/// A response under way.
#[derive(Debug)]
pub(super) struct Response {
    parts: Parts<(Key, u64)>,
    calls: IndexMap<Key, CallPiece>,
    /// Names and arguments of the provider's own tools, and where hand-overs came from.
    tools: IndexMap<Key, ToolPiece>,
    handoffs: IndexMap<Key, String>,
    seen: IndexSet<String>,
}

/// A whole response.
#[derive(Debug)]
pub(super) struct Complete {
    pub reply: Reply,
    /// The ids of its entries, to know them again in the history.
    pub seen: Vec<String>,
    /// What is to be said of calls that nobody has to answer.
    pub told: Vec<Streamed>,
}

impl Response {
    pub fn new() -> Self {
        Self {
            parts: Parts::new(),
            calls: IndexMap::new(),
            tools: IndexMap::new(),
            handoffs: IndexMap::new(),
            seen: IndexSet::new(),
        }
    }

    /// Takes one entry or event in, and says what of it can be shown now.
    pub fn take(&mut self, item: Item<'_>) -> Vec<Streamed> {
        if !item.id.is_empty() {
            self.seen.insert(item.id.clone());
        }
        let key = (item.index, item.id);
        match item.view {
            View::Message { index, content } => runs(&content)
                .into_iter()
                .filter_map(|run| self.parts.streamed((key.clone(), index), run))
                .collect(),
            View::Call(piece) => {
                self.call(key, piece);
                Vec::new()
            }
            View::Tool(piece) => self.tool(key, piece, &item.kind).into_iter().collect(),
            View::Handoff { from, to } => self.handoff(key, from, &to).into_iter().collect(),
            View::Unknown => vec![Streamed::Unknown {
                kind: item.kind,
                raw: item.raw.get().to_owned(),
            }],
            View::Input(_) | View::Started { .. } | View::Done | View::Error { .. } => Vec::new(),
        }
    }

    fn call(&mut self, mut key: Key, piece: CallPiece) {
        if key.1.is_empty() {
            key.1.clone_from(&piece.call);
        }
        let call = self.calls.entry(key).or_default();
        if call.call.is_empty() {
            call.call = piece.call;
        }
        if call.name.is_empty() {
            call.name = piece.name;
        }
        call.arguments.push_str(&piece.arguments);
        call.status = piece.status.or_else(|| call.status.take());
    }

    fn tool(&mut self, key: Key, piece: ToolPiece, kind: &str) -> Option<Streamed> {
        let part = self.parts.number((key.clone(), 0), Voice::Tool);
        let tool = self.tools.entry(key).or_insert_with(|| ToolPiece {
            name: String::new(),
            arguments: String::new(),
            result: None,
        });
        if tool.name.is_empty() {
            tool.name = piece.name;
        }
        tool.arguments.push_str(&piece.arguments);
        if kind == "tool.execution.delta" {
            return None;
        }
        Some(Streamed::Server {
            part,
            tool: tool.name.clone(),
            arguments: tool.arguments.clone(),
            result: piece.result,
        })
    }

    fn handoff(&mut self, key: Key, from: String, to: &str) -> Option<Streamed> {
        if to.is_empty() {
            self.handoffs.insert(key, from);
            return None;
        }
        let from = if from.is_empty() {
            self.handoffs.swap_remove(&key).unwrap_or_default()
        } else {
            from
        };
        Some(Streamed::Note(format!(
            "The conversation was handed over from {} to {}.",
            or_agent(&from),
            or_agent(to)
        )))
    }

    /// The response is complete.
    pub fn finish(self) -> Complete {
        let mut calls: Vec<_> = self.calls.into_iter().collect();
        calls.sort_by_key(|((index, _), _)| *index);
        let mut complete = Complete {
            reply: Reply::default(),
            seen: self.seen.into_iter().collect(),
            told: Vec::new(),
        };
        for (_, call) in calls {
            complete.place(call);
        }
        complete
    }
}

impl Complete {
    fn place(&mut self, call: CallPiece) {
        let held_by_provider = match call.status.as_deref() {
            None => false,
            Some("pending") => true,
            Some("allowed") => return self.note(&call, "was allowed; the provider runs it"),
            Some("denied") => return self.note(&call, "was denied; the provider does not run it"),
            // What an unknown status asks for is unknown too: nothing is run on its word.
            Some(status) => {
                self.told.push(Streamed::Unknown {
                    kind: format!("function.call ({status})"),
                    raw: format!("{} {}", call.name, call.arguments),
                });
                return;
            }
        };
        self.reply.calls.push(Wanted {
            id: CallId(call.call),
            tool: call.name,
            arguments: settled(call.arguments),
            held_by_provider,
        });
    }

    fn note(&mut self, call: &CallPiece, what: &str) {
        let note = format!("The call of {} {what}.", call.name);
        self.told.push(Streamed::Note(note));
    }
}

fn or_agent(name: &str) -> &str {
    if name.is_empty() { "one agent" } else { name }
}
