//! What a mouse does to the console, in cells of the screen.
//!
//! Owns the words, and what lay where when the last click came. What a click comes to is `update`'s; what lies where is told by the last frame.

use super::command::Command;
use super::state::Pane;
use crate::core::call::CallKey;
use crate::core::time::Ticks;

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

/// What lies in a cell.
pub fn spot_at(regions: &[Region], mouse: Mouse) -> Option<&Spot> {
    let region = regions.iter().rev().find(|region| region.holds(mouse));
    region.map(|region| &region.spot)
}

/// Columns and rows by which a hand that means the same cell may miss it.
const ABOUT: (u16, u16) = (4, 1);

/// A click on something, and the screen it came on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Click {
    pub mouse: Mouse,
    pub at: Ticks,
    /// What lay where.
    pub regions: Vec<Region>,
    /// It only asked for another one: this key was not there when the click before it came.
    pub refused: Option<Command>,
}

impl Click {
    /// Whether this is about the same cell, or the same key.
    pub fn is_about(&self, mouse: Mouse) -> bool {
        let columns = self.mouse.column.abs_diff(mouse.column);
        let rows = self.mouse.row.abs_diff(mouse.row);
        let near = columns <= ABOUT.0 && rows <= ABOUT.1;
        let both = |region: &Region| region.holds(self.mouse) && region.holds(mouse);
        let is_key = |region: &&Region| matches!(region.spot, Spot::Key(_));
        near || self.regions.iter().filter(is_key).any(both)
    }
}
