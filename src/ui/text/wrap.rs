//! Widths and row breaks.
//!
//! Owns what one cell holds and where a row is broken. Terminals disagree about emoji sequences and
//! variation selectors, so a cell never holds either: each part of a sequence gets cells of its own,
//! and every terminal puts the next character where we think it is.

use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{ELLIPSIS, Row};

/// Where a row may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breaks {
    /// Between words; the blanks at a break are not drawn. For prose.
    Words,
    /// Between words, and every blank is drawn. For values.
    Kept,
    /// Anywhere. For code, output and diffs.
    Anywhere,
}

/// What is drawn as one: a character with its marks, in one cell or two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ui) struct Unit<'a> {
    pub(in crate::ui) at: usize,
    pub(in crate::ui) len: usize,
    pub(in crate::ui) symbol: Cow<'a, str>,
    pub(in crate::ui) width: usize,
}

const SELECTOR: char = '\u{FE0F}';
const JOINER: char = '\u{200D}';

/// The units of a text, in order.
pub(in crate::ui) fn units(text: &str) -> impl Iterator<Item = Unit<'_>> {
    clusters(text).flat_map(|(at, rest)| Units { at, rest })
}

/// The graphemes of a text, each with its place. A letter before another one stands for itself: almost
/// all text is that, and is not looked up in the tables.
fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let cluster = match rest.as_bytes() {
            [b' '..=b'~'] | [b' '..=b'~', b' '..=b'~', ..] => rest.get(..1)?,
            [] | [_, ..] => rest.graphemes(true).next()?,
        };
        let begins = at;
        at += cluster.len();
        Some((begins, cluster))
    })
}

struct Units<'a> {
    at: usize,
    rest: &'a str,
}

impl<'a> Iterator for Units<'a> {
    type Item = Unit<'a>;

    fn next(&mut self) -> Option<Unit<'a>> {
        if let [b' '..=b'~'] = self.rest.as_bytes() {
            return Some(Unit {
                at: self.at,
                len: 1,
                symbol: Cow::Borrowed(std::mem::take(&mut self.rest)),
                width: 1,
            });
        }
        let first = self.rest.chars().next()?;
        let len = if is_flag_half(first) {
            self.rest.len()
        } else {
            let starts = |(at, c): (usize, char)| (at > 0 && own_width(c) > 0).then_some(at);
            self.rest
                .char_indices()
                .find_map(starts)
                .unwrap_or(self.rest.len())
        };
        let (text, rest) = self.rest.split_at(len);
        let unit = Unit {
            at: self.at,
            len,
            symbol: symbol(text, first),
            width: if is_flag_half(first) {
                text.width().max(1)
            } else {
                own_width(first).max(1)
            },
        };
        self.at += len;
        self.rest = rest;
        Some(unit)
    }
}

/// What the cell holds: no selector, no joiner, and no mark without something to stand on.
fn symbol(text: &str, first: char) -> Cow<'_, str> {
    let bare = own_width(first) == 0;
    if !bare && !text.contains([SELECTOR, JOINER]) {
        return Cow::Borrowed(text);
    }
    let marks = text.chars().filter(|c| !matches!(*c, SELECTOR | JOINER));
    Cow::Owned(bare.then_some('◌').into_iter().chain(marks).collect())
}

const fn is_flag_half(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

fn own_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The columns that a text takes.
pub(in crate::ui) fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    units(text).map(|unit| unit.width).sum()
}

/// The parts of a text, given in runs, that fit on rows of `columns`. At least one part.
pub(in crate::ui) fn cuts<'a>(
    runs: impl Iterator<Item = &'a str>,
    columns: usize,
    breaks: Breaks,
) -> Vec<Range<usize>> {
    let mut cutter = Cutter::new(columns.max(1), breaks);
    let mut offset = 0;
    for run in runs {
        if run.is_ascii() {
            for (at, byte) in run.bytes().enumerate() {
                cutter.step(Step {
                    at: offset + at,
                    len: 1,
                    width: 1,
                    blank: byte == b' ',
                });
            }
        } else {
            for (at, grapheme) in clusters(run) {
                cutter.grapheme(offset + at, grapheme);
            }
        }
        offset += run.len();
    }
    cutter.finish(offset)
}

/// What is not broken: a character in the reader's eyes.
#[derive(Clone, Copy)]
struct Step {
    at: usize,
    len: usize,
    width: usize,
    blank: bool,
}

/// A place after a blank where the current row could end.
#[derive(Clone, Copy)]
struct Opening {
    end: usize,
    next: usize,
    used: usize,
}

