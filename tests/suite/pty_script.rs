//! Scripts in the whole program, over several lives of it.

use std::fs;

use super::pty_plain::answer;
use crate::support::console::{Console, Home};

const CONFIGURATION: &str = r#"
default_policy = false
default_agent = "test"
[providers.script]
kind = "script"
scenario = "scenario.toml"
[agents.test]
provider = "script"
workspace = "."
tools = ["look", "book", "mail"]
code = true
[tools.look]
description = "Look."
command = ["sh", "-c", "echo \"$COUNTERSIGN_CALL_ID\" >> log; echo 28"]
[tools.book]
description = "Book."
command = ["sh", "-c", "echo \"$COUNTERSIGN_CALL_ID $(cat)\" >> log; echo booked"]
parameters = { type = "object", properties = { what = { type = "string" } } }
requires_confirmation = true
[tools.mail]
description = "Mail."
command = ["sh", "-c", "echo \"$COUNTERSIGN_CALL_ID $(cat)\" >> log; echo sent"]
parameters = { type = "object", properties = { to = { type = "string" } } }
requires_confirmation = true
"#;

const SCENARIO: &str = r#"
title = "test"
[[turns]]
name = "go"
on = ""
calls = [ { id = "a", tool = "run_code", arguments = { code = """
import asyncio
warm = await look()
print('warm', warm.strip())
flight = await book(what='flight')
print(flight.strip())
room = await book(what='room')
mails = await asyncio.gather(mail(to='ada'), mail(to='grace'), mail(to='linus'))
[room.strip(), len(mails)]
""" } } ]
then = [ { turn = "end" } ]
[[turns]]
name = "end"
text = "It came to: {{a.result}}"
"#;

fn begun() -> Console {
    let home = Home::new();
    fs::write(home.path("cwd/countersign.toml"), CONFIGURATION).expect("a file");
    fs::write(home.path("cwd/scenario.toml"), SCENARIO).expect("a file");
    let arguments = ["--config", "countersign.toml", "run", "--prompt", "go"];
    Console::with(home, &arguments, (120, 36))
}

fn again(home: Home) -> Console {
    let arguments = ["--config", "countersign.toml", "resume"];
    Console::with(home, &arguments, (120, 36))
}

fn log(home: &Home) -> Vec<String> {
    let text = fs::read_to_string(home.path("cwd/log")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Selects the first call of the script, whose own row stands above, and approves it.
fn approve(console: &mut Console, wanted: &str) {
    console.press_for("j", "a approve");
    console.press_for("a", wanted);
}

#[test]
fn pty_a_script_is_decided_over_three_lives_of_the_program_and_each_call_runs_once() {
    let mut console = begun();
    console.pty.wait_for("2 pending");
    approve(&mut console, "2 pending · 1 decided");
    let home = console.kill();
    assert_eq!(log(&home), ["a-1-0__1", "a-1-0__2 {\"what\":\"flight\"}"]);

    let mut console = again(home);
    console.pty.wait_for("2 pending");
    approve(&mut console, "4 pending");
    approve(&mut console, "3 pending");
    // It is over before the program is.
    console.pty.wait_for("sent");
    let home = console.kill();

    let mut console = again(home);
    console.pty.wait_for("3 pending");
    approve(&mut console, "2 pending");
    approve(&mut console, "It came to");
    console.pty.wait_for("[\"booked\",3]");
    let home = console.kill();
    let mut ran = log(&home);
    ran.sort_unstable();
    let each = [
        "a-1-0__1",
        "a-1-0__2 {\"what\":\"flight\"}",
        "a-1-0__3 {\"what\":\"room\"}",
        "a-1-0__4 {\"to\":\"ada\"}",
        "a-1-0__5 {\"to\":\"grace\"}",
        "a-1-0__6 {\"to\":\"linus\"}",
    ];
    assert_eq!(ran, each);
}

#[test]
fn pty_script_line_by_line_asks_about_its_calls_and_about_the_script_only_on_request() {
    let home = Home::new();
    fs::write(home.path("cwd/countersign.toml"), CONFIGURATION).expect("a file");
    fs::write(home.path("cwd/scenario.toml"), SCENARIO).expect("a file");
    let arguments = [
        "--config",
        "countersign.toml",
        "run",
        "--plain",
        "--prompt",
        "go",
    ];
    let mut console = Console::with(home, &arguments, (120, 36));
    console.pty.wait_for("Question 1. book: approve");
    answer(&mut console, "script", "Question 2. run_code: reject");
    answer(&mut console, "skip", "Question 3. book: approve");
    answer(&mut console, "approve 3", "Question 4. book: approve");
    answer(&mut console, "approve 4", "Question 5. mail: approve");
    let told = String::from_utf8_lossy(&console.pty.raw()).into_owned();
    assert!(!told.contains("no longer open"), "{told}");
    console.kill();
}
