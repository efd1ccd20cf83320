//! The pane of pending approvals: the list, and below it all of the selected call.
//!
//! Owns how the two share the pane, and reports honestly what of the selected call was on screen,
//! because that report arms the keys.

pub mod arguments;
mod aside;
pub mod change;
mod layouts;
mod list;
mod question;
mod review;
pub mod script;
pub mod signed;
pub mod strip;
mod title;
pub mod values;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::border::{self, Focus, Top};
use super::paint::{self, split_top};
use super::text::Row;
use super::text::wrap::Breaks;
use super::words::{self, Scene};
use crate::app::command::Command;
use crate::app::draft::Purpose;
use crate::app::state::{Extent, Pane};
use crate::core::call::CallKey;
use crate::core::filter;
use crate::core::pending::Waiting;
use crate::core::shown::Shown;
use crate::core::verdict::Basis;
pub use layouts::{Laid, Layouts, laid};
pub use list::{Listed, calls};
use strip::Strip;

/// What the pane showed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Showed {
    /// The selected call, if its row and at least one row about it were visible.
    pub call: Option<CallKey>,
    pub arguments: Extent,
    /// How many of the last rows of it nobody has to have seen.
    pub beside: usize,
    pub list_height: usize,
    /// Where the rows of the list are, and which of the listed calls the first of them shows.
    pub list: (Rect, usize),
    /// The row in which the filter is written.
    pub filter: Option<Rect>,
}

/// The rows that are wanted below the list, in a pane of this many columns.
pub fn rows_needed(columns: u16, listed: Listed, scene: Scene<'_>, layouts: &mut Layouts) -> usize {
    let inner = border::inside(Rect::new(0, 0, columns, 0));
    if listed.calls == 0 {
        return layouts.empty(inner.width, scene).len();
    }
    let selected = scene.state.selected().filter(|_| listed.cursor.is_some());
    selected.map_or(0, |waiting| {
        layouts
            .rows(waiting, Strip::Short, usize::from(inner.width), scene)
            .rows
            .len()
    })
}

/// Draws the pane; its list takes `list_rows`.
pub fn draw(
    buffer: &mut Buffer,
    (area, list_rows): (Rect, u16),
    listed: Listed,
    scene: Scene<'_>,
    layouts: &mut Layouts,
) -> Showed {
    let state = scene.state;
    let focus = Focus::of(Pane::Pending, state);
    let titles = title::titles(focus, listed, area.width, scene);
    let mut inner = border::pane(buffer, area, focus, Top::Corner, titles, scene.theme);
    let mut showed = Showed::default();
    if state
        .draft
        .as_ref()
        .is_some_and(|draft| draft.purpose == Purpose::Filter)
    {
        let (row, rest) = split_top(inner, 1);
        showed.filter = Some(row);
        inner = rest;
    }
    if listed.calls == 0 {
        for (y, row) in layouts.empty(inner.width, scene).iter().enumerate() {
            paint::row(buffer, inner, y, row);
        }
        return showed;
    }
    let (list_area, below) = split_top(inner, list_rows);
    showed.list_height = usize::from(list_area.height);
    // The bar stands in the free column beside the border.
    let wide = Rect {
        x: list_area.x - 1,
        width: list_area.width + 1,
        ..list_area
    };
    let cursor_visible = list::draw(buffer, wide, listed, &mut layouts.top, scene);
    showed.list = (wide, layouts.top);
    let Some(waiting) = state.selected().filter(|_| cursor_visible) else {
        return showed;
    };
    let rule = Rect {
        y: below.y,
        x: area.x,
        width: area.width,
        height: below.height.min(1),
    };
    border::rule(
        buffer,
        rule,
        0,
        focus,
        about(waiting, scene),
        Row::new(),
        scene.theme,
    );
    let (_, text) = split_top(below, 1);
    let laid = layouts.rows(waiting, Strip::Short, usize::from(text.width), scene);
    showed.arguments = scrolled(buffer, area, text, &laid.rows, scene);
    showed.beside = laid.beside;
    if showed.arguments.height > 0 {
        showed.call = Some(waiting.call.key.clone());
    }
    showed
}

/// Draws the visible part of the arguments; what is not visible is counted in the bottom border.
fn scrolled(buffer: &mut Buffer, pane: Rect, area: Rect, rows: &[Row], scene: Scene<'_>) -> Extent {
    let height = usize::from(area.height);
    let top = scene
        .state
        .arguments_top
        .min(rows.len().saturating_sub(height));
    let visible = rows.iter().skip(top).take(height);
    let mut extent = Extent {
        top,
        height: 0,
        total: rows.len(),
    };
    for (y, row) in visible.enumerate() {
        paint::row(buffer, area, y, row);
        extent.height += 1;
    }
    unseen_in_border(buffer, pane, extent, scene);
    extent
}

