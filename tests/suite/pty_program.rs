//! The whole program from its edges: sizes, signals, job control, quitting, and without a terminal.

use crate::support::console::{Console, Home};
use crate::support::pty::{Launch, Signal, count};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const ALTERNATE_OFF: &[u8] = b"\x1b[?1049l";

#[test]
fn pty_all_keys_are_listed_and_quitting_asks_while_calls_wait() {
    let mut console = Console::start(80, 24);
    console.press_for("?", "Keys");
    assert!(console.shows("approve all listed calls"));
    console.pty.press("esc");
    console.wait_gone("approve all listed calls");
    console.press_for("q", "Quit?");
    assert!(console.shows("4 calls"));
    console.pty.press("esc");
    console.wait_gone("Quit?");
    console.press_for("q", "Quit?");
    console.pty.press("enter");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
    assert_eq!(count(&console.pty.raw(), ALTERNATE_OFF), 1);
}

#[test]
fn pty_each_size_shows_what_must_be_known_and_a_resize_loses_nothing() {
    let console = Console::start(120, 36);
    let everywhere = [
        "4 pending · 0 decided",
        "book_flight",
        "destination",
        "Millau",
        "a approve",
    ];
    let sizes: [(u16, u16, &[&str]); 4] = [
        (
            120,
            36,
            &["Conversation", "Pending approvals", "Tool output"],
        ),
        (
            80,
            24,
            &["Conversation", "Pending approvals", "Tool output"],
        ),
        (50, 15, &["Pending 4", "Pending approvals"]),
        (
            120,
            36,
            &["Conversation", "Pending approvals", "Tool output"],
        ),
    ];
    for (columns, rows, facts) in sizes {
        console.pty.resize(columns, rows);
        console
            .pty
            .wait_until(&format!("{columns}×{rows}"), |screen| {
                let text = screen.contents();
                let first = text.lines().nth(2).unwrap_or_default().to_owned();
                let all = everywhere.iter().chain(facts);
                first.chars().count() == usize::from(columns)
                    && all.clone().all(|fact| text.contains(fact))
            });
    }
    assert_eq!(console.quit(), 0);
}

#[test]
fn pty_a_screen_of_a_few_cells_is_survived() {
    let mut console = Console::start(80, 24);
    for (columns, rows) in [(10, 3), (2, 2), (200, 5), (20, 60)] {
        console.pty.resize(columns, rows);
        console.pty.press("j");
    }
    console.pty.resize(80, 24);
    console.pty.wait_for("4 pending · 0 decided");
    assert_eq!(console.quit(), 0);
}

#[test]
fn pty_sigterm_and_a_hang_up_give_the_terminal_back_and_keep_what_was_signed() {
    for signal in [Signal::TERM, Signal::HUP] {
        let mut console = Console::start(80, 24);
        console.press_for("a", "3 pending · 1 decided");
        console.pty.signal(signal);
        assert_eq!(console.pty.wait_exit().exit_code(), 0);
        console.pty.wait_until("the main screen", |screen| {
            !screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor()
        });
        let journal = console.home.path("data/journal.db");
        let journal = rusqlite::Connection::open(journal).expect("the journal");
        let rulings: i64 = journal
            .query_row(
                "SELECT count(*) FROM journal WHERE kind = 'ruling'",
                [],
                |row| row.get(0),
            )
            .expect("it can be read");
        assert_eq!(rulings, 1);
    }
}

#[test]
fn pty_ctrl_z_goes_back_to_the_shell_and_fg_returns_to_the_same_calls() {
    let home = Home::new();
    let program = std::env::var_os("COUNTERSIGN_BIN").map_or_else(
        || env!("CARGO_BIN_EXE_countersign").into(),
        std::path::PathBuf::from,
    );
    let program = program.canonicalize().expect("the program is built");
    let shell = Launch::command("bash")
        .args(["--norc", "--noprofile", "-i"])
        .env("PS1", "prompt> ")
        .size(80, 24);
    let mut pty = home.settle(shell).start();
    pty.wait_for("prompt>");
    pty.type_keys(&format!("'{}'\r", program.display()));
    pty.wait_for("4 pending");
    pty.press("ctrl-z");
    pty.wait_until("the shell", |screen| {
        !screen.alternate_screen() && screen.contents().contains("Stopped")
    });
    pty.type_keys("echo $((40 + 2))\r");
    pty.wait_for("42");
    pty.type_keys("fg\r");
    pty.wait_until("the console", |screen| {
        screen.alternate_screen() && screen.contents().contains("4 pending · 0 decided")
    });
    pty.press("q");
    pty.wait_for("Quit?");
    pty.press("enter");
    pty.wait_until("the shell's prompt after the program", |screen| {
        let text = screen.contents();
        !screen.alternate_screen()
            && text.trim_end().ends_with("\nprompt>")
            && text.contains("fg\n")
    });
    assert!(!pty.screen().contains("rror"), "{}", pty.screen());
    pty.type_keys("exit\r");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

/// The program without a terminal.
fn without_terminal(home: &Home, args: &[&str]) -> Output {
    let program = std::env::var_os("COUNTERSIGN_BIN").map_or_else(
        || env!("CARGO_BIN_EXE_countersign").into(),
        std::path::PathBuf::from,
    );
    Command::new(program.canonicalize().expect("the program is built"))
        .args(args)
        .current_dir(home.path("cwd"))
        .envs(home.variables())
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn pty_without_a_terminal_one_line_says_so() {
    let home = Home::new();
    for args in [&["run"][..], &[]] {
        let output = without_terminal(&home, args);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stdout), "");
        let told = text(&output.stderr);
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(told.contains("terminal"), "{told}");
    }
    assert!(!home.path("data/rehearsals").exists(), "nothing is started");
}

