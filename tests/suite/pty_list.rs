//! The list of sessions in the whole program: several agents side by side, begun and gone on with.

use crate::support::console::{Console, Home};
use std::fs;

const AGENTS: &str = "
default_agent = 'travel'
default_policy = false
[providers.rehearsal]
kind = 'script'
scenario = 'scenario.toml'
[providers.noise]
kind = 'script'
scenario = 'noise.toml'
[agents.travel]
provider = 'rehearsal'
model = 'script'
tools = ['book', 'tell']
[agents.operations]
provider = 'rehearsal'
model = 'script'
tools = ['book', 'tell']
[agents.noise]
provider = 'noise'
model = 'script'
tools = ['flood']
[tools.book]
description = 'Book.'
command = ['sh', '-c', 'echo booked >> booked.txt; echo booked']
requires_confirmation = true
[tools.tell]
description = 'Tell.'
command = ['sh', '-c', 'echo told >> told.txt; echo told']
requires_confirmation = true
[tools.flood]
description = 'Writes without end.'
command = ['sh', '-c', 'yes']
timeout = '600s'
";

const SCENARIO: &str = "
title = 'two calls'
prompt = 'go'
[[turns]]
name = 'go'
on = '^go$'
text = 'Two things are to be done.'
calls = [{ id = 'a', tool = 'book' }, { id = 'b', tool = 'tell' }]
then = [{ turn = 'end' }]
[[turns]]
name = 'end'
text = 'All is done: {{a.came}} and {{b.came}}.'
";

const NOISE: &str = "
title = 'noise'
prompt = 'go'
[[turns]]
name = 'go'
on = '^go$'
calls = [{ id = 'a', tool = 'flood' }]
then = [{ turn = 'end' }]
[[turns]]
name = 'end'
text = 'silence'
";

fn home() -> Home {
    let home = Home::new();
    for (name, text) in [
        ("countersign.toml", AGENTS),
        ("scenario.toml", SCENARIO),
        ("noise.toml", NOISE),
    ] {
        fs::write(home.path("cwd").join(name), text).expect("a file");
    }
    home
}

fn lines(console: &Console, name: &str) -> usize {
    let text = fs::read_to_string(console.home.path("cwd").join(name));
    text.unwrap_or_default().lines().count()
}

/// Opens the list and brings its cursor to what alone contains this text.
fn find(console: &mut Console, text: &str, row: &str) {
    // Each key once: pressed again, they would mean something else.
    console.pty.press("S");
    console.pty.wait_for("╭▸Sessions");
    console.wait_gone("reading the journal");
    console.pty.press("/");
    console.pty.wait_for("agents, models and ids");
    console.pty.type_keys(text);
    let row = format!("▌{row}");
    console.pty.wait_for(&row);
    // The text is accepted; the row stays chosen.
    console.pty.press("enter");
    console.pty.wait_for("esc close");
    console.pty.wait_for(&row);
}

#[test]
fn pty_a_second_agent_is_started_from_the_list_and_both_go_on_after_quitting() {
    let mut console = Console::with(home(), &["run", "travel"], (120, 36));
    console.pty.wait_for("2 pending · 0 decided");
    find(&mut console, "operations", "+ operations");
    console.pty.press("enter");
    console.pty.wait_for("operations 2 of 2");
    console.pty.wait_for("4 pending · 0 decided");
    console.pty.wait_for("2 operations book");
    // The cursor stays on the call that it was on; the other agent's is one of the list.
    console.press_for("G", "4 of 4");
    console.press_for("a", "3 pending · 1 decided");
    console.pty.wait_for("tell · done");
    assert_eq!(
        (lines(&console, "booked.txt"), lines(&console, "told.txt")),
        (0, 1)
    );
    console.pty.press("q");
    console.pty.wait_for("3 calls waiting for a decision");
    console.pty.wait_for("its list of sessions");
    console.pty.press("enter");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);

    // The newest is gone on with, the other one is opened from the list.
    let mut console = Console::with(console.home, &["resume"], (80, 24));
    console.pty.wait_for("1 pending · 1 decided");
    find(&mut console, "travel", "+ travel");
    console.pty.press("j");
    console.pty.wait_for("▌‖ travel");
    console.pty.press("enter");
    console.pty.wait_for("travel 2 of 2");
    console.pty.wait_for("3 pending · 1 decided");
    console.press_for("A", "approve 3 calls");
    console.press_for("enter", "0 pending · 4 decided");
    console.pty.wait_for("All is done: approved and approved.");
    assert_eq!(
        (lines(&console, "booked.txt"), lines(&console, "told.txt")),
        (2, 2)
    );
    assert_eq!(console.quit(), 0);
}

