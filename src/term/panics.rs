//! What a panic does to the terminal.
//!
//! Owns the panic hook. A panic of the thread that owns the terminal ends the program: the terminal is
//! given back first, so that the message stands on the main screen. A panic elsewhere ends one task,
//! whose owner answers for it: the screen stays as it is, and the message is kept until it is left.

use std::cell::Cell;
use std::io::Write as _;
use std::panic::PanicHookInfo;
use std::sync::{Mutex, Once, PoisonError};

use super::modes;
use crate::core::shown::Shown;

thread_local! {
    static OWNS_THE_TERMINAL: Cell<bool> = const { Cell::new(false) };
}

/// What other threads panicked about while the screen was ours.
static KEPT: Mutex<Vec<Shown>> = Mutex::new(Vec::new());
/// More than this says nothing new.
const MOST_KEPT: usize = 16;

/// Puts the hook in front of the one that is there, and makes this thread the terminal's owner.
pub(super) fn own() {
    static HOOKED: Once = Once::new();
    OWNS_THE_TERMINAL.set(true);
    HOOKED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if OWNS_THE_TERMINAL.get() {
                // A terminal that cannot be restored must not keep the message from being written.
                let _ = modes::leave();
            }
            if modes::is_ours() {
                keep(panic);
            } else {
                previous(panic);
            }
        }));
    });
}

fn keep(panic: &PanicHookInfo<'_>) {
    tracing::error!("{panic}");
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() < MOST_KEPT {
        kept.push(Shown::prose(&panic.to_string()));
    }
}

/// Writes out what was kept.
pub(super) fn tell_kept() {
    let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    for message in kept {
        // Nobody is left to tell if this fails.
        let _ = writeln!(std::io::stderr(), "countersign: {message}");
    }
}
