//! Names and values as rows.
//!
//! Owns the layout of values. Nothing is left out and nothing can be imitated: a value in quotes holds
//! no quote, anything else stands in a block whose every row begins with a gutter.

use crate::core::fields::{Field, FieldValue};
use crate::core::places::Mark;
use crate::core::shown::{BREAK, OPEN, Shown};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words;

/// A longer name stands on a row of its own.
pub const LONGEST_NAME: usize = 24;

/// Names in one column, values in the other.
pub fn values(fields: &[Field], marks: &[Mark], width: usize, theme: &Theme) -> Vec<Row> {
    if fields.is_empty() {
        return vec![Row::new().with("no arguments", theme.dim)];
    }
    let widths = fields.iter().map(|field| name(field, theme).width());
    let fits = |width: &usize| *width <= LONGEST_NAME;
    let column = widths.filter(fits).max().unwrap_or(0).min(width / 3);
    fields
        .iter()
        .enumerate()
        .flat_map(|(at, field)| {
            let start = marks.partition_point(|mark| mark.field < at);
            let end = marks.partition_point(|mark| mark.field <= at);
            value(field, &marks[start..end], (column, width), theme)
        })
        .collect()
}

pub fn name(field: &Field, theme: &Theme) -> Row {
    if field.name.is_empty() {
        return Row::new().with("(no name)", theme.dim);
    }
    Row::new().with(&field.name, theme.accent)
}

fn value(
    field: &Field,
    marks: &[Mark],
    (column, width): (usize, usize),
    theme: &Theme,
) -> Vec<Row> {
    let name = name(field, theme);
    let room = width.saturating_sub(column + 2);
    if let Some(inline) = inline(&field.value, marks, theme).filter(|row| row.width() <= room) {
        if name.width() <= column {
            return vec![name.padded(column + 2).then(inline)];
        }
        let mut rows = over_rows(name, width, theme);
        rows.push(Row::new().padded(column + 2).then(inline));
        return rows;
    }
    let kind = kind(&field.value, theme);
    let mut rows = if name.width() + 2 + kind.width() <= width {
        vec![name.padded(column + 2).then(kind)]
    } else {
        // Without it a text could not be told from a number, nor from what is not there.
        let mut rows = over_rows(name, width, theme);
        rows.extend(kind.wrapped(width, Breaks::Words));
        rows
    };
    rows.extend(marked_block(field.value.shown(), marks, width, theme));
    rows
}

/// A long name: what goes on from the row above has a gutter, so that no name can imitate a value.
fn over_rows(name: Row, width: usize, theme: &Theme) -> Vec<Row> {
    if name.width() <= width {
        return vec![name];
    }
    let parts = name.wrapped(width.saturating_sub(2).max(1), Breaks::Anywhere);
    let lead = |at| match at {
        0 => Row::new(),
        _ => Row::new().with("┆ ", theme.dim),
    };
    let parts = parts.into_iter().enumerate();
    parts.map(|(at, part)| lead(at).then(part)).collect()
}

/// The value on the row of its name, if that leaves no doubt about where it ends.
pub fn inline(value: &FieldValue, marks: &[Mark], theme: &Theme) -> Option<Row> {
    let marked = |row: Row| {
        marks
            .iter()
            .fold(row, |row, mark| row.marked(&mark.range, theme.place))
    };
    match value {
        FieldValue::Text(text) => {
            let plain = !text.as_str().contains(['"', '\\', '\n']);
            plain.then(|| {
                Row::new()
                    .with("\"", theme.dim)
                    .then(marked(Row::new().with(text, theme.text)))
                    .with("\"", theme.dim)
            })
        }
        FieldValue::Json(json) => {
            let short = !json.as_str().contains('\n');
            short.then(|| marked(Row::new().with(json, theme.code)))
        }
    }
}

fn kind(value: &FieldValue, theme: &Theme) -> Row {
    let shown = value.shown();
    match value {
        FieldValue::Text(_) => {
            let characters = shown.as_str().chars().filter(|c| *c != '\n').count();
            let rows = Row::new().with("text · ", theme.dim).then(words::count(
                lines(shown),
                "row",
                "rows",
                theme.dim,
            ));
            // What is written out is longer than what stands there, so no count is given then.
            if shown.as_str().contains(OPEN) {
                return rows.with(" · unusual characters", theme.warn);
            }
            rows.with(" · ", theme.dim).then(words::count(
                characters,
                "character",
                "characters",
                theme.dim,
            ))
        }
        FieldValue::Json(_) => Row::new().with("JSON · ", theme.dim).then(words::count(
            shown.rows().count(),
            "row",
            "rows",
            theme.dim,
        )),
    }
}

/// The rows of a text. A break at its end is marked on the row that it ends, so no empty row says it
/// again.
fn lines(text: &Shown) -> usize {
    let rows = text.rows().count();
    let ended = text.as_str().strip_suffix('\n').unwrap_or(text.as_str());
    rows - usize::from(rows > 1 && ended.ends_with(BREAK))
}

/// A text between gutters: `│` before each of its rows, `┆` before what goes on from the row above.
pub fn block(text: &Shown, width: usize, theme: &Theme) -> Vec<Row> {
    marked_block(text, &[], width, theme)
}

/// The same, with these places of it highlighted.
fn marked_block(text: &Shown, marks: &[Mark], width: usize, theme: &Theme) -> Vec<Row> {
    let room = width.saturating_sub(2).max(1);
    let mut rows = Vec::new();
    let mut offset = 0;
    for (row, shown) in Row::split(text, theme.text)
        .zip(text.rows())
        .take(lines(text))
    {
        let end = offset + shown.len();
        let here = marks.iter().map(|mark| &mark.range);
        let here = here.filter(|range| range.start < end && range.end > offset);
        let row = here.fold(row, |row, range| {
            let range = range.start.saturating_sub(offset)..range.end - offset;
            row.marked(&range, theme.place)
        });
        offset = end + 1;
        for (at, part) in row.wrapped(room, Breaks::Kept).into_iter().enumerate() {
            let gutter = if at == 0 { "│ " } else { "┆ " };
            rows.push(Row::new().with(gutter, theme.dim).then(part));
        }
    }
    rows
}
