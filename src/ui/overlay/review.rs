//! The review sheet: what is about to be signed, all of it, before it is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::rc::Rc;

use super::{Showed, centred, sheet, unseen};
use crate::app::command::Command;
use crate::app::state::{Extent, Review, State};
use crate::core::call::CallKey;
use crate::core::decision::Decision;
use crate::ui::border::Titles;
use crate::ui::paint::{self, split_top};
use crate::ui::pending::arguments;
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};
use crate::ui::wrap::Breaks;

/// The sheet is not wider than is good to read.
const WIDEST: usize = 100;

/// What each ruling says below its own row, laid out once. Only a cache.
#[derive(Debug, Default)]
pub struct Kept {
    of: Vec<(CallKey, Decision)>,
    width: usize,
    below: Rc<[Vec<Row>]>,
}

impl Kept {
    fn below(&mut self, review: &Review, width: usize, scene: Scene<'_>) -> Rc<[Vec<Row>]> {
        if self.width != width || self.of != review.rulings {
            self.below = below(review, width, scene).into();
            self.of.clone_from(&review.rulings);
            self.width = width;
        }
        Rc::clone(&self.below)
    }
}

pub fn draw(
    buffer: &mut Buffer,
    body: Rect,
    review: &Review,
    scene: Scene<'_>,
    kept: &mut Kept,
) -> Showed {
    let width = usize::from(body.width.saturating_sub(4))
        .min(WIDEST)
        .max(usize::from(body.width.min(40)));
    let room = width.saturating_sub(4).max(1);
    let below = kept.below(review, room, scene);
    let total = review.rulings.len() + below.iter().map(Vec::len).sum::<usize>();
    let foot = foot(review, room, scene);
    let area = centred(body, width, total + foot.len() + 3);
    let titles = Titles {
        left: title(review, scene),
        ..Titles::default()
    };
    let inner = sheet(buffer, area, titles, scene);
    let foot_rows = u16::try_from(foot.len() + 1)
        .unwrap_or(u16::MAX)
        .min(inner.height.saturating_sub(1));
    let (list, bottom) = split_top(inner, inner.height - foot_rows);
    let extent = rulings(buffer, list, review, &below, total, scene);
    // The last rows say how to sign; the blank row above them is the first to go.
    let (_, bottom) = split_top(
        bottom,
        bottom
            .height
            .saturating_sub(u16::try_from(foot.len()).unwrap_or(0)),
    );
    for (y, row) in foot.iter().enumerate() {
        paint::row(buffer, bottom, y, row);
    }
    unseen(buffer, area, extent, scene);
    Showed {
        extent,
        call: None,
        review: extent.height > 0,
    }
}

/// `Review · approve 3 calls`.
fn title(review: &Review, scene: Scene<'_>) -> Row {
    let look = scene.theme.focused;
    let row = Row::new().with("Review before signing · ", look);
    let first = review
        .rulings
        .first()
        .map(|(_, decision)| words::verb(decision));
    let same = review
        .rulings
        .iter()
        .all(|(_, decision)| Some(words::verb(decision)) == first);
    let row = match first.filter(|_| same) {
        Some(verb) => row.with(verb, look).with(" ", look),
        None => row,
    };
    row.then(words::count(review.rulings.len(), "call", "calls", look))
}

fn below(review: &Review, width: usize, scene: Scene<'_>) -> Vec<Vec<Row>> {
    let mut last: Option<&Decision> = None;
    let mut all = Vec::with_capacity(review.rulings.len());
    for (key, decision) in &review.rulings {
        // A reason that several calls share is shown once, below the first of them.
        let said =
            last == Some(decision) && !matches!(decision, Decision::Approve { arguments: Some(_) });
        let waiting = scene.state.pending.get(key).filter(|_| !said);
        let rows = waiting.map(|waiting| {
            arguments::decision(
                &waiting.call.arguments,
                decision,
                width.saturating_sub(2),
                scene.theme,
            )
        });
        let indent = |row| Row::new().with("  ", scene.theme.text).then(row);
        all.push(rows.unwrap_or_default().into_iter().map(indent).collect());
        last = Some(decision);
    }
    all
}

