//! The review sheet: what is about to be signed, all of it, before it is.

mod blocks;
mod edited;
mod foot;
mod found;
mod head;
mod own;
mod refused;
mod sheet;
mod similar;
mod together;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::rc::Rc;

use super::{Showed, centred, scrolled};
use crate::app::state::{Extent, Review};
use crate::core::call::CallKey;
use crate::core::decision::Decision;
use crate::core::pending::Waiting;
use crate::ui::border::Titles;
use crate::ui::paint::{self, split_top};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::words::Scene;
use sheet::Sheet;

/// The sheet is not wider than is good to read.
const WIDEST: usize = 100;
/// Rows below the rulings: a blank one, what is unseen, and what the keys do.
const FOOT: usize = 3;
/// Columns of the border at the top that are not the title's.
const FRAME: usize = 5;

/// The sheet's rows, laid out once. Only a cache.
#[derive(Debug, Default)]
pub struct Kept {
    of: Vec<(CallKey, Decision)>,
    /// Which sheet it is: another one may be of the same calls, as they were decided on before.
    afresh: u64,
    stands: Vec<Stand>,
    width: usize,
    sheet: Rc<Sheet>,
}

/// What changes of a call while it is on the sheet.
#[derive(Debug, PartialEq, Eq)]
struct Stand {
    is_read: bool,
    is_late: bool,
    /// How many calls wait of the script it is part of.
    inner: usize,
}

impl Kept {
    fn sheet(&mut self, review: &Review, width: usize, scene: Scene<'_>) -> Rc<Sheet> {
        let state = scene.state;
        let stand = |(key, _): &(CallKey, Decision)| {
            let waiting = state.pending.get(key);
            Stand {
                is_read: state.is_read(key),
                is_late: waiting.is_some_and(|waiting: &Waiting| waiting.late),
                inner: waiting.map_or(0, |waiting| state.pending.inner(&waiting.call)),
            }
        };
        let stands: Vec<Stand> = review.rulings.iter().map(stand).collect();
        if self.width != width
            || self.afresh != state.afresh
            || self.stands != stands
            || self.of != review.rulings
        {
            self.sheet = Sheet::of(review, width, scene).into();
            self.of.clone_from(&review.rulings);
            self.afresh = state.afresh;
            self.stands = stands;
            self.width = width;
        }
        Rc::clone(&self.sheet)
    }
}

pub fn draw(
    buffer: &mut Buffer,
    body: Rect,
    review: &Review,
    scene: Scene<'_>,
    kept: &mut Kept,
) -> Showed {
    let width = super::width(body, WIDEST);
    let room = width.saturating_sub(4).max(1);
    let sheet = kept.sheet(review, room, scene);
    let area = centred(body, width, sheet.rows.len() + FOOT + 2);
    let space = usize::from(area.width).saturating_sub(FRAME);
    let title = foot::fitting(foot::titles(review, scene), space);
    let titles = Titles {
        left: title.clone().unwrap_or_default(),
        ..Titles::default()
    };
    let inner = super::sheet(buffer, area, titles, scene);
    let foot_rows = foot_rows(usize::from(inner.height));
    let below = u16::try_from(foot_rows).unwrap_or(0);
    let (list, bottom) = split_top(inner, inner.height.saturating_sub(below));
    let extent = extent(review, &sheet, usize::from(list.height));
    let foot = foot::rows(review, extent, &sheet, (room, foot_rows), scene);
    let (Some(_), Some(foot), true) = (title, foot, foot_rows > 0 && extent.height > 0) else {
        return too_small(buffer, inner, extent, scene);
    };
    let extent = scrolled(buffer, area, list, &sheet.rows, review.top, scene);
    let blank = foot_rows - foot.len();
    for (y, row) in foot.iter().enumerate() {
        paint::row(buffer, bottom, y + blank, row);
    }
    Showed {
        extent,
        review: true,
        beside: sheet.beside,
        ..Showed::default()
    }
}

/// Rows of the foot in a sheet of so many. The blank one is the first to go; what the keys do goes beside what is
/// unseen.
const fn foot_rows(inner: usize) -> usize {
    match inner {
        0 | 1 => 0,
        2 | 3 => 1,
        4 | 5 => 2,
        _ => FOOT,
    }
}

fn extent(review: &Review, sheet: &Sheet, height: usize) -> Extent {
    let total = sheet.rows.len();
    let top = review.top.min(total.saturating_sub(height));
    Extent {
        top,
        height: height.min(total - top),
        total,
    }
}

/// How many calls it is, or how much of them is unseen, cannot be said here. Then no key signs.
fn too_small(buffer: &mut Buffer, inner: Rect, extent: Extent, scene: Scene<'_>) -> Showed {
    let words = Row::new().with("too small to sign", scene.theme.warn);
    let rows = words.wrapped(usize::from(inner.width).max(1), Breaks::Words);
    for (y, row) in rows.iter().take(usize::from(inner.height)).enumerate() {
        paint::row(buffer, inner, y, row);
    }
    Showed {
        extent,
        ..Showed::default()
    }
}
