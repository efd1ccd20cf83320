//! The end of a program and of all that it has started.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{descent, ended};

/// How long a program whose input has ended may take to end by itself.
const BY_ITSELF: Duration = Duration::from_millis(500);
/// How long who was asked to end may take before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// How long who was killed is waited for: not even that ends who waits for a disk.
const KILLED: Duration = Duration::from_secs(2);
/// How often it is looked: nothing tells of the end of a process that is no child.
const LOOK: Duration = Duration::from_millis(10);

/// Waits for the program, which may have seen that its input has ended.
pub(super) fn by_itself(program: Pid) {
    let until = Instant::now() + BY_ITSELF;
    while Instant::now() < until && !has_ended(program) {
        sleep(LOOK);
    }
}

/// Asks everybody to end, and kills who does not. The program itself is left to be reaped.
pub(super) fn all(program: Pid) {
    if !send(program, Signal::TERM, GRACE) {
        send(program, Signal::KILL, KILLED);
    }
    // Where nobody tells who else is in the group, this is the last word to it.
    let _ = kill_process_group(program, Signal::KILL);
}

/// Whether nobody is left.
fn send(program: Pid, signal: Signal, patience: Duration) -> bool {
    let until = Instant::now() + patience;
    let mut told = BTreeSet::new();
    let _ = kill_process_group(program, signal);
    loop {
        descent::reap(program);
        let children = descent::children(program);
        if children.is_empty() && has_ended(program) {
            return true;
        }
        // Whose parent has just ended comes to be seen only now.
        for child in children {
            if told.insert(child.as_raw_nonzero()) {
                let _ = kill_process(child, signal);
            }
        }
        if Instant::now() >= until {
            return false;
        }
        sleep(LOOK);
    }
}

fn has_ended(program: Pid) -> bool {
    matches!(ended(program), Ok(Some(_)) | Err(_))
}
