//! The process between this program and another one that runs for long: it ends that one, and all that it has
//! started, as soon as nobody is left who could, however that came about.
//!
//! Owns the watch over its standard input, which the program shares, and the end. It hands over the three
//! pipes and reads and writes none of them. Knows nothing of what the program is for.

mod descent;
mod ending;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, setsid, waitid};
use signal_hook::consts::{SIGCHLD, SIGTERM};
use signal_hook::{flag, low_level};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// The first argument of such a process. The program and its arguments follow.
pub const ARGUMENT: &str = "keep-program";

/// As a shell says it of a program that it cannot start.
const NOT_STARTED: u8 = 127;
/// How often a program that is just being written is tried again, and how long after.
const TRIES: u32 = 50;
const AGAIN: Duration = Duration::from_millis(10);

/// Starts the program and waits for its end, or for the end of the one who wants it. Called before
/// anything else is set up.
pub fn run(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(program) = words.next() else {
        return ExitCode::from(NOT_STARTED);
    };
    match keep(&program, words) {
        Ok(status) => leave(status),
        Err(error) => {
            let program = Path::new(&program).display();
            let _ = writeln!(io::stderr(), "{program} could not be started: {error}");
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn keep(program: &OsString, words: impl Iterator<Item = OsString>) -> io::Result<WaitIdStatus> {
    let watch = Watch::set()?;
    // Without a terminal: it could write to it, past the screen. Refused only to who has none already.
    let _ = setsid();
    descent::adopt();
    // A group of its own, so that a signal to it does not meet this process.
    let mut command = Command::new(program);
    command.args(words).process_group(0);
    let child = spawn(&mut command)?;
    let number = Pid::from_child(&child);
    let_go();
    while ended(number)?.is_none() {
        descent::reap(number);
        match watch.wait() {
            Told::Nothing => {}
            Told::Left => {
                ending::by_itself(number);
                break;
            }
            Told::End => break,
        }
    }
    ending::all(number);
    ended(number)?.ok_or_else(|| io::Error::other("it does not end"))
}

fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut tries = TRIES;
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries > 0 => {
                tries -= 1;
                sleep(AGAIN);
            }
            spawned => return spawned,
        }
    }
}

/// Whoever reads the program's output is to see when the program closes it.
fn let_go() {
    if let Ok(nothing) = OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&nothing);
        let _ = rustix::stdio::dup2_stderr(&nothing);
    }
}

/// How the program ended, if it has. It is not reaped: as long as it is not, its number is nobody else's.
fn ended(program: Pid) -> io::Result<Option<WaitIdStatus>> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    loop {
        match waitid(WaitId::Pid(program), look) {
            Err(rustix::io::Errno::INTR) => {}
            looked => return Ok(looked?),
        }
    }
}

/// Ends as the program did.
fn leave(status: WaitIdStatus) -> ExitCode {
    if let Some(signal) = status.terminating_signal() {
        // Comes back only if that signal ends nobody.
        let _ = low_level::emulate_default_handler(signal);
    }
    let code = status
        .exit_status()
        .and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}

/// What there is to know while the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// A child has ended.
    Nothing,
    /// Nobody is left who could speak to the program.
    Left,
    /// It is to end now.
    End,
}

struct Watch {
    signals: UnixStream,
    told: Arc<AtomicBool>,
}

impl Watch {
    fn set() -> io::Result<Self> {
        let (signals, to) = UnixStream::pair()?;
        signals.set_nonblocking(true)?;
        let told = Arc::new(AtomicBool::new(false));
        flag::register(SIGTERM, told.clone())?;
        low_level::pipe::register(SIGTERM, to.try_clone()?)?;
        low_level::pipe::register(SIGCHLD, to)?;
        Ok(Self { signals, told })
    }

    /// Waits until there is something to know.
    fn wait(&self) -> Told {
        let stdin = io::stdin();
        // Of standard input only a hang-up is told: what comes to be read is the program's.
        let mut waits = [
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&stdin, PollFlags::empty()),
        ];
        // An interruption is told by the signals.
        let _ = poll(&mut waits, None);
        let left = !waits[1].revents().is_empty();
        let mut signals = [0; 64];
        while matches!((&self.signals).read(&mut signals), Ok(1..)) {}
        if self.told.load(Ordering::Relaxed) {
            Told::End
        } else if left {
            Told::Left
        } else {
            Told::Nothing
        }
    }
}
