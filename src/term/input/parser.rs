//! Bytes of a terminal, as events of the console.
//!
//! Owns where one sequence ends and the next begins, and what silence means: an escape that nothing
//! follows is the key, a sequence that is not finished is none. Knows no descriptor and no clock; the
//! reader tells how long nothing came.
//!
//! A paste is text until its end comes. If the end is lost, silence does not end it: what is still
//! underway on a slow line would be taken for keys. After a second without a byte the operator is told,
//! and from then on `esc` or `ctrl-c` alone, with nothing right behind it, ends the paste.

use std::time::Duration;

use super::csi;
use super::keys::{self, Mods};
use crate::app::event::Event;
use crate::app::key::{Code, Stroke};
use crate::term::mark::Mark;

/// An escape that nothing follows for this long is the key. Longer than a sequence is torn apart on the
/// way: `esc` `[` `A` must not become three keys.
const ALONE: Duration = Duration::from_millis(40);
/// A sequence that is not finished by then never will be.
const TORN: Duration = Duration::from_millis(500);
/// A paste of which nothing comes for this long may have lost its end.
const STALLED: Duration = Duration::from_secs(1);

const ESC: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";

/// What came from the terminal.
#[derive(Debug, Clone, PartialEq)]
pub enum Came {
    Event(Event),
    /// The terminal knows the enhanced keyboard, with these of its flags on.
    Keyboard(u8),
    /// The terminal has taken in all that was written before this mark.
    Reached(Mark),
}

/// What the first bytes are.
pub(super) enum Step {
    /// Not to be told yet.
    More,
    /// This many bytes, and what they come to.
    Took(usize, Vec<Came>),
    /// This many bytes, and a paste follows.
    Pastes(usize),
}

/// A paste that has not ended.
#[derive(Debug, Default)]
struct Paste {
    text: Vec<u8>,
    /// The operator knows that its end is missing.
    told: bool,
    /// Where a key begins that may end it, if nothing follows.
    way_out: Option<usize>,
}

#[derive(Debug, Default)]
pub struct Parser {
    bytes: Vec<u8>,
    paste: Option<Paste>,
}

impl Parser {
    /// Takes in bytes before which nothing had come for `silence`.
    pub fn feed(&mut self, bytes: &[u8], silence: Duration) -> Vec<Came> {
        let mut came = Vec::new();
        match &mut self.paste {
            Some(paste) => {
                let leaves = paste.told && silence >= STALLED && is_way_out(bytes);
                paste.way_out = leaves.then_some(paste.text.len());
                self.pasted(bytes, &mut came);
            }
            None => self.bytes.extend_from_slice(bytes),
        }
        self.parse(&mut came);
        came
    }

    /// How long nothing may come until `silence` has something to say.
    pub fn patience(&self) -> Option<Duration> {
        match &self.paste {
            Some(paste) if paste.way_out.is_some() => Some(ALONE),
            Some(paste) => (!paste.told).then_some(STALLED),
            None => match self.bytes.as_slice() {
                [] => None,
                [ESC] => Some(ALONE),
                _ => Some(TORN),
            },
        }
    }

    /// Nothing has come for as long as `patience` said.
    pub fn silence(&mut self) -> Vec<Came> {
        if let Some(mut paste) = self.paste.take() {
            if let Some(at) = paste.way_out {
                paste.text.truncate(at);
                return vec![finished(&paste.text)];
            }
            paste.told = true;
            self.paste = Some(paste);
            return vec![Came::Event(Event::PasteOpen)];
        }
        let bytes = std::mem::take(&mut self.bytes);
        match bytes.as_slice() {
            [ESC] => keys::key(Code::Esc, Mods::default(), Stroke::Press),
            // `alt` and a character that begins a sequence.
            [ESC, c @ 0x20..0x7f] => {
                let alt = Mods {
                    alt: true,
                    ..Mods::default()
                };
                keys::key(Code::Char(char::from(*c)), alt, Stroke::Press)
            }
            _ => Vec::new(),
        }
    }

    fn parse(&mut self, came: &mut Vec<Came>) {
        while self.paste.is_none() && !self.bytes.is_empty() {
            match step(&self.bytes) {
                Step::More => return,
                Step::Took(count, what) => {
                    self.bytes.drain(..count);
                    came.extend(what);
                }
                Step::Pastes(count) => {
                    let rest = self.bytes.split_off(count);
                    self.bytes.clear();
                    self.paste = Some(Paste::default());
                    self.pasted(&rest, came);
                }
            }
        }
    }

