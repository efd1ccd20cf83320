//! Looking ahead: the calls that a script will certainly make and that policy asks about, put before a person
//! together before the script starts.
//!
//! Owns those questions. Each is about a call that is not made yet: what is decided counts once the script
//! makes that very call, and for no other. Whatever the script does not come to is never run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::row::Row;
use super::within::{Left, Within};
use crate::agent::ask::Asking;
use crate::agent::call::One;
use crate::agent::intake;
use crate::agent::rulings::UnderWay;
use crate::agent::work::{Ended, Work};
use crate::code::Script as Process;
use crate::core::arguments::Arguments;
use crate::core::call::{CallId, Origin};
use crate::core::decision::{How, Ruling};
use crate::core::run::{CallStatus, Outcome};
use crate::core::script::Script;
use crate::core::verdict::Verdict;
use crate::tools::code::{Ahead, Code};

/// What further question it is about a call.
const AHEAD: &str = "ahead";
/// Why such a question leaves.
pub(super) const NOT_MADE: &str = "the script did not make this call";

/// A call that was asked about before it was made.
pub(in crate::agent) struct Foreseen {
    pub(in crate::agent) asking: Asking,
    pub(in crate::agent) ruling: oneshot::Receiver<Result<Ruling, Ended>>,
    pub(in crate::agent) left: Left,
    /// Until the call is made, this says that it is under way.
    under_way: Guard,
    tool: String,
    arguments: Arguments,
}

type Guard = Arc<Mutex<Option<UnderWay>>>;

/// Those of one script.
pub(super) struct Questions {
    calls: BTreeMap<u32, Foreseen>,
    /// Those in whose place the script made another call, or that its call had no need of.
    passed: Vec<(u32, Foreseen)>,
    tasks: JoinSet<()>,
}

/// One of them, on its way.
struct Question {
    work: Work,
    call: CallId,
    tool: String,
    arguments: Arguments,
    within: Within,
}

impl Question {
    const fn one(&self) -> One<'_> {
        One {
            work: &self.work,
            id: &self.call,
            tool: self.tool.as_str(),
            arguments: &self.arguments,
            origin: Origin::Agent,
            within: Some(&self.within),
        }
    }
}

impl Questions {
    pub(super) fn none() -> Self {
        Self {
            calls: BTreeMap::new(),
            passed: Vec::new(),
            tasks: JoinSet::new(),
        }
    }

    /// Asks about what can be foreseen of a script that has not started. Of one that has, what was asked then
    /// is asked again as far as it has no answer.
    pub(super) async fn ask(
        &mut self,
        (one, work): (&One<'_>, &Work),
        (code, text): (&Code, &str),
        row: &Arc<Row>,
    ) {
        if code.tool.ahead == Ahead::No {
            return;
        }
        let mut view = Script {
            outer: one.id.clone(),
            code: text.to_owned(),
            line: None,
            done: Vec::new(),
            printed: String::new(),
        };
        row.stands(Arc::new(view.clone())).await;
        for (number, tool, arguments, line) in foreseen(one, code, text).await {
            view.line = line;
            let within = Within {
                outer: one.id.clone(),
                script: Arc::new(view.clone()),
                row: row.clone(),
                left: Left::default(),
                foreseen: Arc::default(),
            };
            let question = Question {
                work: work.clone(),
                call: one.id.inner(number),
                tool,
                arguments,
                within,
            };
            self.put(number, question).await;
        }
    }

    async fn put(&mut self, number: u32, question: Question) {
        let one = question.one();
        let id = one.id.aside(AHEAD);
        let asking = if let Some(asking) = one.asked_before(&id) {
            asking
        } else {
            let judged = one.weighed().await;
            if judged.verdict != Verdict::Ask || one.is_reviewed(Verdict::Ask) {
                return;
            }
            match one.asking(judged.basis).await {
                Ok(asking) => asking,
                // It will tell so when it is made.
                Err(_) => return,
            }
        };
        let (decide, ruling) = oneshot::channel();
        let guard = Guard::default();
        let foreseen = Foreseen {
            under_way: guard.clone(),
            asking: asking.clone(),
            ruling,
            left: question.within.left.clone(),
            tool: question.tool.clone(),
            arguments: question.arguments.clone(),
        };
        let asked = one.put_before_person(&id, &asking).await;
        let under_way = question.work.rulings.begin();
        *guard.lock().unwrap_or_else(PoisonError::into_inner) = Some(under_way);
        self.tasks.spawn(async move {
            let ruling = match asked {
                Ok(decided) => question.one().ruling(&id, decided).await,
                Err(ended) => Err(ended),
            };
            // A script that never makes the call does not listen.
            let _ = decide.send(ruling);
            made(&guard);
        });
        self.calls.insert(number, foreseen);
    }

    /// The script makes this call now. What was decided on another one of that number counts for nothing.
    pub(super) fn reach(&mut self, number: u32, tool: &str, arguments: &str) -> Option<Foreseen> {
        let foreseen = self.calls.remove(&number)?;
        if foreseen.tool == tool && foreseen.arguments.text() == arguments {
            return Some(foreseen);
        }
        self.pass(number, foreseen);
        None
    }

    /// The script goes on without it.
    pub(super) fn pass(&mut self, number: u32, foreseen: Foreseen) {
        foreseen.left.leave(NOT_MADE);
        self.passed.push((number, foreseen));
    }

    /// The script makes no more calls. Of what was decided for nothing it is told that it was.
    pub(super) async fn leave_all(&mut self, one: &One<'_>) {
        for (number, foreseen) in std::mem::take(&mut self.calls) {
            self.pass(number, foreseen);
        }
        while self.tasks.join_next().await.is_some() {}
        let mut passed = std::mem::take(&mut self.passed);
        passed.sort_by_key(|(number, _)| *number);
        for (number, mut foreseen) in passed {
            // Whoever stops a run decides on none of its calls.
            if let Ok(Ok(ruling)) = foreseen.ruling.try_recv()
                && ruling.how != How::Interrupt
            {
                foreseen.tell_not_made(one, number, &ruling).await;
            }
        }
    }
}

/// The name under which a call was asked about before it was made.
pub(in crate::agent) fn asked(call: &CallId) -> CallId {
    call.aside(AHEAD)
}

fn made(guard: &Guard) {
    guard.lock().unwrap_or_else(PoisonError::into_inner).take();
}

impl Foreseen {
    /// The call is under way by itself now.
    pub(in crate::agent) fn made(&self) {
        made(&self.under_way);
    }