#[test]
fn pty_check_without_a_file_is_content() {
    let home = Home::new();
    let output = without_terminal(&home, &["check"]);
    assert_eq!(
        (output.status.code(), text(&output.stderr)),
        (Some(0), String::new())
    );
    assert!(text(&output.stdout).starts_with("no mistake in the built-in rehearsal"));
}

#[test]
fn pty_check_tells_every_mistake_with_its_place_and_starts_nothing() {
    let home = Home::new();
    fs::write(
        home.path("cwd/countersign.toml"),
        "default_agent = 'nobody'\n[providers.p]\nkind = 'oracle'\n[agents.a]\nprovider = 'q'\nmodel = 7\n\
         [[rules]]\ntool = 'shell'\nverdict = 'maybe'\n",
    )
    .expect("a file");
    fs::create_dir(home.path("config/countersign")).expect("a folder");
    fs::write(
        home.path("config/countersign/keymap.toml"),
        "[pending]\napprove = { keys = ['nokey'] }\nfly = { keys = ['f'] }\n",
    )
    .expect("a file");
    let output = without_terminal(&home, &["check"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    for part in [
        "nobody", "oracle", "\"q\"", "model", "maybe", "nokey", "fly",
    ] {
        assert!(told.contains(part), "{part} is not in:\n{told}");
    }
    for place in [
        "countersign.toml:3:",
        "countersign.toml:9:",
        "keymap.toml:2:",
        "keymap.toml:3:",
    ] {
        assert!(told.contains(place), "{place} is not in:\n{told}");
    }
    assert_eq!(text(&output.stdout), "");
    assert!(!home.path("data/journal.db").exists());
}

#[test]
fn pty_the_printed_keys_are_those_of_the_readme() {
    let home = Home::new();
    let output = without_terminal(&home, &["keys"]);
    assert_eq!(output.status.code(), Some(0));
    let printed = text(&output.stdout);
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).expect("the README is there");
    let (_, rest) = readme
        .split_once("<!-- keys -->\n")
        .expect("where the keys begin");
    let (table, _) = rest.split_once("<!-- /keys -->").expect("where they end");
    assert_eq!(table.trim(), printed.trim());
}

#[test]
fn pty_check_tells_the_mistakes_of_scenarios_beside_those_of_the_configuration() {
    let home = Home::new();
    fs::write(
        home.path("cwd/countersign.toml"),
        "nonsense = 1\n[providers.p]\nkind = 'script'\nscenario = 's.toml'\n[agents.a]\nprovider = 'p'\nmodel = 7\n",
    )
    .expect("a file");
    fs::write(home.path("cwd/s.toml"), "titel = 't'\n").expect("a file");
    let output = without_terminal(&home, &["check"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    for part in ["nonsense", "model", "titel"] {
        assert!(told.contains(part), "{part} is not in:\n{told}");
    }
}

#[test]
fn pty_check_notes_a_key_that_is_not_set_and_is_content_all_the_same() {
    let home = Home::new();
    fs::write(
        home.path("cwd/countersign.toml"),
        "default_agent = 'a'\n[agents.a]\nprovider = 'script'\n[providers.far]\nkind = 'openai'\n\
         base_url = 'http://localhost:1/v1'\napi_key_env = 'NOBODY_SETS_THIS'\n\
         [agents.b]\nprovider = 'far'\nmodel = 'm'\n",
    )
    .expect("a file");
    let output = without_terminal(&home, &["check"]);
    assert_eq!(
        (output.status.code(), text(&output.stderr)),
        (Some(0), String::new())
    );
    let told = text(&output.stdout);
    let note = told.lines().next().unwrap_or_default();
    assert!(note.starts_with("note: "), "{told}");
    assert!(
        note.contains(
            "countersign.toml:9:12: agents.b.provider needs a key, and NOBODY_SETS_THIS is not set"
        ),
        "{told}"
    );
    assert_eq!(told.lines().count(), 2, "{told}");
}

#[test]
fn pty_a_failed_start_says_its_cause_once() {
    let home = Home::new();
    fs::write(
        home.path("cwd/countersign.toml"),
        "[agents.a]\nprovider = 'script'\n",
    )
    .expect("a file");
    fs::remove_dir(home.path("data")).expect("it is empty");
    fs::write(home.path("data"), "a file in the folder's place").expect("a file");
    let output = without_terminal(&home, &["run", "--headless", "--prompt", "go"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert_eq!(told.matches("File exists").count(), 1, "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn pty_a_run_of_an_agent_that_is_not_there_leaves_no_rehearsal_behind() {
    let home = Home::new();
    let output = without_terminal(&home, &["run", "--headless", "nosuch"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nosuch"));
    let left = fs::read_dir(home.path("data")).expect("a folder");
    let left: Vec<_> = left.flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, Vec::<std::ffi::OsString>::new());
}
