//! Rule 7 with the real program: bursts of keys, pastes and sizes from one seed, and what the audit log says after.

use crate::support::console::Console;
use std::process::Command;

/// Bursts; each ends with a frame that shows it was taken in.
const BURSTS: usize = 40;

/// The next number of a fixed sequence.
fn next(seed: &mut u64) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).expect("31 bits")
}

#[test]
fn pty_bursts_of_keys_decide_nothing_that_was_not_on_screen() {
    let mut console = Console::start(120, 36);
    let mut seed = 7;
    let keys = ["a", "a", "a", "j", "k", "\r", "G", "g", " ", "A", "\x1b[A"];
    for _ in 0..BURSTS {
        match next(&mut seed) % 6 {
            0 => console.pty.paste("aaa\r"),
            1 => {
                let sizes = [(120, 36), (80, 24), (100, 30)];
                let (columns, rows) = sizes[next(&mut seed) % sizes.len()];
                console.pty.resize(columns, rows);
            }
            _ => {
                let burst: String = (0..=(next(&mut seed) % 12))
                    .map(|_| keys[next(&mut seed) % keys.len()])
                    .collect();
                console.pty.type_keys(&burst);
            }
        }
        // It was taken in when a paste that decides nothing, or the help, has been answered.
        console.pty.send(b"\x0c");
    }
    console.pty.resize(120, 36);
    console.pty.signal(crate::support::pty::Signal::TERM);
    console.pty.wait_exit();
    let output = Command::new(crate::support::pty::program())
        .args(["audit", "export", "--format", "jsonl"])
        .current_dir(console.home.path("cwd"))
        .envs(console.home.variables())
        .output()
        .expect("the program starts");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in told
        .lines()
        .filter(|line| line.contains("\"shown_for\"") && line.contains("approve"))
    {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record is JSON");
        let shown = find(&record, "shown_for").expect("it was decided by a person");
        assert!(
            shown == 0 && !line.contains("\"key\"") || shown >= 400,
            "{line}"
        );
    }
}

#[test]
fn pty_a_call_that_a_slow_line_has_not_brought_yet_is_not_decided() {
    let mut console = Console::start(120, 36);
    console.settle();
    console.pty.hold_answers();
    console.pty.press("j");
    console.pty.wait_for("ada@example.org");
    // As often as a person might try; the key between tells that none of them is one that is held down.
    let wrong = "the terminal has not shown this call yet";
    console.do_until(wrong, |pty| pty.type_keys("az"));
    for _ in 0..8 {
        std::thread::sleep(std::time::Duration::from_millis(100));
        console.pty.type_keys("za");
    }
    console.pty.give_answers();
    console.settle();
    assert!(
        console.shows("4 pending · 0 decided"),
        "{}",
        console.pty.screen()
    );
    console.do_until("3 pending · 1 decided", |pty| pty.type_keys("za"));
}

/// The first member of this name, wherever it stands.
fn find(value: &serde_json::Value, name: &str) -> Option<u64> {
    match value {
        serde_json::Value::Object(members) => members
            .get(name)
            .and_then(serde_json::Value::as_u64)
            .or_else(|| members.values().find_map(|inner| find(inner, name))),
        serde_json::Value::Array(items) => items.iter().find_map(|inner| find(inner, name)),
        _ => None,
    }
}
