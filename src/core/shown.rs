//! Untrusted text made visible.
//!
//! Owns the one type that the interface and the terminal accept for text that came from a model, a
//! tool, a file or a peer. Nothing is dropped: whatever is not plain is written out, as `⟨U+202E⟩`.
//! The signs that this module writes itself (`⟨`, `⏎`, `→`) are written out when they stand in the
//! text, so no text can imitate them. Does not wrap and does not measure.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use unicode_properties::{GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};

/// Ends a row that the text itself broke.
pub const BREAK: char = '⏎';
/// Stands for a tab.
pub const TAB: char = '→';
/// Open and close what is written out.
pub const OPEN: char = '⟨';
pub const CLOSE: char = '⟩';
/// Combining marks shown on one base; more would climb over other rows.
const MARKS_PER_BASE: usize = 3;

/// Text that is safe to put on a terminal and hides nothing. `\n` in it is a row break; it holds no
/// other control character.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct Shown(String);

/// A stored `Shown` is checked again when it is read: a file is not trusted either. What this module
/// made comes back as it was.
impl From<String> for Shown {
    fn from(text: String) -> Self {
        Self(visible(&text, Profile::Stored).into_owned())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Profile {
    /// Arguments, names, diffs: everything unusual is written out, a row break leaves a mark.
    Strict,
    /// As strict, on one row.
    Label,
    /// Prose and tool output: row breaks are plain, arrows and emoji sequences stay as they are.
    Prose,
    /// What one of the others wrote: our own signs stay too.
    Stored,
}

impl Profile {
    const fn keeps_emoji(self) -> bool {
        match self {
            Self::Strict | Self::Label => false,
            Self::Prose | Self::Stored => true,
        }
    }

    /// What is written for a character that has a sign of its own here; `None` if it has none.
    const fn sign(self, c: char, next: Option<&char>) -> Option<&'static str> {
        match (c, self) {
            ('\n', Self::Strict) => Some("⏎\n"),
            ('\n', Self::Label) | (BREAK, Self::Stored) => Some("⏎"),
            ('\n', Self::Prose | Self::Stored) => Some("\n"),
            // The row ends there anyway.
            ('\r', Self::Prose) if matches!(next, Some('\n')) => Some(""),
            ('\t', _) | (TAB, Self::Prose | Self::Stored) => Some("→"),
            (OPEN, Self::Stored) => Some("⟨"),
            (CLOSE, Self::Stored) => Some("⟩"),
            _ => None,
        }
    }
}

impl Shown {
    /// For arguments: rows break where the text does, each break with its mark.
    pub fn strict(text: &str) -> Self {
        Self(visible(text, Profile::Strict).into_owned())
    }

    /// For names and one-row summaries: a row break is only its mark.
    pub fn label(text: &str) -> Self {
        Self(visible(text, Profile::Label).into_owned())
    }

    /// For text whose row breaks are ours, such as JSON we laid out: strict, and no mark at a break.
    pub fn laid_out(text: &str) -> Self {
        let rows: Vec<_> = text
            .split('\n')
            .map(|row| visible(row, Profile::Label))
            .collect();
        Self(rows.join("\n"))
    }

    /// For prose and output: rows break without a mark, emoji stay whole.
    pub fn prose(text: &str) -> Self {
        Self(visible(text, Profile::Prose).into_owned())
    }

