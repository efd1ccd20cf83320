//! One thing wrong with a file that a person wrote, and where.

/// A mistake at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("{line}:{column}: {what}")]
pub struct Mistake {
    /// Both counted from 1; columns in characters.
    pub line: usize,
    pub column: usize,
    /// What is wrong and what to do.
    pub what: String,
}

impl Mistake {
    /// A mistake at a byte offset of `text`.
    pub fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let before = &text[..text.floor_char_boundary(offset)];
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .map_or(0, |row| row.chars().count())
            + 1;
        Self {
            line,
            column,
            what: what.into(),
        }
    }
}
