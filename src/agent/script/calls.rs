//! The calls that a script made: taken in, opened together, and their answers.
//!
//! Owns their names. Each goes the way of every call, in a task of its own.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use tokio::task::{JoinError, JoinSet};

use super::ahead::{self, Questions};
use super::row::{Listener, Row};
use super::within::{Left, Within};
use super::{Cut, told};
use crate::agent::call::{self, One, Opened};
use crate::agent::intake::{self, Taken};
use crate::agent::rulings::UnderWay;
use crate::agent::work::{Ended, Work};
use crate::code::{Pause, Reply, Wanted};
use crate::core::arguments::Arguments;
use crate::core::call::CallId;
use crate::core::run::Outcome;
use crate::core::script::{Done, Script};
use crate::core::told as core_told;
use crate::tools::code::Code;

pub(super) struct Calls<'a> {
    one: &'a One<'a>,
    code: &'a Code,
    text: &'a str,
    /// What they work with; they can be stopped by themselves.
    work: Work,
    row: Arc<Row>,
    tasks: JoinSet<(u32, Ended, UnderWay)>,
    names: HashMap<tokio::task::Id, u32>,
    ahead: Questions,
    /// All that this process has opened, by their numbers.
    opened: BTreeMap<u32, Call>,
}

/// One of them.
struct Call {
    id: CallId,
    tool: String,
    arguments: String,
    left: Left,
    ended: Option<Ended>,
}

impl<'a> Calls<'a> {
    pub(super) fn of(one: &'a One<'a>, code: &'a Code, text: &'a str) -> (Self, Listener) {
        let (row, listener) = Row::of(one);
        let calls = Self {
            one,
            code,
            text,
            work: Work {
                cancel: one.work.cancel.child_token(),
                ..one.work.clone()
            },
            row,
            tasks: JoinSet::new(),
            names: HashMap::new(),
            ahead: Questions::none(),
            opened: BTreeMap::new(),
        };
        (calls, listener)
    }

    pub(super) fn row(&self) -> &Arc<Row> {
        &self.row
    }

    /// Asks about what can be foreseen, if that is to be done.
    pub(super) async fn look_ahead(&mut self) {
        let (of, script) = ((self.one, &self.work), (self.code, self.text));
        self.ahead.ask(of, script, &self.row).await;
    }

    /// Opens the calls of a pause that are not open yet, all of them before any is waited for. Those that
    /// the script waited for before and does no longer are left.
    pub(super) async fn open(&mut self, pause: &Pause) -> Result<(), Cut> {
        for (number, call) in &self.opened {
            if call.ended.is_none() && !pause.calls.iter().any(|wanted| wanted.number == *number) {
                call.left.leave(told::LEFT);
            }
        }
        let stands = self.stands(pause).await;
        let at = |line| {
            Arc::new(Script {
                line: Some(line),
                ..Script::clone(&stands)
            })
        };
        let mut wanted: Vec<_> = pause
            .calls
            .iter()
            .filter(|wanted| !self.opened.contains_key(&wanted.number))
            .map(|wanted| (wanted, at(wanted.line)))
            .collect();
        wanted.sort_by_key(|(wanted, _)| wanted.number);
        for (wanted, script) in &wanted {
            self.same_as_before(wanted)?;
            self.open_one(wanted, script.clone()).await;
        }
        self.row.settle().await;
        Ok(())
    }

    /// Where the script stands and what it has done: told to its row, from which everybody has it.
    pub(super) async fn stands(&self, pause: &Pause) -> Arc<Script> {
        let stands = Arc::new(Script {
            outer: self.one.id.clone(),
            code: self.text.to_owned(),
            line: Some(pause.line),
            done: self.done(),
            printed: pause.printed.clone(),
        });
        self.row.stands(stands.clone()).await;
        stands
    }

