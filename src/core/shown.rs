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

/// A stored `Shown` is checked again when it is read: a file is not trusted either.
impl From<String> for Shown {
    fn from(text: String) -> Self {
        let clean = text
            .chars()
            .all(|c| c == '\n' || is_own_sign(c) || is_plain(c));
        if clean {
            Self(text)
        } else {
            Self::strict(&text)
        }
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
    let mut marks = 0;
    let mut characters = text.chars().peekable();
    let mut previous = None;
    while let Some(c) = characters.next() {
        marks = if is_mark(c) { marks + 1 } else { 0 };
        match (c, profile) {
            ('\n', Profile::Strict) => out.extend([BREAK, '\n']),
            ('\n', Profile::Label) => out.push(BREAK),
            ('\n', Profile::Prose) => out.push('\n'),
            ('\r', Profile::Prose) if characters.peek() == Some(&'\n') => {}
            ('\t', _) => out.push(TAB),
            (TAB, Profile::Prose) => out.push(TAB),
            _ if profile == Profile::Prose && joins_emoji(c, previous, characters.peek()) => {
                out.push(c)
            }
            _ if is_own_sign(c) || !is_plain(c) || marks > MARKS_PER_BASE => write_out(&mut out, c),
            _ if marks > 0 && previous.is_none_or(|base| base == '\n' || !is_plain(base)) => {
                write_out(&mut out, c)
            }
            _ => out.push(c),
        }
        previous = Some(c);
    }
    Cow::Owned(out)
}

fn write_out(out: &mut String, c: char) {
    use fmt::Write as _;
    // Writing to a String cannot fail.
    let _ = write!(out, "{OPEN}U+{:04X}{CLOSE}", u32::from(c));
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Mark
}

/// A joiner between two emoji, or a presentation selector after one: part of how prose is written.
fn joins_emoji(c: char, previous: Option<char>, next: Option<&char>) -> bool {
    let emoji = |c: char| !c.is_ascii() && c.is_emoji_char();
    match c {
        '\u{FE0F}' => previous.is_some_and(|c| emoji(c) || c.is_ascii_digit()),
        '\u{200D}' => {
            previous.is_some_and(|c| emoji(c) || c == '\u{FE0F}')
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
/// letters and marks, and the blank Braille cell.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{034F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{2800}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FFA0}' | '\u{FFFC}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}
