//! What a mouse does to the console, in cells of the screen.
//!
//! Owns the words. What a click comes to is `update`'s; what lies where is told by the last frame.

use super::command::Command;
use super::state::Pane;
use crate::core::call::CallKey;

/// A press of the first button, or one notch of the wheel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Click,
    WheelUp,
    WheelDown,
}

/// What happened, and where: columns and rows from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    pub turn: Turn,
    pub column: u16,
    pub row: u16,
}

/// What a part of the screen is to the mouse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    Pane(Pane),
    /// The row of a waiting call.
    Call(CallKey),
    /// A key of the footer.
    Key(Command),
}

/// A part of the screen. Later ones lie over earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its first column and row.
    pub from: (u16, u16),
    /// Its columns and rows.
    pub size: (u16, u16),
    pub spot: Spot,
}

impl Region {
    pub const fn holds(&self, mouse: Mouse) -> bool {
        let (column, row) = self.from;
        let (columns, rows) = self.size;
        mouse.column >= column
            && mouse.column - column < columns
            && mouse.row >= row
            && mouse.row - row < rows
    }
}
