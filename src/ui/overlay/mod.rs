//! What covers the panes: the whole call, the review sheet, the help, the question before quitting.

mod batch;
mod help;
mod quit;
mod review;
mod rule;
mod rules;
mod sessions;
pub mod view;

pub use sessions::does as choosing;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::border::{self, Focus, Titles, Top};
use super::paint;
use super::text::Row;
use super::words::{self, Scene};
use crate::app::command::Command;
use crate::app::state::{Extent, Overlay};
use crate::core::call::CallKey;

/// Kept layouts of the overlays. Only a cache.
#[derive(Debug, Default)]
pub struct Layouts {
    view: view::Kept,
    review: review::Kept,
    /// The first row of the list of sessions in the last frame.
    sessions: usize,
    /// The same of the list of given rules.
    rules: usize,
}

/// What an overlay showed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Showed {
    pub extent: Extent,
    /// How many of the last rows of it nobody has to have seen.
    pub beside: usize,
    /// The call of which the full view showed something.
    pub call: Option<CallKey>,
    pub review: bool,
    /// Where a text is written that says what the overlay lists.
    pub filter: Option<Rect>,
}

pub fn draw(
    buffer: &mut Buffer,
    body: Rect,
    overlay: &Overlay,
    scene: Scene<'_>,
    layouts: &mut Layouts,
) -> Showed {
    match overlay {
        Overlay::View { top } => view::draw(buffer, body, *top, scene, &mut layouts.view),
        Overlay::Help { top } => help::draw(buffer, body, *top, scene),
        Overlay::Batch { top } => batch::draw(buffer, body, *top, scene),
        Overlay::Review(review) => review::draw(buffer, body, review, scene, &mut layouts.review),
        Overlay::Rule(proposal) => rule::draw(buffer, body, proposal, scene),
        Overlay::Rules(list) => rules::draw(buffer, body, list, scene, &mut layouts.rules),
        Overlay::Sessions(list) => sessions::draw(buffer, body, list, scene, &mut layouts.sessions),
        Overlay::Quit => {
            quit::draw(buffer, body, scene);
            Showed::default()
        }
    }
}

/// An area of at most this size in the middle of another.
fn centred(body: Rect, width: usize, height: usize) -> Rect {
    let width = u16::try_from(width).unwrap_or(u16::MAX).min(body.width);
    let height = u16::try_from(height).unwrap_or(u16::MAX).min(body.height);
    Rect {
        x: body.x + (body.width - width) / 2,
        y: body.y + (body.height - height) / 2,
        width,
        height,
    }
}

/// The width of a sheet: the whole screen where only slivers of the panes would be left beside it.
fn width(body: Rect, wanted: usize) -> usize {
    const SLIVERS: usize = 12;
    let all = usize::from(body.width);
    if all < wanted + SLIVERS { all } else { wanted }
}

/// A blank box that takes the keys.
fn sheet(buffer: &mut Buffer, area: Rect, titles: Titles, scene: Scene<'_>) -> Rect {
    paint::clear(buffer, area);
    border::pane(buffer, area, Focus::Here, Top::Corner, titles, scene.theme)
}

/// Draws the rows from `top` on and says which they were.
fn scrolled(
    buffer: &mut Buffer,
    frame: Rect,
    area: Rect,
    rows: &[Row],
    top: usize,
    scene: Scene<'_>,
) -> Extent {
    let height = usize::from(area.height);
    let top = top.min(rows.len().saturating_sub(height));
    let visible = &rows[top..rows.len().min(top + height)];
    for (y, row) in visible.iter().enumerate() {
        paint::row(buffer, area, y, row);
    }
    let extent = Extent {
        top,
        height: visible.len(),
        total: rows.len(),
    };
    unseen(buffer, frame, extent, scene);
    extent
}

/// Says in the sheet's bottom border how much of it is not on screen.
fn unseen(buffer: &mut Buffer, frame: Rect, extent: Extent, scene: Scene<'_>) {
    let theme = scene.theme;
    let below = extent.total.saturating_sub(extent.top + extent.height);
    let (arrow, rows, command) = match (extent.top, below) {
        (0, 0) => return,
        (_, 0) => ("↑ ", extent.top, Command::ScrollUp),
        (_, below) => ("↓ ", below, Command::ScrollDown),
    };
    let (one, many) = if below == 0 {
        ("row above", "rows above")
    } else {
        ("more row", "more rows")
    };
    let mut row = Row::new()
        .with(" ", theme.text)
        .with(arrow, theme.warn)
        .then(words::count(rows, one, many, theme.warn));
    if let Some(key) = words::key(scene.state, command) {
        row = row.with(" · ", theme.dim).with(&key, theme.focused);
    }
    let bottom = Rect {
        x: frame.x + 2,
        y: frame.bottom() - 1,
        width: frame.width.saturating_sub(4),
        height: 1,
    };
    let row = row.with(" ", theme.text);
    if row.width() <= usize::from(bottom.width) {
        paint::row_right(buffer, bottom, 0, &row);
    }
}
