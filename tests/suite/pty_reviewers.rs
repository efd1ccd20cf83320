//! The whole program with a reviewer, a call that expires and events, on a terminal.

use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::console::{Console, Home};

const CONFIG: &str = r#"
[providers.mine]
kind = "script"
scenario = "scenario.toml"

[agents.desk]
provider = "mine"
workspace = "."
tools = ["send", "clean"]

[tools.send]
description = "Sends a mail."
command = ["./send.sh"]
requires_confirmation = true

[tools.clean]
description = "Cleans up."
command = ["./send.sh"]
requires_confirmation = true
expires = "2s"

[[reviewers]]
name = "guard"
command = ["./guard.sh"]
tools = ["send"]

[events]
file = "events.jsonl"
"#;

const SCENARIO: &str = r#"
title = "desk"
prompt = "go"

[[turns]]
name = "go"
on = "go"
calls = [
  { id = "mail", tool = "send", arguments = { to = "all@example.org" } },
  { id = "old", tool = "clean", arguments = { what = "everything" } },
]
then = [ { turn = "end" } ]

[[turns]]
name = "end"
text = "Mail {{mail.came}}, cleaning {{old.came}}."
"#;

const GUARD: &str = r#"#!/bin/sh
cat > asked.json
echo '{"verdict": "ask", "reason": "a list of 400 people", "arguments": {"to": "ops@example.org"}}'
"#;

fn script(home: &Home, name: &str, text: &str) {
    let path = home.path("cwd").join(name);
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn home() -> Home {
    let home = Home::new();
    fs::write(home.path("cwd/countersign.toml"), CONFIG).expect("a file");
    fs::write(home.path("cwd/scenario.toml"), SCENARIO).expect("a file");
    script(&home, "guard.sh", GUARD);
    script(&home, "send.sh", "#!/bin/sh\ncat > sent.json\necho sent\n");
    home
}

fn json(console: &Console, name: &str) -> Value {
    let text = fs::read_to_string(console.home.path("cwd").join(name)).expect("it was written");
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn pty_a_reviewers_word_is_on_the_screen_and_its_proposal_is_signed_as_an_edit() {
    let mut console = Console::with(home(), &["run", "desk"], (120, 36));
    console.pty.wait_for("guard says ask: a list of 400 people");
    console.pty.wait_for("it proposes other arguments");
    // Nobody touches the other call: it expires by itself, and is not rejected.
    console
        .pty
        .wait_for("expired: nobody decided within 2 seconds");
    console.press_for("T", "may be signed");
    assert!(console.shows("ops@example.org"));
    console.press_for("ctrl-s", "approve with edits");
    console.press_for("enter", "Mail edited, cleaning expired.");
    assert!(!console.shows("rejected"));
    assert_eq!(json(&console, "sent.json")["to"], "ops@example.org");
    assert_eq!(json(&console, "asked.json")["tool"], "send");
    // Until then the agent is busy, and quitting asks.
    console.pty.wait_for("your turn");
    console.pty.press("q");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
    let events = console.home.path("cwd/events.jsonl");
    let events = fs::read_to_string(events).expect("it was written");
    let told: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let words = |call: &str| -> Vec<String> {
        let about = told
            .iter()
            .filter(|line| line["call"].as_str().is_some_and(|id| id.starts_with(call)));
        about
            .map(|line| line["event"].as_str().unwrap_or("").to_owned())
            .collect()
    };
    assert_eq!(
        words("old"),
        ["called", "verdict", "waiting", "expired", "ended"]
    );
    let mail = [
        "called", "verdict", "reviewed", "waiting", "decided", "started", "finished", "ended",
    ];
    assert_eq!(words("mail"), mail);
    let last = told.last().expect("a line");
    assert_eq!(last["event"], "session_left");
    // The log holds, and says whose word was whose.
    let mut audit = console.beside(&["audit"], (160, 24));
    audit.wait_for("reviewer guard");
    audit.wait_for("nobody");
    assert_eq!(audit.wait_exit().exit_code(), 0);
}
