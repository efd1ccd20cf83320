//! One program in a pseudo-terminal: starting it, pressing keys, and the times at which it wrote.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::process::Process;

const COLUMNS: NonZero<u16> = NonZero::new(120).expect("it is not 0");
const ROWS: NonZero<u16> = NonZero::new(40).expect("it is not 0");
/// Nothing takes this long that works.
const PATIENCE: Duration = Duration::from_mins(2);
/// A program that wrote nothing for so long has written what there was to write.
const QUIET: Duration = Duration::from_millis(25);
/// What a program asks its terminal: which flags of the enhanced keyboard are on, and where the cursor is.
const KEYBOARD: &[u8] = b"\x1b[?u";
const CURSOR: &[u8] = b"\x1b[6n";
/// So many bytes may be the beginning of a question whose end comes with the next piece.
const OPEN: usize = 3;

/// What is to be started.
pub struct Start {
    command: CommandBuilder,
    answers: Duration,
}

impl Start {
    pub fn of(program: impl AsRef<Path>) -> Self {
        let mut command = CommandBuilder::new(program.as_ref());
        command.env("TERM", "xterm-256color");
        for name in ["NO_COLOR", "SSH_CONNECTION", "TMUX"] {
            command.env_remove(name);
        }
        Self {
            command,
            answers: Duration::ZERO,
        }
    }

    /// The program itself; the one that `COUNTERSIGN_BIN` names if it is set.
    pub fn countersign() -> Self {
        let named = std::env::var_os("COUNTERSIGN_BIN");
        Self::of(named.unwrap_or_else(|| env!("CARGO_BIN_EXE_countersign").into()))
    }

    pub fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Self {
        self.command.args(args);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn cwd(mut self, folder: &Path) -> Self {
        self.command.cwd(folder);
        self
    }

    /// The terminal answers what it is asked, so much later.
    pub fn answering(mut self, after: Duration) -> Self {
        self.answers = after;
        self
    }

    pub fn now(self) -> Program {
        let size = PtySize {
            rows: ROWS.get(),
            cols: COLUMNS.get(),
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system()
            .openpty(size)
            .expect("the system has pseudo-terminals");
        let mut output = pair.master.try_clone_reader().expect("a terminal reads");
        let keyboard = pair.master.take_writer().expect("a terminal writes");
        let (sender, chunks) = channel();
        std::thread::spawn(move || {
            let mut bytes = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let chunk = (Instant::now(), bytes[..count].to_vec());
                if sender.send(chunk).is_err() {
                    break;
                }
            }
        });
        let started = Instant::now();
        let child = pair
            .slave
            .spawn_command(self.command)
            .expect("the program starts");
        Program {
            child,
            keyboard,
            chunks,
            started,
            bytes: 0,
            parser: vt100::Parser::new(ROWS, COLUMNS, 0),
            answers: self.answers,
            asked: Vec::new(),
            owed: VecDeque::new(),
            _terminal: (pair.master, pair.slave),
        }
    }
}

/// What came of one key.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// From the key to the bytes that changed the screen.
    pub took: Duration,
    /// All that was written until it was quiet again.
    pub bytes: usize,
}

/// A program under way. Dropping it ends it.
pub struct Program {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    chunks: Receiver<(Instant, Vec<u8>)>,
    started: Instant,
    bytes: usize,
    parser: vt100::Parser,
    answers: Duration,
    /// The last bytes, which may begin a question.
    asked: Vec<u8>,
    owed: VecDeque<(Instant, Vec<u8>)>,
    _terminal: (Box<dyn MasterPty + Send>, Box<dyn SlavePty + Send>),
}

