//! A rule from a decision, in the whole program: given, counting, recorded, revoked.

use std::fs;
use std::process::Command;

use crate::support::console::{Console, Home, do_until};
use crate::support::pty::{Launch, program};

const CONFIG: &str = "
[providers.r]
kind = 'script'
scenario = 'scenario.toml'
[agents.coder]
provider = 'r'
model = 'r'
instructions = ''
workspace = 'ws'
tools = ['files']
[decisions]
hold_destructive = '0s'
";

const SCENARIO: &str = "
title = 'rules'
prompt = 'go'
[[turns]]
name = 'one'
on = '^go$'
text = 'One.'
calls = [ { id = 'a', tool = 'write_file', arguments = { path = 'notes/a.md', content = 'a' } } ]
then = [ { turn = 'two' } ]
[[turns]]
name = 'two'
text = 'Two.'
calls = [ { id = 'b', tool = 'write_file', arguments = { path = 'notes/b.md', content = 'b' } } ]
then = [ { turn = 'done' } ]
[[turns]]
name = 'three'
on = '^more$'
text = 'Three.'
calls = [ { id = 'c', tool = 'write_file', arguments = { path = 'notes/c.md', content = 'c' } } ]
then = [ { turn = 'done' } ]
[[turns]]
name = 'done'
text = 'That is all.'
";

fn output(home: &Home, args: &[&str]) -> String {
    let mut command = Command::new(program());
    command.args(args).current_dir(home.path("cwd"));
    for (name, value) in home.variables() {
        command.env(name, value);
    }
    let output = command.output().expect("the program runs");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn pty_a_rule_from_a_call_lets_the_next_one_run_and_is_asked_again_once_it_is_revoked() {
    let home = Home::new();
    let cwd = home.path("cwd");
    fs::create_dir(cwd.join("ws")).expect("a workspace");
    fs::write(cwd.join("countersign.toml"), CONFIG).expect("a file");
    fs::write(cwd.join("scenario.toml"), SCENARIO).expect("a file");
    let pty = home.settle(Launch::countersign()).size(120, 36).start();
    let mut console = Console { pty, home };
    console.pty.wait_for("1 pending");
    console.press_for("P", "A rule that allows, from 1 call");
    console.pty.press("w");
    console.pty.wait_for("under = \"notes\"");
    console.press_for("enter", "Review before signing");
    console.press_for("enter", "That is all.");
    let written = |console: &Console, name: &str| {
        fs::read_to_string(console.home.path("cwd/ws/notes").join(name)).ok()
    };
    assert_eq!(written(&console, "b.md").as_deref(), Some("b"));
    let told = output(&console.home, &["audit"]);
    let kinds: Vec<String> = told
        .lines()
        .map(|line| {
            line.split_whitespace()
                .skip(2)
                .take(2)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(kinds, ["grant key", "approve key", "allow grant"], "{told}");
    let listed = output(&console.home, &["rules"]);
    let id = listed
        .split_whitespace()
        .next()
        .expect("a rule is listed")
        .to_owned();
    // Another process takes it back; this one heeds it at the next call.
    let revoked = output(&console.home, &["rules", "revoke", &id]);
    assert_eq!(revoked, format!("rule {id} (allow) counts no more\n"));
    console.press_for("i", "Message");
    console.pty.type_keys("more");
    console.press_for("ctrl-s", "1 pending");
    assert_eq!(written(&console, "c.md"), None);
    assert_eq!(
        output(&console.home, &["rules"]),
        "no rule was given that counts now\n"
    );
}

#[test]
fn pty_a_rule_that_another_console_gives_is_heeded_before_the_next_key() {
    let home = Home::new();
    let cwd = home.path("cwd");
    fs::create_dir(cwd.join("ws")).expect("a workspace");
    fs::write(cwd.join("countersign.toml"), CONFIG).expect("a file");
    fs::write(cwd.join("scenario.toml"), SCENARIO).expect("a file");
    let pty = home.settle(Launch::countersign()).size(120, 36).start();
    let mut console = Console { pty, home };
    console.pty.wait_for("1 pending");
    console.settle();
    let mut other = console.beside(&["attach"], (100, 30));
    other.wait_for("1 pending");
    other.press("P");
    other.wait_for("A rule that allows, from 1 call");
    other.press("d");
    other.wait_for("A rule that denies, from 1 call");
    do_until(&mut other, "Review before signing", |pty| {
        pty.press("enter")
    });
    let id = output(&console.home, &["rules"]);
    let id = id.split_whitespace().next().expect("a rule is listed");
    // The call was on screen all the time, and nothing but this key came since.
    console.press_for("a", "a rule given since this call");
    assert!(console.shows("1 pending"), "{}", console.pty.screen());
    output(&console.home, &["rules", "revoke", id]);
    console.pty.press("j");
    console.wait_gone("a rule given since this call");
    console.press_for("a", "That is all.");
}
