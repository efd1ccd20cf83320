//! The terminal is taken, given away and given back, in a real one.

use super::term_child::{NAME, VARIABLE};
use crate::support::pty::{Launch, Pty, Signal, count};
use countersign::term::who;
use std::fs;
use std::path::Path;

const ALTERNATE_ON: &[u8] = b"\x1b[?1049h";
const ALTERNATE_OFF: &[u8] = b"\x1b[?1049l";
const PASTE_OFF: &[u8] = b"\x1b[?2004l";
const CURSOR_ON: &[u8] = b"\x1b[?25h";
const ASK_KEYBOARD: &[u8] = b"\x1b[?u";
const PUSH_KEYBOARD: &[u8] = b"\x1b[>27u";
const LESS_KEYBOARD: &[u8] = b"\x1b[=3u";
const POP_KEYBOARD: &[u8] = b"\x1b[<u";
const UPDATE_BEGIN: &[u8] = b"\x1b[?2026h";
const UPDATE_END: &[u8] = b"\x1b[?2026l";

/// How the small program is started, as words for a shell.
fn command_line() -> String {
    let this = std::env::current_exe().expect("this binary has a path");
    format!(
        "'{}' --exact {NAME} --nocapture --test-threads=1",
        this.display()
    )
}

pub(super) fn child() -> Launch {
    let this = std::env::current_exe().expect("this binary has a path");
    Launch::command(this)
        .args(["--exact", NAME, "--nocapture", "--test-threads=1"])
        .env(VARIABLE, "1")
}

fn shell(script: &str) -> Launch {
    Launch::command("/bin/sh")
        .args(["-c", script])
        .env(VARIABLE, "1")
}

pub(super) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is a place for scratch folders")
}

/// Runs the program between two looks at the terminal's settings, and says whether they are the same.
fn settings_around(keys: impl FnOnce(&mut Pty)) -> (String, String, u32) {
    let scratch = folder();
    let (before, after) = (scratch.path().join("before"), scratch.path().join("after"));
    let script = format!(
        "stty -a > {}; {}; code=$?; stty -a > {}; exit $code",
        before.display(),
        command_line(),
        after.display()
    );
    let mut pty = shell(&script).start();
    pty.wait_for("ready");
    keys(&mut pty);
    let code = pty.wait_exit().exit_code();
    let read = |path: &Path| fs::read_to_string(path).expect("stty wrote");
    (read(&before), read(&after), code)
}

#[track_caller]
fn assert_left_once(pty: &Pty) {
    pty.wait_for_bytes(ALTERNATE_OFF, 1);
    let raw = pty.raw();
    let counted = [ALTERNATE_ON, ALTERNATE_OFF, PASTE_OFF].map(|bytes| count(&raw, bytes));
    assert_eq!(counted, [1, 1, 1], "{}", String::from_utf8_lossy(&raw));
    assert!(count(&raw, CURSOR_ON) > 0, "the cursor is shown again");
    let after = raw
        .windows(ALTERNATE_OFF.len())
        .position(|window| window == ALTERNATE_OFF)
        .map(|at| &raw[at..])
        .expect("it was left");
    assert_eq!(
        [UPDATE_BEGIN, CURSOR_ON].map(|bytes| count(after, bytes)),
        [0, 0],
        "nothing of a frame follows: {}",
        String::from_utf8_lossy(after)
    );
}

#[test]
fn quitting_leaves_the_terminal_as_it_was() {
    let (before, after, code) = settings_around(|pty| pty.type_keys("q"));
    assert_eq!((before, 0), (after, code));
}

#[test]
fn while_it_runs_the_terminal_is_in_our_modes_and_afterwards_in_none() {
    let mut pty = child().start();
    pty.wait_until("our modes", |screen| {
        screen.alternate_screen()
            && screen.bracketed_paste()
            && screen.hide_cursor()
            && screen.contents().contains("ready")
    });
    pty.type_keys("q");
    pty.wait_exit();
    pty.wait_until("no modes", |screen| {
        !screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor()
    });
    assert_left_once(&pty);
}

#[test]
fn each_frame_is_one_synchronised_update_and_waits_for_no_answer() {
    let mut pty = child().start();
    pty.wait_for("ready");
    pty.type_keys("q");
    pty.wait_exit();
    assert_left_once(&pty);
    let raw = pty.raw();
    assert_eq!(count(&raw, UPDATE_BEGIN), 1, "one frame was drawn");
    // One for the frame, one on the way out.
    assert_eq!(count(&raw, UPDATE_END), 2);
    assert_eq!(count(&raw, b"\x1b[6n"), 0, "the cursor is not asked for");
    assert_eq!(
        count(&raw, b"\x1b[c"),
        0,
        "the terminal is not asked what it is"
    );
    let place = |bytes: &[u8]| raw.windows(bytes.len()).position(|window| window == bytes);
    assert!(
        place(ASK_KEYBOARD) > place(UPDATE_END),
        "the keyboard is asked after the frame"
    );
    assert_eq!(
        [ASK_KEYBOARD, PUSH_KEYBOARD, POP_KEYBOARD].map(|bytes| count(&raw, bytes)),
        [1, 0, 0],
        "no answer changes nothing"
    );
}

