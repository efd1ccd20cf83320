//! A script that runs in a child process.
//!
//! Owns the child: started, fed, listened to with suspicion, and killed with all it started when it is
//! dropped. Does not know Python.

use std::path::Path;

use super::{Fault, Function, Limits, Reply, Snapshot, Stand, Wanted};

/// A script's process. It is killed when this is dropped.
#[derive(Debug)]
pub struct Script {}

impl Script {
    /// Runs `code` as far as it goes. `program` is our own executable.
    pub async fn start(
        program: &Path,
        code: &str,
        functions: &[Function],
        limits: &Limits,
    ) -> Result<(Self, Stand), Fault> {
        let _ = (program, code, functions, limits);
        Err(Fault::TooDeep)
    }

    /// Goes on with a paused script in a new process. It stands where it stood: nothing of it runs
    /// until there is a reply.
    pub async fn restore(
        program: &Path,
        snapshot: &Snapshot,
        limits: &Limits,
    ) -> Result<(Self, Stand), Fault> {
        let _ = (program, snapshot, limits);
        Err(Fault::TooDeep)
    }

    /// Answers some or all of the calls that the script waits for, by number, and lets it run as far as
    /// it goes. A reply to a call that it does not wait for is left aside.
    ///
    /// After a fault the script is over.
    pub async fn reply(&mut self, replies: Vec<(u32, Reply)>) -> Result<Stand, Fault> {
        let _ = replies;
        Err(Fault::TooDeep)
    }

    /// The calls that `code` will make whatever its calls give, without running any of them. A call whose
    /// arguments are not known beforehand is not among them; all have the numbers that they will have.
    pub async fn look_ahead(
        program: &Path,
        code: &str,
        functions: &[Function],
        limits: &Limits,
    ) -> Result<Vec<Wanted>, Fault> {
        let _ = (program, code, functions, limits);
        Err(Fault::TooDeep)
    }
}
