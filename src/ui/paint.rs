//! Rows into cells. The only place that writes text to the buffer.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Style};

use super::text::Row;
use super::text::wrap::{units, width};

/// Draws a row at the left of `area`'s row `y` (counted from its top). What does not fit is left out,
/// so callers wrap or fit first.
pub fn row(buffer: &mut Buffer, area: Rect, y: usize, row: &Row) {
    let Some(y) = u16::try_from(y).ok().filter(|y| *y < area.height) else {
        return;
    };
    let mut x = area.x;
    for (text, style) in row.runs() {
        if is_plain(text) {
            x += plain(buffer, (x, area.y + y), area.right(), text, style);
            continue;
        }
        for unit in units(text) {
            let width = u16::try_from(unit.width).unwrap_or(u16::MAX);
            if x.saturating_add(width) > area.right() {
                return;
            }
            put(buffer, x, area.y + y, &unit.symbol, style);
            for covered in x + 1..x + width {
                if let Some(cell) = buffer.cell_mut((covered, area.y + y)) {
                    cell.reset();
                }
            }
            x += width;
        }
    }
}

/// Whether each byte is a letter in a cell of its own: almost all text is that.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Draws plain text as far as the column `end`, and says how many columns it took.
fn plain(buffer: &mut Buffer, (x, y): (u16, u16), end: u16, text: &str, style: Style) -> u16 {
    if !buffer.area.contains(Position { x, y }) {
        return 0;
    }
    let columns = usize::from(end.min(buffer.area.right()).saturating_sub(x)).min(text.len());
    let first = buffer.index_of(x, y);
    let cells = buffer.content.iter_mut().skip(first).take(columns);
    for (at, cell) in cells.enumerate() {
        cell.set_symbol(&text[at..=at]);
        wear(cell, style);
    }
    u16::try_from(columns).unwrap_or(u16::MAX)
}

/// What the cell looked like before is gone.
fn wear(cell: &mut Cell, style: Style) {
    cell.fg = style.fg.unwrap_or(Color::Reset);
    cell.bg = style.bg.unwrap_or(Color::Reset);
    cell.modifier = style.add_modifier.difference(style.sub_modifier);
}

/// Draws a row so that it ends at the right of `area`. It must fit.
pub fn row_right(buffer: &mut Buffer, area: Rect, y: usize, text: &Row) {
    let width = u16::try_from(text.width())
        .unwrap_or(u16::MAX)
        .min(area.width);
    let right = Rect {
        x: area.right() - width,
        width,
        ..area
    };
    row(buffer, right, y, text);
}

/// Makes an area blank, whatever was drawn there.
pub fn clear(buffer: &mut Buffer, area: Rect) {
    for position in area.intersection(*buffer.area()).positions() {
        buffer[position].reset();
    }
    // A wide character that reaches in from the left would cover the area's first column.
    let Some(beside) = area.x.checked_sub(1) else {
        return;
    };
    for y in area.top()..area.bottom() {
        if let Some(cell) = buffer.cell_mut((beside, y))
            && width(cell.symbol()) > 1
        {
            cell.reset();
        }
    }
}

pub(super) fn put(buffer: &mut Buffer, x: u16, y: u16, symbol: &str, style: Style) {
    if let Some(cell) = buffer.cell_mut((x, y)) {
        cell.set_symbol(symbol);
        wear(cell, style);
    }
}

/// The given number of rows from the top of `area`, and the rest.
pub fn split_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    let top = Rect {
        height: rows,
        ..area
    };
    (
        top,
        Rect {
            y: area.y + rows,
            height: area.height - rows,
            ..area
        },
    )
}

/// The given number of columns from the left of `area`, and the rest.
pub fn split_left(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    let left = Rect {
        width: columns,
        ..area
    };
    (
        left,
        Rect {
            x: area.x + columns,
            width: area.width - columns,
            ..area
        },
    )
}
