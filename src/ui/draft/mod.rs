//! The sheets in which the operator writes: the message, a reason, a result, arguments, the filter.
//!
//! Owns where each stands and what it says of what accepting it will do. The text itself is `editor`.

mod about;
mod editor;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::border::{self, Focus, Titles, Top};
use super::paint::{self, split_left, split_top};
use super::rows::Place;
use super::text::Row;
use super::text::wrap::Breaks;
use super::words::{self, Scene};
use crate::app::draft::{Draft, Purpose};
use crate::core::call::CallKey;
use crate::core::shown::Shown;
use about::{about, placeholder, title, tool};
use editor::Lines;

/// Where the window over the text began in the last frame. Only so that it does not jump.
#[derive(Debug, Default)]
pub struct Layouts {
    of: Option<Purpose>,
    top: Place,
}

impl Layouts {
    fn top(&mut self, purpose: &Purpose) -> &mut Place {
        if self.of.as_ref() != Some(purpose) {
            *self = Self {
                of: Some(purpose.clone()),
                top: Place::default(),
            };
        }
        &mut self.top
    }
}

/// Rows of faults that are listed below the arguments.
const FAULTS: usize = 4;

/// The rows that the composer takes of the conversation pane: with its text, up to a third.
pub fn composer_height(scene: Scene<'_>, pane: Rect) -> u16 {
    let Some(draft) = scene
        .state
        .draft
        .as_ref()
        .filter(|draft| draft.purpose == Purpose::Message)
    else {
        return 0;
    };
    let most = usize::from(pane.height / 3).max(2);
    let columns = usize::from(border::inside(pane).width).max(1);
    let rows = editor::height(draft, columns, most - 1) + 1;
    u16::try_from(rows)
        .unwrap_or(2)
        .min(pane.height.saturating_sub(2))
}

/// Draws the composer over the lowest rows of the conversation pane.
pub fn composer(
    buffer: &mut Buffer,
    pane: Rect,
    height: u16,
    scene: Scene<'_>,
    layouts: &mut Layouts,
) -> Option<Position> {
    let draft = scene.state.draft.as_ref()?;
    let (_, sheet) = split_top(pane, pane.height.saturating_sub(height + 1));
    let left = Row::new().with("Message to the agent", scene.theme.focused);
    let inner = boxed(buffer, sheet, Top::Joined, left, scene);
    placeholder(buffer, inner, draft, scene);
    editor::draw(
        buffer,
        inner,
        draft,
        Lines::Plain,
        layouts.top(&draft.purpose),
        scene,
    )
}

/// Draws a filter in its row of the pending pane, or of the list of sessions.
pub fn filter(
    buffer: &mut Buffer,
    row: Rect,
    scene: Scene<'_>,
    layouts: &mut Layouts,
) -> Option<Position> {
    let draft = scene.state.draft.as_ref()?;
    paint::row(
        buffer,
        row,
        0,
        &Row::new().with("list: ", scene.theme.focused),
    );
    let (_, text) = split_left(row, 6);
    placeholder(buffer, text, draft, scene);
    editor::draw(
        buffer,
        text,
        draft,
        Lines::Plain,
        layouts.top(&draft.purpose),
        scene,
    )
}

/// Draws the sheet of a draft that decides calls. `host` is the pane it stands in, `wide` the area for
/// a text that needs room.
pub fn sheet(
    buffer: &mut Buffer,
    host: Rect,
    wide: Rect,
    scene: Scene<'_>,
    layouts: &mut Layouts,
) -> Option<Position> {
    let draft = scene.state.draft.as_ref()?;
    if let Purpose::Edit { call, rest } = &draft.purpose {
        return edit(buffer, wide, draft, (call, rest), scene, layouts);
    }
    if let Purpose::Set { calls } = &draft.purpose {
        return set(buffer, wide, draft, calls, scene, layouts);
    }
    let about = about(&draft.purpose, scene).wrapped(
        usize::from(host.width).saturating_sub(4).max(1),
        Breaks::Words,
    );
    let about_rows = u16::try_from(about.len()).unwrap_or(1).min(2);
    let columns = usize::from(border::inside(host).width).max(1);
    let text = editor::height(draft, columns, usize::from(host.height));
    let wanted = u16::try_from(text)
        .unwrap_or(u16::MAX)
        .max(3)
        .saturating_add(about_rows + 2);
    let height = wanted.min((host.height * 2 / 3).max(5)).min(host.height);
    let (_, area) = split_top(host, host.height - height);
    let top = if area.y == host.y {
        Top::Corner
    } else {
        Top::Joined
    };
    let inner = boxed(buffer, area, top, title(&draft.purpose, scene), scene);
    let (head, inner) = split_top(inner, about_rows.min(inner.height.saturating_sub(1)));
    for (y, row) in about.iter().enumerate() {
        paint::row(buffer, head, y, row);
    }
    placeholder(buffer, inner, draft, scene);
    editor::draw(
        buffer,
        inner,
        draft,
        Lines::Plain,
        layouts.top(&draft.purpose),
        scene,
    )
}

