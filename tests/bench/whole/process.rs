//! What the system says of a process and its threads.

use std::fs;
use std::ops::Sub;

#[derive(Debug, Clone, Copy)]
pub struct Process(pub u32);

/// What its threads have used up to now.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    /// Nanoseconds on a processor.
    pub nanos: u64,
    /// How often a thread was put on one.
    pub wakes: u64,
}

impl Sub for Used {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            nanos: self.nanos.saturating_sub(earlier.nanos),
            wakes: self.wakes.saturating_sub(earlier.wakes),
        }
    }
}

impl Process {
    pub fn used(self) -> Used {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.0)).expect("the process runs");
        let mut used = Used::default();
        for task in tasks.flatten() {
            // A thread may end in between.
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            let mut numbers = text.split_whitespace().map(str::parse::<u64>);
            if let (Some(Ok(nanos)), Some(_), Some(Ok(wakes))) =
                (numbers.next(), numbers.next(), numbers.next())
            {
                used.nanos += nanos;
                used.wakes += wakes;
            }
        }
        used
    }

    pub fn threads(self) -> usize {
        fs::read_dir(format!("/proc/{}/task", self.0)).map_or(0, Iterator::count)
    }

    /// Memory in KiB, of which what is shared counts in parts. `None` where the system does not tell.
    pub fn pss(self) -> Option<u64> {
        self.line("smaps_rollup", "Pss:")
    }

    /// The most that was ever resident, in KiB.
    pub fn peak(self) -> Option<u64> {
        self.line("status", "VmHWM:")
    }

    fn line(self, file: &str, name: &str) -> Option<u64> {
        let text = fs::read_to_string(format!("/proc/{}/{file}", self.0)).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    }
}
