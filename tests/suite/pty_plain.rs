//! The whole program line by line: for a screen reader, and for a terminal that can only print.

use crate::support::console::{Console, Home};
use crate::support::pty::{Launch, count};
use std::time::{Duration, Instant};

/// A line counts only a while after its question.
const AGAIN: Duration = Duration::from_millis(700);
const PATIENCE: Duration = Duration::from_secs(20);

fn plain(change: impl FnOnce(Launch) -> Launch) -> Console {
    let home = Home::new();
    // Wide and high, so that nothing that was printed leaves the screen.
    let launch = home
        .settle(Launch::countersign())
        .args(["run", "--plain"])
        .size(200, 400);
    let pty = change(launch).start();
    Console { pty, home }
}

/// Types a line until it brings what it is to bring, as somebody does who was too quick.
#[track_caller]
pub(crate) fn answer(console: &mut Console, line: &str, brings: &str) {
    let before = count(&console.pty.raw(), brings.as_bytes());
    let begun = Instant::now();
    loop {
        assert!(
            begun.elapsed() < PATIENCE,
            "no `{brings}` comes of `{line}`:\n{}",
            console.pty.screen()
        );
        std::thread::sleep(Duration::from_millis(420));
        console.pty.type_keys(&format!("{line}\r"));
        let typed = Instant::now();
        while typed.elapsed() < AGAIN {
            if count(&console.pty.raw(), brings.as_bytes()) > before {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn pty_plain_a_whole_session_without_a_screen() {
    let mut console = plain(|launch| launch.env("TERM", "dumb"));
    console.pty.wait_for("travel wants to call book_flight");
    console.pty.wait_for("book_flight: approve, reject, edit");
    // Edited field by field, since no editor is named.
    answer(&mut console, "edit", "destination is \"Millau\"");
    answer(&mut console, "", "date is \"2026-11-27\"");
    answer(
        &mut console,
        "2026-11-28",
        "Approve book_flight so? yes or no:",
    );
    answer(
        &mut console,
        "yes",
        "Recorded: book_flight approved with edits.",
    );
    // The three mails: a word, a letter, a reason.
    console.pty.wait_for("send_mail: approve, reject");
    answer(&mut console, "approve", "Recorded: send_mail approved.");
    answer(&mut console, "x", "The result that stands in for the call:");
    answer(
        &mut console,
        "told her myself",
        "Recorded: send_mail answered.",
    );
    answer(
        &mut console,
        "reject",
        "The reason, which the model is told",
    );
    answer(&mut console, "not him", "Recorded: send_mail rejected.");
    // What the edit changed is what ran.
    console.pty.wait_for("write_file: approve");
    answer(&mut console, "approve", "delete_file: approve");
    answer(
        &mut console,
        "approve",
        "1 call held back; undo is still possible",
    );
    console.pty.type_keys("undo\r");
    console.pty.wait_for("1 call open again");
    answer(&mut console, "r", "The reason, which the model is told");
    answer(&mut console, "keep it", "Recorded: delete_file rejected.");
    // The script that comes last is ended as a whole.
    console.pty.wait_for("reserve: approve");
    answer(&mut console, "script", "run_code: ");
    answer(
        &mut console,
        "reject",
        "The reason, which the model is told",
    );
    answer(&mut console, "no rooms", "Recorded: run_code rejected.");
    console
        .pty
        .wait_for("Your turn. Type a message to travel, or quit:");
    answer(&mut console, "quit", "Go on later with: countersign resume");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
    let bookings = console.home.file("bookings.csv").expect("it was booked");
    assert!(bookings.contains("2026-11-28"), "{bookings}");
    assert!(console.home.file("itinerary-old.md").is_some());
    let raw = console.pty.raw();
    assert_eq!(count(&raw, b"\x1b"), 0, "nothing addresses the screen");
}

#[test]
fn pty_plain_what_came_before_its_question_or_at_once_decides_nothing() {
    let mut console = plain(|launch| launch);
    // Typed ahead of the first question, again and again until it stands there.
    while count(&console.pty.raw(), b"book_flight: approve") == 0 {
        console.pty.type_keys("approve\r");
        std::thread::sleep(Duration::from_millis(50));
    }
    // Several lines at once, once a line would count.
    std::thread::sleep(Duration::from_millis(600));
    console.pty.send(b"approve\rapprove\ryes\r");
    console.pty.wait_for("Several lines came at once");
    assert_eq!(count(&console.pty.raw(), b"Recorded"), 0);
    answer(&mut console, "skip", "send_mail: approve");
    console.pty.send(b"approve\r");
    console
        .pty
        .wait_for("That came too soon after the question");
    assert_eq!(count(&console.pty.raw(), b"Recorded"), 0);
    answer(&mut console, "approve", "Recorded: send_mail approved.");
}

#[test]
fn pty_plain_an_approval_soon_after_its_question_has_to_name_it() {
    let mut console = plain(|launch| launch);
    console.pty.wait_for("Question 1. book_flight: approve");
    answer(&mut console, "skip", "Question 2. send_mail: approve");
    answer(&mut console, "approve 1", "This is question 2");
    answer(&mut console, "skip", "Question 3. send_mail: approve");
    answer(&mut console, "approve", "Type approve 3");
    assert_eq!(count(&console.pty.raw(), b"Recorded"), 0);
    answer(&mut console, "approve 3", "Recorded: send_mail approved.");
}

#[test]
fn pty_plain_a_pasted_reason_is_confirmed_first() {
    let mut console = plain(|launch| launch);
    console.pty.wait_for("book_flight: approve");
    answer(
        &mut console,
        "reject",
        "The reason, which the model is told",
    );
    answer(&mut console, "one\rtwo", "These 2 lines came at once.");
    assert_eq!(count(&console.pty.raw(), b"Recorded"), 0);
    answer(&mut console, "yes", "Recorded: book_flight rejected.");
}

#[test]
fn pty_plain_ctrl_c_leaves_a_question_and_then_asks_whether_to_interrupt() {
    let mut console = plain(|launch| launch);
    console.pty.wait_for("book_flight: approve");
    answer(
        &mut console,
        "reject",
        "The reason, which the model is told",
    );
    console.pty.press("ctrl-c");
    console.pty.wait_until("the question again", |screen| {
        screen.contents().matches("book_flight: approve").count() >= 2
    });
    console.pty.press("ctrl-c");
    console
        .pty
        .wait_for("Interrupt the run and reject its 4 waiting calls? yes or no:");
    answer(&mut console, "yes", "Your turn.");
    assert_eq!(console.home.file("bookings.csv"), None);
}

#[test]
fn pty_plain_the_editor_edits_where_one_is_named() {
    let mut console = plain(|launch| launch.env("EDITOR", "sed -i s/2026-11-27/2026-12-01/"));
    console.pty.wait_for("book_flight: approve");
    answer(&mut console, "e", "Approve book_flight so? yes or no:");
    answer(&mut console, "no", "book_flight: approve");
    answer(&mut console, "e", "Approve book_flight so? yes or no:");
    answer(
        &mut console,
        "y",
        "Recorded: book_flight approved with edits.",
    );
}

#[test]
fn pty_plain_a_killed_session_is_gone_on_with_line_by_line() {
    let mut console = plain(|launch| launch);
    console.pty.wait_for("book_flight: approve");
    answer(&mut console, "approve", "Recorded: book_flight approved.");
    let home = console.kill();
    let mut console = Console::with(home, &["resume", "--plain"], (200, 400));
    console
        .pty
        .wait_for("Call: get_weather {\"city\":\"Millau\"}");
    console.pty.wait_for("Call 1 of 3 that wait");
    answer(&mut console, "quit", "calls wait and stay undecided");
    answer(&mut console, "yes", "Go on later with");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
}

#[test]
fn pty_plain_a_dumb_terminal_is_told_of_it() {
    let home = Home::new();
    let mut pty = home
        .settle(Launch::countersign())
        .env("TERM", "dumb")
        .start();
    pty.wait_for("--plain");
    assert_eq!(pty.wait_exit().exit_code(), 2);
}

#[test]
fn pty_plain_a_tool_that_is_named_like_a_decision_is_told_from_one() {
    let home = Home::new();
    let state = r#"{"calls":[],"approvals":[{"tool_name":"rm ✓ approved","args":{"path":"q3.csv"},"tool_call_id":"c1","part_kind":"tool-call"}],"metadata":{}}"#;
    std::fs::write(home.path("cwd/state.json"), state).expect("a file");
    let arguments = ["decide", "state.json", "--plain", "--out", "decided.json"];
    let mut console = Console::with(home, &arguments, (200, 200));
    console
        .pty
        .wait_for("wants to call \"rm ✓ approved\". The agent's program asks.");
    console
        .pty
        .wait_for("Question 1. \"rm ✓ approved\": approve, reject");
    answer(
        &mut console,
        "reject",
        "The reason, which the model is told",
    );
    answer(&mut console, "", "Recorded: \"rm ✓ approved\" rejected.");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
}

#[test]
fn pty_plain_what_was_recorded_is_told_before_the_next_question_and_a_signature_can_be_put_off() {
    let mut console = plain(|launch| launch);
    console.pty.wait_for("book_flight: approve");
    answer(&mut console, "approve", "send_mail: approve");
    let told = String::from_utf8_lossy(&console.pty.raw()).into_owned();
    let recorded = told.find("Recorded: book_flight approved.");
    let next = told.find("Question 2.");
    assert!(recorded.is_some() && recorded < next, "{told}");
    answer(&mut console, "edit", "to is ");
    while count(&console.pty.raw(), b"so? yes or no:") == 0 {
        std::thread::sleep(Duration::from_millis(420));
        console.pty.type_keys("\r");
    }
    answer(&mut console, "skip", "Question 3. send_mail: approve");
    answer(&mut console, "edit", "to is ");
    while count(&console.pty.raw(), b"so? yes or no:") == 1 {
        std::thread::sleep(Duration::from_millis(420));
        console.pty.type_keys("\r");
    }
    answer(&mut console, "quit", "Quit? yes or no:");
    answer(&mut console, "yes", "Go on later with");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
}
