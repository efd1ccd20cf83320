//! `--headless`: a run for services and CI, with exit codes that say how it ended.

use anyhow::Context as _;
use clap::Args;
use countersign::core::call::{CallId, SessionId};
use countersign::core::count;
use countersign::core::run::RunEvent;
use countersign::core::shown::Shown;
use countersign::deferred::Decided;
use countersign::deferred::native::{self, Deferred};
use countersign::runtime::headless::{Headless, HeadlessEnd};
use countersign::runtime::{Agents, Start};
use countersign::store::Reader;
use countersign::store::projection::Projection;
use countersign::term::who;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::opened::{Opened, failed};
use super::{Stop, threads, write_whole};

#[derive(Debug, Default, Args)]
pub(crate) struct Flags {
    /// Without a screen: entries are printed as JSON lines. Exit 0: done; 3: calls wait for a person,
    /// and the session can be resumed.
    #[arg(long)]
    pub(crate) headless: bool,
    /// When calls wait, write them to this file as well.
    #[arg(long, value_name = "FILE", requires = "headless")]
    defer_to: Option<PathBuf>,
}

/// The decisions in a file.
pub(crate) fn decisions(file: &Path) -> Result<Vec<Decided>, Stop> {
    let bad = |why: String| Stop::BadInput(vec![format!("{}: {why}", file.display())]);
    let text = std::fs::read_to_string(file).map_err(|error| bad(error.to_string()))?;
    native::decisions(&text).map_err(|fault| bad(fault.to_string()))
}

pub(crate) fn run(
    mut opened: Opened,
    start: Start,
    decisions: Option<Vec<Decided>>,
    flags: &Flags,
) -> Result<(), Stop> {
    if start.saved.is_none() && start.prompt.is_none() {
        return Err(Stop::BadInput(vec![
            "--headless needs --prompt TEXT: nobody is here to write a message".to_owned(),
        ]));
    }
    opened.keep();
    let Opened {
        config,
        journal,
        writer,
        log,
        ..
    } = opened;
    let (session, agent) = (start.parts.session.clone(), start.parts.name.clone());
    let runtime = threads()?;
    let ended = runtime.block_on(async {
        let mut agents = Agents::default();
        let expects_message = start.prompt.is_some();
        agents.start(start);
        let headless = Headless {
            session: session.clone(),
            agents,
            journal,
            decisions: decisions.unwrap_or_default(),
            who: who::who().to_string(),
            out: std::io::stdout().lock(),
            expects_message,
        };
        headless.run().await
    });
    // Waits for the agent's task to go, and with it its hold on the journal.
    drop(runtime);
    writer.join();
    drop(log);
    let ended = ended.map(|(end, unused)| {
        tell_unused(&unused);
        end
    });
    match ended {
        Ok(HeadlessEnd::Done) => Ok(()),
        Ok(HeadlessEnd::Deferred(calls)) => {
            if let Some(file) = &flags.defer_to {
                let events = events(&config.data_dir, &session)?;
                write(file, &Deferred::of(session.clone(), agent, &calls, &events))?;
            }
            Err(Stop::Deferred(format!(
                "{} waiting; go on with: countersign resume {session}",
                calls_in_words(calls.len())
            )))
        }
        Ok(HeadlessEnd::Failed) => Err(Stop::Failed(anyhow::anyhow!(
            "the run failed; try: countersign resume {session} --headless"
        ))),
        Ok(HeadlessEnd::Unrecorded(why)) => Err(Stop::Failed(anyhow::anyhow!("{why}"))),
        Ok(HeadlessEnd::Unfit(why)) => Err(Stop::BadInput(vec![why])),
        // Whoever read the lines has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Stop::Failed(
            anyhow::Error::new(error).context("cannot write to standard output"),
        )),
    }
}

/// What a console would have seen of the session.
fn events(folder: &Path, session: &SessionId) -> Result<Vec<RunEvent>, Stop> {
    let steps = Reader::open(folder).and_then(|reader| reader.steps(session, 0));
    Ok(Projection::of(&steps.map_err(failed)?).events)
}

fn write(file: &Path, deferred: &Deferred) -> Result<(), Stop> {
    let text = serde_json::to_string_pretty(deferred).context("cannot lay out the calls")?;
    write_whole(file, (text + "\n").as_bytes())
        .with_context(|| format!("cannot write the deferred calls to {}", file.display()))
        .map_err(Stop::Failed)
}

fn calls_in_words(calls: usize) -> String {
    count::of(calls, "call is", "calls are")
}

/// A decision that was not used is a mistake in the file, or comes too late.
fn tell_unused(calls: &[CallId]) {
    let mut stderr = std::io::stderr().lock();
    for call in calls {
        let call = Shown::label(&call.0);
        // Nobody is left to be told if this fails.
        let _ = writeln!(
            stderr,
            "countersign: the decision on `{call}` was not used: no such call waits"
        );
    }
}