#[test]
fn pty_a_session_that_another_console_runs_is_joined_from_the_list() {
    let one = Console::with(home(), &["run", "travel"], (120, 36));
    one.pty.wait_for("2 pending · 0 decided");
    let mut two = Console {
        pty: one.beside(&["run", "operations"], (80, 24)),
        home: Home::new(),
    };
    two.pty.wait_for("2 pending · 0 decided");
    find(&mut two, "travel", "+ travel");
    two.pty.press("j");
    two.pty.wait_for("▌‖ travel");
    two.pty.press("enter");
    two.pty.wait_for("travel 2 of 2");
    two.pty.wait_for("4 pending · 0 decided");
    two.press_for("a", "3 pending · 1 decided");
    one.pty.wait_for("1 pending · 1 decided");
    one.pty.wait_for("book · done");
    assert_eq!(lines(&one, "booked.txt"), 1);
    two.pty.press("q");
    two.pty.wait_for("1 session of another process");
}

#[test]
fn pty_a_flooding_agent_delays_neither_keys_nor_the_calls_of_another() {
    let mut console = Console::with(home(), &["run", "noise"], (120, 36));
    console.pty.wait_for("flood · running");
    find(&mut console, "travel", "+ travel");
    console.pty.press("enter");
    console.pty.wait_for("2 pending · 0 decided");
    console.press_for("a", "1 pending · 1 decided");
    console.press_for("a", "0 pending · 2 decided");
    console.pty.wait_for("All is done: approved and approved.");
    console.pty.press("s");
    console.pty.wait_for("noise 1 of 2");
    console.pty.wait_for("flood · running");
    console.pty.press("q");
    console.pty.wait_for("1 tool running");
    console.pty.press("enter");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
}

#[test]
fn pty_an_agent_that_cannot_start_says_why_and_nothing_else_changes() {
    let home = home();
    let unkeyed = "[providers.local]\nkind = 'openai'\nbase_url = 'http://127.0.0.1:1/v1'\n\
                   api_key_env = 'NO_SUCH_KEY'\n[agents.remote]\nprovider = 'local'\nmodel = 'm'\n";
    let file = home.path("cwd/countersign.toml");
    fs::write(&file, format!("{AGENTS}{unkeyed}")).expect("a file");
    let mut console = Console::with(home, &["run", "travel"], (120, 36));
    console.pty.wait_for("2 pending · 0 decided");
    find(&mut console, "remote", "+ remote");
    console.pty.press("enter");
    console.pty.wait_for("remote cannot be started");
    console.pty.wait_for("NO_SUCH_KEY");
    console.pty.press("esc");
    console.wait_gone("╭▸Sessions");
    console.press_for("a", "1 pending · 1 decided");
}

#[test]
fn pty_a_session_of_another_configuration_is_opened_with_its_own() {
    let home = home();
    let other = AGENTS.replace("agents.travel", "agents.elsewhere");
    let other = other.replace("default_agent = 'travel'", "default_agent = 'elsewhere'");
    fs::write(home.path("cwd/other.toml"), other).expect("a file");
    let args = ["--config", "other.toml", "run"];
    let console = Console::with(home, &args, (120, 36));
    console.pty.wait_for("2 pending · 0 decided");
    let mut console = Console::with(console.hang_up(), &["run", "travel"], (120, 36));
    console.pty.wait_for("2 pending · 0 decided");
    find(&mut console, "elsewhere", "‖ elsewhere");
    console.pty.press("enter");
    console.pty.wait_for("elsewhere 2 of 2");
    console
        .pty
        .wait_for("opened with the configuration it was begun with");
    console.pty.wait_for("4 pending · 0 decided");
    console.press_for("a", "3 pending · 1 decided");
    console.pty.wait_for("book · done");
    assert_eq!(lines(&console, "booked.txt"), 1);
}