/// Draws the visible rulings; the others are not laid out.
fn rulings(
    buffer: &mut Buffer,
    area: Rect,
    review: &Review,
    below: &[Vec<Row>],
    total: usize,
    scene: Scene<'_>,
) -> Extent {
    let height = usize::from(area.height);
    let top = review.top.min(total.saturating_sub(height));
    let mut at = 0;
    let mut drawn = 0;
    for ((key, decision), below) in review.rulings.iter().zip(below) {
        let next = at + 1 + below.len();
        if next > top && at < top + height {
            let first = (at >= top).then(|| ruling(key, decision, usize::from(area.width), scene));
            let skip = top.saturating_sub(at + 1);
            for row in first
                .iter()
                .chain(below.iter().skip(skip))
                .take(height - drawn)
            {
                paint::row(buffer, area, drawn, row);
                drawn += 1;
            }
        }
        at = next;
        if at >= top + height {
            break;
        }
    }
    Extent {
        top,
        height: drawn,
        total,
    }
}

fn ruling(key: &CallKey, decision: &Decision, width: usize, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let look = words::decision_look(decision, theme);
    let row = Row::new()
        .with(words::decision_mark(decision), look)
        .with(" ", look)
        .with(words::verb(decision), look)
        .with("  ", look);
    let Some(waiting) = scene.state.pending.get(key) else {
        return row
            .with("a call that no longer waits", theme.warn)
            .fitted(width);
    };
    let mut risk = Row::new();
    if waiting.call.is_destructive() {
        risk = words::risks(waiting, theme)
            .into_iter()
            .next()
            .unwrap_or_default();
    }
    if scene.state.unseen(key).is_none_or(|rows| rows > 0)
        && matches!(decision, Decision::Approve { .. })
    {
        let gap = if risk.is_empty() { "" } else { " · " };
        risk = risk.with(gap, theme.dim).with("unseen", theme.warn);
    }
    let room = width.saturating_sub(risk.width() + 2);
    row.with(&waiting.tool, theme.accent)
        .with("  ", theme.text)
        .with(&waiting.summary, theme.text)
        .fitted(room)
        .padded(room + 2)
        .then(risk)
}

/// What has not been on screen, and what the keys do.
fn foot(review: &Review, width: usize, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let mut rows = Vec::new();
    if let Some(row) = not_seen(review, scene) {
        rows.extend(row.wrapped(width, Breaks::Words));
    }
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
    rows.push(row.fitted(width));
    rows
}

/// Whether the sheet has been on screen long enough for a key to sign it.
fn armed(state: &State) -> bool {
    state
        .sheet_since
        .is_some_and(|since| state.now.ticks.since(since) >= state.settings.arming)
}

/// `37 rows of 2 calls have not been on screen`. Only approvals let something run, so only they count.
fn not_seen(review: &Review, scene: Scene<'_>) -> Option<Row> {
    let (mut rows, mut partly, mut never) = (0, 0, 0);
    for (key, decision) in &review.rulings {
        if !matches!(decision, Decision::Approve { .. }) {
            continue;
        }
        match scene.state.unseen(key) {
            Some(0) => {}
            Some(unseen) => {
                rows += unseen;
                partly += 1;
            }
            None => never += 1,
        }
    }
    let look = scene.theme.warn;
    let mut row = Row::new().with("! ", look);
    if partly > 0 {
        row = row
            .then(words::count(rows, "row", "rows", look))
            .with(" of ", look)
            .then(words::count(partly, "call", "calls", look));
    }
    if never > 0 {
        row = row.with(
            if partly > 0 {
                " and all of "
            } else {
                "all of "
            },
            look,
        );
        row = row.then(words::count(never, "call", "calls", look));
    }
    (partly + never > 0).then(|| row.with(" not seen yet", look))
}
