//! A program in a real pseudo-terminal, and what that terminal shows.
//!
//! Owns starting it, typing, waiting for the screen and the end. Waits by condition, never by a fixed
//! time: each wait ends as soon as what it waits for is there, and shows the screen if it never comes.

use portable_pty::{
    Child, CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system,
};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use rustix::process::Signal;

/// Long enough for a loaded machine; nothing takes it that works.
const PATIENCE: Duration = Duration::from_secs(20);
/// vt100 cannot show a screen of less than 2×2.
const LEAST: NonZero<u16> = NonZero::new(2).expect("2 is not 0");

/// What the person who runs the tests may have set, and the program would heed.
const OWN_SETTINGS: [&str; 6] = [
    "NO_COLOR",
    "VISUAL",
    "EDITOR",
    "SSH_CONNECTION",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
];

/// What is to be started.
pub struct Launch {
    command: CommandBuilder,
    columns: u16,
    rows: u16,
}

/// The program itself; the one that `COUNTERSIGN_BIN` names if it is set.
#[allow(dead_code, reason = "for the tests of the whole program")]
pub fn program() -> PathBuf {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_countersign"));
    let named = std::env::var_os("COUNTERSIGN_BIN").map(PathBuf::from);
    // Tests run in the project's folder, the program may not.
    named
        .unwrap_or(built)
        .canonicalize()
        .expect("the program is built: `cargo build`, or the one COUNTERSIGN_BIN names")
}

impl Launch {
    /// The program itself; the one that `COUNTERSIGN_BIN` names if it is set.
    #[allow(dead_code, reason = "for the tests of the whole program")]
    pub fn countersign() -> Self {
        Self::command(program())
    }

    pub fn command(program: impl AsRef<Path>) -> Self {
        let mut command = CommandBuilder::new(program.as_ref());
        command.env("TERM", "xterm-256color");
        // A trace would push a panic's message off the screen; the others are the person's own.
        for name in OWN_SETTINGS {
            command.env_remove(name);
        }
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        Self {
            command,
            columns: 80,
            rows: 24,
        }
    }

    pub fn args<S: AsRef<std::ffi::OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    #[allow(dead_code, reason = "for the tests of the whole program")]
    pub fn cwd(mut self, folder: &Path) -> Self {
        self.command.cwd(folder);
        self
    }

    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        self.columns = columns;
        self.rows = rows;
        self
    }

    pub fn start(self) -> Pty {
        let pair = native_pty_system()
            .openpty(size(self.columns, self.rows))
            .expect("the system has pseudo-terminals");
        let child = pair
            .slave
            .spawn_command(self.command)
            .expect("the program starts");
        let output = pair
            .master
            .try_clone_reader()
            .expect("a new terminal reads");
        let keyboard = pair.master.take_writer().expect("a new terminal writes");
        let keyboard = Arc::new(Mutex::new(keyboard));
        let terminal = Arc::new(Terminal::new(self.columns, self.rows));
        let (seen, answers) = (Arc::clone(&terminal), Arc::clone(&keyboard));
        std::thread::spawn(move || seen.watch(output, &answers));
        Pty {
            child,
            keyboard,
            terminal,
            master: pair.master,
            _slave: pair.slave,
        }
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).map_or(LEAST, |count| count.max(LEAST))
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

/// The terminal's side: everything that was written to it, and what it shows because of that.
struct Terminal {
    state: Mutex<Shows>,
    changed: Condvar,
}

/// What asks a terminal where its cursor is.
const WHERE: &[u8] = b"\x1b[6n";

type Keyboard = Mutex<Box<dyn Write + Send>>;

/// The program may have ended.
fn type_into(keyboard: &Keyboard, bytes: &[u8]) {
    let mut keyboard = keyboard.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = keyboard.write_all(bytes).and_then(|()| keyboard.flush());
}

struct Shows {
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// What the terminal has not answered yet, while its line holds answers back.
    held: Option<String>,
}

impl Shows {
    /// Takes in what was written, and says what the terminal answers: where the cursor is, when it is asked.
    fn take_in(&mut self, bytes: &[u8]) -> String {
        let mut answers = String::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'n') {
            self.parser.process(piece);
            self.raw.extend_from_slice(piece);
            if self.raw.ends_with(WHERE) {
                let (row, column) = self.parser.screen().cursor_position();
                // Writing to a String cannot fail.
                let _ = write!(answers, "\x1b[{};{}R", row + 1, column + 1);
            }
        }
        match &mut self.held {
            Some(held) => {
                held.push_str(&answers);
                String::new()
            }
            None => answers,
        }
    }
}

impl Terminal {
    fn new(columns: u16, rows: u16) -> Self {
        Self {
            state: Mutex::new(Shows {
                parser: vt100::Parser::new(cells(rows), cells(columns), 0),
                raw: Vec::new(),
                held: None,
            }),
            changed: Condvar::new(),
        }
    }

