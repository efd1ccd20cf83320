//! Keys in the console's one normal form, whatever way a terminal reports them.
//!
//! Owns the codes and the modifiers of terminals. Reads nothing.

use super::parser::Came;
use crate::app::event::Event;
use crate::app::key::{Code, Key, Stroke};

/// The modifiers that keys of the console can have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mods {
    pub(super) shift: bool,
    pub(super) alt: bool,
    pub(super) ctrl: bool,
}

impl Mods {
    /// From a parameter of a sequence. `None` if there is one among them that no key of the console has:
    /// a key with it is another key, not the plain one. Locks count for nothing.
    pub(super) const fn of(parameter: u32) -> Option<Self> {
        const FOREIGN: u32 = 8 | 16 | 32;
        let bits = parameter.saturating_sub(1);
        if bits & FOREIGN != 0 {
            return None;
        }
        Some(Self {
            shift: bits & 1 != 0,
            alt: bits & 2 != 0,
            ctrl: bits & 4 != 0,
        })
    }
}

/// The key as an event; nothing for characters that no key writes.
pub(super) fn key(code: Code, mods: Mods, stroke: Stroke) -> Vec<Came> {
    let code = match code {
        Code::Char(c) if c.is_control() => return Vec::new(),
        // Terminals that report keys rather than characters send `é` with shift for `É`.
        Code::Char(c) if mods.shift => Code::Char(upper(c)),
        other => other,
    };
    let key = Key {
        code,
        ctrl: mods.ctrl,
        alt: mods.alt,
        shift: mods.shift,
    };
    vec![Came::Event(Event::Key(key.normal(), stroke))]
}

/// Letters whose upper case is several characters stay as they are.
fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(only), None) => only,
        _ => c,
    }
}

/// The key of a sequence that ends with this letter.
pub(super) const fn of_final(last: u8) -> Option<Code> {
    Some(match last {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'H' => Code::Home,
        b'F' => Code::End,
        b'P'..=b'S' => Code::F(last - b'P' + 1),
        _ => return None,
    })
}

/// The key of a sequence that ends with `~` after this number.
pub(super) fn of_number(number: u32) -> Option<Code> {
    let function = |first: u32, from: u8| {
        let number = u8::try_from(number - first).ok()?;
        Some(Code::F(from + number))
    };
    match number {
        1 | 7 => Some(Code::Home),
        2 => Some(Code::Insert),
        3 => Some(Code::Delete),
        4 | 8 => Some(Code::End),
        5 => Some(Code::PageUp),
        6 => Some(Code::PageDown),
        11..=15 => function(11, 1),
        17..=21 => function(17, 6),
        23..=26 => function(23, 11),
        28..=29 => function(28, 15),
        31..=34 => function(31, 17),
        _ => None,
    }
}

/// The key of an enhanced keyboard's number: a character, or a place in the range that Unicode leaves to
/// private use. The keys of the number pad are the keys they stand for.
pub(super) fn of_enhanced(number: u32) -> Option<Code> {
    const PAD: [Code; 18] = [
        Code::Char('.'),
        Code::Char('/'),
        Code::Char('*'),
        Code::Char('-'),
        Code::Char('+'),
        Code::Enter,
        Code::Char('='),
        Code::Char(','),
        Code::Left,
        Code::Right,
        Code::Up,
        Code::Down,
        Code::PageUp,
        Code::PageDown,
        Code::Home,
        Code::End,
        Code::Insert,
        Code::Delete,
    ];
    match number {
        9 => Some(Code::Tab),
        13 => Some(Code::Enter),
        27 => Some(Code::Esc),
        127 => Some(Code::Backspace),
        57376..=57387 => u8::try_from(number - 57376 + 13).ok().map(Code::F),
        57399..=57408 => char::from_digit(number - 57399, 10).map(Code::Char),
        57409..=57426 => PAD
            .get(usize::try_from(number - 57409).unwrap_or_default())
            .copied(),
        57344..=63743 => None,
        other => char::from_u32(other)
            .filter(|c| !c.is_control())
            .map(Code::Char),
    }
}
