//! The rows of one entry that is not a call.

use ratatui::style::Style;

use super::markdown;
use crate::core::conversation::Entry;
use crate::core::name;
use crate::core::run::Level;
use crate::core::shown::Shown;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words;

/// Columns of the speaker's name.
const GUTTER: usize = 7;
/// Narrower panes put the name on a row of its own.
const NARROW: usize = 34;
/// Rows of thinking, and of what the program does not know, that are shown at a glance.
const GLIMPSE: usize = 3;
/// Rows of what nobody here wrote for the operator, however much of it there is.
const MOST: usize = 40;
/// A single text beyond this many characters is cut, and says so.
const LONGEST: usize = 200_000;

/// Columns to the left of an entry's text.
pub const fn gutter(width: usize) -> usize {
    if width < NARROW { 2 } else { GUTTER }
}

/// How much is shown of what is seldom needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    #[default]
    Glimpse,
    Whole,
}

pub fn rows(entry: &Entry, width: usize, detail: Detail, theme: &Theme) -> Vec<Row> {
    let room = width.saturating_sub(gutter(width)).max(1);
    match entry {
        Entry::User { text } => {
            let rows = prose(text, theme.text, room, theme);
            beside("you", theme.strong, rows, width, theme)
        }
        Entry::Agent { text, open } => {
            let mut rows = markdown::rows(text, room, theme);
            if rows.is_empty() && *open {
                rows.push(Row::new().with("…", theme.dim));
            }
            beside("agent", theme.heading, rows, width, theme)
        }
        Entry::Thinking { text, open } => {
            let mut rows = prose(text.trim(), theme.dim, room, theme);
            // What still grows is news, and what has ended is history.
            if !*open && detail == Detail::Glimpse {
                rows = glimpse(rows, detail, room, theme);
            }
            beside("thinks", theme.dim, rows, width, theme)
        }
        Entry::Server {
            tool,
            arguments,
            result,
        } => {
            let rows = server(tool, arguments, result.as_deref(), (room, detail), theme);
            beside("server", theme.dim, rows, width, theme)
        }
        Entry::Unknown { kind, raw } => {
            let mut rows = Row::new()
                .with("an entry this program does not know: ", theme.dim)
                .with(&Shown::label(kind), theme.text)
                .wrapped(room, Breaks::Words);
            let raw = prose(raw, theme.dim, room, theme);
            rows.extend(glimpse(raw, detail, room, theme));
            beside("?", theme.warn, rows, width, theme)
        }
        Entry::Note { level, text } => note(*level, text, width, theme),
        Entry::Call(_) => Vec::new(),
    }
}

fn note(level: Level, text: &str, width: usize, theme: &Theme) -> Vec<Row> {
    let room = width.saturating_sub(gutter(width)).max(1);
    let (label, mark, look) = match level {
        Level::Note => ("note", "· ", theme.dim),
        Level::Warning => ("warn", "! ", theme.warn),
        Level::Error => ("error", "✗ ", theme.bad),
    };
    let mut rows = prose(text, look, room.saturating_sub(2).max(1), theme);
    for (at, row) in rows.iter_mut().enumerate() {
        let edge = Row::new().with(if at == 0 { mark } else { "  " }, look);
        *row = edge.then(std::mem::take(row));
    }
    beside(label, look, rows, width, theme)
}

fn prose(text: &str, look: Style, room: usize, theme: &Theme) -> Vec<Row> {
    let (shown, rest) = words::excerpt(text, LONGEST);
    let mut rows: Vec<_> = Row::split(&shown, look)
        .flat_map(|row| row.wrapped(room, Breaks::Words))
        .collect();
    if rest > 0 {
        rows.push(Row::new().with("… and ", theme.dim).then(words::count(
            rest,
            "more character",
            "more characters",
            theme.dim,
        )));
    }
    rows
}

/// The first rows of a text, with a count of the others.
fn glimpse(mut rows: Vec<Row>, detail: Detail, room: usize, theme: &Theme) -> Vec<Row> {
    let (most, ending) = match detail {
        Detail::Glimpse => (GLIMPSE, " when this pane is in focus"),
        Detail::Whole => (MOST, " not shown"),
    };
    // A count in place of a single row would save nothing.
    if rows.len() <= most + 1 {
        return rows;
    }
    let count = words::count(rows.len() - most, "more row", "more rows", theme.dim);
    rows.truncate(most);
    let more = Row::new().with("… ", theme.dim).then(count);
    rows.push(more.with(ending, theme.dim).fitted(room));
    rows
}

fn server(
    tool: &str,
    arguments: &str,
    result: Option<&str>,
    (room, detail): (usize, Detail),
    theme: &Theme,
) -> Vec<Row> {
    let (mark, look) = match result {
        Some(_) => ("✓ ", theme.good),
        None => ("▶ ", theme.accent),
    };
    let (arguments, _) = words::excerpt(arguments, 240);
    let head = Row::new()
        .with(mark, look)
        .with(&name::shown(tool), theme.accent)
        .with(" ", theme.text)
        .with(&arguments, theme.text);
    let mut rows = vec![head.fitted(room)];
    let said = match result {
        Some(text) => prose(text.trim(), theme.dim, room.saturating_sub(2).max(1), theme),
        None => vec![Row::new().with("the provider runs it", theme.dim)],
    };
    let room = room.saturating_sub(2).max(1);
    let indented = glimpse(said, detail, room, theme).into_iter();
    rows.extend(indented.map(|row| Row::new().with("  ", theme.dim).then(row)));
    rows
}

/// Rows with the speaker's name at their left.
fn beside(
    label: &'static str,
    look: Style,
    rows: Vec<Row>,
    width: usize,
    theme: &Theme,
) -> Vec<Row> {
    let gutter = gutter(width);
    let mut label = Row::new().with(label, look);
    let mut out = Vec::with_capacity(rows.len() + 1);
    if gutter < GUTTER {
        out.push(std::mem::take(&mut label));
    }
    for row in rows {
        let lead = std::mem::take(&mut label);
        out.push(lead.padded(gutter).then(row));
    }
    if !label.is_empty() {
        out.push(label.with(" ", theme.text));
    }
    out
}
