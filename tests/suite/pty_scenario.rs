//! The whole program in a pseudo-terminal: an operator works through the built-in rehearsal.

use crate::support::console::Console;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn pty_the_rehearsal_is_signed_from_the_flight_to_the_last_file() {
    let mut console = Console::start(120, 36);
    console.press_for("a", "3 pending · 1 decided");
    console.press_for("A", "approve 3 calls");
    console.press_for("enter", "· 4 decided");
    console.pty.wait_for("2 pending · 4 decided");
    // All of it is in sight, so one key signs it.
    console.press_for("a", "1 pending · 5 decided");
    console.press_for("a", "held");
    console.press_for("u", "1 call open again");
    console.wait_gone("approved · held");
    assert!(console.shows("1 pending · 5 decided"));
    console.press_for("a", "approved · held");
    // The script waits, and above the call that it waits for stands the script itself.
    console.pty.wait_for("2 pending · 6 decided");
    console.press_for("j", "a approve");
    console.press_for("a", "2 pending · 7 decided");
    console.press_for("j", "a approve");
    console.press_for("a", "4 pending · 8 decided");
    console.press_for("A", "approve 3 calls");
    console.press_for("enter", "· 11 decided");
    console.pty.wait_for("Have a good trip!");
    console.pty.wait_for("your turn");
    let home = &console.home;
    assert_eq!(
        home.file("bookings.csv").as_deref(),
        Some("FL-10101,Millau,2026-11-27\n")
    );
    let reserved = home.file("reservations.csv");
    assert_eq!(
        reserved.as_deref(),
        Some(
            "RS-20201,2026-11-27,room for three at the Hôtel de la Poste\nRS-20202,2026-11-27,table for three at eight\n"
        )
    );
    let mut mails: Vec<_> = fs::read_dir(home.workspace().join("outbox"))
        .expect("an outbox")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    mails.sort();
    let wanted: [std::ffi::OsString; 3] =
        ["ada", "grace", "linus"].map(|name| format!("{name}@example.org.json").into());
    assert_eq!(mails, wanted);
    let itinerary = home.file("itinerary.md").expect("it is written");
    assert!(
        itinerary.contains("- Town: Millau, 28 °C and sunny\n"),
        "{itinerary}"
    );
    assert_eq!(home.file("itinerary-old.md"), None);
    // Nothing waits, so nothing is asked.
    console.pty.press("q");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
}

#[test]
fn pty_a_rejected_flight_is_not_booked_and_the_model_hears_the_reason() {
    let mut console = Console::start(80, 24);
    console.press_for("r", "Reject, with a reason");
    console.pty.type_keys("too dear");
    console.press_for("ctrl-s", "3 pending · 1 decided");
    console.press_for("R", "Reject, with a reason");
    console.press_for("ctrl-s", "reject 3 calls");
    console.press_for("enter", "0 pending · 4 decided");
    console.pty.wait_for("No flight, then.");
    console.pty.wait_for("too dear");
    assert_eq!(console.home.file("bookings.csv"), None);
    assert!(!console.home.workspace().join("outbox").exists());
}

#[test]
fn pty_edited_arguments_are_checked_while_typing_and_are_what_is_booked() {
    let mut console = Console::start(120, 36);
    console.press_for("e", "Edit, then approve");
    console.pty.wait_for("may be signed");
    for key in ["ctrl-p", "down", "end"] {
        console.pty.press(key);
    }
    console.settle_edit("Millau", "Rodez");
    console.press_for("ctrl-s", "approve 1 call with edits");
    console.press_for("enter", "3 pending · 1 decided");
    console.pty.wait_for("10101");
    assert_eq!(
        console.home.file("bookings.csv").as_deref(),
        Some("FL-10101,Rodez,2026-11-27\n")
    );
    console.press_for("A", "approve 3 calls");
    console.press_for("enter", "· 4 decided");
    console
        .pty
        .wait_for("You changed the booking before it ran");
}

