//! Keys while a tool writes as fast as it is read: from a key to its frame, how much is read, and what
//! that takes of memory.

mod whole;

use std::fs;
use std::time::{Duration, Instant};
use whole::{Figures, Home, Program, say};

const KEYS: usize = 200;

fn keys(program: &mut Program) -> Figures {
    let mut took = Figures::default();
    for at in 0..KEYS {
        let key = if at / 4 % 2 == 0 { "j" } else { "k" };
        took.add(program.press_amid(key, Duration::from_millis(60)));
    }
    took
}

/// All bytes that the processes below this one have written.
fn written(parent: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{parent}/task")).expect("the program runs");
    let children = tasks
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|id| id.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect();
    let own = |id: u32| {
        let text = fs::read_to_string(format!("/proc/{id}/io")).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("wchar: "));
        line.and_then(|number| number.parse::<u64>().ok())
            .unwrap_or_default()
    };
    children.into_iter().map(|id| own(id) + written(id)).sum()
}

fn main() {
    let quiet = Home::with_calls(&[], 10);
    let mut program = quiet.start().now();
    program.until_text("10 pending");
    program.calm();
    let before = keys(&mut program);
    drop(program);
    let home = Home::with_calls(&["flood"], 10);
    let mut program = home.start().now();
    program.until_text("10 pending");
    program.watch(Duration::from_secs(3));
    let id = program.process().0;
    let (begun, bytes) = (Instant::now(), written(id));
    let amid = keys(&mut program);
    let rate = (written(id) - bytes) / 1_000_000 / begun.elapsed().as_secs().max(1);
    say(&format!(
        "a tool's output that is taken in meanwhile: {rate} MB/s (wanted: 50)"
    ));
    say(&format!(
        "key to frame amid it: p50 {:.2} ms, p99 {:.2} ms; without it p50 {:.2} ms, p99 {:.2} ms",
        amid.at(50),
        amid.at(99),
        before.at(50),
        before.at(99)
    ));
    let process = program.process();
    say(&format!(
        "memory amid it: {} MiB PSS, {} MiB at most resident (budget: bounded, 60 MiB PSS)",
        process.pss().unwrap_or_default() / 1024,
        process.peak().unwrap_or_default() / 1024
    ));
}
