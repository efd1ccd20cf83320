//! The modes a session turns on, and their exact inverse.
//!
//! Owns entering and leaving. Leaving happens once however often it is asked for: by the end of the
//! session, by the panic hook and by a signal's path. Waits for no answer of the terminal: whether it has
//! the enhanced keyboard is asked after the first frame, and an answer that never comes changes nothing.

use crossterm::cursor::{Hide, SetCursorStyle, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange,
};
use crossterm::queue;
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::panics;
use super::screen::Screen;
use crate::core::shown::Shown;

/// Whether the terminal is in our modes now.
static OURS: AtomicBool = AtomicBool::new(false);
/// Where leaving writes to. The panic hook and a signal's path have no session at hand.
static HELD: Mutex<Option<Held>> = Mutex::new(None);

/// Presses of the first button and the wheel, with places beyond column 223.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";
/// Which flags of the enhanced keyboard are on. A terminal that has none of them does not answer.
const ASK_KEYBOARD: &str = "\x1b[?u";
/// Each key as what it is: unmistakable, pressed or held, all of them, with the text that it writes. Less
/// would not tell a held letter from one that is pressed again and again.
const KEYBOARD: u8 = 1 | 2 | 8 | 16;
/// For a terminal that has only some of them: what needs no text to be told.
const LESS_KEYBOARD: u8 = 1 | 2;
const POP_KEYBOARD: &str = "\x1b[<u";
const PUSH_TITLE: &str = "\x1b[22;0t";
const POP_TITLE: &str = "\x1b[23;0t";

/// What was turned on and is to be turned off.
#[derive(Debug)]
struct Held {
    screen: Screen,
    mouse: Mouse,
    keyboard: Keyboard,
    titled: bool,
}

/// Whether the terminal tells what the mouse does. While it does, selecting text takes its shift key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mouse {
    #[default]
    Off,
    On,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyboard {
    Plain,
    /// Pushed, and asked which of the flags the terminal took.
    Pushed,
    Settled,
}

pub(super) fn is_ours() -> bool {
    OURS.load(Ordering::SeqCst)
}

/// Whether the terminal is this job's to use. Where there is no job control, it is.
pub fn is_in_front() -> bool {
    tcgetpgrp(io::stdin()).map_or(true, |front| front == getpgrp())
}

/// Takes the terminal. If that fails half-way, what was taken is given back.
pub(super) fn enter(mut screen: Screen, mouse: Mouse) -> io::Result<()> {
    if OURS.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    // Out first: crossterm thinks it is still in raw mode if the terminal was left from the background.
    let raw = disable_raw_mode().and_then(|()| enable_raw_mode());
    let entered = raw.and_then(|()| screen.write_regardless(&entering(mouse)?));
    *held() = Some(Held {
        screen,
        mouse,
        keyboard: Keyboard::Plain,
        titled: false,
    });
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
    let held = held().take();
    if !is_in_front() {
        // The terminal is the shell's now: the system would stop whoever touches it.
        return Ok(());
    }
    let written = match held {
        Some(mut held) => leaving(&held).and_then(|bytes| held.screen.write_regardless(&bytes)),
        None => Ok(()),
    };
    // The line discipline matters most, so it is restored even if the screen could not be.
    let cooked = disable_raw_mode();
    panics::tell_kept();
    written.and(cooked)
}

fn held() -> MutexGuard<'static, Option<Held>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks whether there is an enhanced keyboard. To be called after a frame, so that nothing waits for it.
pub(super) fn ask_keyboard() -> io::Result<()> {
    write(ASK_KEYBOARD)
}

/// The terminal answered which flags of its keyboard are on.
pub(super) fn keyboard(flags: u8) -> io::Result<()> {
    let before = {
        let mut held = held();
        let Some(held) = held.as_mut() else {
            return Ok(());
        };
        let next = match held.keyboard {
            Keyboard::Plain => Keyboard::Pushed,
            Keyboard::Pushed | Keyboard::Settled => Keyboard::Settled,
        };
        std::mem::replace(&mut held.keyboard, next)
    };
    match before {
        Keyboard::Plain => write(&format!("\x1b[>{KEYBOARD}u{ASK_KEYBOARD}")),
        Keyboard::Pushed if flags & KEYBOARD != KEYBOARD => {
            write(&format!("\x1b[={LESS_KEYBOARD}u"))
        }
        Keyboard::Pushed | Keyboard::Settled => Ok(()),
    }
}

/// Puts words into the terminal's title. What stood there before comes back at the end.
pub(super) fn title(words: &Shown) -> io::Result<()> {
    let first = held()
        .as_mut()
        .is_some_and(|held| !std::mem::replace(&mut held.titled, true));
    let push = if first { PUSH_TITLE } else { "" };
    write(&format!("{push}\x1b]2;{words}\x07"))
}

/// Writes between two frames, if the terminal is ours.
fn write(sequence: &str) -> io::Result<()> {
    match held().as_mut() {
        Some(held) => held.screen.write_all(sequence.as_bytes()),
        None => Ok(()),
    }
}

fn entering(mouse: Mouse) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    queue!(
        bytes,
        EnterAlternateScreen,
        EnableBracketedPaste,
        EnableFocusChange,
        SetCursorStyle::SteadyBar,
        Hide,
        Clear(ClearType::All)
    )?;
    if mouse == Mouse::On {
        bytes.extend_from_slice(MOUSE_ON.as_bytes());
    }
    Ok(bytes)
}

fn leaving(held: &Held) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The stack of the keyboard is that of the alternate screen, so it is popped before that is left.
    if held.keyboard != Keyboard::Plain {
        bytes.extend_from_slice(POP_KEYBOARD.as_bytes());
    }
    if held.mouse == Mouse::On {
        bytes.extend_from_slice(MOUSE_OFF.as_bytes());
    }
    if held.titled {
        bytes.extend_from_slice(POP_TITLE.as_bytes());
    }
    // A panic inside a frame leaves the update open, and a colour on.
    queue!(
        bytes,
        EndSynchronizedUpdate,
        SetAttribute(Attribute::Reset),
        SetCursorStyle::DefaultUserShape,
        Show,
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen
    )?;
    Ok(bytes)
}
