//! The whole program on its built-in rehearsal, in a pseudo-terminal and a scratch home.

use super::pty::{Launch, Pty};
use rustix::process::Signal;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How often a key is pressed again that was not taken, as an operator does who was too quick: a call
/// that has only just appeared cannot be decided.
const AGAIN: Duration = Duration::from_millis(150);
/// How long a key is pressed again before something must be wrong.
const PATIENCE: Duration = Duration::from_secs(20);

/// A scratch home: nothing of the person who runs the tests is read or written.
pub struct Home(TempDir);

impl Home {
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a scratch folder");
        for name in ["home", "config", "data", "cwd"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program's surroundings, as variables.
    pub fn variables(&self) -> [(&'static str, PathBuf); 3] {
        [
            ("COUNTERSIGN_DATA_DIR", self.path("data")),
            ("HOME", self.path("home")),
            ("XDG_CONFIG_HOME", self.path("config")),
        ]
    }

    pub fn settle(&self, launch: Launch) -> Launch {
        let launch = launch.cwd(&self.path("cwd"));
        let variables = self.variables().into_iter();
        variables.fold(launch, |launch, (name, value)| launch.env(name, value))
    }

    /// A file of the one rehearsal's workspace; `None` if it is not there.
    pub fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.workspace().join(name)).ok()
    }

    pub fn workspace(&self) -> PathBuf {
        let all = self.path("data/rehearsals");
        let mut found = fs::read_dir(&all).expect("a rehearsal was laid out");
        let one = found.next().expect("there is one").expect("a folder");
        one.path().join("workspace")
    }
}

/// The program under way.
pub struct Console {
    pub pty: Pty,
    pub home: Home,
}

/// A background process that a test left would outlive it.
impl Drop for Home {
    fn drop(&mut self) {
        let Ok(sockets) = fs::read_dir(self.path("data/run")) else {
            return;
        };
        for socket in sockets.flatten() {
            let name = socket.file_name().into_string().unwrap_or_default();
            let number = name
                .strip_suffix(".sock")
                .and_then(|number| number.parse().ok());
            if let Some(process) = number.and_then(rustix::process::Pid::from_raw) {
                // It may have ended by itself.
                let _ = rustix::process::kill_process(process, Signal::TERM);
            }
        }
    }
}

impl Console {
    /// Starts the rehearsal and waits for its first calls.
    pub fn start(columns: u16, rows: u16) -> Self {
        Self::start_with(columns, rows, |launch, _| launch)
    }

    pub fn start_with(
        columns: u16,
        rows: u16,
        change: impl FnOnce(Launch, &Path) -> Launch,
    ) -> Self {
        let home = Home::new();
        let launch = home.settle(Launch::countersign()).size(columns, rows);
        let pty = change(launch, home.0.path()).start();
        let console = Self { pty, home };
        console.pty.wait_for("4 pending");
        console
    }

    /// The program with these arguments in a home of before.
    pub fn with(home: Home, args: &[&str], (columns, rows): (u16, u16)) -> Self {
        let launch = home
            .settle(Launch::countersign())
            .args(args)
            .size(columns, rows);
        Self {
            pty: launch.start(),
            home,
        }
    }

    /// Another console on the same home.
    pub fn beside(&self, args: &[&str], (columns, rows): (u16, u16)) -> Pty {
        let launch = self.home.settle(Launch::countersign());
        launch.args(args).size(columns, rows).start()
    }

    /// Ends the console without a chance to do anything.
    pub fn kill(mut self) -> Home {
        self.pty.signal(Signal::KILL);
        self.pty.wait_exit();
        self.home
    }

    /// Ends the console as a lost connection does.
    pub fn hang_up(mut self) -> Home {
        self.pty.signal(Signal::HUP);
        self.pty.wait_exit();
        self.home
    }

    pub fn shows(&self, text: &str) -> bool {
        self.pty.screen().contains(text)
    }

    /// Presses a key until the screen shows what it is to bring.
    #[track_caller]
    pub fn press_for(&mut self, key: &str, text: &str) {
        self.do_until(text, |pty| pty.press(key));
    }

    /// Does something again and again until the screen shows what it is to bring.
    #[track_caller]
    pub fn do_until(&mut self, text: &str, act: impl FnMut(&mut Pty)) {
        do_until(&mut self.pty, text, act);
    }

    #[track_caller]
    pub fn wait_gone(&self, text: &str) {
        let what = format!("the end of `{text}`");
        self.pty
            .wait_until(&what, |screen| !screen.contents().contains(text));
    }

    /// Waits until every key typed so far was taken in: the help opens after all of them.
    #[track_caller]
    pub fn settle(&mut self) {
        self.pty.press("?");
        self.pty.wait_for("╭▸Keys");
        self.pty.press("esc");
        self.wait_gone("╭▸Keys");
    }

    /// Quits, whatever waits, and gives the exit code.
    pub fn quit(mut self) -> u32 {
        self.pty.press("q");
        self.pty.press("enter");
        self.pty.wait_exit().exit_code()
    }
}

#[track_caller]
pub fn do_until(pty: &mut Pty, text: &str, mut act: impl FnMut(&mut Pty)) {
    let begun = Instant::now();
    while !pty.screen().contains(text) {
        let screen = pty.screen();
        assert!(
            begun.elapsed() < PATIENCE,
            "no `{text}` comes of it:\n{screen}"
        );
        act(pty);
        let acted = Instant::now();
        while acted.elapsed() < AGAIN && !pty.screen().contains(text) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
