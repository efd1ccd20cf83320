//! Sessions that outlive a console: resumed, detached, watched by two.

use crate::support::console::{Console, Home};

#[test]
fn pty_a_session_goes_on_where_a_killed_console_left_it() {
    let mut console = Console::start(120, 36);
    console.press_for("a", "3 pending · 1 decided");
    console.pty.wait_for("approved by");
    let home = console.kill();
    let mut again = Console::with(home, &["resume"], (120, 36));
    again.pty.wait_for("3 pending · 1 decided");
    again.pty.wait_for("Millau is the warmest");
    again.press_for("R", "Reject, with a reason");
    again.press_for("ctrl-s", "reject 3 calls");
    again.press_for("enter", "4 decided");
    let booked = again.home.file("bookings.csv").unwrap_or_default();
    assert!(
        booked.lines().count() <= 1,
        "booked more than once: {booked}"
    );
}

#[test]
fn pty_detached_agents_go_on_and_two_consoles_decide_once() {
    let home = Home::new();
    let one = Console::with(home, &["run", "--detach"], (120, 36));
    one.pty.wait_for("4 pending");
    let home = one.hang_up();
    let mut one = Console::with(home, &["attach"], (120, 36));
    one.pty.wait_for("4 pending · 0 decided");
    let two = one.beside(&["attach"], (100, 30));
    two.wait_for("4 pending · 0 decided");
    one.press_for("a", "3 pending · 1 decided");
    two.wait_for("3 pending · 1 decided");
    one.press_for("R", "Reject, with a reason");
    one.press_for("ctrl-s", "reject 3 calls");
    one.press_for("enter", "4 decided");
    two.wait_for("4 decided");
    let booked = one.home.file("bookings.csv").expect("the flight is booked");
    assert_eq!(booked.lines().count(), 1);
}
