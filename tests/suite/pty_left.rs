//! What the shell says once the full-screen console has closed.

use crate::support::console::Console;

#[test]
fn pty_after_the_console_the_shell_says_what_waits_and_how_to_come_back() {
    let mut console = Console::start(120, 36);
    console.pty.wait_for("book_flight");
    console.pty.press("q");
    console.pty.wait_for("calls waiting for a decision");
    console.pty.press("enter");
    assert_eq!(console.pty.wait_exit().exit_code(), 0);
    let shell = String::from_utf8_lossy(&console.pty.raw()).into_owned();
    let line = "4 calls still wait in the session of travel; go on with: countersign resume ";
    assert!(shell.contains(line), "{shell}");
}
