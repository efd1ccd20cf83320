//! `countersign decide` with a person: a step in a pipe that takes its keys from the terminal.

use serde_json::{Value, json};

use std::fs;

use crate::support::console::{Console, Home};
use crate::support::pty::{Launch, program};

/// Two calls in `LangChain`'s form.
const STATE: &str = r#"{
  "action_requests": [
    {"name": "book_flight", "args": {"to": "Millau"}},
    {"name": "send_email", "args": {"to": "x@y"}}
  ],
  "review_configs": [
    {"action_name": "book_flight", "allowed_decisions": ["approve", "reject"]},
    {"action_name": "send_email", "allowed_decisions": ["approve", "edit", "reject"]}
  ]
}"#;

/// A shell that runs this line, in which `$0` is the program.
fn shell(home: Home, line: &str) -> Console {
    fs::write(home.path("cwd/state.json"), STATE).expect("a file");
    let launch = home.settle(Launch::command("/bin/sh"));
    let program = program().display().to_string();
    let launch = launch.args(["-c", line, &program]).size(100, 24);
    Console {
        pty: launch.start(),
        home,
    }
}

/// Empty if it is not there.
fn file(console: &Console, name: &str) -> String {
    fs::read_to_string(console.home.path("cwd").join(name)).unwrap_or_default()
}

fn json(console: &Console, name: &str) -> Value {
    serde_json::from_str(&file(console, name)).expect("it is JSON")
}

#[test]
fn pty_a_step_in_a_pipe_takes_keys_from_the_terminal_and_writes_results_to_the_pipe() {
    let home = Home::new();
    let line =
        "cat state.json | { \"$0\" decide; echo $? >code; } | cat >results.json; echo finished";
    let mut console = shell(home, line);
    console.pty.wait_for("2 pending");
    console.press_for("a", "1 decided");
    console.press_for("r", "Reject, with a reason");
    console.pty.type_keys("not to them");
    console.press_for("ctrl-s", "finished");
    let wanted = json!({ "decisions": [
        { "type": "approve" },
        { "type": "reject", "message": "not to them" },
    ] });
    assert_eq!(json(&console, "results.json"), wanted);
    assert_eq!(file(&console, "code"), "0\n");
}

#[test]
fn pty_quitting_leaves_the_rest_undecided_and_the_same_state_goes_on() {
    let home = Home::new();
    let line = "\"$0\" decide state.json >results.json; echo $? >code; echo finished";
    let mut console = shell(home, line);
    console.pty.wait_for("2 pending");
    console.press_for("a", "1 decided");
    console.press_for("q", "Quit?");
    console.press_for("enter", "finished");
    let left = (file(&console, "code"), file(&console, "results.json"));
    assert_eq!(left, ("3\n".to_owned(), String::new()));
    let mut console = shell(console.home, line);
    console.pty.wait_for("1 pending · 1 decided");
    console.press_for("a", "finished");
    let wanted = json!({ "decisions": [{ "type": "approve" }, { "type": "approve" }] });
    assert_eq!(json(&console, "results.json"), wanted);
    assert_eq!(file(&console, "code"), "0\n");
}

#[test]
fn pty_a_state_is_decided_by_one_console_at_a_time() {
    let one = shell(Home::new(), "\"$0\" decide state.json");
    one.pty.wait_for("2 pending");
    let launch = one.home.settle(Launch::countersign());
    let mut two = launch.args(["decide", "state.json"]).size(100, 24).start();
    let why = "the session is run by";
    two.wait_for(why);
    assert_eq!(two.wait_exit().exit_code(), 2);
}

#[test]
fn pty_without_a_terminal_a_state_is_decided_by_flags_only() {
    let line = "setsid \"$0\" decide state.json </dev/null 2>why; echo $? >code; echo finished";
    let console = shell(Home::new(), line);
    console.pty.wait_for("finished");
    let why = "there is no terminal to decide on; decide without one: --decisions FILE, --approve-all or --reject-all REASON\n";
    assert_eq!(
        (
            file(&console, "code").as_str(),
            file(&console, "why").as_str()
        ),
        ("2\n", why)
    );
}
