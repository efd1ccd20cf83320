//! Control sequences (`esc [ …`): keys, the enhanced keyboard, the mouse, focus and where a paste begins.
//!
//! Owns what each of them means. What nobody here knows is taken and comes to nothing, so that no rest
//! of it is taken for keys.

use super::keys::{self, Mods};
use super::parser::{Came, Step, took};
use crate::app::event::Event;
use crate::app::key::{Code, Stroke};
use crate::app::mouse::{Mouse, Turn};
use crate::term::mark::Mark;

/// Longer than anything a terminal sends.
const LONGEST: usize = 256;

pub(super) fn step(bytes: &[u8]) -> Step {
    let rest = &bytes[2..];
    // The first function keys of a Linux console: `esc [ [ A`.
    if let Some(b'[') = rest.first() {
        return match rest.get(1) {
            None => Step::More,
            Some(letter @ b'A'..=b'E') => {
                took(4, press(Some(Code::F(letter - b'A' + 1)), Mods::default()))
            }
            Some(_) => took(3, Vec::new()),
        };
    }
    let Some(at) = rest.iter().position(|byte| !(0x20..0x40).contains(byte)) else {
        return if rest.len() > LONGEST {
            took(bytes.len(), Vec::new())
        } else {
            Step::More
        };
    };
    let (parameters, last) = (&rest[..at], rest[at]);
    let length = 2 + at + 1;
    if !(0x40..0x7f).contains(&last) {
        // Broken off: what follows is something else.
        return took(length - 1, Vec::new());
    }
    match (parameters, last) {
        (b"200", b'~') => Step::Pastes(length),
        // The old form of the mouse, which has three bytes more.
        ([], b'M') if bytes.len() < length + 3 => Step::More,
        ([], b'M') => took(length + 3, Vec::new()),
        _ => took(length, meaning(parameters, last)),
    }
}

fn meaning(parameters: &[u8], last: u8) -> Vec<Came> {
    let Ok(text) = std::str::from_utf8(parameters) else {
        return Vec::new();
    };
    match (text, last) {
        ("", b'I') => vec![Came::Event(Event::FocusGained)],
        ("", b'O') => vec![Came::Event(Event::FocusLost)],
        ("", b'Z') => press(
            Some(Code::Tab),
            Mods {
                shift: true,
                ..Mods::default()
            },
        ),
        (_, b'M') => text.strip_prefix('<').map(mouse).unwrap_or_default(),
        (_, b'u') => match text.strip_prefix('?') {
            Some(flags) => flags.parse().map(Came::Keyboard).into_iter().collect(),
            None => enhanced(&Parameters::of(text)),
        },
        (_, b'~') => numbered(&Parameters::of(text)),
        (_, b'R') if !is_key(text) => reached(&Parameters::of(text)),
        (_, last) => {
            let parameters = Parameters::of(text);
            let code = keys::of_final(last).filter(|_| is_key(text));
            pressed(code, &parameters)
        }
    }
}

/// `esc [ 12 ; 40 R` is a place on the screen and no key.
fn is_key(text: &str) -> bool {
    matches!(Parameters::of(text).number(0), None | Some(1))
}

fn reached(parameters: &Parameters<'_>) -> Vec<Came> {
    let place = |part| u16::try_from(parameters.number(part)?).ok();
    match (place(0), place(1)) {
        (Some(row), Some(column)) => vec![Came::Reached(Mark::told(row, column))],
        _ => Vec::new(),
    }
}

/// `a:b;c:d`: numbers with further numbers, any of which may be left out.
struct Parameters<'t>(Vec<Vec<&'t str>>);

impl<'t> Parameters<'t> {
    fn of(text: &'t str) -> Self {
        Self(
            text.split(';')
                .map(|part| part.split(':').collect())
                .collect(),
        )
    }

    fn at(&self, part: usize, place: usize) -> Option<u32> {
        self.0.get(part)?.get(place)?.parse().ok()
    }

    fn number(&self, part: usize) -> Option<u32> {
        self.at(part, 0)
    }

    /// The text that the key writes, as the terminal sends it along.
    fn text(&self) -> impl Iterator<Item = char> {
        let numbers = self.0.get(2).into_iter().flatten();
        numbers
            .filter_map(|number| number.parse().ok().and_then(char::from_u32))
            .filter(|c| !c.is_control())
    }

    /// The modifiers, if all are known, and whether the key is held. `None` for a key that was let go.
    fn held(&self) -> Option<(Mods, Stroke)> {
        let stroke = match self.at(1, 1) {
            None | Some(1) => Stroke::Press,
            Some(2) => Stroke::Repeat,
            Some(_) => return None,
        };
        Some((Mods::of(self.number(1).unwrap_or(1))?, stroke))
    }
}

fn press(code: Option<Code>, mods: Mods) -> Vec<Came> {
    code.map(|code| keys::key(code, mods, Stroke::Press))
        .unwrap_or_default()
}

fn pressed(code: Option<Code>, parameters: &Parameters<'_>) -> Vec<Came> {
    match (code, parameters.held()) {
        (Some(code), Some((mods, stroke))) => keys::key(code, mods, stroke),
        _ => Vec::new(),
    }
}

fn numbered(parameters: &Parameters<'_>) -> Vec<Came> {
    // `27;5;97~`: how xterm reports keys that have no sequence of their own.
    if let (Some(27), Some(code)) = (parameters.number(0), parameters.number(2)) {
        return match Mods::of(parameters.number(1).unwrap_or(1)) {
            Some(mods) => press(keys::of_enhanced(code), mods),
            None => Vec::new(),
        };
    }
    pressed(parameters.number(0).and_then(keys::of_number), parameters)
}

/// A key of the enhanced keyboard. The text it writes counts before its number, which is that of the
/// key without its modifiers.
fn enhanced(parameters: &Parameters<'_>) -> Vec<Came> {
    let Some((mods, stroke)) = parameters.held() else {
        return Vec::new();
    };
    let mut text = parameters.text().peekable();
    if !mods.ctrl && !mods.alt && text.peek().is_some() {
        let plain = Mods::default();
        return text
            .flat_map(|c| keys::key(Code::Char(c), plain, stroke))
            .collect();
    }
    let code = parameters.number(0).filter(|number| *number > 0);
    pressed(code.and_then(keys::of_enhanced), parameters)
}

/// `0;12;5`: the button, the column and the row. Only the plain first button and the wheel mean anything.
fn mouse(text: &str) -> Vec<Came> {
    let parameters = Parameters::of(text);
    let place = |part| {
        let number = parameters.number(part)?;
        u16::try_from(number.checked_sub(1)?).ok()
    };
    let turn = match parameters.number(0) {
        Some(0) => Turn::Click,
        Some(64) => Turn::WheelUp,
        Some(65) => Turn::WheelDown,
        _ => return Vec::new(),
    };
    match (place(1), place(2)) {
        (Some(column), Some(row)) => {
            let mouse = Mouse { turn, column, row };
            vec![Came::Event(Event::Mouse(mouse))]
        }
        _ => Vec::new(),
    }
}
