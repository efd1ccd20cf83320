//! The whole program with an MCP server, on a terminal.

use rustix::process::Signal;
use std::fs;
use std::path::PathBuf;

use crate::support::console::{Console, Home};
use crate::support::mcp::{all_gone, program, record};

const SCENARIO: &str = r#"
title = "desk"
prompt = "go"

[[turns]]
name = "go"
on = "go"
calls = [
  { id = "note", tool = "box.note", arguments = { text = "hello" } },
]
then = [ { turn = "ask" } ]

[[turns]]
name = "ask"
calls = [ { id = "ask", tool = "box.ask" } ]
then = [ { turn = "die" } ]

[[turns]]
name = "die"
calls = [ { id = "die", tool = "box.die", arguments = { text = "x" } } ]
then = [ { turn = "end" } ]

[[turns]]
name = "end"
text = "Note {{note.came}}, {{ask.result}}, and then: {{die.result}}"
"#;

/// A home whose agent has the server, which starts a process of its own.
fn home(mode: &str) -> (Home, PathBuf) {
    let home = Home::new();
    let record = home.path("cwd/record");
    let config = format!(
        "[providers.mine]\nkind = 'script'\nscenario = 'scenario.toml'\n\
         [agents.desk]\nprovider = 'mine'\nworkspace = '.'\nmcp = ['box']\n\
         [mcp.box]\ncommand = '{}'\nargs = ['{}', '{mode}']\nrequires_confirmation = ['note']\n",
        program().display(),
        record.display(),
    );
    fs::write(home.path("cwd/countersign.toml"), config).expect("a file");
    fs::write(home.path("cwd/scenario.toml"), SCENARIO).expect("a file");
    (home, record)
}

#[test]
fn pty_a_servers_call_its_question_and_its_death_are_decided_on_the_screen() {
    let (home, path) = home("family");
    let mut console = Console::with(home, &["run", "desk"], (120, 36));
    console.pty.wait_for("MCP server box: it is there");
    console.pty.wait_for("claims read-only");
    console.press_for("a", "the MCP server box asks you");
    assert!(console.shows("Who are you?"));
    // Content as it stands does not fit, so there is nothing to approve; it is written first.
    console.press_for("e", "\"name\": null");
    for key in [
        "down",
        "end",
        "backspace",
        "backspace",
        "backspace",
        "backspace",
    ] {
        console.pty.press(key);
    }
    console.pty.type_keys("\"Ada\"");
    console.pty.wait_for("may be signed");
    console.press_for("ctrl-s", "approve with edits");
    console.press_for("enter", "outcome unknown");
    console.pty.wait_for("the server box ended while it ran");
    console.press_for("r", "Reject, with a reason");
    console.press_for("ctrl-s", "it is not known whether it did");
    console.pty.wait_for("Note approved, heard");
    console.pty.wait_for("your turn");
    console.pty.press("q");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
    all_gone(&path);
    let died = record(&path).iter().filter(|line| *line == "dies").count();
    assert_eq!(died, 1);
    // Whoever asked and what was answered is in the log like any other decision.
    let mut audit = console.beside(&["audit"], (160, 24));
    audit.wait_for("box asks");
    assert_eq!(audit.wait_exit().exit_code(), 0);
}

#[test]
fn pty_nothing_of_a_server_is_left_when_the_program_is_killed_or_ends() {
    for quits in [false, true] {
        let (home, path) = home("stubborn");
        let mut console = Console::with(home, &["run", "desk"], (120, 36));
        console.pty.wait_for("claims read-only");
        assert_eq!(record(&path), ["starts", "child", "child", "child"]);
        if quits {
            console.pty.press("q");
            console.pty.wait_for("Quit");
            console.pty.press("enter");
        } else {
            console.pty.signal(Signal::KILL);
        }
        console.pty.wait_exit();
        all_gone(&path);
    }
}

#[test]
fn pty_no_server_is_left_when_the_program_is_told_to_end() {
    let (home, path) = home("family");
    let mut console = Console::with(home, &["run", "desk"], (120, 36));
    console.pty.wait_for("claims read-only");
    console.pty.signal(Signal::TERM);
    console.pty.wait_exit();
    assert_eq!(record(&path), ["starts", "child"]);
    all_gone(&path);
}

#[test]
fn pty_check_asks_the_servers_when_it_is_told_to_and_names_what_matches_nothing() {
    let (home, path) = home("family");
    let mut config = fs::read_to_string(home.path("cwd/countersign.toml")).expect("a file");
    config.push_str("[[rules]]\ntool = 'box.nothing'\nverdict = 'deny'\n");
    fs::write(home.path("cwd/countersign.toml"), config).expect("a file");
    let mut quiet = Console::with(home, &["check"], (160, 24));
    quiet.pty.wait_for("no mistake in");
    assert!(!quiet.shows("box.nothing"));
    assert_eq!(quiet.pty.wait_exit().exit_code(), 0);
    assert_eq!(record(&path), Vec::<String>::new());
    let mut told = quiet.beside(&["check", "--servers"], (160, 24));
    told.wait_for("MCP server box: it is there, with 13 tools");
    told.wait_for("mcp.box offers box.note, box.fail");
    told.wait_for("rules[1].tool matches no tool of the agents here: \"box.nothing\"");
    assert_eq!(told.wait_exit().exit_code(), 0);
    all_gone(&path);
}
