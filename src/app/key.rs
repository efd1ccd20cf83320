//! Keys as words: `a`, `A`, `ctrl-s`, `shift-tab`, `page-down`.
//!
//! Owns the names and their one normal form. Knows no terminal: `term` translates into this.

use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A key with its modifiers, in normal form: a character carries its own shift (`A`, `?`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub code: Code,
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

/// Whether the key went down or is being held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    Press,
    Repeat,
}

impl Key {
    pub const fn plain(code: Code) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
            shift: false,
        }
    }

    pub const fn ctrl(letter: char) -> Self {
        Self {
            ctrl: true,
            ..Self::plain(Code::Char(letter))
        }
    }

    /// The normal form: shift is folded into the character it makes.
    pub fn normal(mut self) -> Self {
        if let Code::Char(c) = self.code {
            if self.shift && c.is_ascii_lowercase() {
                self.code = Code::Char(c.to_ascii_uppercase());
            }
            self.shift = false;
        }
        self
    }

    /// A key that writes itself into a text.
    pub const fn is_text(self) -> bool {
        matches!(self.code, Code::Char(_)) && !self.ctrl && !self.alt
    }
}

const NAMED: [(&str, Code); 15] = [
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("insert", Code::Insert),
    ("left", Code::Left),
    ("right", Code::Right),
    ("up", Code::Up),
    ("down", Code::Down),
    ("home", Code::Home),
    ("end", Code::End),
    ("page-up", Code::PageUp),
    ("page-down", Code::PageDown),
    ("space", Code::Char(' ')),
];

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (on, word) in [
            (self.ctrl, "ctrl-"),
            (self.alt, "alt-"),
            (self.shift, "shift-"),
        ] {
            if on {
                f.write_str(word)?;
            }
        }
        if let Some((name, _)) = NAMED.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            Code::Char(c) => write!(f, "{c}"),
            Code::F(n) => write!(f, "f{n}"),
            // All of these have names.
            named @ (Code::Enter
            | Code::Esc
            | Code::Tab
            | Code::Backspace
            | Code::Delete
            | Code::Insert
            | Code::Left
            | Code::Right
            | Code::Up
            | Code::Down
            | Code::Home
            | Code::End
            | Code::PageUp
            | Code::PageDown) => write!(f, "{named:?}"),
        }
    }
}

/// Why a text names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no key; write a character, or enter, esc, tab, space, up, page-down, f5 …, with ctrl-, alt- or shift- before it"
)]
pub struct NoKey(pub String);

impl FromStr for Key {
    type Err = NoKey;

    fn from_str(text: &str) -> Result<Self, NoKey> {
        let none = || NoKey(text.to_owned());
        let mut key = Self::plain(Code::Esc);
        let mut rest = text;
        loop {
            let (flag, after) = if let Some(after) = rest.strip_prefix("ctrl-") {
                (&mut key.ctrl, after)
            } else if let Some(after) = rest.strip_prefix("alt-") {
                (&mut key.alt, after)
            } else if let Some(after) = rest.strip_prefix("shift-") {
                (&mut key.shift, after)
            } else {
                break;
            };
            if std::mem::replace(flag, true) {
                return Err(none());
            }
            rest = after;
        }
        key.code = code(rest).ok_or_else(none)?;
        // `shift-1` or `shift-é` is a different character on each keyboard: name the character.
        let folded = key.normal();
        if key.shift && matches!(key.code, Code::Char(_)) && folded.code == key.code {
            return Err(none());
        }
        Ok(folded)
    }
}

fn code(name: &str) -> Option<Code> {
    if let Some((_, code)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some(*code);
    }
    let number = |n: &u8| name.strip_prefix('f') == Some(&n.to_string());
    if let Some(number) = (1..=24).find(number) {
        return Some(Code::F(number));
    }
    let mut characters = name.chars();
    let only = characters.next()?;
    (characters.next().is_none() && !only.is_control() && only != ' ').then_some(Code::Char(only))
}