#[test]
fn a_keyboard_that_is_offered_is_taken_and_given_back_however_it_ends() {
    type Ends = fn(&mut Pty);
    let ends: [Ends; 4] = [
        |pty| pty.send(b"\x1b[113;1;113u"),
        |pty| pty.send(b"\x1b[112;1;112u"),
        |pty| pty.signal(Signal::TERM),
        |pty| pty.signal(Signal::HUP),
    ];
    for end in ends {
        let mut pty = child().start();
        pty.wait_for_bytes(ASK_KEYBOARD, 1);
        pty.send(b"\x1b[?0u");
        pty.wait_for_bytes(PUSH_KEYBOARD, 1);
        // It is asked again, for what it took of it: here, all.
        pty.wait_for_bytes(ASK_KEYBOARD, 2);
        pty.send(b"\x1b[?27u");
        pty.send(b"\x1b[120;1;120u");
        pty.wait_for("key x");
        end(&mut pty);
        pty.wait_exit();
        assert_left_once(&pty);
        let raw = pty.raw();
        assert_eq!(
            [PUSH_KEYBOARD, LESS_KEYBOARD, POP_KEYBOARD].map(|bytes| count(&raw, bytes)),
            [1, 0, 1]
        );
        let place = |bytes: &[u8]| raw.windows(bytes.len()).position(|window| window == bytes);
        assert!(place(POP_KEYBOARD) < place(ALTERNATE_OFF));
    }
}

