//! A child in a process group of its own, which ends with it.

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, test_kill_process_group,
    waitid,
};
use std::io;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, sleep, timeout};

/// How often it is looked whether an ending group has gone: nothing announces that.
const LOOK: Duration = Duration::from_millis(10);
/// How often a program that is just being written is tried again.
const TRIES: u32 = 50;

/// Who makes the child the leader of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Leader {
    /// We do, before it is started.
    MadeHere,
    /// It does, first of all: it is `setsid`, which could not if it were one already.
    MakesItself,
    /// It does, and keeps the program: it is asked to end it and is never killed, for nobody else knows all
    /// that the program has started.
    Keeper,
}

/// The child is only reaped in `end`. Until then its number cannot be given to another process, so a
/// signal sent to the group cannot reach a stranger.
#[derive(Debug)]
pub(in super::super) struct Group {
    child: Child,
    pid: Pid,
    /// Some of the group may still run.
    alive: bool,
    leader: Leader,
    exits: tokio::signal::unix::Signal,
}

impl Group {
    pub(in super::super) async fn spawn(mut command: Command, leader: Leader) -> io::Result<Self> {
        // Listened to before the child exists, so that its exit cannot be missed.
        let exits = signal(SignalKind::child())?;
        match leader {
            Leader::MadeHere => command.process_group(0).kill_on_drop(true),
            Leader::MakesItself => command.kill_on_drop(true),
            Leader::Keeper => &mut command,
        };
        let mut tries = TRIES;
        let child = loop {
            match command.spawn() {
                // Another thread's new process holds the program open for writing until it is itself
                // started: a script that was written just now cannot run for that moment.
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries > 0 => {
                    tries -= 1;
                    sleep(LOOK).await;
                }
                spawned => break spawned?,
            }
        };
        let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pid = pid.ok_or_else(|| io::Error::other("the process has no number"))?;
        Ok(Self {
            child,
            pid,
            alive: true,
            leader,
            exits,
        })
    }

    pub(in super::super) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub(in super::super) fn take_outputs(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdout.take(), self.child.stderr.take())
    }

    /// Waits until the child has exited, and leaves it to be reaped.
    pub(in super::super) async fn exited(&mut self) {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.pid), look) {
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                // No such child: then it cannot be running either.
                Ok(Some(_)) | Err(_) => return,
            }
            if self.exits.recv().await.is_none() {
                return;
            }
        }
    }

    /// Asks what is left of the group to end, kills it after `grace`, and reaps the child.
    pub(in super::super) async fn end(&mut self, grace: Duration) -> io::Result<ExitStatus> {
        let deadline = Instant::now() + grace;
        self.send(Signal::TERM);
        if timeout(grace, self.exited()).await.is_err() {
            self.send(self.last());
        }
        let status = self.child.wait().await?;
        // The child is gone; those it started may not be. Their group's number stays taken as long as
        // one of them is there, and the look just before the signal says that one is.
        while test_kill_process_group(self.pid).is_ok() {
            if Instant::now() >= deadline {
                self.send(self.last());
                break;
            }
            sleep(LOOK).await;
        }
        self.alive = false;
        Ok(status)
    }

    /// What leaves no choice; a keeper takes it from there.
    const fn last(&self) -> Signal {
        match self.leader {
            Leader::MadeHere | Leader::MakesItself => Signal::KILL,
            Leader::Keeper => Signal::TERM,
        }
    }

    fn send(&self, signal: Signal) {
        let sent = kill_process_group(self.pid, signal);
        // No such group: nothing of it is left, which is what was wanted, or the child has not made it
        // yet. The child has a number here only as long as that cannot be anybody else's.
        if sent.is_err() && self.child.id().is_some() {
            let _ = kill_process(self.pid, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.alive {
            self.send(self.last());
        }
    }
}
