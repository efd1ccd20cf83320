//! Those whose parent has ended: on Linux they become children of this process, also those that left the
//! program's group. Elsewhere nobody tells of them, and only the group can be ended.

use rustix::process::{Pid, WaitOptions, waitpid};

/// From now on they are ours.
#[cfg(target_os = "linux")]
pub(super) fn adopt() {
    // An old system that refuses leaves the group.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

#[cfg(not(target_os = "linux"))]
pub(super) const fn adopt() {}

/// All children but the program.
#[cfg(target_os = "linux")]
pub(super) fn children(program: Pid) -> Vec<Pid> {
    // This process has one thread, so these are all.
    let listed = std::fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    let numbers = listed
        .split_whitespace()
        .filter_map(|word| word.parse().ok());
    let children = numbers.filter_map(Pid::from_raw);
    children.filter(|child| *child != program).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) const fn children(_program: Pid) -> Vec<Pid> {
    Vec::new()
}

/// Takes note of those that have ended.
pub(super) fn reap(program: Pid) {
    for child in children(program) {
        let _ = waitpid(Some(child), WaitOptions::NOHANG);
    }
}
