//! A batch of fifty in the whole program: filtered, marked, and rejected or approved with one reason.

use crate::support::console::{Console, Home};
use std::fmt::Write as _;
use std::fs;

const AGENT: &str = "
default_agent = 'clerk'
default_policy = false
[providers.rehearsal]
kind = 'script'
scenario = 'scenario.toml'
[agents.clerk]
provider = 'rehearsal'
model = 'script'
tools = ['send', 'book']
[tools.send]
description = 'Send.'
command = ['sh', '-c', 'echo sent >> sent.txt; echo sent']
requires_confirmation = true
parameters = { type = 'object', properties = { to = { type = 'string' }, number = { type = 'integer' } } }
[tools.book]
description = 'Book.'
command = ['sh', '-c', 'echo booked >> booked.txt; echo booked']
requires_confirmation = true
parameters = { type = 'object', properties = { number = { type = 'integer' } } }
";

fn home() -> Home {
    let mut scenario = "
title = 'fifty and five'
prompt = 'go'
[[turns]]
name = 'go'
on = '^go$'
text = 'Many things are to be done.'
calls = [
"
    .to_owned();
    for at in 0..55 {
        // Writing to a String cannot fail.
        let _ = if at % 11 == 0 {
            writeln!(
                scenario,
                "{{ id = 'b{at}', tool = 'book', arguments = {{ number = {at} }} }},"
            )
        } else {
            writeln!(
                scenario,
                "{{ id = 's{at}', tool = 'send', arguments = {{ to = 'a{at}@example.org', number = 1 }} }},"
            )
        };
    }
    scenario
        .push_str("]\nthen = [{ turn = 'end' }]\n[[turns]]\nname = 'end'\ntext = 'All is told.'\n");
    let home = Home::new();
    for (name, text) in [("countersign.toml", AGENT), ("scenario.toml", &scenario)] {
        fs::write(home.path("cwd").join(name), text).expect("a file");
    }
    home
}

fn lines(console: &Console, name: &str) -> usize {
    let text = fs::read_to_string(console.home.path("cwd").join(name));
    text.unwrap_or_default().lines().count()
}

#[test]
fn pty_fifty_calls_are_found_marked_and_rejected_with_one_reason() {
    let mut console = Console::with(home(), &["run"], (120, 36));
    console.pty.wait_for("55 pending · 0 decided");
    console.pty.press("/");
    console.pty.wait_for("FIELD:");
    console.pty.type_keys("tool:send to:example.org");
    console.pty.wait_for("1 of 50");
    console.pty.press("enter");
    console.pty.wait_for("a approve");
    console.pty.press("*");
    console.pty.wait_for("✓50 · 1 of 50");
    console.press_for("r", "Reject, with a reason");
    console.pty.type_keys("nobody wants fifty mails");
    console.press_for("ctrl-s", "reject 50 calls");
    console.press_for("enter", "5 pending · 50 decided");
    console.pty.press("w");
    console.pty.wait_for("The last batch · 50 calls");
    console.pty.wait_for("50 recorded, not told yet");
    console.pty.press("esc");
    console
        .pty
        .wait_for("No waiting call matches the filter; 5 others wait.");
    console.pty.press("esc");
    console.pty.wait_for("1 of 5");
    console.press_for("A", "approve 5 calls");
    console.press_for("enter", "0 pending · 55 decided");
    console.pty.wait_for("All is told.");
    console.pty.press("w");
    console.pty.wait_for("5 done");
    assert_eq!(
        (lines(&console, "sent.txt"), lines(&console, "booked.txt")),
        (0, 5)
    );
}
