//! What the terminal shows, where it is plain: one letter that is one column wide everywhere.
//!
//! Owns what is known of each cell from the frames that were written. It is there to be written again
//! where that is shorter than to step over it.

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
    pub(super) fn of(cell: &Cell, look: Look) -> Option<Self> {
        match cell.symbol().as_bytes() {
            [letter @ b' '..=b'~'] => Some(Self {
                letter: *letter,
                look,
            }),
            [] | [_, ..] => None,
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
            rest: Some(Plainly {
                letter: b' ',
                look: Look::default(),
            }),
        }
    }

    /// The letter at this place, if it has this look.
    pub(super) fn at(&self, at: Position, look: Look) -> Option<u8> {
        let row = self.rows.get(usize::from(at.y));
        let known = row.and_then(|row| row.get(usize::from(at.x)));
        let plainly = known.copied().unwrap_or(self.rest)?;
        (plainly.look == look).then_some(plainly.letter)
    }

    /// What was written at this place. What is not plain may reach into the next one.
    pub(super) fn set(&mut self, at: Position, plainly: Option<Plainly>) {
        let (x, y) = (usize::from(at.x), usize::from(at.y));
        if self.rows.len() <= y {
            self.rows.resize(y + 1, Vec::new());
        }
        let row = &mut self.rows[y];
        if row.len() <= x + 1 {
            row.resize(x + 2, self.rest);
        }
        row[x] = plainly;
        if plainly.is_none() {
            row[x + 1] = None;
        }
    }
}