    /// The program's own words.
    pub fn literal(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a label was made from, or strict text: every sign undone.
    pub fn original(&self) -> String {
        let mut out = String::with_capacity(self.0.len());
        for piece in self.rows().flat_map(pieces) {
            match piece {
                Piece::Plain(text) => out.push_str(text),
                Piece::Sign(sign) => out.extend(undone(sign)),
            }
        }
        out
    }

    /// The rows, broken where the text breaks. At least one.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('\n')
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One run of a row: as it stood in the text, or a sign of ours that is drawn dim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    Plain(&'a str),
    Sign(&'a str),
}

/// Splits a row of a `Shown` into what stood in the text and what this module wrote.
pub fn pieces(row: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = row;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (piece, end) = if first == OPEN {
            let end = rest
                .find(CLOSE)
                .map_or(rest.len(), |at| at + CLOSE.len_utf8());
            (Piece::Sign(&rest[..end]), end)
        } else if is_own_sign(first) {
            (Piece::Sign(&rest[..first.len_utf8()]), first.len_utf8())
        } else {
            let end = rest.find(is_own_sign).unwrap_or(rest.len());
            (Piece::Plain(&rest[..end]), end)
        };
        rest = &rest[end..];
        Some(piece)
    })
}

const fn is_own_sign(c: char) -> bool {
    matches!(c, BREAK | TAB | OPEN | CLOSE)
}

fn visible(text: &str, profile: Profile) -> Cow<'_, str> {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    // The character before, if it stands in `out` as it stood in the text, and the marks it carries.
    let mut before = None;
    let mut marks = 0;
    while let Some(c) = characters.next() {
        if let Some(sign) = profile.sign(c, characters.peek()) {
            out.push_str(sign);
            before = None;
            continue;
        }
        let joins = profile.keeps_emoji() && joins_emoji(c, before, characters.peek());
        let combines = combines(c);
        marks = if combines { marks + 1 } else { 0 };
        // A mark needs a base that stood in the text: on a sign of ours it would change the sign.
        let bare = combines && (before.is_none() || marks > MARKS_PER_BASE);
        if joins || (is_plain(c) && !is_own_sign(c) && !bare) {
            out.push(c);
            before = Some(c);
        } else {
            write_out(&mut out, c);
            before = None;
        }
    }
    Cow::Owned(out)
}

/// The character that a sign stands for.
fn undone(sign: &str) -> Option<char> {
    match sign.chars().next() {
        Some(BREAK) => Some('\n'),
        Some(TAB) => Some('\t'),
        _ => {
            let number = sign.strip_prefix("⟨U+")?.strip_suffix(CLOSE)?;
            char::from_u32(u32::from_str_radix(number, 16).ok()?)
        }
    }
}

fn write_out(out: &mut String, c: char) {
    use fmt::Write as _;
    // Writing to a String cannot fail.
    let _ = write!(out, "{OPEN}U+{:04X}{CLOSE}", u32::from(c));
}

/// Draws itself onto the character before it: a mark, or a vowel or final consonant of Hangul.
fn combines(c: char) -> bool {
    !c.is_ascii()
        && (matches!(c, '\u{1160}'..='\u{11FF}' | '\u{D7B0}'..='\u{D7FF}')
            || c.general_category_group() == GeneralCategoryGroup::Mark)
}

/// A joiner between two emoji, or a presentation selector after one: part of how prose is written.
fn joins_emoji(c: char, before: Option<char>, next: Option<&char>) -> bool {
    let emoji = |c: char| !c.is_ascii() && c.is_emoji_char();
    match c {
        '\u{FE0F}' => before.is_some_and(|c| emoji(c) || c.is_ascii_digit()),
        '\u{200D}' => {
            before.is_some_and(|c| emoji(c) || c == '\u{FE0F}')
                && next.is_some_and(|next| emoji(*next))
        }
        _ => false,
    }
}

/// Letters, marks, numbers, punctuation, symbols and the space; nothing that can be invisible.
fn is_plain(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    let group = c.general_category_group();
    let printable = matches!(
        group,
        GeneralCategoryGroup::Letter
            | GeneralCategoryGroup::Mark
            | GeneralCategoryGroup::Number
            | GeneralCategoryGroup::Punctuation
            | GeneralCategoryGroup::Symbol
    );
    printable && !is_invisible(c)
}

/// Characters whose category says they print but which show nothing: Unicode's default-ignorable
/// letters and marks, the blank Braille cell, blank hieroglyphs, a notehead without ink, a filler.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{034F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{2800}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FFA0}' | '\u{FFFC}' | '\u{13441}' | '\u{13442}'
            | '\u{16FE4}' | '\u{1D159}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}
