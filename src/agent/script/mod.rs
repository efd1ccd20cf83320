//! Code mode: a script of the model, from its start to its end.
//!
//! Owns the order in which nothing is lost and nothing runs twice: a pause is written before its calls are
//! opened, and each of them goes the way of every call. How a script is run, and what it is kept as, is in
//! `crate::code`; the row that shows that it waits is in `row`.

mod ahead;
mod calls;
mod pace;
mod printout;
mod row;
mod told;
mod within;

use serde_json::Value;

use super::call::One;
use super::work::{Ended, Place};
use crate::code::{Fault, Pause, Stand};
use crate::core::arguments::Arguments;
use crate::core::decision::Ruling;
use crate::core::exchange::Came;
use crate::core::output::Stream;
use crate::core::run::{CallStatus, Level, Outcome};
use crate::store::Step;
use crate::tools::Ran;
use crate::tools::code::Code;
pub(super) use ahead::{Foreseen, asked as asked_ahead};
use calls::Calls;
use pace::Process;
use row::Listener;
pub(super) use row::Row;
pub(super) use within::Within;

/// Why a script is not gone on with.
enum Cut {
    Interrupted,
    /// A person has ended it.
    Ruled(Box<Ruling>),
    /// It cannot be gone on with; in words.
    Fault(String),
}

impl From<Fault> for Cut {
    fn from(fault: Fault) -> Self {
        Self::Fault(told::stopped(&fault))
    }
}

/// One script under way.
struct Running<'a> {
    one: &'a One<'a>,
    process: Process<'a>,
    calls: Calls<'a>,
    listener: Listener,
}

/// Runs the script of a call, or goes on with it where the journal says it stood.
pub(super) async fn run(
    one: &One<'_>,
    code: &Code,
    attempt: u32,
    (place, came): (Place, Came),
) -> Ended {
    let execution = (one.id.clone(), attempt);
    if let Some(ran) = one.work.past.finished.get(&execution) {
        return Ended::ran(ran, place, came);
    }
    if !one.work.past.started.contains(&execution)
        && let Err(error) = begin(one, attempt).await
    {
        return Ended::unrecorded(&error);
    }
    one.work.reports.status(one.id, CallStatus::Running).await;
    let mut running = Running::of(one, code);
    let mut end = running.drive().await;
    if let Some(ruling) = running.close(&end).await {
        end = Err(Cut::Ruled(ruling));
    }
    let also = match &end {
        Ok(_) | Err(Cut::Interrupted) => running.calls.edited(),
        // The script itself tells nothing of what it has done.
        Err(Cut::Ruled(_) | Cut::Fault(_)) => running.calls.made(),
    };
    let ended = match end {
        Ok(ran) => finish(one, attempt, ran, (place, came)).await,
        Err(Cut::Fault(why)) => finish(one, attempt, Ran::Failed(why), (place, came)).await,
        Err(Cut::Interrupted) => finish(one, attempt, Ran::Interrupted, (place, came)).await,
        Err(Cut::Ruled(ruling)) => {
            let status = CallStatus::of_ruling(&ruling);
            one.work.reports.status(one.id, status).await;
            Ended::not_run(&ruling)
        }
    };
    Ended { also, ..ended }
}

async fn begin(one: &One<'_>, attempt: u32) -> Result<(), String> {
    let step = Step::Started {
        call: one.id.clone(),
        attempt,
        digest: one.arguments.digest(one.tool),
    };
    let begun = one.work.journal.append(&one.work.session, step).await;
    begun.map_err(|error| error.to_string())
}

async fn finish(one: &One<'_>, attempt: u32, ran: Ran, (place, came): (Place, Came)) -> Ended {
    let step = Step::Finished {
        call: one.id.clone(),
        attempt,
        ran: ran.clone(),
    };
    if let Err(error) = one.work.journal.append(&one.work.session, step).await {
        let text = format!("a script has ended, but that could not be recorded: {error}");
        one.work.reports.note(Level::Error, text).await;
    }
    if matches!(ran, Ran::Interrupted) {
        return Ended::plain(place, Came::Failed, Outcome::Interrupted);
    }
    Ended::ran(&ran, place, came)
}

