//! The boxes around panes and sheets, with what stands in their borders.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint::{self, put};
use super::text::Row;
use super::theme::Theme;
use crate::app::state::{Pane, State};

/// Whether keys go to this pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Here,
    Elsewhere,
}

impl Focus {
    /// Whether keys go to the pane itself, and not to a sheet over it or to a text being written.
    pub fn of(pane: Pane, state: &State) -> Self {
        let here = state.focus == pane && state.overlay.is_none() && state.draft.is_none();
        if here { Self::Here } else { Self::Elsewhere }
    }
}

/// What the corners at the top join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Top {
    Corner,
    /// The sides go on upwards: the box is the lower part of another.
    Joined,
}

/// What stands in the borders of a box.
#[derive(Debug, Clone, Default)]
pub struct Titles {
    pub left: Row,
    pub right: Row,
    pub below_left: Row,
    pub below_right: Row,
}

/// Draws a box and returns the area for its text: a column is kept free on either side, since
/// terminals disagree about the width of some characters.
pub fn pane(
    buffer: &mut Buffer,
    area: Rect,
    focus: Focus,
    top: Top,
    titles: Titles,
    theme: &Theme,
) -> Rect {
    if area.width < 4 || area.height < 2 {
        return Rect {
            width: 0,
            height: 0,
            ..area
        };
    }
    let style = match focus {
        Focus::Here => theme.focused,
        Focus::Elsewhere => theme.border,
    };
    let (left, right, bottom) = (area.x, area.right() - 1, area.bottom() - 1);
    for x in left..=right {
        put(buffer, x, area.y, "─", style);
        put(buffer, x, bottom, "─", style);
    }
    for y in area.y..=bottom {
        put(buffer, left, y, "│", style);
        put(buffer, right, y, "│", style);
    }
    let (top_left, top_right) = match top {
        Top::Corner => ("╭", "╮"),
        Top::Joined => ("├", "┤"),
    };
    for (x, y, corner) in [
        (left, area.y, top_left),
        (right, area.y, top_right),
        (left, bottom, "╰"),
        (right, bottom, "╯"),
    ] {
        put(buffer, x, y, corner, style);
    }
    let mark = match focus {
        Focus::Here => "▸",
        Focus::Elsewhere => " ",
    };
    in_border(
        buffer,
        area,
        0,
        Row::new().with(mark, style),
        titles.left,
        titles.right,
    );
    let below = usize::from(area.height - 1);
    in_border(
        buffer,
        area,
        below,
        Row::new().with(" ", style),
        titles.below_left,
        titles.below_right,
    );
    inside(area)
}

/// The area for text in a box.
pub const fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x.saturating_add(2),
        y: area.y.saturating_add(1),
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(2),
    }
}

/// Draws a rule across a box, `y` rows below its top, with a title in it.
pub fn rule(
    buffer: &mut Buffer,
    area: Rect,
    y: u16,
    focus: Focus,
    left: Row,
    right: Row,
    theme: &Theme,
) {
    if y >= area.height || area.width < 4 {
        return;
    }
    let style = match focus {
        Focus::Here => theme.focused,
        Focus::Elsewhere => theme.border,
    };
    for x in area.x..area.right() {
        put(buffer, x, area.y + y, "─", style);
    }
    put(buffer, area.x, area.y + y, "├", style);
    put(buffer, area.right() - 1, area.y + y, "┤", style);
    in_border(
        buffer,
        area,
        usize::from(y),
        Row::new().with(" ", style),
        left,
        right,
    );
}

/// The right text keeps its place; the left one gives way to it.
fn in_border(buffer: &mut Buffer, area: Rect, y: usize, mark: Row, left: Row, right: Row) {
    let between = Rect {
        x: area.x + 1,
        width: area.width - 2,
        ..area
    };
    let room = usize::from(between.width).saturating_sub(1);
    let right = if right.width() + 3 <= room {
        right
    } else {
        Row::new()
    };
    let taken = if right.is_empty() {
        0
    } else {
        right.width() + 3
    };
    if !right.is_empty() {
        let framed = Row::new()
            .with(" ", theme_blank())
            .then(right)
            .with(" ", theme_blank());
        paint::row_right(buffer, between, y, &framed);
    }
    let left = left.fitted(room.saturating_sub(taken + 2));
    if !left.is_empty() {
        paint::row(
            buffer,
            between,
            y,
            &mark.then(left).with(" ", theme_blank()),
        );
    }
}

const fn theme_blank() -> ratatui::style::Style {
    ratatui::style::Style::new()
}
