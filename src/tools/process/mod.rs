//! A program that runs for a tool: started, fed, read, and ended together with all it started.
//!
//! Owns the life of a process group: its input, its output as text, its time-out, and that nothing of
//! it outlives the call, however the call ends. Does not know what the output means.

mod apart;
mod group;
mod output;

use futures::future::{MaybeDone, maybe_done};
use std::future::pending;
use std::io::{self, Seek as _, Write as _};
use std::pin::{Pin, pin};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::Written;
pub(super) use apart::{apart, kept};
pub(super) use group::{Group, Leader};
pub(super) use output::Sink;
use output::{Pump, State};

/// How long a group that was asked to end may take before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// A program to be run.
pub(super) struct Program {
    pub command: Command,
    pub leader: Leader,
    /// What it gets on stdin; nothing, and no stdin at all, if `None`.
    pub input: Option<Arc<str>>,
    pub timeout: Duration,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Exited(ExitStatus),
    TimedOut,
    Interrupted,
}

/// Runs `program` to its end. What it writes goes to `sink`, and piece by piece to `output`.
///
/// An error means that it was not started. Dropping the future kills the whole group at once.
pub(super) async fn run(
    program: Program,
    sink: &mut dyn Sink,
    output: &mpsc::Sender<Written>,
    cancel: &CancellationToken,
) -> io::Result<Ended> {
    let Program {
        mut command,
        leader,
        input,
        timeout,
    } = program;
    let stdin = match input {
        Some(input) => spawn_blocking(move || whole(&input))
            .await
            .map_err(io::Error::other)??,
        None => Stdio::null(),
    };
    command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut group = Group::spawn(command, leader).await?;
    let state = State::default();
    let pump = Pump::of(&mut group, &state, sink, output).run();
    let stopped = async {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Ended::Interrupted,
            () = sleep(timeout) => Ended::TimedOut,
        }
    };
    supervise(&mut group, &state, pump, stopped).await
}

/// Waits for the program to finish or to be stopped, and then for all of its group to be gone.
async fn supervise(
    group: &mut Group,
    state: &State,
    pump: impl Future<Output = ()>,
    stopped: impl Future<Output = Ended>,
) -> io::Result<Ended> {
    // Once done it stays done, so it can be waited for in more than one place.
    let mut pump = pin!(maybe_done(pump));
    let finished = finished(group, state, pump.as_mut());
    let stopped = tokio::select! {
        biased;
        stopped = stopped => Some(stopped),
        () = finished => None,
    };
    if stopped.is_some() {
        // Nobody waits for the one who watches the output any more.
        state.hurry.cancel();
    }
    let end = async {
        let status = group.end(GRACE).await;
        state.exited.cancel();
        status
    };
    let (status, ()) = tokio::join!(end, pump);
    Ok(stopped.unwrap_or(Ended::Exited(status?)))
}

/// Done when the program has exited and its output is read.
async fn finished<P: Future<Output = ()>>(
    group: &mut Group,
    state: &State,
    mut pump: Pin<&mut MaybeDone<P>>,
) {
    let beside = async {
        pump.as_mut().await;
        pending::<()>().await;
    };
    tokio::select! {
        () = group.exited() => {}
        () = beside => {}
    }
    state.exited.cancel();
    pump.await;
}

/// All of the input, before the program is started, in a file that has no name: whatever becomes of this process,
/// the program never takes a part of it for the whole.
fn whole(input: &str) -> io::Result<Stdio> {
    let mut file = tempfile::tempfile()?;
    file.write_all(input.as_bytes())?;
    file.rewind()?;
    Ok(file.into())
}