/// `↑ 4 rows above · K   ↓ 37 more rows · J` in the bottom border.
pub fn unseen_in_border(buffer: &mut Buffer, pane: Rect, extent: Extent, scene: Scene<'_>) {
    let theme = scene.theme;
    let below = extent.total.saturating_sub(extent.top + extent.height);
    let part = |arrow, rows, one, many, command| {
        let row = Row::new()
            .with(arrow, theme.warn)
            .then(words::count(rows, one, many, theme.warn));
        match words::key(scene.state, command) {
            Some(key) => row.with(" · ", theme.dim).with(&key, theme.focused),
            None => row,
        }
    };
    let mut words = Row::new();
    if extent.top > 0 {
        words = part(
            "↑ ",
            extent.top,
            "row above",
            "rows above",
            Command::ArgumentsUp,
        );
    }
    if below > 0 {
        let gap = if words.is_empty() { "" } else { "  " };
        let more = part("↓ ", below, "more row", "more rows", Command::ArgumentsDown);
        words = words.with(gap, theme.dim).then(more);
    }
    if words.is_empty() || pane.height == 0 {
        return;
    }
    let room = usize::from(pane.width).saturating_sub(6);
    if words.width() > room {
        words = Row::new()
            .with("↕ ", theme.warn)
            .with(extent.hidden(), theme.warn)
            .with(" more", theme.warn);
    }
    let framed = Row::new()
        .with(" ", theme.text)
        .then(words.fitted(room))
        .with(" ", theme.text);
    let bottom = Rect {
        y: pane.bottom() - 1,
        height: 1,
        x: pane.x + 2,
        width: pane.width.saturating_sub(4),
    };
    paint::row_right(buffer, bottom, 0, &framed);
}

/// `Arguments · book_flight · asked by rule 3`.
fn about(waiting: &Waiting, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    Row::new()
        .with(
            if matches!(waiting.call.basis, Basis::Question { .. }) {
                "Question"
            } else if waiting.call.is_script() {
                "Script"
            } else {
                "Arguments"
            },
            theme.text,
        )
        .with(" · ", theme.dim)
        .with(&waiting.tool, theme.strong)
        .with(" · ", theme.dim)
        .with(&Shown::label(&waiting.call.basis.words()), theme.warn)
}

/// What an empty list says: what is wrong with the filter, or why it lists nothing.
fn empty(scene: Scene<'_>, width: u16) -> Vec<Row> {
    let (state, theme) = (scene.state, scene.theme);
    let room = usize::from(width).max(1);
    if state.pending.is_empty() {
        let words = "Nothing waits for you. Calls that policy asks about appear here.";
        return Row::new()
            .with(words, theme.dim)
            .wrapped(room, Breaks::Words);
    }
    let faults = state.filter().faults();
    let mut rows = Vec::new();
    for fault in faults {
        let row = Row::new()
            .with("✗ ", theme.bad)
            .with(&Shown::label(&fault.part), theme.strong)
            .with("  ", theme.text)
            .with(&Shown::label(&fault.what), theme.text);
        rows.extend(row.wrapped(room, Breaks::Words));
    }
    if !faults.is_empty() {
        let row = Row::new()
            .with("A filter may say: ", theme.dim)
            .with(filter::HELP, theme.dim);
        rows.extend(row.wrapped(room, Breaks::Words));
        return rows;
    }
    rows.extend(none(scene).wrapped(room, Breaks::Words));
    for why in state.filter().unmet(&state.pending) {
        let row = Row::new()
            .with("· ", theme.dim)
            .with(&Shown::label(&why), theme.dim);
        rows.extend(row.wrapped(room, Breaks::Words));
    }
    rows
}

fn none(scene: Scene<'_>) -> Row {
    let (state, theme) = (scene.state, scene.theme);
    let row = Row::new()
        .with("No waiting call matches the filter; ", theme.text)
        .then(words::count(
            state.pending.len(),
            "other waits.",
            "others wait.",
            theme.dim,
        ));
    let means = [
        (Command::Filter, " changes it,"),
        (Command::Unfilter, " lists all."),
    ];
    let keys = means
        .into_iter()
        .filter_map(|(command, what)| Some((words::key(state, command)?, what)));
    keys.fold(row, |row, (key, what)| {
        row.with(" ", theme.dim)
            .with(&key, theme.focused)
            .with(what, theme.dim)
    })
}
