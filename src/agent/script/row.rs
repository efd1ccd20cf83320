//! The row of a script that waits: the question about the call that runs it, beside those about the calls
//! that it made.
//!
//! Owns when that row is there: from before the first of those calls is put before a person until none of
//! them waits any more. It leaves by itself, so nobody has to decide it.

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc, oneshot};

use crate::agent::ask::Asking;
use crate::agent::call::One;
use crate::agent::work::{Ended, Work};
use crate::core::arguments::Arguments;
use crate::core::call::{Answers, CallId, Origin};
use crate::core::decision::{Ruling, Withdrawal};
use crate::core::run::{CallStatus, Level, RunEvent};
use crate::core::script::Script;
use crate::core::verdict::Basis;
use crate::store::Recorded;

/// Rows whose rulings may wait to be listened to.
const ROWS: usize = 16;
/// Why a row leaves.
const WENT_ON: &str = "the script goes on";

/// The row of one script. Shared by the calls it made.
pub(in crate::agent) struct Row {
    work: Work,
    id: CallId,
    tool: String,
    arguments: Arguments,
    state: Mutex<State>,
    /// To whoever drives the script.
    rows: mpsc::Sender<oneshot::Receiver<Ruling>>,
}

struct State {
    /// Calls that are put before a person now.
    waiting: usize,
    /// The row that is there.
    asked: Option<CallId>,
    /// The number of the newest row.
    number: u32,
    /// The newest row is there since before the program stopped.
    left_over: bool,
    /// Where the script stands.
    script: Option<Arc<Script>>,
}

/// Hears of what is decided on a script's rows.
pub(in crate::agent) struct Listener {
    rows: mpsc::Receiver<oneshot::Receiver<Ruling>>,
    asked: FuturesUnordered<oneshot::Receiver<Ruling>>,
}

impl Row {
    pub(super) fn of(one: &One<'_>) -> (Arc<Self>, Listener) {
        let (rows, listener) = mpsc::channel(ROWS);
        let past = &one.work.past;
        let names = (1..).map(|number| name(one.id, number));
        let there = names.take_while(|row| past.arrived.contains_key(row));
        let number = u32::try_from(there.count()).unwrap_or(u32::MAX);
        let newest = name(one.id, number);
        let row = Self {
            work: one.work.clone(),
            id: one.id.clone(),
            tool: one.tool.to_owned(),
            arguments: one.arguments.clone(),
            state: Mutex::new(State {
                waiting: 0,
                asked: None,
                number,
                left_over: number > 0 && !past.withdrawn.contains_key(&newest),
                script: None,
            }),
            rows,
        };
        let listener = Listener {
            rows: listener,
            asked: FuturesUnordered::new(),
        };
        (Arc::new(row), listener)
    }

    /// What was decided on one of the rows before the program stopped.
    pub(super) fn ruled_before(&self) -> Option<Ruling> {
        let past = &self.work.past;
        (1..)
            .map(|number| name(&self.id, number))
            .take_while(|row| past.arrived.contains_key(row))
            .find_map(|row| past.rulings.get(&row).cloned())
    }

    /// The script stands there now. A row that is there says so from now on.
    pub(super) async fn stands(&self, script: Arc<Script>) {
        let mut state = self.state.lock().await;
        if state.script.as_ref() == Some(&script) {
            return;
        }
        state.script = Some(script.clone());
        if let Some(call) = state.asked.clone() {
            let event = RunEvent::Stands { call, script };
            self.work.reports.send(event).await;
        }
    }

    /// A call of the script is about to be put before a person: so is the script, before it.
    pub(in crate::agent) async fn enter(&self) -> Result<(), Ended> {
        let mut state = self.state.lock().await;
        if state.asked.is_none() {
            if !std::mem::take(&mut state.left_over) {
                state.number += 1;
            }
            let id = name(&self.id, state.number);
            let mut asking = Asking::plain(Basis::Script, Answers::script());
            asking.script.clone_from(&state.script);
            let one = One {
                work: &self.work,
                id: &self.id,
                tool: &self.tool,
                arguments: &self.arguments,
                origin: Origin::Agent,
                within: None,
            };
            let decided = Box::pin(one.put_before_person(&id, &asking)).await?;
            // Nobody listens any more once the script has ended, and then nothing waits.
            let _ = self.rows.send(decided.into_ruling()).await;
            state.asked = Some(id);
        }
        state.waiting += 1;
        Ok(())
    }

    /// A call of the script is before a person no more.
    pub(in crate::agent) async fn leave(&self) {
        let mut state = self.state.lock().await;
        state.waiting = state.waiting.saturating_sub(1);
        if state.waiting == 0 {
            self.withdraw(&mut state).await;
        }
    }

    /// Takes the row away if no call of the script is before a person. Whether a ruling was first.
    pub(super) async fn settle(&self) -> bool {
        let mut state = self.state.lock().await;
        state.waiting == 0 && self.withdraw(&mut state).await
    }

    /// Whether a person is asked.
    pub(super) async fn is_there(&self) -> bool {
        self.state.lock().await.asked.is_some()
    }

    fn why(&self) -> &'static str {
        if self.work.cancel.is_cancelled() {
            Withdrawal::INTERRUPTED
        } else {
            WENT_ON
        }
    }

    /// Whoever is first in the journal counts, as everywhere.
    async fn withdraw(&self, state: &mut State) -> bool {
        let left_over = std::mem::take(&mut state.left_over);
        let row = state
            .asked
            .take()
            .or_else(|| left_over.then(|| name(&self.id, state.number)));
        let Some(call) = row else {
            return false;
        };
        let key = self.work.key(&call);
        let why = self.why().to_owned();
        match self.work.journal.withdraw(Withdrawal { key, why }).await {
            Ok(Recorded::Before { .. }) => return true,
            Ok(Recorded::Now) => {}
            Err(error) => {
                let text = format!("that a script goes on could not be recorded: {error}");
                self.work.reports.note(Level::Error, text).await;
            }
        }
        self.work.rulings.forget(&call);
        let why = self.why().to_owned();
        let event = RunEvent::Withdrawn { call, why };
        self.work.reports.send(event).await;
        self.work
            .reports
            .status(&self.id, CallStatus::Running)
            .await;
        false
    }
}

impl Listener {
    /// The ruling on a row, once there is one. May be dropped at any time.
    pub(super) async fn ruled(&mut self) -> Ruling {
        loop {
            tokio::select! {
                biased;
                Some(row) = self.rows.recv() => self.asked.push(row),
                decided = self.asked.next(), if !self.asked.is_empty() => {
                    // A row that has left takes no ruling.
                    if let Some(Ok(ruling)) = decided {
                        return ruling;
                    }
                }
                else => std::future::pending().await,
            }
        }
    }
}

fn name(outer: &CallId, number: u32) -> CallId {
    outer.aside(&format!("script-{number}"))
}
