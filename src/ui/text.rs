//! A row of text that may be drawn.
//!
//! Owns the one door to the screen: a row is made of `Shown`, of literals and of numbers, and of
//! nothing else, so text that was not made visible cannot be drawn. Row breaks are its child's, `wrap`.

pub mod wrap;

use ratatui::style::{Modifier, Style};
use std::borrow::Cow;
use std::ops::Range;

use crate::core::count;
use crate::core::shown::{self, Piece, Shown};

/// Ends a row that had to be shortened.
pub const ELLIPSIS: &str = "…";

/// A run of characters in one look. Its text is private: see the module's first lines.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Run {
    text: Cow<'static, str>,
    style: Style,
}

/// One row, not yet fitted to any width.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Row {
    runs: Vec<Run>,
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for &'static str {}
    impl Sealed for &crate::core::shown::Shown {}
    impl Sealed for usize {}
}

/// What a row can be made of.
pub trait Visible: sealed::Sealed {
    fn put(self, row: &mut Row, style: Style);
}

impl Visible for &'static str {
    fn put(self, row: &mut Row, style: Style) {
        row.run(Cow::Borrowed(self), style);
    }
}

impl Visible for usize {
    /// With thousands set apart: `12,345`.
    fn put(self, row: &mut Row, style: Style) {
        row.run(Cow::Owned(count::number(self)), style);
    }
}

impl Visible for &Shown {
    /// All of it on this one row; a row break that has no mark yet gets one.
    fn put(self, row: &mut Row, style: Style) {
        let mut broken = None;
        for part in self.rows() {
            if broken == Some(false) {
                row.run(Cow::Borrowed("⏎"), sign(style));
            }
            put_pieces(row, part, style);
            broken = Some(part.ends_with(shown::BREAK));
        }
    }
}

impl Row {
    pub const fn new() -> Self {
        Self { runs: Vec::new() }
    }

    /// The rows of a visible text.
    pub fn split(text: &Shown, style: Style) -> impl Iterator<Item = Self> {
        text.rows().map(move |part| {
            let mut row = Self::new();
            put_pieces(&mut row, part, style);
            row
        })
    }

    pub fn with(mut self, text: impl Visible, style: Style) -> Self {
        text.put(&mut self, style);
        self
    }

    pub fn push(&mut self, text: impl Visible, style: Style) {
        text.put(self, style);
    }

    pub fn append(&mut self, other: Self) {
        self.runs.extend(other.runs);
    }

    pub fn then(mut self, other: Self) -> Self {
        self.append(other);
        self
    }

    /// Blanks up to `width`; nothing if the row is as wide already.
    pub fn padded(mut self, width: usize) -> Self {
        const BLANKS: &str = "                                                                ";
        let mut missing = width.saturating_sub(self.width());
        while missing > 0 {
            let part = missing.min(BLANKS.len());
            self.run(Cow::Borrowed(&BLANKS[..part]), Style::new());
            missing -= part;
        }
        self
    }

    /// Lays `style` over every run.
    pub fn styled(mut self, style: Style) -> Self {
        for run in &mut self.runs {
            run.style = run.style.patch(style);
        }
        self
    }

    /// Lays `style` over the characters in this range of its bytes.
    pub fn marked(self, range: &Range<usize>, style: Style) -> Self {
        let mut marked = Self::new();
        let mut offset = 0;
        for run in self.runs {
            let length = run.text.len();
            let cut = |at: usize| {
                run.text
                    .ceil_char_boundary(at.saturating_sub(offset).min(length))
            };
            let (from, to) = (cut(range.start), cut(range.end));
            let part = |range: Range<usize>| Cow::Owned(run.text[range].to_owned());
            marked.run(part(0..from), run.style);
            marked.run(part(from..to), run.style.patch(style));
            marked.run(part(to.max(from)..length), run.style);
            offset += length;
        }
        marked
    }

    /// What there is to paint.
    pub(super) fn runs(&self) -> impl Iterator<Item = (&str, Style)> {
        self.runs.iter().map(|run| (&*run.text, run.style))
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn run(&mut self, text: Cow<'static, str>, style: Style) {
        if !text.is_empty() {
            self.runs.push(Run { text, style });
        }
    }
}

fn put_pieces(row: &mut Row, text: &str, style: Style) {
    for piece in shown::pieces(text) {
        match piece {
            Piece::Plain(text) => row.run(Cow::Owned(text.to_owned()), style),
            Piece::Sign(text) => row.run(Cow::Owned(text.to_owned()), sign(style)),
        }
    }
}

/// How our own signs are told from the text around them.
fn sign(style: Style) -> Style {
    style
        .remove_modifier(Modifier::BOLD)
        .add_modifier(Modifier::DIM)
}