struct Cutter {
    columns: usize,
    breaks: Breaks,
    parts: Vec<Range<usize>>,
    start: usize,
    used: usize,
    opening: Option<Opening>,
    /// Where the blanks before the current unit began.
    blanks: Option<usize>,
}

impl Cutter {
    const fn new(columns: usize, breaks: Breaks) -> Self {
        Self {
            columns,
            breaks,
            parts: Vec::new(),
            start: 0,
            used: 0,
            opening: None,
            blanks: None,
        }
    }

    /// A sequence that is wider than a whole row is broken between its parts.
    fn grapheme(&mut self, at: usize, text: &str) {
        let whole = Step {
            at,
            len: text.len(),
            width: width(text),
            blank: text == " ",
        };
        if whole.width <= self.columns {
            return self.step(whole);
        }
        for unit in (Units { at, rest: text }) {
            self.step(Step {
                at: unit.at,
                len: unit.len,
                width: unit.width,
                blank: false,
            });
        }
    }

    fn step(&mut self, step: Step) {
        let Step {
            at,
            len,
            width,
            blank,
        } = step;
        if blank && self.breaks == Breaks::Words && self.dropped(at, len) {
            return;
        }
        while self.used > 0 && self.used + width > self.columns {
            self.end_row(at);
        }
        self.used += width;
        if !blank {
            self.blanks = None;
            return;
        }
        let began = *self.blanks.get_or_insert(at);
        let end = if self.breaks == Breaks::Words {
            began
        } else {
            at + len
        };
        if end > self.start {
            self.opening = Some(Opening {
                end,
                next: at + len,
                used: self.used,
            });
        }
    }

    /// Whether this blank falls at a row break and so is not drawn.
    fn dropped(&mut self, at: usize, len: usize) -> bool {
        let row_began = self.used == 0 && !self.parts.is_empty();
        if row_began {
            self.start = at + len;
            return true;
        }
        let full = self.used + 1 > self.columns && self.used > 0;
        if full {
            let end = self
                .blanks
                .filter(|began| *began > self.start)
                .unwrap_or(at);
            self.cut(end, at + len, 0);
        }
        full
    }

    fn end_row(&mut self, at: usize) {
        match self.opening.filter(|_| self.breaks != Breaks::Anywhere) {
            Some(Opening { end, next, used }) => {
                self.cut(end, next, self.used.saturating_sub(used));
            }
            None => self.cut(at, at, 0),
        }
    }

    fn cut(&mut self, end: usize, next: usize, used: usize) {
        self.parts.push(self.start..end);
        self.start = next;
        self.used = used;
        self.opening = None;
        self.blanks = None;
    }

    fn finish(mut self, end: usize) -> Vec<Range<usize>> {
        if self.start < end || self.parts.is_empty() {
            self.parts.push(self.start..end);
        }
        self.parts
    }
}

impl Row {
    pub fn width(&self) -> usize {
        self.runs.iter().map(|run| width(&run.text)).sum()
    }

    /// The row as rows of at most `columns`. At least one.
    pub fn wrapped(self, columns: usize, breaks: Breaks) -> Vec<Self> {
        if self.width() <= columns {
            return vec![self];
        }
        let parts = cuts(self.runs.iter().map(|run| &*run.text), columns, breaks);
        self.parts(parts.into_iter())
    }

    /// The row, or as much of its start as fits, ended with `…`.
    pub fn fitted(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let Some(room) = columns.checked_sub(1) else {
            return Self::new();
        };
        let mut end = 0;
        let mut used = 0;
        'runs: for run in &self.runs {
            for unit in units(&run.text) {
                if used + unit.width > room {
                    break 'runs;
                }
                used += unit.width;
                end += unit.len;
            }
        }
        let style = self.runs.first().map(|run| run.style).unwrap_or_default();
        let start = self
            .parts(std::iter::once(0..end))
            .pop()
            .unwrap_or_default();
        start.with(ELLIPSIS, style)
    }

    /// The row in parts, which follow each other. One pass, however many runs and parts there are.
    fn parts(&self, parts: impl Iterator<Item = Range<usize>>) -> Vec<Self> {
        let mut rows = Vec::new();
        let mut first = 0;
        let mut offset = 0;
        for part in parts {
            let mut row = Self::new();
            while let Some(run) = self.runs.get(first) {
                let end = offset + run.text.len();
                let (from, to) = (part.start.max(offset), part.end.min(end));
                if from < to {
                    let text = run.text[from - offset..to - offset].to_owned();
                    row.run(Cow::Owned(text), run.style);
                }
                if end > part.end {
                    break;
                }
                offset = end;
                first += 1;
            }
            rows.push(row);
        }
        rows
    }
}
