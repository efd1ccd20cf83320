//! Edited calls in the whole program: the sheet shows the change that the edited arguments make, and that is made.

use crate::support::console::{Console, Home};
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
tools = ['write_file']
";

const SCENARIO: &str = r#"
title = 'a plan'
prompt = 'go'
[[turns]]
name = 'go'
on = '^go$'
text = 'It is to be written.'
calls = [{ id = 'a', tool = 'write_file', arguments = { path = 'plan.md', content = "one\nthree\n" } }]
then = [{ turn = 'end' }]
[[turns]]
name = 'end'
text = 'All is told.'
"#;

fn home() -> Home {
    let home = Home::new();
    for (name, text) in [
        ("countersign.toml", AGENT),
        ("scenario.toml", SCENARIO),
        ("plan.md", "one\ntwo\n"),
        ("other.md", "old\n"),
    ] {
        fs::write(home.path("cwd").join(name), text).expect("a file");
    }
    home
}

fn file(console: &Console, name: &str) -> String {
    fs::read_to_string(console.home.path("cwd").join(name)).unwrap_or_default()
}

#[test]
fn pty_an_edited_text_is_signed_with_the_change_that_it_makes() {
    let mut console = Console::with(home(), &["run"], (120, 36));
    console.pty.wait_for("+ three");
    console.press_for("e", "Edit, then approve");
    for key in ["down", "down", "end", "left"] {
        console.pty.press(key);
    }
    console.pty.type_keys("four");
    console.pty.wait_for(r"three\nfour");
    console.press_for("ctrl-s", "approve 1 call with edits");
    console.pty.wait_for("change of plan.md  +2 −1");
    console.pty.wait_for("  + four");
    console.press_for("enter", "0 pending · 1 decided");
    console.pty.wait_for("All is told.");
    assert_eq!(file(&console, "plan.md"), "one\nthree\nfour");
}

#[test]
fn pty_an_edited_path_is_signed_with_the_change_of_that_file() {
    let mut console = Console::with(home(), &["run"], (80, 24));
    console.pty.wait_for("+ three");
    console.press_for("e", "Edit, then approve");
    console.pty.press("down");
    console.pty.press("end");
    for _ in 0.."plan.md\",".len() {
        console.pty.press("backspace");
    }
    console.pty.type_keys("other.md\",");
    console.press_for("ctrl-s", "approve 1 call with edits");
    console.pty.wait_for("! another file than the one");
    console.pty.wait_for("change of other.md  +2 −1");
    console.pty.wait_for("- old");
    console.press_for("enter", "0 pending · 1 decided");
    console.pty.wait_for("All is told.");
    assert_eq!(
        (file(&console, "plan.md"), file(&console, "other.md")),
        ("one\ntwo\n".to_owned(), "one\nthree\n".to_owned())
    );
}
