//! The way through a text, character by character, to what is written for each.
//!
//! Owns what is written: itself, a sign, its number, or a count of blanks. Collects nothing.

use unicode_properties::{GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};

use super::{BREAK, CLOSE, OPEN, TAB, lookalike};

/// Combining marks shown on one base; more would climb over other rows.
const MARKS_PER_BASE: usize = 3;
/// Blanks in a row that are drawn as they are, wherever they stand and whatever the text is.
const BLANKS: usize = 64;
/// Blanks within a row of an argument: enough to align a table, too few to push anything out of sight.
const BLANKS_WITHIN: usize = 15;
/// Blanks at the end of an argument's row, where nothing after them shows that they are there.
const BLANKS_AT_END: usize = 3;

/// What kind of text it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Profile {
    /// Arguments, names, diffs: everything unusual is written out, a row break leaves a mark.
    Strict,
    /// As strict, on one row.
    Label,
    /// As a label, and what is written for a character does not depend on those around it.
    Typed,
    /// Prose and tool output: row breaks are plain, arrows and emoji sequences stay as they are.
    Prose,
    /// What one of the others wrote: our own signs stay too.
    Stored,
}

/// What is written for a piece of the text.
pub(super) enum Written {
    Plain(char),
    Sign(&'static str),
    /// By its number.
    Code(char),
    /// As many blanks.
    Spaces(usize),
}

impl Profile {
    const fn keeps_emoji(self) -> bool {
        match self {
            Self::Strict | Self::Label | Self::Typed => false,
            Self::Prose | Self::Stored => true,
        }
    }

    /// What is written for a character that has a sign of its own here; `None` if it has none.
    const fn sign(self, c: char, next: Option<char>) -> Option<&'static str> {
        match (c, self) {
            ('\n', Self::Strict) => Some("⏎\n"),
            ('\n', Self::Label | Self::Typed) | (BREAK, Self::Stored) => Some("⏎"),
            ('\n', Self::Prose | Self::Stored) => Some("\n"),
            // The row ends there anyway.
            ('\r', Self::Prose) if matches!(next, Some('\n')) => Some(""),
            ('\t', _) | (TAB, Self::Prose | Self::Stored) => Some("→"),
            (OPEN, Self::Stored) => Some("⟨"),
            (CLOSE, Self::Stored) => Some("⟩"),
            _ => None,
        }
    }

    /// Whether the blanks of this range are counted instead of drawn.
    fn counts(self, text: &str, start: usize, end: usize) -> bool {
        let run = end - start;
        let strict = match self {
            Self::Strict | Self::Label => true,
            Self::Typed => return false,
            Self::Prose | Self::Stored => false,
        };
        // Indentation stays, but for what would push the row off the screen.
        let indents = start == 0 || self == Self::Strict && text.as_bytes()[start - 1] == b'\n';
        let ends = end == text.len();
        let within = strict && !indents && run > BLANKS_WITHIN;
        run > BLANKS || within || strict && ends && run > BLANKS_AT_END
    }
}

/// Whether all of it is written as it is, told quickly.
pub(super) fn is_plainly_plain(text: &str) -> bool {
    text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) && !text.contains("    ")
}

/// Tells `write` what is written for each piece of the text and where the piece begins.
pub(super) fn walk(text: &str, profile: Profile, mut write: impl FnMut(usize, Written)) {
    let mut word = Word::default();
    // The character before, if it is written as it stood in the text, and the marks it carries.
    let mut before = None;
    let mut marks = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let here = at;
        at += c.len_utf8();
        if c == ' ' {
            at += text[at..].bytes().take_while(|byte| *byte == b' ').count();
            before = spaces(text, (here, at), profile, &mut write);
            marks = 0;
            continue;
        }
        let next = text[at..].chars().next();
        if let Some(sign) = profile.sign(c, next) {
            write(here, Written::Sign(sign));
            before = None;
            continue;
        }
        let joins = profile.keeps_emoji() && joins_emoji(c, before, next);
        let combines = combines(c);
        marks = if combines { marks + 1 } else { 0 };
        // A mark needs a base that stood in the text: on a sign of ours it would change the sign.
        let bare = combines && (before.is_none() || marks > MARKS_PER_BASE);
        let posing = profile != Profile::Typed && word.poses(text, here, c);
        if joins || (is_plain(c) && !is_own_sign(c) && !bare && !posing) {
            write(here, Written::Plain(c));
            before = Some(c);
        } else {
            write(here, Written::Code(c));
            before = None;
        }
    }
}

fn spaces(
    text: &str,
    (start, end): (usize, usize),
    profile: Profile,
    write: &mut impl FnMut(usize, Written),
) -> Option<char> {
    if profile.counts(text, start, end) {
        write(start, Written::Spaces(end - start));
        return None;
    }
    for at in start..end {
        write(at, Written::Plain(' '));
    }
    Some(' ')
}

/// The word that the way leads through, and whether letters of another script pose as Latin ones in it.
#[derive(Default)]
struct Word {
    end: usize,
    mixed: bool,
}

impl Word {
    fn poses(&mut self, text: &str, at: usize, c: char) -> bool {
        if at >= self.end {
            *self = Self::at(text, at);
        }
        self.mixed && lookalike::ascii(c).is_some()
    }

    fn at(text: &str, start: usize) -> Self {
        // The letters of an escape such as `\n` or `\u00e9` are not part of the word behind it.
        let escape = match (
            text[..start].ends_with('\\'),
            text[start..].starts_with('u'),
        ) {
            (true, true) => 5,
            (true, false) => 1,
            (false, _) => 0,
        };
        let (mut latin, mut posing, mut end) = (false, false, start);
        for (at, c) in text[start..].char_indices() {
            if !is_of_word(c) {
                break;
            }
            latin |= c.is_ascii_alphabetic() && at >= escape;
            posing |= lookalike::ascii(c).is_some();
            end = start + at + c.len_utf8();
        }
        Self {
            end: end.max(start + 1),
            mixed: latin && posing,
        }
    }
}

/// Letters, digits, and what stands unseen between them.
fn is_of_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    let hidden = !is_plain(c) && !c.is_whitespace();
    c.is_alphanumeric() || combines(c) || hidden
}

pub(super) const fn is_own_sign(c: char) -> bool {
    matches!(c, BREAK | TAB | OPEN | CLOSE)
}

/// Draws itself onto the character before it: a mark, or a vowel or final consonant of Hangul.
fn combines(c: char) -> bool {
    !c.is_ascii()
        && (matches!(c, '\u{1160}'..='\u{11FF}' | '\u{D7B0}'..='\u{D7FF}')
            || c.general_category_group() == GeneralCategoryGroup::Mark)
}

/// A joiner between two emoji, or a presentation selector after one: part of how prose is written.
fn joins_emoji(c: char, before: Option<char>, next: Option<char>) -> bool {
    let emoji = |c: char| !c.is_ascii() && c.is_emoji_char();
    match c {
        '\u{FE0F}' => before.is_some_and(|c| emoji(c) || c.is_ascii_digit()),
        '\u{200D}' => {
            before.is_some_and(|c| emoji(c) || c == '\u{FE0F}') && next.is_some_and(emoji)
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