    /// Adds to the paste, and ends it where its end is.
    fn pasted(&mut self, bytes: &[u8], came: &mut Vec<Came>) {
        let Some(paste) = &mut self.paste else { return };
        // The end may have been torn apart.
        let from = paste.text.len().saturating_sub(PASTE_END.len() - 1);
        paste.text.extend_from_slice(bytes);
        let end = paste.text[from..]
            .windows(PASTE_END.len())
            .position(|window| window == PASTE_END);
        if let Some(at) = end.map(|at| from + at) {
            came.push(finished(&paste.text[..at]));
            self.bytes = paste.text.split_off(at + PASTE_END.len());
            self.paste = None;
        }
    }
}

fn finished(text: &[u8]) -> Came {
    Came::Event(Event::Paste(String::from_utf8_lossy(text).into_owned()))
}

/// Nothing but `esc` or `ctrl-c`, however this terminal reports them.
fn is_way_out(bytes: &[u8]) -> bool {
    if matches!(bytes, [ESC | 0x03]) {
        return true;
    }
    let enhanced = bytes.strip_prefix(b"\x1b[").and_then(|rest| {
        let end = rest.iter().position(|byte| *byte == b'u')?;
        Some(&rest[..end])
    });
    enhanced.is_some_and(|key| {
        let mut parts = key.split(|byte| *byte == b';');
        let code = parts.next().unwrap_or_default();
        let mods = parts.next().unwrap_or_default();
        code == b"27" || code == b"99" && mods.starts_with(b"5")
    })
}

fn step(bytes: &[u8]) -> Step {
    match bytes {
        [] | [ESC] => Step::More,
        [ESC, b'[', ..] => csi::step(bytes),
        [ESC, b'O', ..] => single_shift(bytes),
        [ESC, b']' | b'P' | b'_' | b'^' | b'X', ..] => string(bytes),
        // An escape key, and then another sequence.
        [ESC, ESC, ..] => took(1, keys::key(Code::Esc, Mods::default(), Stroke::Press)),
        [ESC, rest @ ..] => {
            let alt = Mods {
                alt: true,
                ..Mods::default()
            };
            match character(rest, alt) {
                Step::Took(count, what) => Step::Took(count + 1, what),
                other @ (Step::More | Step::Pastes(_)) => other,
            }
        }
        _ => character(bytes, Mods::default()),
    }
}

pub(super) const fn took(count: usize, what: Vec<Came>) -> Step {
    Step::Took(count, what)
}

fn single_shift(bytes: &[u8]) -> Step {
    let Some(last) = bytes.get(2) else {
        return Step::More;
    };
    let code = match last {
        b'M' => Some(Code::Enter),
        other => keys::of_final(*other),
    };
    let key = code.map(|code| keys::key(code, Mods::default(), Stroke::Press));
    took(3, key.unwrap_or_default())
}

/// An answer that nobody asked for, up to its end.
fn string(bytes: &[u8]) -> Step {
    let end = bytes.iter().enumerate().skip(2).find_map(|(at, byte)| {
        let whole = *byte == 0x07 || *byte == b'\\' && bytes[at - 1] == ESC;
        whole.then_some(at + 1)
    });
    end.map_or(Step::More, |end| took(end, Vec::new()))
}

/// One character, or a control character as the key that makes it.
fn character(bytes: &[u8], mods: Mods) -> Step {
    let ctrl = Mods { ctrl: true, ..mods };
    let press = |code, mods| took(1, keys::key(code, mods, Stroke::Press));
    match bytes[0] {
        b'\r' => press(Code::Enter, mods),
        b'\t' => press(Code::Tab, mods),
        0x7f => press(Code::Backspace, mods),
        0 => press(Code::Char(' '), ctrl),
        byte @ 0x01..=0x1a => press(Code::Char(char::from(byte - 1 + b'a')), ctrl),
        byte @ 0x1c..=0x1f => press(Code::Char(char::from(byte - 0x1c + b'4')), ctrl),
        byte @ 0x20..0x7f => press(Code::Char(char::from(byte)), mods),
        first => wide(bytes, first, mods),
    }
}

/// A character of several bytes.
fn wide(bytes: &[u8], first: u8, mods: Mods) -> Step {
    let length = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return took(1, Vec::new()),
    };
    let Some(whole) = bytes.get(..length) else {
        let torn = bytes[1..].iter().all(|byte| (0x80..0xc0).contains(byte));
        return if torn {
            Step::More
        } else {
            took(1, Vec::new())
        };
    };
    match std::str::from_utf8(whole).map(|text| text.chars().next()) {
        Ok(Some(c)) => took(length, keys::key(Code::Char(c), mods, Stroke::Press)),
        Ok(None) | Err(_) => took(1, Vec::new()),
    }
}
