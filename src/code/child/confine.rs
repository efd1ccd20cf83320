//! What this process may still do once it runs a script.
//!
//! The limits are the system's, set from inside before the script is read: nothing that runs here later can
//! raise them again. Where a system refuses one, the others hold, and the parent's clock.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::stdin;

use super::super::wire::Bounds;

/// Standard input, output and error, and the file that says how much memory is mapped.
const FILES: u64 = 4;
/// Seconds over the limit that the interpreter's own clock has for a traceback.
const SPARE: u64 = 1;
/// What is mapped before a script runs, where the system does not say.
const MAPPED: u64 = 512 * 1024 * 1024;

/// No dumps of a script's memory, no files, few handles.
pub(super) fn at_once() {
    limit(Resource::Core, 0, 0);
    limit(Resource::Fsize, 0, 0);
    limit(Resource::Nofile, FILES, FILES);
}

/// What the script may use. After this no process and no thread can be started.
pub(super) fn within(bounds: &Bounds) {
    let mapped = mapped().unwrap_or(MAPPED);
    let memory = mapped.saturating_add(bounds.memory);
    limit(Resource::As, memory, memory);
    let seconds = bounds.time.div_ceil(1_000_000).saturating_add(SPARE);
    limit(Resource::Cpu, seconds, seconds.saturating_add(SPARE));
    limit(Resource::Nproc, 0, 0);
}

/// Lowers a limit; one that is lower already stays.
fn limit(resource: Resource, soft: u64, hard: u64) {
    let now = getrlimit(resource).maximum;
    let hard = now.map_or(hard, |now| now.min(hard));
    let lower = Rlimit {
        current: Some(soft.min(hard)),
        maximum: Some(hard),
    };
    // Refused by a system that knows no such limit.
    let _ = setrlimit(resource, lower);
}

/// Bytes that are mapped now.
#[cfg(target_os = "linux")]
fn mapped() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/self/status").ok()?;
    let size = told.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kilobytes: u64 = size.trim().strip_suffix(" kB")?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(not(target_os = "linux"))]
const fn mapped() -> Option<u64> {
    None
}

/// Comes back when nobody can say anything over stdin any more.
pub(super) fn wait_for_hang_up() {
    let stdin = stdin();
    loop {
        // Asks for nothing: a hang-up is told all the same, and what comes to be read is not.
        let mut waits = [PollFd::new(&stdin, PollFlags::empty())];
        match poll(&mut waits, None) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) | Err(_) => return,
        }
    }
}
