//! What the program costs while nothing happens: processor, wake-ups, bytes and memory, with calls on
//! the screen.

mod whole;

use std::time::Duration;
use whole::{Home, Program, say};

/// Until no shown age changes with each second any more.
const YOUNG: Duration = Duration::from_secs(62);
const SPAN: Duration = Duration::from_secs(50);

fn memory(program: &Program) -> String {
    let mib = |kib: Option<u64>| match kib {
        Some(kib) => format!("{}.{} MiB", kib / 1024, kib % 1024 * 10 / 1024),
        None => "not told by the system".to_owned(),
    };
    let process = program.process();
    format!(
        "{} PSS, {} at most resident",
        mib(process.pss()),
        mib(process.peak())
    )
}

fn main() {
    let rehearsal = Home::new();
    let mut program = rehearsal.start().now();
    program.until_text("4 pending");
    program.watch(Duration::from_secs(3));
    say(&format!(
        "memory at rest, 4 pending: {} in {} threads (budget 20 MiB PSS)",
        memory(&program),
        program.process().threads()
    ));
    program.watch(YOUNG);
    // A minute's change of the ages may lie in between: one wake-up and a few bytes.
    let (used, bytes) = (program.process().used(), program.bytes());
    program.watch(SPAN);
    let used = program.process().used() - used;
    say(&format!(
        "idle for {} s, 4 pending for over a minute: {:.2} ms of processor, {} wake-ups, {} bytes (budget: none but the minute of the ages)",
        SPAN.as_secs(),
        Duration::from_nanos(used.nanos).as_secs_f64() * 1000.0,
        used.wakes,
        program.bytes() - bytes
    ));
    drop(program);
    let home = Home::with_calls(&["lines"], 10);
    let mut program = home.start().now();
    program.until_text("10 pending");
    program.calm();
    say(&format!(
        "memory after 1000000 lines of output: {} (budget 60 MiB PSS)",
        memory(&program)
    ));
}
