//! The process that runs a script: what `main` becomes when it is started as one.
//!
//! Owns the confinement of this process and its one conversation over stdin and stdout. It holds itself to
//! the limits as well as it can; what can go wrong here all the same (a stack that overflows, memory
//! that is not there, an operation that does not end) ends this process and nothing else.

mod arguments;
mod awaited;
mod carried;
mod caught;
mod confine;
mod drive;
mod halves;
mod look;
mod printed;
mod source;
mod standing;
mod tree;
mod value;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, exit};
use std::thread;

use super::wire::{self, FROM_PARENT, Order, Said};
use drive::{Drive, Past};

/// The only argument of a process that runs a script.
pub const ARGUMENT: &str = "run-script";

/// Enough for the deepest script that the interpreter allows. Taken only as it is used.
const STACK: usize = 64 * 1024 * 1024;
/// As after a panic: nothing more can be said.
const BROKEN: i32 = 101;

/// Runs the script that comes over stdin. Called before anything else is set up.
pub fn run() -> ExitCode {
    confine::at_once();
    let script = thread::Builder::new()
        .name("script".to_owned())
        .stack_size(STACK);
    let started = script.spawn(|| {
        let ended = catch_unwind(AssertUnwindSafe(converse));
        // Without waiting for anything: what the script holds need not be taken apart.
        exit(match ended {
            Ok(Ok(())) => 0,
            Ok(Err(_)) => 1,
            Err(_) => BROKEN,
        });
    });
    if started.is_err() {
        return ExitCode::FAILURE;
    }
    // A script that never ends must not outlive the one it runs for.
    confine::wait_for_hang_up();
    ExitCode::SUCCESS
}

/// Takes orders until there are no more, or the script is at its end.
fn converse() -> io::Result<()> {
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    let (order, bytes) = wire::read(&mut from, FROM_PARENT)?;
    let mut drive = match order {
        Order::Start {
            code,
            functions,
            bounds,
        } => {
            confine::within(&bounds);
            Drive::start(code, functions, bounds)
        }
        Order::Restore {
            code,
            functions,
            bounds,
            made,
            open,
            unmet,
        } => {
            confine::within(&bounds);
            let past = Past { made, open, unmet };
            Drive::restore(&bytes, code, functions, bounds, past)
        }
        Order::LookAhead {
            code,
            functions,
            bounds,
        } => {
            confine::within(&bounds);
            let foreseen = look::ahead(&code, &functions, bounds.calls, bounds.result);
            return wire::write(&mut to, &Said::Foreseen(foreseen), &[]);
        }
        Order::Reply { .. } => return Err(io::ErrorKind::InvalidInput.into()),
    };
    loop {
        let (said, bytes) = match drive.said() {
            Ok(said) => said,
            Err(stop) => (Said::Stopped(stop), Vec::new()),
        };
        wire::write(&mut to, &said, &bytes)?;
        if !matches!(said, Said::Paused { .. }) {
            return Ok(());
        }
        match wire::read(&mut from, FROM_PARENT)? {
            (Order::Reply { replies }, _) => drive.reply(replies),
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}
