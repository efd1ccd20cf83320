//! The modes a session turns on, and their exact inverse.
//!
//! Owns entering and leaving. Leaving happens once however often it is asked for: by the end of the
//! session, by the panic hook and by a signal's path. Asks the terminal nothing.

use crossterm::cursor::{Hide, SetCursorStyle, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::queue;
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::panics;
use super::screen::Screen;

/// Whether the terminal is in our modes now.
static OURS: AtomicBool = AtomicBool::new(false);
/// Where leaving writes to. The panic hook and a signal's path have no session at hand.
static SCREEN: Mutex<Option<Screen>> = Mutex::new(None);

pub(super) fn is_ours() -> bool {
    OURS.load(Ordering::SeqCst)
}

/// Whether the terminal is this job's to use. Where there is no job control, it is.
pub fn is_in_front() -> bool {
    tcgetpgrp(io::stdin()).map_or(true, |front| front == getpgrp())
}

/// Takes the terminal. If that fails half-way, what was taken is given back.
pub(super) fn enter(mut screen: Screen) -> io::Result<()> {
    if OURS.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    // Out first: crossterm thinks it is still in raw mode if the terminal was left from the background.
    let raw = disable_raw_mode().and_then(|()| enable_raw_mode());
    let entered = raw.and_then(|()| screen.write_regardless(&entering()?));
    *SCREEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(screen);
    if entered.is_err() {
        // What went wrong on the way in is the better message.
        let _ = leave();
    }
    entered
}

/// Gives the terminal back as it was, once: only the first of several callers does anything. Then
/// writes out what other threads panicked about meanwhile.
///
/// # Errors
/// If the terminal cannot be written to or set; it is then usually gone, and there is nothing to do.
pub fn leave() -> io::Result<()> {
    if !OURS.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let screen = SCREEN.lock().unwrap_or_else(PoisonError::into_inner).take();
    if !is_in_front() {
        // The terminal is the shell's now: the system would stop whoever touches it.
        return Ok(());
    }
    let written = match screen {
        Some(mut screen) => leaving().and_then(|bytes| screen.write_regardless(&bytes)),
        None => Ok(()),
    };
    // The line discipline matters most, so it is restored even if the screen could not be.
    let cooked = disable_raw_mode();
    panics::tell_kept();
    written.and(cooked)
}

fn entering() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    queue!(
        bytes,
        EnterAlternateScreen,
        EnableBracketedPaste,
        SetCursorStyle::SteadyBar,
        Hide,
        Clear(ClearType::All)
    )?;
    Ok(bytes)
}

fn leaving() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A panic inside a frame leaves the update open, and a colour on.
    queue!(
        bytes,
        EndSynchronizedUpdate,
        SetAttribute(Attribute::Reset),
        SetCursorStyle::DefaultUserShape,
        Show,
        DisableBracketedPaste,
        LeaveAlternateScreen
    )?;
    Ok(bytes)
}