impl<'a> Running<'a> {
    fn of(one: &'a One<'a>, code: &'a Code) -> Self {
        let (calls, listener) = Calls::of(one, code, text(one.arguments));
        Self {
            one,
            process: Process::of(one, code, text(one.arguments)),
            calls,
            listener,
        }
    }

    async fn drive(&mut self) -> Result<Ran, Cut> {
        if let Some(ruling) = self.calls.row().ruled_before() {
            return Err(Cut::Ruled(Box::new(ruling)));
        }
        self.calls.look_ahead().await;
        let mut stand = self.process.begin().await?;
        loop {
            stand = match stand {
                Stand::Paused(pause) => {
                    self.process.printout().show(&pause.printed).await;
                    self.process.keep(&pause).await?;
                    self.calls.open(&pause).await?;
                    let replies = self.replies(&pause).await?;
                    self.process.go_on(&pause, replies).await?
                }
                Stand::Done { result, printed } => {
                    let end = result.to_string();
                    let printout = self.process.printout();
                    printout.show_end(&printed, Stream::Out, &end).await;
                    return Ok(Ran::Result(told::done(&result, &printed)));
                }
                Stand::Failed { traceback, printed } => {
                    let printout = self.process.printout();
                    printout.show_end(&printed, Stream::Err, &traceback).await;
                    return Ok(Ran::Failed(told::failed(&traceback, &printed)));
                }
            }
        }
    }

    /// Waits until some of the calls that the script waits for have their answers. The process of a script
    /// that waits for a person is not kept for long.
    async fn replies(&mut self, pause: &Pause) -> Result<Vec<(u32, crate::code::Reply)>, Cut> {
        let Self {
            one,
            process,
            calls,
            listener,
            ..
        } = self;
        // The script itself does nothing meanwhile; what was done counts until it goes on.
        let mut over = Vec::new();
        let rest = one.work.rulings.rest();
        loop {
            let replies = calls.replies(pause);
            if !replies.is_empty() {
                drop(rest);
                drop(over);
                return Ok(replies);
            }
            if !calls.may_still_answer(pause) {
                let why = "the script waits for calls that have no answer and will get none";
                return Err(Cut::Fault(why.to_owned()));
            }
            tokio::select! {
                biased;
                () = one.work.cancel.cancelled() => return Err(Cut::Interrupted),
                ruling = listener.ruled() => return Err(Cut::Ruled(Box::new(ruling))),
                under_way = calls.next() => {
                    over.extend(under_way);
                    calls.stands(pause).await;
                }
                () = process.linger() => process.rest(calls.row()).await,
            }
        }
    }

    /// Leaves nothing of it behind: calls that nobody was asked about are not asked about any more, those
    /// that run are waited for, and a row that is there leaves. A ruling on the row that was first counts.
    async fn close(&mut self, end: &Result<Ran, Cut>) -> Option<Box<Ruling>> {
        self.process.stop();
        match end {
            Ok(_) | Err(Cut::Fault(_)) => self.calls.leave_all(told::LEFT),
            Err(Cut::Ruled(_)) => self.calls.stop("its script was ended"),
            // Each call hears of that by itself.
            Err(Cut::Interrupted) => {}
        }
        self.calls.finish().await;
        self.calls.forsake().await;
        let was_ruled = self.calls.row().settle().await;
        match end {
            Ok(_) | Err(Cut::Fault(_)) if was_ruled => tokio::select! {
                biased;
                ruling = self.listener.ruled() => Some(Box::new(ruling)),
                () = self.one.work.cancel.cancelled() => None,
            },
            Ok(_) | Err(_) => None,
        }
    }
}

/// The script in a call's arguments.
fn text(arguments: &Arguments) -> &str {
    let code = arguments.value().get("code").and_then(Value::as_str);
    code.unwrap_or_default()
}
