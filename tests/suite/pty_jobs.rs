//! The program as a job of a real shell: stopped, in the background, continued, ended.

use crate::support::console::{Console, Home};
use crate::support::pty::{Launch, Pty, count};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;

const ALTERNATE_ON: &[u8] = b"\x1b[?1049h";

/// A line for the shell. Who stops the console from outside leaves the shell what the terminal answers it:
/// that is deleted first.
fn at_the_prompt(line: &str) -> String {
    format!("\u{15}{line}\r")
}

/// A shell, and the console as its job.
struct Job {
    pty: Pty,
    home: Home,
}

impl Job {
    fn start() -> Self {
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
        let line = format!("sh -c 'echo $$ > id; exec {}'\r", program.display());
        pty.type_keys(&line);
        pty.wait_for("4 pending");
        Self { pty, home }
    }

    /// Waits until the terminal has answered what the console asked of it.
    fn settle(&mut self) {
        self.pty.press("?");
        self.pty.wait_for("Keys");
        self.pty.press("esc");
        self.wait_console();
    }

    fn suspend(&mut self) {
        self.pty.press("ctrl-z");
        self.wait_stopped();
    }

    fn wait_stopped(&self) {
        self.pty.wait_until("the shell", |screen| {
            !screen.alternate_screen() && screen.contents().contains("Stopped")
        });
    }

    /// Waits until the shell reads: what is typed while the terminal changes hands may be lost.
    fn wait_prompt(&self) {
        self.pty.wait_until("the prompt", |screen| {
            let text = screen.contents();
            text.contains("Stopped") && text.contains("prompt>")
        });
    }

    fn wait_console(&self) {
        self.pty.wait_until("the console", |screen| {
            let text = screen.contents();
            screen.alternate_screen()
                && text.contains("4 pending · 0 decided")
                && text.contains("book_flight")
                && !text.contains("prompt>")
        });
    }

    fn signal(&self, signal: Signal) {
        let id = fs::read_to_string(self.home.path("cwd/id")).expect("the job's id");
        let id = id.trim().parse().expect("a number");
        let id = Pid::from_raw(id).expect("it is not 0");
        kill_process(id, signal).expect("the job runs");
    }

    fn quit(mut self) {
        self.pty.press("q");
        self.pty.wait_for("Quit?");
        self.pty.press("enter");
        self.pty.wait_until("the main screen", |screen| {
            !screen.alternate_screen() && screen.contents().trim_end().ends_with("\nprompt>")
        });
        self.pty.type_keys("exit\r");
        assert_eq!(self.pty.wait_exit().exit_code(), 0);
    }
}

#[test]
fn pty_a_suspended_console_that_is_killed_ends_and_leaves_the_terminal_alone() {
    let mut job = Job::start();
    job.suspend();
    let entered = count(&job.pty.raw(), ALTERNATE_ON);
    job.pty
        .type_keys("kill %1; wait -f %1; echo \"it ended with $?\"\r");
    job.pty.wait_for("it ended with 0");
    assert_eq!(count(&job.pty.raw(), ALTERNATE_ON), entered);
    assert!(!job.pty.screen().contains("rror"), "{}", job.pty.screen());
    job.pty.type_keys("exit\r");
    job.pty.wait_exit();
}

#[test]
fn pty_a_console_that_is_continued_in_the_background_stops_again() {
    let mut job = Job::start();
    job.suspend();
    let entered = count(&job.pty.raw(), ALTERNATE_ON);
    job.pty.type_keys(
        "bg; until jobs | grep -q Stopped; do sleep 0.02; done; echo \"it stopped $((6 * 7))\"\r",
    );
    job.pty.wait_for("it stopped 42");
    assert_eq!(count(&job.pty.raw(), ALTERNATE_ON), entered);
    job.pty.type_keys("fg\r");
    job.wait_console();
    job.quit();
}

#[test]
fn pty_a_console_that_somebody_else_stopped_draws_its_screen_afresh() {
    let mut job = Job::start();
    job.settle();
    job.signal(Signal::STOP);
    job.wait_prompt();
    job.pty.type_keys(&at_the_prompt("clear; echo $((40 + 2))"));
    job.pty.wait_for("42");
    job.pty.type_keys(&at_the_prompt("fg"));
    job.wait_console();
    job.quit();
}

#[test]
fn pty_a_console_that_somebody_else_stopped_can_be_killed() {
    let mut job = Job::start();
    job.settle();
    job.signal(Signal::STOP);
    job.wait_prompt();
    job.pty.type_keys(&at_the_prompt(
        "clear; kill %1; wait -f %1; echo \"it ended with $?\"",
    ));
    job.pty.wait_for("it ended with 0");
    job.pty.type_keys(&at_the_prompt("exit"));
    job.pty.wait_exit();
}

#[test]
fn pty_ctrl_z_says_so_where_no_shell_waits() {
    let mut console = Console::start(80, 24);
    console.pty.wait_for("4 pending");
    console.press_for("ctrl-z", "not stopped: no shell waits here");
    // It is there as before.
    console.pty.press("?");
    console.pty.wait_for("Keys");
    console.kill();
}
