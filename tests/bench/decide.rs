//! `countersign decide --approve-all` as a whole process: a deferred state in, its results out, every
//! ruling on disk.

mod whole;

use serde_json::{Value, json};
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use whole::{Figures, Home, millis, say};

const ROUNDS: usize = 9;

fn state(calls: usize) -> String {
    let requests: Vec<Value> = (0..calls)
        .map(|at| json!({ "name": "send_mail", "args": { "to": format!("a{at}@example.org"), "subject": "Away" } }))
        .collect();
    let review =
        json!([{ "action_name": "send_mail", "allowed_decisions": ["approve", "reject"] }]);
    json!({ "action_requests": requests, "review_configs": review }).to_string()
}

fn decide(state: &str) -> Duration {
    let home = Home::new();
    home.write("state.json", state);
    let output = File::create(home.path("cwd/results.json")).expect("a file");
    let program = std::env::var_os("COUNTERSIGN_BIN")
        .unwrap_or_else(|| env!("CARGO_BIN_EXE_countersign").into());
    let mut command = Command::new(program);
    command
        .args(["decide", "--approve-all", "state.json"])
        .current_dir(home.path("cwd"))
        .env("COUNTERSIGN_DATA_DIR", home.path("data"))
        .env("HOME", home.path("home"))
        .env("XDG_CONFIG_HOME", home.path("config"))
        .stdin(Stdio::null())
        .stdout(output);
    let begun = Instant::now();
    let ended = command.status().expect("the program runs");
    let took = begun.elapsed();
    assert!(ended.success(), "it did not decide: {ended}");
    let results = fs::read(home.path("cwd/results.json")).unwrap_or_default();
    assert!(!results.is_empty(), "there are results");
    took
}

fn main() {
    let few = state(100);
    let mut took = Figures::default();
    took.extend((0..ROUNDS).map(|_| decide(&few)));
    say(&format!(
        "deciding a state of 100 calls, whole process: best {:.1} ms, p50 {:.1} ms (budget 15 ms)",
        took.best(),
        took.at(50)
    ));
    for calls in [1_000, 10_000, 100_000] {
        let took = millis(decide(&state(calls)));
        say(&format!(
            "deciding a state of {calls} calls, whole process: {took:.0} ms, {:.1} µs a call",
            took * 1000.0 / f64::from(u32::try_from(calls).unwrap_or(u32::MAX))
        ));
    }
}