    /// What the journal holds of a call must be of this very call: its result would go to another one
    /// otherwise.
    fn same_as_before(&self, wanted: &Wanted) -> Result<(), Cut> {
        let id = self.one.id.inner(wanted.number);
        let Some((tool, arguments)) = self.work.past.called.get(&id) else {
            return Ok(());
        };
        let now = intake::shown_arguments(&wanted.arguments.to_string());
        if *tool == wanted.tool && *arguments == now {
            return Ok(());
        }
        Err(Cut::Fault(format!(
            "the script was stopped: its call {} is another one than the journal holds",
            wanted.number
        )))
    }

    async fn open_one(&mut self, wanted: &Wanted, script: Arc<Script>) {
        let left = Left::default();
        let within = Within {
            outer: self.one.id.clone(),
            script,
            row: self.row.clone(),
            left: left.clone(),
            foreseen: Arc::default(),
        };
        let arguments = wanted.arguments.to_string();
        let foreseen = self.ahead.reach(wanted.number, &wanted.tool, &arguments);
        *within
            .foreseen
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = foreseen;
        let known = self
            .code
            .functions
            .iter()
            .any(|function| function.tool == wanted.tool);
        let taken = intake::of_script(&self.work, wanted, known, within).await;
        let call = Call {
            id: taken.id.clone(),
            tool: taken.tool.clone(),
            arguments,
            left,
            ended: None,
        };
        let opened = call::open(&self.work, &taken).await;
        // Policy says something else by now, or it cannot run at all.
        if let Some(foreseen) = taken.within.as_ref().and_then(Within::foreseen) {
            self.ahead.pass(wanted.number, foreseen);
        }
        let under_way = self.work.rulings.begin();
        let (number, seen) = (
            wanted.number,
            seen_through(self.work.clone(), taken, opened),
        );
        let task = self
            .tasks
            .spawn(async move { (number, seen.await, under_way) });
        self.names.insert(task.id(), number);
        self.opened.insert(number, call);
    }

    /// The answers that the script waits for, as far as they are there.
    pub(super) fn replies(&self, pause: &Pause) -> Vec<(u32, Reply)> {
        let reply = |wanted: &Wanted| {
            let call = self.opened.get(&wanted.number)?;
            let reply = told::reply(&call.tool, &call.ended.as_ref()?.outcome)?;
            Some((wanted.number, reply))
        };
        let takes = |wanted: &&Wanted| pause.takes.contains(&wanted.number);
        pause.calls.iter().filter(takes).filter_map(reply).collect()
    }

    /// Withdraws the calls that the journal has waiting from before and that were not made again: a script
    /// that could not go on comes to none of them.
    pub(super) async fn forsake(&self) {
        let past = &self.work.past;
        let waits = |id: &&CallId| {
            let number = id.number_within(self.one.id);
            let decided = past.rulings.contains_key(*id) || past.expired.contains_key(*id);
            let over = decided || past.ended.contains_key(*id);
            number.is_some_and(|number| !self.opened.contains_key(&number)) && !over
        };
        for call in past.arrived.keys().filter(waits) {
            let ended = self.work.withdraw(call, told::LEFT.to_owned()).await;
            self.work.finished(call, ended.outcome).await;
        }
    }

    pub(super) fn may_still_answer(&self, pause: &Pause) -> bool {
        let open = |wanted: &Wanted| {
            let call = self.opened.get(&wanted.number);
            call.is_some_and(|call| call.ended.is_none())
        };
        pause.calls.iter().any(open)
    }

    /// Waits until one more is over. What is given says that it was under way.
    pub(super) async fn next(&mut self) -> Option<UnderWay> {
        match self.tasks.join_next_with_id().await {
            Some(over) => self.take(over).await,
            None => std::future::pending().await,
        }
    }

    async fn take(
        &mut self,
        over: Result<(tokio::task::Id, (u32, Ended, UnderWay)), JoinError>,
    ) -> Option<UnderWay> {
        let (number, ended, under_way) = match over {
            Ok((_, (number, ended, under_way))) => (number, ended, Some(under_way)),
            // Nobody stops such a task but a program that ends, and then nothing may be recorded of it.
            Err(error) if error.is_cancelled() => std::future::pending().await,
            Err(error) => {
                tracing::error!(%error, "the task of a script's call failed");
                let number = self.names.remove(&error.id())?;
                let id = self.one.id.inner(number);
                self.work.rulings.forget(&id);
                let ended = Ended::lost();
                self.work.finished(&id, ended.outcome.clone()).await;
                (number, ended, None)
            }
        };
        if let Some(call) = self.opened.get_mut(&number) {
            call.ended = Some(ended);
        }
        under_way
    }

