//! The terminal library's events in the console's words.
//!
//! Owns the differences between terminals: whatever way a key is reported, it becomes the one normal
//! form that the keymap uses. Reads nothing.

use crossterm::event::{Event as Raw, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::app::event::Event;
use crate::app::key::{Code, Key, Stroke};

/// Modifiers that no key of the console has. A key with one of them is another key, not the plain one.
const FOREIGN: KeyModifiers = KeyModifiers::SUPER
    .union(KeyModifiers::HYPER)
    .union(KeyModifiers::META);

/// `None` for what the console has no use for.
pub fn translate(raw: Raw) -> Option<Event> {
    match raw {
        Raw::Key(event) => key(event),
        Raw::Paste(text) => Some(Event::Paste(text)),
        // The size comes by a signal of our own.
        Raw::Resize(..) | Raw::FocusGained | Raw::FocusLost | Raw::Mouse(_) => None,
    }
}

fn key(event: KeyEvent) -> Option<Event> {
    let stroke = match event.kind {
        KeyEventKind::Press => Stroke::Press,
        KeyEventKind::Repeat => Stroke::Repeat,
        KeyEventKind::Release => return None,
    };
    if event.modifiers.intersects(FOREIGN) {
        return None;
    }
    let shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let key = Key {
        code: code(event.code, shift)?,
        ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
        alt: event.modifiers.contains(KeyModifiers::ALT),
        shift: shift || event.code == KeyCode::BackTab,
    };
    Some(Event::Key(key.normal(), stroke))
}

fn code(code: KeyCode, shift: bool) -> Option<Code> {
    Some(match code {
        KeyCode::Char(c) if c.is_control() => return None,
        KeyCode::Char(c) if shift => Code::Char(upper(c)),
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab | KeyCode::BackTab => Code::Tab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Insert => Code::Insert,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(number) if (1..=24).contains(&number) => Code::F(number),
        KeyCode::F(_)
        | KeyCode::Null
        | KeyCode::CapsLock
        | KeyCode::ScrollLock
        | KeyCode::NumLock
        | KeyCode::PrintScreen
        | KeyCode::Pause
        | KeyCode::Menu
        | KeyCode::KeypadBegin
        | KeyCode::Media(_)
        | KeyCode::Modifier(_) => return None,
    })
}

/// Terminals that report keys rather than characters send `é` with shift for `É`. Letters whose upper
/// case is several characters stay as they are.
fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(only), None) => only,
        _ => c,
    }
}