    fn watch(&self, mut output: impl Read, keyboard: &Keyboard) {
        let mut bytes = [0; 16 * 1024];
        while let Ok(count @ 1..) = output.read(&mut bytes) {
            let answers = self.lock().take_in(&bytes[..count]);
            self.changed.notify_all();
            type_into(keyboard, answers.as_bytes());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shows> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether `wanted` came true in time.
    fn wait(&self, mut wanted: impl FnMut(&Shows) -> bool) -> bool {
        let (_state, timeout) = self
            .changed
            .wait_timeout_while(self.lock(), PATIENCE, |shows| !wanted(shows))
            .unwrap_or_else(PoisonError::into_inner);
        !timeout.timed_out()
    }
}

/// A running program and its terminal. Dropping it ends the program.
pub struct Pty {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Arc<Keyboard>,
    terminal: Arc<Terminal>,
    master: Box<dyn MasterPty + Send>,
    /// Held so that the terminal is not hung up between a shell and the program it starts.
    _slave: Box<dyn SlavePty + Send>,
}

impl Pty {
    /// Types text, as a keyboard does.
    pub fn type_keys(&mut self, text: &str) {
        self.send(text.as_bytes());
    }

    /// Presses one key by its name in `keymap.toml`.
    pub fn press(&mut self, key: &str) {
        self.send(&sequence(key));
    }

    /// Pastes text as a terminal with bracketed paste does.
    pub fn paste(&mut self, text: &str) {
        self.send(format!("\x1b[200~{text}\x1b[201~").as_bytes());
    }

    pub fn send(&mut self, bytes: &[u8]) {
        let mut keyboard = self.keyboard.lock().unwrap_or_else(PoisonError::into_inner);
        keyboard
            .write_all(bytes)
            .and_then(|()| keyboard.flush())
            .expect("the terminal takes keys");
    }

    /// Waits until the screen shows the text.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("`{text}` on the screen"), |screen| {
            screen.contents().contains(text)
        });
    }

    /// Waits for anything that can be seen on the screen. `what` is said if it never comes.
    #[track_caller]
    pub fn wait_until(&self, what: &str, mut wanted: impl FnMut(&vt100::Screen) -> bool) {
        let came = self.terminal.wait(|shows| wanted(shows.parser.screen()));
        assert!(came, "waited in vain for {what}:\n{}", self.framed());
    }

    /// Waits until the bytes were written to the terminal `times` times in all.
    #[track_caller]
    pub fn wait_for_bytes(&self, bytes: &[u8], times: usize) {
        let came = self
            .terminal
            .wait(|shows| count(&shows.raw, bytes) >= times);
        assert!(
            came,
            "waited in vain for {:?}, {times} times:\n{}",
            String::from_utf8_lossy(bytes),
            self.framed()
        );
    }

    /// From now on the terminal takes in what is written, but its answers do not come: a slow line.
    pub fn hold_answers(&self) {
        self.terminal.lock().held.get_or_insert_default();
    }

    /// The answers come, those that were held back first.
    pub fn give_answers(&self) {
        let held = self.terminal.lock().held.take();
        type_into(&self.keyboard, held.unwrap_or_default().as_bytes());
    }

    /// What the screen shows, as text.
    pub fn screen(&self) -> String {
        self.terminal.lock().parser.screen().contents()
    }

    /// Every byte written to the terminal so far.
    pub fn raw(&self) -> Vec<u8> {
        self.terminal.lock().raw.clone()
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        self.terminal
            .lock()
            .parser
            .screen_mut()
            .set_size(cells(rows), cells(columns));
        self.master
            .resize(size(columns, rows))
            .expect("a terminal can be resized");
    }

    pub fn signal(&self, signal: Signal) {
        let id = self.child.process_id().expect("the program runs");
        let id = i32::try_from(id).expect("process ids are small");
        let process = rustix::process::Pid::from_raw(id).expect("process ids are not 0");
        rustix::process::kill_process(process, signal).expect("the program can be signalled");
    }

    /// Waits for the end of the program. The last of its output may come a moment later.
    #[track_caller]
    pub fn wait_exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status;
            }
            assert!(
                Instant::now() < deadline,
                "waited in vain for the program to end:\n{}",
                self.framed()
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn framed(&self) -> String {
        let mut framed = String::new();
        for row in self.screen().lines() {
            // Writing to a String cannot fail.
            let _ = writeln!(framed, "  │{row}");
        }
        framed
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // It has usually ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How often `bytes` stands in `raw`.
pub fn count(raw: &[u8], bytes: &[u8]) -> usize {
    raw.windows(bytes.len())
        .filter(|window| *window == bytes)
        .count()
}

/// What a terminal sends for a key.
fn sequence(key: &str) -> Vec<u8> {
    if let Some(rest) = key.strip_prefix("alt-") {
        return [b"\x1b".to_vec(), sequence(rest)].concat();
    }
    if let Some(letter) = key
        .strip_prefix("ctrl-")
        .and_then(|rest| rest.bytes().next())
    {
        return vec![letter & 0x1f];
    }
    let known = match key {
        "enter" => "\r",
        "esc" => "\x1b",
        "tab" => "\t",
        "shift-tab" => "\x1b[Z",
        "space" => " ",
        "backspace" => "\x7f",
        "delete" => "\x1b[3~",
        "insert" => "\x1b[2~",
        "up" => "\x1b[A",
        "down" => "\x1b[B",
        "right" => "\x1b[C",
        "left" => "\x1b[D",
        "home" => "\x1b[H",
        "end" => "\x1b[F",
        "page-up" => "\x1b[5~",
        "page-down" => "\x1b[6~",
        character => character,
    };
    known.as_bytes().to_vec()
}
