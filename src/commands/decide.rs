//! `countersign decide`: deferred state of other frameworks in, their results out.
//!
//! Owns the order of things: everything is read and checked before anything is recorded, everything is
//! decided and recorded before anything is written, and a result file is written whole or not at all.

mod alone;
mod given;
mod places;

use anyhow::Context as _;
use clap::Args;
use countersign::app::state::Leaves;
use countersign::core::count;
use countersign::core::shown::Shown;
use countersign::runtime::deferred::{Again, Desk, Entered, Refused};
use countersign::term::{NoTerminal, tty};
use std::fs::File;
use std::path::PathBuf;

use super::console::{Cast, Form, Plainly, show};
use super::opened::{Opened, failed};
use super::{Stop, tell};
use alone::Ready;
use given::Given;
use places::Place;

#[derive(Debug, Args)]
pub(crate) struct DecideFlags {
    /// The files with the deferred state; standard input if none is named, or for `-`.
    files: Vec<PathBuf>,
    /// Where the results go: a file for each state, in their order, or one folder. Without it, one
    /// state's results go to standard output, several go beside their files as NAME.decided.json.
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// The form of the state, where it cannot be told: mistral, pydantic-ai, langchain, openai-agents,
    /// agent-framework or native.
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
    #[command(flatten)]
    ready: ReadyFlags,
    /// Write what is decided even if some calls are not, where the framework goes on with a part.
    #[arg(long)]
    partial: bool,
    /// Decide a state once more whose results were written before.
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    plainly: Plainly,
}

/// Decisions that need no screen: at most one of these.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct ReadyFlags {
    /// Decisions made elsewhere, as a JSON file; see the README.
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Approve every call as it stands.
    #[arg(long)]
    approve_all: bool,
    /// Reject every call, for this reason.
    #[arg(long, value_name = "REASON")]
    reject_all: Option<String>,
}

pub(crate) fn decide(config: Option<PathBuf>, flags: &DecideFlags) -> Result<(), Stop> {
    let given = given::read(&flags.files, flags.format.as_deref())?;
    let places = places::of(&given, &flags.out)?;
    let ready = flags.ready.read()?;
    let form = Form::of(&flags.plainly);
    if let Some(ready) = &ready {
        ready.check(&given)?;
    }
    // Before anything is recorded; the screen needs it, and what standard output was is still needed.
    let output = if ready.is_some() {
        None
    } else {
        Some(terminal(form)?)
    };
    let opened = Opened::for_states(config)?;
    let means = Means {
        ready: ready.as_ref(),
        again: if flags.again { Again::Yes } else { Again::No },
        form,
    };
    let done = decide_on(&opened, given, means).and_then(|states| {
        let written = hand_over(&opened, &states, &places, output, flags.partial);
        drop(states);
        written
    });
    opened.close();
    done
}

/// The terminal takes the place of standard input and output, where they are none.
fn terminal(form: Form) -> Result<File, Stop> {
    let taken = tty::take().map_err(|none: NoTerminal| Stop::BadInput(vec![none.to_string()]))?;
    form.check()?;
    Ok(taken)
}

/// How the states get decided.
#[derive(Clone, Copy)]
struct Means<'a> {
    ready: Option<&'a Ready>,
    again: Again,
    form: Form,
}

/// Enters the states into the journal and gets them decided, on the screen or without.
fn decide_on(opened: &Opened, given: Vec<Given>, means: Means<'_>) -> Result<Vec<Entered>, Stop> {
    let desk = Desk {
        folder: &opened.config.data_dir,
        journal: &opened.journal,
        again: means.again,
    };
    let mut states = waiting_for(async {
        let mut states = Vec::with_capacity(given.len());
        for Given { name, imported } in given {
            let entered = desk.enter(name.clone(), imported).await;
            states.push(entered.map_err(|refused| told(&name, refused))?);
        }
        Ok(states)
    })?;
    for state in &states {
        for warning in &state.imported.warnings {
            tell(&format!("{}: {}", state.file, Shown::label(warning)));
        }
        tell_before(state);
    }
    match means.ready {
        Some(ready) => waiting_for(async {
            ready.record(&opened.journal, &states).await?;
            for state in &states {
                let settled = state.settle(&opened.journal, &opened.config.data_dir);
                settled.await.map_err(failed)?;
            }
            Ok(())
        })?,
        None if states.iter().all(|state| state.open().is_empty()) => {}
        None => show(
            opened,
            Cast {
                states: &mut states,
                leaves: Leaves::WhenDecided,
                form: means.form,
                ..Cast::default()
            },
        )?,
    }
    Ok(states)
}

fn told(name: &str, refused: Refused) -> Stop {
    match refused {
        Refused::HandedOver(_) | Refused::Held(_) => {
            Stop::BadInput(vec![format!("{name}: {refused}")])
        }
        Refused::Store(error) => failed(error),
    }
}

/// What an earlier try has recorded still counts.
fn tell_before(state: &Entered) {
    let (before, all) = (state.before.len(), state.imported.asked());
    if before > 0 {
        tell(&format!(
            "{}: {} of {} calls were decided before, and stay so",
            state.file,
            count::number(before),
            count::number(all)
        ));
    }
}

/// Writes the results of each state, or says what is missing.
fn hand_over(
    opened: &Opened,
    states: &[Entered],
    places: &[Place],
    mut output: Option<File>,
    partial: bool,
) -> Result<(), Stop> {
    let mut open = 0;
    let mut expired = 0;
    for (state, place) in states.iter().zip(places) {
        let outcome = state.outcome(&opened.config.data_dir).map_err(failed)?;
        let decided = outcome.decided;
        let answered = decided.iter().map(|one| one.call.clone()).collect();
        let left = state.imported.unanswered(&answered).count();
        open += left;
        expired += outcome.expired;
        if left > 0 && (!partial || decided.is_empty()) {
            continue;
        }
        if left > 0 && !state.imported.takes_a_part() {
            tell(&format!(
                "{}: nothing is written: {} goes on only with an answer to each call",
                state.file,
                state.imported.format()
            ));
            continue;
        }
        let results = state.imported.results(&decided);
        let results = results.context("cannot make the results")?;
        let mut text = serde_json::to_vec_pretty(&results).context("cannot lay out the results")?;
        text.push(b'\n');
        let ready = place.prepare(&text)?;
        let to = place.to_string();
        let hand_over = state.hand_over(&opened.journal, &to, decided.len());
        waiting_for(async { hand_over.await.map_err(failed) })?;
        ready.write(output.as_mut(), &text)?;
    }
    match open {
        0 => Ok(()),
        open => {
            let calls = count::of(open, "call is", "calls are");
            Err(undecided(&calls, expired, states))
        }
    }
}

fn undecided(calls: &str, expired: usize, states: &[Entered]) -> Stop {
    let total: usize = states.iter().map(|state| state.imported.asked()).sum();
    let late = match expired {
        0 => String::new(),
        1 => " (1 has expired and can no longer be decided)".to_owned(),
        many => format!(
            " ({} have expired and can no longer be decided)",
            count::number(many)
        ),
    };
    let on = match states {
        [only] if only.file != "-" => format!("`countersign decide {}` goes on", only.file),
        _ => "give `countersign decide` the same again to go on".to_owned(),
    };
    Stop::Deferred(format!(
        "{calls} undecided, of {}{late}; what was decided is recorded: {on}",
        count::number(total)
    ))
}

/// Does what has to wait for the journal.
fn waiting_for<T>(work: impl Future<Output = Result<T, Stop>>) -> Result<T, Stop> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the program's threads")?;
    runtime.block_on(work)
}