#[test]
fn a_keyboard_that_cannot_tell_texts_is_asked_for_less() {
    let mut pty = child().start();
    pty.wait_for_bytes(ASK_KEYBOARD, 1);
    pty.send(b"\x1b[?0u");
    pty.wait_for_bytes(ASK_KEYBOARD, 2);
    pty.send(b"\x1b[?3u");
    pty.wait_for_bytes(LESS_KEYBOARD, 1);
    pty.type_keys("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn focus_is_reported_while_it_runs_and_afterwards_not() {
    let mut pty = child().start();
    pty.wait_for("ready");
    pty.send(b"\x1b[O");
    pty.wait_for("FocusLost");
    pty.send(b"\x1b[I");
    pty.wait_for("FocusGained");
    pty.type_keys("q");
    pty.wait_exit();
    assert_left_once(&pty);
    let raw = pty.raw();
    assert_eq!(
        [b"\x1b[?1004h", b"\x1b[?1004l"].map(|bytes| count(&raw, bytes)),
        [1, 1]
    );
}

#[test]
fn a_paste_without_an_end_can_be_left() {
    let mut pty = child().start();
    pty.wait_for("ready");
    pty.send(b"\x1b[200~first q");
    pty.wait_for("PasteOpen");
    pty.press("esc");
    pty.wait_for(r#"pasted "first q""#);
    pty.type_keys("x");
    pty.wait_for("key x");
    pty.type_keys("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn a_panic_while_a_key_is_handled_gives_the_terminal_back_and_shows_its_message() {
    let (before, after, code) = settings_around(|pty| {
        pty.type_keys("p");
        pty.wait_for("failed in a key");
        assert_left_once(pty);
    });
    assert_eq!((before, 101), (after, code));
}

#[test]
fn a_panic_inside_a_frame_gives_the_terminal_back_and_shows_its_message() {
    let (before, after, code) = settings_around(|pty| {
        pty.type_keys("P");
        pty.wait_for("failed in a frame");
        assert_left_once(pty);
    });
    assert_eq!((before, 101), (after, code));
}

#[test]
fn a_panic_of_another_thread_leaves_the_screen_alone_and_is_told_afterwards() {
    let mut pty = child().start();
    pty.wait_for("ready");
    pty.type_keys("t");
    pty.wait_for("a thread ended well: false");
    assert!(
        !pty.screen().contains("failed in a thread"),
        "{}",
        pty.screen()
    );
    pty.type_keys("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    pty.wait_for("failed in a thread");
    assert_left_once(&pty);
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_paints_everything_again() {
    let mut pty = Launch::command("bash")
        .args(["--norc", "--noprofile", "-i"])
        .env("PS1", "prompt> ")
        .env(VARIABLE, "1")
        .start();
    pty.wait_for("prompt>");
    pty.type_keys(&format!("{}\r", command_line()));
    pty.wait_for("ready");
    // What is typed ahead of the shell decides nothing after it.
    pty.type_keys("zq");
    pty.wait_until("the shell's prompt on the main screen", |screen| {
        !screen.alternate_screen() && screen.contents().contains("Stopped")
    });
    // The shell gets its keys: nothing of us reads them.
    pty.type_keys("echo $((40 + 2))\r");
    pty.wait_for("42");
    pty.type_keys("fg\r");
    pty.wait_until("the whole frame again", |screen| {
        screen.alternate_screen() && screen.contents() == "back\n80x24"
    });
    pty.type_keys("x");
    pty.wait_for("key x");
    pty.type_keys("q");
    pty.wait_until("the shell again", |screen| !screen.alternate_screen());
    pty.type_keys("exit\r");
    assert_eq!(pty.wait_exit().exit_code(), 0);
    assert_eq!(count(&pty.raw(), ALTERNATE_OFF), 2);
}

#[test]
fn without_a_shell_to_continue_it_ctrl_z_only_repaints() {
    let mut pty = child().start();
    pty.wait_for("ready");
    pty.type_keys("z");
    pty.wait_for("back");
    pty.type_keys("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn sigterm_and_sighup_give_the_terminal_back() {
    for (sent, code) in [(Signal::TERM, 3), (Signal::HUP, 4)] {
        let mut pty = child().start();
        pty.wait_for("ready");
        pty.signal(sent);
        assert_eq!(pty.wait_exit().exit_code(), code);
        assert_left_once(&pty);
    }
}

#[test]
fn a_resized_terminal_gets_a_frame_of_its_size() {
    let mut pty = child().size(100, 30).start();
    pty.wait_for("100x30");
    pty.resize(40, 10);
    pty.wait_for("40x10");
    pty.wait_for("Resized { columns: 40, rows: 10 }");
    pty.resize(120, 36);
    pty.wait_for("120x36");
    pty.type_keys("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn a_terminal_that_knows_no_size_gets_80_by_24() {
    let script = format!("stty cols 0 rows 0; {}", command_line());
    let mut pty = shell(&script).start();
    pty.wait_for("80x24");
    pty.type_keys("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn without_a_terminal_it_says_so_in_one_line() {
    let said = |script: &str| {
        let output = std::process::Command::new("setsid")
            .args(["-w", "sh", "-c", &format!("{} {script}", command_line())])
            .env(VARIABLE, "1")
            .stdin(std::process::Stdio::null())
            .output()
            .expect("there is setsid");
        let said = String::from_utf8(output.stderr).expect("it is text");
        assert_eq!(said.lines().count(), 1, "{said}");
        (output.status.code(), said)
    };
    let (code, told) = said("");
    assert_eq!(code, Some(2));
    assert!(
        told.starts_with("standard input is not a terminal"),
        "{told}"
    );
}

#[test]
fn output_that_goes_elsewhere_and_a_dumb_terminal_are_refused() {
    let mut pty = shell(&format!("{} | cat", command_line())).start();
    pty.wait_for("standard output is not a terminal");
    pty.wait_exit();
    let mut pty = child().env("TERM", "dumb").start();
    pty.wait_for("TERM is `dumb`");
    assert_eq!(pty.wait_exit().exit_code(), 2);
    assert_eq!(count(&pty.raw(), ALTERNATE_ON), 0);
}

#[test]
fn a_paste_is_one_event_however_it_looks() {
    let mut pty = child().start();
    pty.wait_for("ready");
    pty.paste("aq\u{1b}[Aé\nq");
    pty.wait_for(r#"pasted "aq\u{1b}[Aé\nq""#);
    pty.type_keys("q");
    assert_eq!(pty.wait_exit().exit_code(), 0);
}

#[test]
fn a_paste_without_an_end_stops_neither_signals_nor_the_end_by_another_paste() {
    let mut pty = child().start();
    pty.wait_for("ready");
    pty.send(b"\x1b[200~first q");
    // What follows is taken in as well, so nothing on the screen can tell; frames go on all the same.
    pty.resize(100, 24);
    pty.wait_for("100x24");
    pty.paste("second");
    pty.wait_for(r#"pasted "first q\u{1b}[200~second""#);
    pty.send(b"\x1b[200~third");
    pty.signal(Signal::TERM);
    assert_eq!(pty.wait_exit().exit_code(), 3);
    assert_left_once(&pty);
}

#[test]
fn the_account_is_read_from_the_system_and_not_from_the_environment() {
    let accounts =
        "root:x:0:0:root:/root:/bin/sh\nbroken\n:x:7::\nada:x:1000:1000::/home/ada:/bin/sh\n";
    assert_eq!(who::account(accounts, 1000).as_deref(), Some("ada"));
    assert_eq!(who::account(accounts, 7), None);
    assert_eq!(who::account(accounts, 1), None);
}

#[test]
fn only_an_address_is_taken_for_where_a_connection_came_from() {
    let client = |text: &str| who::client(text).map(|address| address.to_string());
    assert_eq!(
        client("192.0.2.7 50000 192.0.2.1 22").as_deref(),
        Some("192.0.2.7")
    );
    assert_eq!(
        client("fe80::1%eth0 50000 fe80::2 22").as_deref(),
        Some("fe80::1")
    );
    assert_eq!(client("evil\u{1b}[2J 1 2 3"), None);
    assert_eq!(client(""), None);
}

#[test]
fn the_operator_is_named_by_account_and_machine() {
    let who = who::who();
    assert!(!who.user.is_empty() && !who.host.is_empty(), "{who}");
}