    /// A person decided it, and nothing came of that: it stands beside the calls that were made, under the
    /// name of the question.
    async fn tell_not_made(&self, one: &One<'_>, number: u32, ruling: &Ruling) {
        let work = one.work;
        let call = asked(&one.id.inner(number));
        let said = (self.tool.as_str(), self.arguments.text());
        intake::called((&work.past, &work.reports), &call, Some(one.id), said).await;
        let status = CallStatus::of_ruling(ruling);
        work.reports.status(&call, status).await;
        let why = NOT_MADE.to_owned();
        work.finished(&call, Outcome::Withdrawn { why }).await;
    }
}

/// Number, tool, arguments and line of each call that can be foreseen.
async fn foreseen(
    one: &One<'_>,
    code: &Code,
    text: &str,
) -> Vec<(u32, String, Arguments, Option<u32>)> {
    let past = &one.work.past;
    if past.paused.contains_key(one.id) {
        let asked = past.arrived.iter().filter_map(|(id, call)| {
            let number = id.base().number_within(one.id)?;
            let asks = *id == id.base().aside(AHEAD) && !past.withdrawn.contains_key(id);
            let open = asks && !past.ended.contains_key(&id.base());
            let line = call.script.as_ref().and_then(|script| script.line);
            let asked = (number, call.tool.clone(), call.arguments.clone(), line);
            open.then_some(asked)
        });
        let mut asked: Vec<_> = asked.collect();
        asked.sort_by_key(|(number, ..)| *number);
        return asked;
    }
    let Ok(_slot) = one.slot().await else {
        return Vec::new();
    };
    let tool = &code.tool;
    let look = Process::look_ahead(&tool.program, text, &code.functions, &tool.limits);
    let wanted = tokio::select! {
        biased;
        () = one.work.cancel.cancelled() => return Vec::new(),
        wanted = look => wanted,
    };
    let wanted = wanted.unwrap_or_else(|error| {
        // The script itself will tell what is wrong with it.
        tracing::info!(%error, "a script could not be looked through beforehand");
        Vec::new()
    });
    let known = wanted.into_iter().filter_map(|wanted| {
        let arguments = Arguments::from_value(&wanted.arguments).ok()?;
        let tool = one.work.tools.get(&wanted.tool)?;
        let sound = tool.schema.check(arguments.value()).is_empty();
        let same = past
            .arrived
            .get(&one.id.inner(wanted.number).aside(AHEAD))
            .is_none_or(|call| call.tool == wanted.tool && call.arguments == arguments);
        (sound && same).then_some((wanted.number, wanted.tool, arguments, Some(wanted.line)))
    });
    known.collect()
}
