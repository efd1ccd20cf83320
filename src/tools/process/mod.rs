//! A program that runs for a tool: started, fed, read, and ended together with all it started.
//!
//! Owns the life of a process group: its input, its output as text, its time-out, and that nothing of
//! it outlives the call, however the call ends. Does not know what the output means.

mod apart;
mod group;
mod output;

use futures::future::{MaybeDone, maybe_done};
use std::future::pending;
use std::io;
use std::pin::{Pin, pin};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{ChildStdin, Command};
use tokio::sync::mpsc;
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
    let stdin = input.as_ref().map_or_else(Stdio::null, |_| Stdio::piped());
    command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut group = Group::spawn(command, leader).await?;
    let feed = feed(group.take_stdin(), input);
    let state = State::default();
    let pump = Pump::of(&mut group, &state, sink, output).run();
    let stopped = async {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Ended::Interrupted,
            () = sleep(timeout) => Ended::TimedOut,
        }
    };
    supervise(&mut group, &state, pump, feed, stopped).await
}

/// Waits for the program to finish or to be stopped, and then for all of its group to be gone.
async fn supervise(
    group: &mut Group,
    state: &State,
    pump: impl Future<Output = ()>,
    feed: impl Future<Output = ()>,
    stopped: impl Future<Output = Ended>,
) -> io::Result<Ended> {
    // Once done it stays done, so it can be waited for in more than one place.
    let mut pump = pin!(maybe_done(pump));
    let finished = finished(group, state, pump.as_mut(), feed);
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
    feed: impl Future<Output = ()>,
) {
    let beside = async {
        tokio::join!(pump.as_mut(), feed);
        pending::<()>().await;
    };
    tokio::select! {
        () = group.exited() => {}
        () = beside => {}
    }
    state.exited.cancel();
    pump.await;
}

/// Writes the input and closes it. A program that does not read it, or not to its end, is within its
/// rights: the error says nothing about its result.
async fn feed(stdin: Option<ChildStdin>, input: Option<Arc<str>>) {
    if let (Some(mut stdin), Some(input)) = (stdin, input) {
        let _ = stdin.write_all(input.as_bytes()).await;
        let _ = stdin.shutdown().await;
    }
}
