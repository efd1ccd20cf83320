//! Marks behind frames: the terminal says when it has come so far.
//!
//! Owns the question and its answer. A mark is a place of the cursor, which every terminal tells when it
//! is asked (DSR 6, answered with CPR): it answers once it has taken in all that was written before. So an
//! answer that comes late cannot be taken for that of another frame.

/// Whether anybody sees where the cursor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cursor {
    Hidden,
    Shown,
}

/// One mark. Row and column are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    row: u16,
    column: u16,
}

impl Mark {
    /// One of the marks that a terminal of this many columns and rows can tell apart; `number` goes round
    /// all of them.
    pub fn of(number: u64, (columns, rows): (u16, u16)) -> Self {
        // An answer with row 1 could be a function key with modifiers.
        let (columns, rows) = (u64::from(columns.max(1)), u64::from(rows.max(2) - 1));
        let place = number % (columns * rows);
        let small = |number| u16::try_from(number).unwrap_or(u16::MAX);
        Self {
            row: small(place / columns + 2),
            column: small(place % columns + 1),
        }
    }

    /// The mark that the terminal's answer names.
    pub const fn told(row: u16, column: u16) -> Self {
        Self { row, column }
    }

    /// What is written behind a frame. A cursor that is to be seen is afterwards where it was.
    pub(super) fn question(self, cursor: Cursor) -> String {
        let Self { row, column } = self;
        match cursor {
            Cursor::Hidden => format!("\x1b[{row};{column}H\x1b[6n"),
            Cursor::Shown => format!("\x1b7\x1b[{row};{column}H\x1b[6n\x1b8"),
        }
    }
}
