//! What the terminal shows, where it is plain: one letter that is one column wide everywhere.
//!
//! Owns what is known of each cell from the frames that were written, and which looks no eye tells apart. It is
//! there to be written again where that is shorter than to step over it, and not to be written where it stands.

use ratatui::buffer::Cell;
use ratatui::layout::Position;

use super::look::Look;

/// A letter and how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plainly {
    letter: u8,
    look: Look,
}

impl Plainly {
    /// `None` if the cell holds anything else than one plain letter.
    pub(super) fn of(cell: &Cell) -> Option<Self> {
        match cell.symbol().as_bytes() {
            [b' '] => Some(Self {
                letter: b' ',
                look: Look::of(cell).of_blank(),
            }),
            [letter @ b'!'..=b'~'] => Some(Self {
                letter: *letter,
                look: Look::of(cell),
            }),
            [] | [_, ..] => None,
        }
    }

    /// Nothing at all: what the terminal makes of a cell that it erases while no colour is on.
    pub(super) fn nothing() -> Self {
        Self {
            letter: b' ',
            look: Look::default(),
        }
    }

    /// The letter, if it looks like this when it is written with `look` on.
    pub(super) fn written_with(self, look: Look) -> Option<u8> {
        let look = match self.letter {
            b' ' => look.of_blank(),
            _ => look,
        };
        (self.look == look).then_some(self.letter)
    }
}

/// How far what is written in a cell may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Cell,
    /// Into the next one.
    Next,
}

impl Reach {
    /// A letter is one column wide wherever lines and boxes are. A terminal that is told to take letters of
    /// ambiguous width for wide ones shows no row of any frame as it was meant.
    pub(super) fn of(symbol: &str) -> Self {
        let mut letters = symbol.chars();
        match (letters.next(), letters.next()) {
            (
                Some(
                    ' '..='~'
                    | '\u{a1}'..='\u{ac}'
                    | '\u{ae}'..='\u{ff}'
                    | '\u{2026}'
                    | '\u{2500}'..='\u{259f}',
                ),
                None,
            ) => Self::Cell,
            (Some(_) | None, _) => Self::Next,
        }
    }
}

/// The cells of the terminal by row and column.
#[derive(Debug, Default)]
pub(super) struct Plain {
    rows: Vec<Vec<Option<Plainly>>>,
    /// What stands where nothing was written yet.
    rest: Option<Plainly>,
}

impl Plain {
    /// All of it was cleared.
    pub(super) fn blank() -> Self {
        Self {
            rows: Vec::new(),
            rest: Some(Plainly::nothing()),
        }
    }

    /// What stands at this place, if that is known and plain.
    pub(super) fn at(&self, at: Position) -> Option<Plainly> {
        let row = self.rows.get(usize::from(at.y));
        let known = row.and_then(|row| row.get(usize::from(at.x)));
        known.copied().unwrap_or(self.rest)
    }

    /// What was written at this place, and how far it may reach.
    pub(super) fn set(&mut self, at: Position, plainly: Option<Plainly>, reach: Reach) {
        let (x, y) = (usize::from(at.x), usize::from(at.y));
        if self.rows.len() <= y {
            self.rows.resize(y + 1, Vec::new());
        }
        let row = &mut self.rows[y];
        if row.len() <= x + 1 {
            row.resize(x + 2, self.rest);
        }
        row[x] = plainly;
        match reach {
            Reach::Cell => {}
            Reach::Next => row[x + 1] = None,
        }
    }
}