impl Program {
    pub fn process(&self) -> Process {
        Process(self.child.process_id().expect("the program runs"))
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    /// All that was written so far, in bytes.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Since it was started.
    pub fn since_start(&self, at: Instant) -> Duration {
        at.saturating_duration_since(self.started)
    }

    /// The moment the screen first showed what is wanted.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) -> Instant {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let came = self.next(Duration::from_secs(1));
            if let Some(at) = came
                && wanted(self.screen())
            {
                return at;
            }
            assert!(
                Instant::now() < deadline,
                "waited in vain for {what}:\n{}",
                self.screen().contents()
            );
        }
    }

    pub fn until_text(&mut self, text: &str) -> Instant {
        self.until(text, |screen| screen.contents().contains(text))
    }

    /// Takes in what comes for so long.
    pub fn watch(&mut self, span: Duration) {
        let end = Instant::now() + span;
        while let Some(left) = end
            .checked_duration_since(Instant::now())
            .filter(|left| !left.is_zero())
        {
            self.next(left);
        }
    }

    /// Takes in what comes until the program has done what it had to do: a second in which it hardly
    /// used a processor.
    pub fn calm(&mut self) {
        let process = self.process();
        loop {
            let before = process.used();
            self.watch(Duration::from_secs(1));
            if (process.used() - before).nanos < 30_000_000 {
                return;
            }
        }
    }

    /// Takes in what comes until nothing has come for a while.
    pub fn settle(&mut self) {
        while self.next(QUIET).is_some() {}
    }

    /// Types these bytes.
    pub fn send(&mut self, keys: &str) -> Instant {
        let at = Instant::now();
        self.keyboard
            .write_all(keys.as_bytes())
            .and_then(|()| self.keyboard.flush())
            .expect("the terminal takes keys");
        at
    }

    /// Presses a key once it is quiet, and waits for what it changes on the screen.
    pub fn press(&mut self, key: &str) -> Frame {
        self.settle();
        let (bytes, before) = (self.bytes, self.screen().contents_formatted());
        let pressed = self.send(key);
        let drawn = self.until("a key's frame", |screen| {
            screen.contents_formatted() != before
        });
        self.settle();
        Frame {
            took: drawn.saturating_duration_since(pressed),
            bytes: self.bytes - bytes,
        }
    }

    /// Presses a key while other things are written all the time, and waits until the row that the
    /// list says is selected is another one.
    pub fn press_amid(&mut self, key: &str, rest: Duration) -> Duration {
        let before = self.selected();
        let pressed = self.send(key);
        let drawn = self.until("a key's frame", |screen| selected(screen) != before);
        self.watch(rest);
        drawn.saturating_duration_since(pressed)
    }

    fn selected(&self) -> Option<usize> {
        selected(self.screen())
    }

    /// The next piece of what is written, if one comes in time.
    fn next(&mut self, patience: Duration) -> Option<Instant> {
        let deadline = Instant::now() + patience;
        loop {
            self.answer_due();
            let owed = self.owed.front().map(|(at, _)| *at);
            let until = owed.map_or(deadline, |owed| owed.min(deadline));
            let left = until.saturating_duration_since(Instant::now());
            match self.chunks.recv_timeout(left) {
                Ok((at, bytes)) => {
                    self.bytes += bytes.len();
                    for byte in bytes {
                        self.take(byte, at);
                    }
                    self.answer_due();
                    return Some(at);
                }
                Err(RecvTimeoutError::Timeout) => {
                    if deadline <= Instant::now() {
                        return None;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

/// The terminal's side.
impl Program {
    fn take(&mut self, byte: u8, at: Instant) {
        self.parser.process(&[byte]);
        self.asked.push(byte);
        let answer = if self.asked.ends_with(KEYBOARD) {
            Some("\x1b[?0u".to_owned())
        } else if self.asked.ends_with(CURSOR) {
            let (row, column) = self.screen().cursor_position();
            Some(format!("\x1b[{};{}R", row + 1, column + 1))
        } else {
            None
        };
        if let Some(answer) = answer {
            self.owed
                .push_back((at + self.answers, answer.into_bytes()));
        }
        let known = self.asked.len().saturating_sub(OPEN);
        self.asked.drain(..known);
    }

    fn answer_due(&mut self) {
        let due = |(at, _): &(Instant, Vec<u8>)| *at <= Instant::now();
        while self.owed.front().is_some_and(due)
            && let Some((_, answer)) = self.owed.pop_front()
        {
            // Whoever does not take it has ended.
            let _ = self
                .keyboard
                .write_all(&answer)
                .and_then(|()| self.keyboard.flush());
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The row of the screen with the list's cursor.
fn selected(screen: &vt100::Screen) -> Option<usize> {
    screen.contents().lines().position(|row| row.contains('▌'))
}
