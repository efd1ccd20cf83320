//! How much of a text is on screen, and how much of a call has been.
//!
//! Owns the counting of rows. Draws nothing, and does not know what stands in them.

use crate::core::call::CallKey;
use crate::core::time::Ticks;

/// A part of a long text that is on screen, in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    pub top: usize,
    pub height: usize,
    pub total: usize,
}

impl Extent {
    /// Rows that are not on screen.
    pub const fn hidden(self) -> usize {
        self.total.saturating_sub(self.height)
    }

    /// The same without the last rows of the text.
    pub const fn without(self, last: usize) -> Self {
        let total = self.total.saturating_sub(last);
        let from = if self.top < total { self.top } else { total };
        let rest = total - from;
        Self {
            top: self.top,
            height: if self.height < rest {
                self.height
            } else {
                rest
            },
            total,
        }
    }
}

/// Since when a call has been on screen, without a break, as the one a key would decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight {
    pub call: CallKey,
    pub since: Ticks,
    /// Since when its rows have been laid out as they are.
    pub laid: Ticks,
}

/// How much of a call's arguments, or of a sheet, has been on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// Rows from the first on, without a gap, at the width of `total`.
    pub to: usize,
    pub total: usize,
    /// When the call first came on screen.
    pub first: Ticks,
    /// Whether all of it was on screen once, laid out in a way that stayed for as long as a decision asks
    /// for: what only flashed by was not read.
    pub stood: bool,
}

impl Seen {
    /// Rows that have not been on screen.
    pub const fn unseen(self) -> usize {
        self.total.saturating_sub(self.to)
    }

    /// The rows have been laid out as they are for as long as a decision asks for.
    pub const fn stands(&mut self) {
        if self.to >= self.total && self.total > 0 {
            self.stood = true;
        }
    }

    /// The rows are laid out anew. What was seen as a whole, and not only in passing, stays seen; anything
    /// less begins again, also where there are as many rows as before.
    pub const fn laid_anew(&mut self) {
        if !self.stood {
            self.to = 0;
        }
    }

    /// Takes in what a frame showed. A new width lays the rows out anew.
    pub fn extend(&mut self, extent: Extent) {
        if self.total != extent.total {
            self.to = if self.stood { extent.total } else { 0 };
            self.total = extent.total;
        }
        if extent.top <= self.to {
            self.to = self.to.max(extent.top + extent.height).min(extent.total);
        }
    }
}