impl Console {
    /// Replaces the word at the end of the line, before `",`, and waits for each of the checks.
    fn settle_edit(&mut self, old: &str, new: &str) {
        // The comma and the quote go as well: for a moment it is not JSON.
        for _ in 0..old.len() + 2 {
            self.pty.press("backspace");
        }
        self.wait_gone("may be signed");
        self.pty.type_keys(&format!("{new}\","));
        self.pty.wait_for("may be signed");
        assert!(self.shows(&format!("\"{new}\",")), "{}", self.pty.screen());
    }
}

#[test]
fn pty_arguments_can_be_edited_in_the_operators_editor() {
    let mut console = Console::start_with(120, 36, |launch, folder| {
        let editor = folder.join("editor");
        fs::write(&editor, "#!/bin/sh\nsed -i s/Millau/Brive/ \"$1\"\n").expect("a script");
        fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).expect("it is ours");
        launch.env("EDITOR", editor)
    });
    console.press_for("e", "Edit, then approve");
    console.pty.press("ctrl-o");
    console.pty.wait_for("\"destination\": \"Brive\"");
    console.pty.wait_for("may be signed");
    console.press_for("ctrl-s", "approve 1 call with edits");
    console.press_for("enter", "3 pending · 1 decided");
    console.pty.wait_for("10101");
    assert_eq!(
        console.home.file("bookings.csv").as_deref(),
        Some("FL-10101,Brive,2026-11-27\n")
    );
}

#[test]
fn pty_an_answer_in_the_tools_place_reaches_the_model_and_nothing_runs() {
    let mut console = Console::start(120, 36);
    console.press_for("x", "▸Answer");
    console.pty.type_keys("Booked by telephone.");
    console.press_for("ctrl-s", "3 pending · 1 decided");
    console.press_for("A", "approve 3 calls");
    console.press_for("enter", "· 4 decided");
    console.pty.wait_for("Booked by telephone. Now the");
    assert_eq!(console.home.file("bookings.csv"), None);
}

#[test]
fn pty_a_burst_of_approvals_decides_one_call_only() {
    let mut console = Console::start(120, 36);
    // The mark of another key ends what could be one key held down.
    console.do_until("1 decided", |pty| pty.type_keys("zaaaz"));
    console.settle();
    assert!(
        console.shows("3 pending · 1 decided"),
        "{}",
        console.pty.screen()
    );
}

#[test]
fn pty_a_paste_decides_nothing() {
    let mut console = Console::start(120, 36);
    // As often as it takes until the call would take a decision.
    let mut pastes = 0;
    console.do_until("Reject, with a reason", |pty| {
        pastes += 1;
        pty.paste("aaa\raaa");
        pty.press("r");
    });
    console.pty.press("esc");
    console.wait_gone("Reject, with a reason");
    console.settle();
    assert!(
        console.shows("4 pending · 0 decided"),
        "{}",
        console.pty.screen()
    );
    assert!(pastes > 0);
}

#[test]
fn pty_a_pasted_message_of_several_lines_is_sent_as_it_is() {
    let mut console = Console::start(120, 36);
    console.press_for("i", "Message to the agent");
    console.pty.paste("please hurry\nand be q");
    console.pty.type_keys("uick");
    console.pty.wait_for("and be quick");
    assert!(console.shows("4 pending · 0 decided"));
    console.pty.press("ctrl-s");
    console.wait_gone("Message to the agent");
    console
        .pty
        .wait_until("the message in the conversation", |screen| {
            let text = screen.contents();
            text.contains("you    please hurry") && text.contains("and be quick")
        });
    assert_eq!(console.quit(), 0);
}

#[test]
fn pty_the_filter_lists_only_what_contains_the_text() {
    let mut console = Console::start(50, 15);
    console.press_for("/", "list:");
    console.pty.type_keys("grace");
    console.wait_gone("linus@");
    console.pty.press("ctrl-s");
    console.pty.wait_for("grace@");
    console.wait_gone("book_flight");
    // Approving all listed is about the one that is listed.
    console.press_for("A", "approve 1 call");
    console.press_for("enter", "3 pending · 1 decided");
    console.press_for("/", "list:");
    for _ in 0.."grace".len() {
        console.pty.press("backspace");
    }
    console.pty.press("ctrl-s");
    console.pty.wait_for("book_flight");
    assert!(console.shows("linus@"));
}
