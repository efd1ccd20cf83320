//! The review sheet: what is about to be signed, all of it, before it is.

mod blocks;
mod found;
mod sheet;
mod similar;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::rc::Rc;

use super::{Showed, centred, scrolled};
use crate::app::command::Command;
use crate::app::state::{Extent, Review, State};
use crate::core::call::CallKey;
use crate::core::decision::Decision;
use crate::ui::border::Titles;
use crate::ui::paint::{self, split_top};
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};
use sheet::Sheet;

/// The sheet is not wider than is good to read.
const WIDEST: usize = 100;
/// Rows below the rulings: what is unseen, and what the keys do.
const FOOT: usize = 2;

/// The sheet's rows, laid out once. Only a cache.
#[derive(Debug, Default)]
pub struct Kept {
    of: Vec<(CallKey, Decision)>,
    /// Which of them are shown in full, and how many calls wait of the scripts they are part of.
    full: Vec<(bool, usize)>,
    width: usize,
    sheet: Rc<Sheet>,
}

impl Kept {
    fn sheet(&mut self, review: &Review, width: usize, scene: Scene<'_>) -> Rc<Sheet> {
        let pending = &scene.state.pending;
        let full = |ruling: &(CallKey, Decision)| {
            let waiting = pending.get(&ruling.0);
            let inner = waiting.map_or(0, |waiting| pending.inner(&waiting.call));
            let is_read =
                waiting.is_some_and(|waiting| !blocks::is_full(&[waiting], &ruling.1, scene));
            (!is_read, inner)
        };
        let full: Vec<_> = review.rulings.iter().map(full).collect();
        if self.width != width || self.full != full || self.of != review.rulings {
            self.sheet = Sheet::of(review, width, scene).into();
            self.of.clone_from(&review.rulings);
            self.full = full;
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
    let area = centred(body, width, sheet.rows.len() + FOOT + 3);
    let titles = Titles {
        left: title(review, scene),
        ..Titles::default()
    };
    let inner = super::sheet(buffer, area, titles, scene);
    let foot_rows = (FOOT + 1).min(usize::from(inner.height.saturating_sub(1)));
    let (list, bottom) = split_top(inner, inner.height - u16::try_from(foot_rows).unwrap_or(0));
    let extent = scrolled(buffer, area, list, &sheet.rows, review.top, scene);
    // The blank row above what the keys do is the first to go, then what is unseen.
    let skip = (FOOT + 1).saturating_sub(foot_rows).saturating_sub(1);
    let blank = foot_rows.saturating_sub(FOOT);
    for (y, row) in foot(review, extent, &sheet, room, scene)
        .iter()
        .skip(skip)
        .enumerate()
    {
        paint::row(buffer, bottom, y + blank, row);
    }
    Showed {
        extent,
        review: extent.height > 0,
        beside: sheet.beside,
        ..Showed::default()
    }
}

/// `Review before signing · approve 3 calls`.
fn title(review: &Review, scene: Scene<'_>) -> Row {
    let look = scene.theme.focused;
    let row = Row::new().with("Review before signing · ", look);
    let mut verbs = review.rulings.iter().map(|ruling| verb(ruling, scene));
    let first = verbs.next();
    let calls = words::count(review.rulings.len(), "call", "calls", look);
    let Some(verb) = first.filter(|first| verbs.all(|verb| verb == *first)) else {
        return row.then(calls);
    };
    // `approve 1 call with edits`, `run 2 calls again`.
    let (verb, rest) = verb.split_once(' ').unwrap_or((verb, ""));
    let row = row.with(verb, look).with(" ", look).then(calls);
    if rest.is_empty() {
        return row;
    }
    row.with(" ", look).with(rest, look)
}

fn verb((key, decision): &(CallKey, Decision), scene: Scene<'_>) -> &'static str {
    words::verb(decision, scene.state.pending.get(key))
}

/// What has not been on screen, and what the keys do.
fn foot(
    review: &Review,
    extent: Extent,
    sheet: &Sheet,
    width: usize,
    scene: Scene<'_>,
) -> [Row; FOOT] {
    let theme = scene.theme;
    let armed = armed(scene.state);
    let (key_look, look) = if armed {
        (theme.focused, theme.text)
    } else {
        (theme.dim, theme.dim)
    };
    let mut row = Row::new();
    if let Some(key) = words::key(scene.state, Command::Sign) {
        let again = if review.asked {
            " again signs all the same"
        } else {
            " signs"
        };
        row = row.with(&key, key_look).with(again, look).with("   ", look);
    }
    if let Some(key) = words::key(scene.state, Command::Close) {
        row = row
            .with(&key, theme.focused)
            .with(" leaves it unsigned", theme.text);
    }
    [
        not_seen(review, extent, sheet, scene).fitted(width),
        row.fitted(width),
    ]
}

/// Whether the sheet has been on screen long enough for a key to sign it.
fn armed(state: &State) -> bool {
    state
        .sheet_since
        .is_some_and(|since| state.now.ticks.since(since) >= state.settings.arming)
}

/// `! 37 rows not seen yet · 2 calls not seen at all`. Only approvals let something run, so only they
/// need reading.
fn not_seen(review: &Review, extent: Extent, sheet: &Sheet, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let approves =
        |(_, decision): &(CallKey, Decision)| matches!(decision, Decision::Approve { .. });
    if !review.rulings.iter().any(approves) {
        return Row::new().with("Nothing of this will run.", theme.dim);
    }
    let mut seen = review.seen;
    seen.extend(extent.without(sheet.beside));
    let unseen = seen.unseen();
    if unseen == 0 {
        return Row::new().with("✓ everything here has been on screen", theme.good);
    }
    let row = Row::new()
        .with("! ", theme.warn)
        .then(words::count(unseen, "row", "rows", theme.warn))
        .with(" not seen yet", theme.warn);
    let unseen = sheet.starts.iter().filter(|(start, _)| *start >= seen.to);
    let calls: usize = unseen.map(|(_, calls)| calls).sum();
    if calls == 0 {
        return row;
    }
    row.with(" · ", theme.dim)
        .then(words::count(calls, "call", "calls", theme.warn))
        .with(" not seen at all", theme.warn)
}