    /// The script waits for none of them any more.
    pub(super) fn leave_all(&self, why: &str) {
        for call in self.opened.values().filter(|call| call.ended.is_none()) {
            call.left.leave(why);
        }
    }

    /// As `leave_all`, and those that run are stopped.
    pub(super) fn stop(&self, why: &str) {
        self.leave_all(why);
        self.work.cancel.cancel();
    }

    /// Waits until all of them are over.
    pub(super) async fn finish(&mut self) {
        self.ahead.leave_all(self.one).await;
        while let Some(over) = self.tasks.join_next_with_id().await {
            self.take(over).await;
        }
    }

    /// The calls that are over, of this process and of those before it.
    fn done(&self) -> Vec<Done> {
        let past = &self.work.past;
        let mut done = BTreeMap::new();
        for (id, (tool, arguments)) in &past.called {
            if let (Some(number), Some(outcome)) =
                (id.number_within(self.one.id), past.ended.get(id))
            {
                let ended = Ended::recorded(outcome.clone());
                done.insert(number, in_words(tool, arguments, &ended));
            }
        }
        for (number, call) in &self.opened {
            if let Some(ended) = &call.ended {
                done.insert(*number, in_words(&call.tool, &call.arguments, ended));
            }
        }
        done.into_values().collect()
    }

    /// What a model has to know of the calls that its script need not have told: what was changed.
    pub(super) fn edited(&self) -> Option<String> {
        let past = &self.work.past;
        let mut edited = BTreeMap::new();
        for (id, (tool, _)) in &past.called {
            let Some(number) = id.number_within(self.one.id) else {
                continue;
            };
            let ran = matches!(past.ended.get(id), Some(Outcome::Result { .. }));
            let ruling = [id.clone(), ahead::asked(id)]
                .iter()
                .find_map(|id| past.rulings.get(id));
            if let Some(arguments) = ruling.and_then(|ruling| ruling.decision.edited())
                && ran
            {
                edited.insert(number, changed(id, tool, arguments, None));
            }
        }
        for (number, call) in &self.opened {
            let ended = call.ended.as_ref();
            if let Some((arguments, by)) = ended.and_then(|ended| ended.edited.as_ref()) {
                let told = changed(&call.id, &call.tool, arguments, by.as_deref());
                edited.insert(*number, told);
            }
        }
        let edited: Vec<_> = edited.into_values().collect();
        (!edited.is_empty()).then(|| edited.join("\n"))
    }

    /// All the calls of a script that was ended, and what they came to.
    pub(super) fn made(&self) -> Option<String> {
        let made = self.done().into_iter().map(|done| {
            let Done {
                tool,
                arguments,
                came,
                ..
            } = done;
            format!("{tool} {arguments}: {came}")
        });
        let made: Vec<_> = made.collect();
        let told = (!made.is_empty()).then(|| format!("Its calls:\n{}", made.join("\n")));
        let all: Vec<_> = told.into_iter().chain(self.edited()).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }
}

fn changed(id: &CallId, tool: &str, arguments: &Arguments, by: Option<&str>) -> String {
    let told = core_told::edited(arguments, by);
    format!("Call {id}, {tool}: {}", told.trim_end())
}

fn in_words(tool: &str, arguments: &str, ended: &Ended) -> Done {
    let given = told::given(tool, &ended.outcome);
    Done::new(tool, arguments, told::came(ended), &given)
}

/// Boxed, since a call may run a script and a script makes calls.
fn seen_through(
    work: Work,
    taken: Taken,
    opened: Opened,
) -> Pin<Box<dyn Future<Output = Ended> + Send>> {
    Box::pin(async move { call::see_through(&work, &taken, opened).await })
}