fn boxed(buffer: &mut Buffer, area: Rect, top: Top, left: Row, scene: Scene<'_>) -> Rect {
    paint::clear(buffer, area);
    let titles = Titles {
        left,
        ..Titles::default()
    };
    border::pane(buffer, area, Focus::Here, top, titles, scene.theme)
}

/// The sheet for arguments: the text as large as may be, and below it what is wrong with it.
fn edit(
    buffer: &mut Buffer,
    area: Rect,
    draft: &Draft,
    (call, rest): (&CallKey, &[CallKey]),
    scene: Scene<'_>,
    layouts: &mut Layouts,
) -> Option<Position> {
    let theme = scene.theme;
    let mut left = Row::new()
        .with("Edit, then approve · ", theme.focused)
        .then(tool(call, scene));
    if !rest.is_empty() {
        left = left.with(" · then ", theme.dim).then(words::count(
            rest.len(),
            "more call",
            "more calls",
            theme.dim,
        ));
    }
    let inner = boxed(buffer, area, Top::Corner, left, scene);
    checked(buffer, area, inner, draft, scene, layouts)
}

/// The sheet for fields to be set in several calls: what they are, and below it what is wrong.
fn set(
    buffer: &mut Buffer,
    area: Rect,
    draft: &Draft,
    calls: &[CallKey],
    scene: Scene<'_>,
    layouts: &mut Layouts,
) -> Option<Position> {
    let theme = scene.theme;
    let left = title(&draft.purpose, scene)
        .with(" · ", theme.dim)
        .then(words::count(calls.len(), "call", "calls", theme.strong));
    let inner = boxed(buffer, area, Top::Corner, left, scene);
    let room = usize::from(inner.width).max(1);
    let mut head = about(&draft.purpose, scene).wrapped(room, Breaks::Words);
    let how = "One field = value on each row; a value is JSON. /a/b names what lies deeper.";
    head.extend(Row::new().with(how, theme.dim).wrapped(room, Breaks::Words));
    let rows = u16::try_from(head.len()).unwrap_or(1).min(inner.height / 3);
    let (top, inner) = split_top(inner, rows);
    for (y, row) in head.iter().enumerate() {
        paint::row(buffer, top, y, row);
    }
    let cursor = checked(buffer, area, inner, draft, scene, layouts);
    let (_, text) = split_left(inner, 2);
    placeholder(buffer, text, draft, scene);
    cursor
}

/// A text that is checked as one types, in `inner` of a box, and below it what is wrong with it.
fn checked(
    buffer: &mut Buffer,
    area: Rect,
    inner: Rect,
    draft: &Draft,
    scene: Scene<'_>,
    layouts: &mut Layouts,
) -> Option<Position> {
    let faults = fault_rows(draft, usize::from(inner.width).max(1), scene);
    let below = u16::try_from(faults.len() + 1)
        .unwrap_or(2)
        .min(inner.height / 2);
    let (text, below) = split_top(inner, inner.height - below);
    if below.height > 0 {
        let rule = Rect {
            x: area.x,
            width: area.width,
            ..below
        };
        border::rule(
            buffer,
            rule,
            0,
            Focus::Here,
            verdict(draft, scene),
            Row::new(),
            scene.theme,
        );
        let (_, list) = split_top(below, 1);
        for (y, row) in faults.iter().enumerate() {
            paint::row(buffer, list, y, row);
        }
    }
    editor::draw(
        buffer,
        text,
        draft,
        Lines::Numbered,
        layouts.top(&draft.purpose),
        scene,
    )
}

fn verdict(draft: &Draft, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    if draft.faults.is_empty() {
        if matches!(draft.purpose, Purpose::Set { .. }) && draft.note.is_empty() {
            return Row::new().with("nothing is set yet", theme.dim);
        }
        let row = Row::new().with("✓ may be signed", theme.good);
        if draft.note.is_empty() {
            return row;
        }
        return row
            .with(" · ", theme.dim)
            .with(&Shown::label(&draft.note), theme.text);
    }
    Row::new().with("✗ ", theme.bad).then(words::count(
        draft.faults.len(),
        "fault",
        "faults",
        theme.bad,
    ))
}

/// `3:12 expected a value`, counted from 1 as the margin counts.
fn fault_rows(draft: &Draft, width: usize, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let mut rows = Vec::new();
    for fault in &draft.faults {
        let mut row = Row::new();
        if let Some((line, column)) = fault.place {
            row = row
                .with(line + 1, theme.bad)
                .with(":", theme.bad)
                .with(column + 1, theme.bad)
                .with("  ", theme.bad);
        }
        let row = row.with(&Shown::label(&fault.what), theme.text);
        rows.extend(row.wrapped(width, Breaks::Words));
    }
    if rows.len() > FAULTS {
        let hidden = rows.len() - (FAULTS - 1);
        rows.truncate(FAULTS - 1);
        rows.push(Row::new().with("… ", theme.dim).then(words::count(
            hidden,
            "more row",
            "more rows",
            theme.dim,
        )));
    }
    rows
}
