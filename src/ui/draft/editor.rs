//! The text that is being written, drawn by ourselves: made visible row by row, with the real
//! cursor. Only the lines on screen are laid out.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use std::ops::Range;

use crate::app::draft::Draft;
use crate::core::shown::Shown;
use crate::ui::paint::{self, split_left};
use crate::ui::rows::{Place, up};
use crate::ui::text::Row;
use crate::ui::text::wrap::{Breaks, cuts, width};
use crate::ui::words::Scene;

/// Whether lines are numbered, as they are where faults name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    Plain,
    Numbered,
}

/// One line as it is drawn.
struct Line {
    shown: Shown,
    parts: Vec<Range<usize>>,
}

impl Line {
    fn new(text: &str, columns: usize) -> Self {
        let shown = Shown::typed(text);
        let parts = cuts(std::iter::once(shown.as_str()), columns, Breaks::Kept);
        Self { shown, parts }
    }

    /// The row within the line, and the column, of the character with this number.
    fn place(&self, text: &str, character: usize) -> (usize, usize) {
        let end = text
            .char_indices()
            .nth(character)
            .map_or(text.len(), |(at, _)| at);
        let offset = Shown::typed(&text[..end]).as_str().len();
        let row = self
            .parts
            .iter()
            .rposition(|part| part.start <= offset)
            .unwrap_or(0);
        let from = self.parts[row].start;
        let text = self.shown.as_str();
        (row, width(text.get(from..offset).unwrap_or_default()))
    }
}

/// The rows that the draft takes at this width, counted up to `most`.
pub fn height(draft: &Draft, columns: usize, most: usize) -> usize {
    let mut rows = 0;
    for line in draft.lines() {
        rows += Line::new(line, columns).parts.len();
        if rows >= most {
            return most;
        }
    }
    rows
}

/// Draws the part of the draft around its cursor. `top` is where the last frame began.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    draft: &Draft,
    lines: Lines,
    top: &mut Place,
    scene: Scene<'_>,
) -> Option<Position> {
    if area.width == 0 || area.height == 0 {
        return None;
    }
    let (numbers, area) = split_left(area, gutter(draft, lines));
    let columns = usize::from(area.width).max(1);
    let height = usize::from(area.height);
    let texts = draft.lines();
    let lay = |at: usize| Line::new(&texts[at], columns);
    let (line, character) = draft.cursor();
    let (row, column) = lay(line).place(&texts[line], character);
    *top = follow(*top, Place { item: line, row }, height, |at| {
        lay(at).parts.len()
    });
    let mut y = 0;
    let mut cursor = None;
    let mut skip = top.row;
    for (at, text) in texts.iter().enumerate().skip(top.item) {
        let laid = lay(at);
        let first = y;
        for (number, part) in laid.parts.iter().enumerate().skip(skip) {
            if y >= height {
                return cursor;
            }
            paint::row(buffer, numbers, y, &margin(draft, lines, at, number, scene));
            let text = Shown::from(laid.shown.as_str()[part.clone()].to_owned());
            paint::row(buffer, area, y, &Row::new().with(&text, scene.theme.text));
            y += 1;
        }
        if at == line {
            cursor = position(area, first + row - skip, column);
        }
        mark_faults(buffer, area, draft, at, (text, &laid), first, skip, scene);
        skip = 0;
    }
    cursor
}

/// Where the window begins so that the cursor is in it, moved no more than it must be.
fn follow(
    top: Place,
    cursor: Place,
    height: usize,
    mut rows_of: impl FnMut(usize) -> usize,
) -> Place {
    if cursor < top {
        return cursor;
    }
    let lowest = up(cursor, height.saturating_sub(1), &mut rows_of);
    let row = top.row.min(rows_of(top.item).saturating_sub(1));
    Place { row, ..top }.max(lowest)
}

fn gutter(draft: &Draft, lines: Lines) -> u16 {
    match lines {
        Lines::Plain => 0,
        Lines::Numbered => u16::try_from(draft.lines().len().to_string().len() + 2).unwrap_or(8),
    }
}

/// The line's number before its first row; red and marked where something is wrong.
fn margin(draft: &Draft, lines: Lines, line: usize, row: usize, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    if lines == Lines::Plain {
        return Row::new();
    }
    if row > 0 {
        return Row::new()
            .padded(usize::from(gutter(draft, lines)) - 2)
            .with("┆", theme.dim);
    }
    let faulty = draft
        .faults
        .iter()
        .any(|fault| fault.place.is_some_and(|(at, _)| at == line));
    let digits = draft.lines().len().to_string().len();
    let number = Shown::label(&format!("{:>digits$}", line + 1));
    if faulty {
        Row::new().with(&number, theme.bad).with("✗", theme.bad)
    } else {
        Row::new().with(&number, theme.dim)
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "one row's place on screen and in the text, together"
)]
fn mark_faults(
    buffer: &mut Buffer,
    area: Rect,
    draft: &Draft,
    line: usize,
    (text, laid): (&str, &Line),
    first: usize,
    skip: usize,
    scene: Scene<'_>,
) {
    for fault in &draft.faults {
        let Some((_, character)) = fault.place.filter(|(at, _)| *at == line) else {
            continue;
        };
        let (row, column) = laid.place(text, character);
        let Some(y) = (first + row).checked_sub(skip) else {
            continue;
        };
        if let Some(cell) = position(area, y, column).and_then(|at| buffer.cell_mut(at)) {
            cell.set_style(scene.theme.place);
        }
    }
}

/// The column after the last one is free for the cursor, see `border::inside`.
fn position(area: Rect, row: usize, column: usize) -> Option<Position> {
    let y = u16::try_from(row).ok().filter(|y| *y < area.height)?;
    let x = u16::try_from(column).ok().filter(|x| *x <= area.width)?;
    Some(Position {
        x: area.x + x,
        y: area.y + y,
    })
}
