//! Untrusted text made visible.
//!
//! Owns the one type that the interface and the terminal accept for text that came from a model, a
//! tool, a file or a peer. Nothing is dropped: whatever is not plain is written out, as `⟨U+202E⟩`; so is
//! a letter that poses as a Latin one within a word (`p⟨U+0430⟩ypal`), and many blanks are counted
//! (`⟨1500 spaces⟩`). The signs that this module writes itself (`⟨`, `⏎`, `→`) are written out when they stand in the
//! text, so no text can imitate them. Does not wrap and does not measure.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

pub mod lookalike;
mod walk;

use walk::{Profile, Written, is_own_sign, walk};

/// Ends a row that the text itself broke.
pub const BREAK: char = '⏎';
/// Stands for a tab.
pub const TAB: char = '→';
/// Open and close what is written out.
pub const OPEN: char = '⟨';
pub const CLOSE: char = '⟩';

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

impl Shown {
    /// For arguments: rows break where the text does, each break with its mark.
    pub fn strict(text: &str) -> Self {
        Self(visible(text, Profile::Strict).into_owned())
    }

    /// For names and one-row summaries: a row break is only its mark.
    pub fn label(text: &str) -> Self {
        Self(visible(text, Profile::Label).into_owned())
    }

    /// For a row that is being typed: what stands before a place does not look different for what follows it.
    pub fn typed(text: &str) -> Self {
        Self(visible(text, Profile::Typed).into_owned())
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
                Piece::Sign(sign) => undo(sign, &mut out),
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

/// Blanks as they are counted: `⟨1500 spaces⟩`.
fn write(out: &mut String, written: &Written) {
    use fmt::Write as _;
    // Writing to a String cannot fail.
    let _ = match written {
        Written::Plain(c) => out.write_char(*c),
        Written::Sign(sign) => out.write_str(sign),
        Written::Code(c) => write!(out, "{OPEN}U+{:04X}{CLOSE}", u32::from(*c)),
        Written::Spaces(count) => write!(out, "{OPEN}{count} spaces{CLOSE}"),
    };
}

fn visible(text: &str, profile: Profile) -> Cow<'_, str> {
    if walk::is_plainly_plain(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    walk(text, profile, |_, written| write(&mut out, &written));
    Cow::Owned(out)
}

/// Blanks that one sign stands for, at most.
const MOST_SPACES: usize = 16 * 1024 * 1024;

/// What a sign stands for.
fn undo(sign: &str, out: &mut String) {
    let inner = sign
        .strip_prefix(OPEN)
        .and_then(|sign| sign.strip_suffix(CLOSE));
    match (sign.chars().next(), inner) {
        (Some(BREAK), _) => out.push('\n'),
        (Some(TAB), _) => out.push('\t'),
        (_, Some(inner)) => {
            let spaces = inner
                .strip_suffix(" spaces")
                .and_then(|count| count.parse().ok());
            let code = inner
                .strip_prefix("U+")
                .and_then(|code| u32::from_str_radix(code, 16).ok());
            // A stored text may have been tampered with.
            out.extend(std::iter::repeat_n(
                ' ',
                spaces.unwrap_or(0).min(MOST_SPACES),
            ));
            out.extend(code.and_then(char::from_u32));
        }
        (_, None) => {}
    }
}

/// The text with every character that is not written as it stands put through `escape`; blanks and row
/// breaks stay. For a text that is to be edited and not only read.
pub fn escaped(text: &str, mut escape: impl FnMut(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    walk(text, Profile::Strict, |at, written| match written {
        Written::Plain(c) if c.is_ascii() || is_shown_alone(c) => out.push(c),
        Written::Plain(c) => escape(&mut out, c),
        Written::Spaces(count) => out.extend(std::iter::repeat_n(' ', count)),
        Written::Sign(_) | Written::Code(_) => match text[at..].chars().next() {
            Some('\n') => out.push('\n'),
            Some(c) => escape(&mut out, c),
            None => {}
        },
    });
    out
}

/// Whether the character needs no other before it.
fn is_shown_alone(c: char) -> bool {
    visible(c.encode_utf8(&mut [0; 4]), Profile::Strict)
        .chars()
        .eq([c])
}

/// The words of a text in which letters of another script pose as Latin ones.
pub fn posing(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut words: Vec<std::ops::Range<usize>> = Vec::new();
    if text.is_ascii() {
        return words;
    }
    walk(text, Profile::Strict, |at, written| {
        let Written::Code(c) = written else { return };
        if lookalike::ascii(c).is_none() || words.last().is_some_and(|word| at < word.end) {
            return;
        }
        let lettered = |c: char| c.is_alphanumeric();
        let start = text[..at].rfind(|c| !lettered(c));
        let start = start.map_or(0, |at| text.ceil_char_boundary(at + 1));
        let end = text[at..]
            .find(|c| !lettered(c))
            .map_or(text.len(), |end| at + end);
        words.push(start..end);
    });
    words
}

/// Where in `Shown::strict(text)` these byte offsets of the text, in rising order, are shown.
pub fn strict_offsets(text: &str, wanted: &[usize]) -> Vec<usize> {
    let mut found = Vec::with_capacity(wanted.len());
    offsets(text, Profile::Strict, (0, 0), wanted, &mut found);
    found
}

/// The same for `Shown::laid_out(text)`.
pub fn laid_out_offsets(text: &str, wanted: &[usize]) -> Vec<usize> {
    let mut found = Vec::with_capacity(wanted.len());
    let (mut from, mut out) = (0, 0);
    for row in text.split('\n') {
        let here = wanted.partition_point(|at| *at <= from + row.len());
        let wanted = wanted.get(found.len()..here).unwrap_or_default();
        out = offsets(row, Profile::Label, (from, out), wanted, &mut found) + 1;
        from += row.len() + 1;
    }
    found
}

/// `from` is where the text begins, as written and as shown. Says where it ends, as shown.
fn offsets(
    text: &str,
    profile: Profile,
    from: (usize, usize),
    wanted: &[usize],
    found: &mut Vec<usize>,
) -> usize {
    let mut wanted = wanted.iter().map(|at| at.saturating_sub(from.0)).peekable();
    let mut piece = String::new();
    let mut out = from.1;
    walk(text, profile, |at, written| {
        while wanted.next_if(|wanted| *wanted <= at).is_some() {
            found.push(out);
        }
        piece.clear();
        write(&mut piece, &written);
        out += piece.len();
    });
    found.extend(wanted.map(|_| out));
    out
}
