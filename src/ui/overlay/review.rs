//! The review sheet: what is about to be signed, all of it, before it is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::rc::Rc;

use super::{Showed, centred, sheet, unseen};
use crate::app::command::Command;
use crate::app::state::{Extent, Review, State};
use crate::core::call::CallKey;
use crate::core::decision::Decision;
use crate::core::pending::Waiting;
use crate::ui::border::Titles;
use crate::ui::paint::{self, split_top};
use crate::ui::pending::arguments;
use crate::ui::pending::strip::Strip;
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

/// The sheet is not wider than is good to read.
const WIDEST: usize = 100;
/// Longer tool names do not set the column of the summaries.
const LONGEST_TOOL: usize = 24;
/// Rows below the rulings: what is unseen, and what the keys do.
const FOOT: usize = 2;

/// What each ruling says below its own row, laid out once. Only a cache.
#[derive(Debug, Default)]
pub struct Kept {
    of: Vec<(CallKey, Decision)>,
    /// Which of them are shown in full.
    full: Vec<bool>,
    width: usize,
    below: Rc<[Vec<Row>]>,
}

impl Kept {
    fn below(&mut self, review: &Review, width: usize, scene: Scene<'_>) -> Rc<[Vec<Row>]> {
        let full: Vec<bool> = review
            .rulings
            .iter()
            .map(|(key, decision)| is_full(key, decision, scene))
            .collect();
        if self.width != width || self.full != full || self.of != review.rulings {
            self.below = below(review, &full, width, scene).into();
            self.of.clone_from(&review.rulings);
            self.full = full;
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
    let width = super::width(body, WIDEST);
    let room = width.saturating_sub(4).max(1);
    let below = kept.below(review, room, scene);
    let total = review.rulings.len() + below.iter().map(Vec::len).sum::<usize>();
    let area = centred(body, width, total + FOOT + 3);
    let titles = Titles {
        left: title(review, scene),
        ..Titles::default()
    };
    let inner = sheet(buffer, area, titles, scene);
    let foot_rows = (FOOT + 1).min(usize::from(inner.height.saturating_sub(1)));
    let (list, bottom) = split_top(inner, inner.height - u16::try_from(foot_rows).unwrap_or(0));
    let extent = rulings(buffer, list, review, &below, total, scene);
    // The blank row above what the keys do is the first to go, then what is unseen.
    let skip = (FOOT + 1).saturating_sub(foot_rows).saturating_sub(1);
    let blank = foot_rows.saturating_sub(FOOT);
    for (y, row) in foot(review, extent, &below, room, scene)
        .iter()
        .skip(skip)
        .enumerate()
    {
        paint::row(buffer, bottom, y + blank, row);
    }
    unseen(buffer, area, extent, scene);
    Showed {
        extent,
        call: None,
        review: extent.height > 0,
        filter: None,
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

/// An approval of what has not been read is shown in full, so that this sheet can be all that is read.
fn is_full(key: &CallKey, decision: &Decision, scene: Scene<'_>) -> bool {
    matches!(decision, Decision::Approve { .. }) && scene.state.unseen(key) != Some(0)
}

fn below(review: &Review, full: &[bool], width: usize, scene: Scene<'_>) -> Vec<Vec<Row>> {
    let room = width.saturating_sub(2);
    let mut last: Option<&Decision> = None;
    let mut all = Vec::with_capacity(review.rulings.len());
    for ((key, decision), full) in review.rulings.iter().zip(full) {
        let mut rows = Vec::new();
        if let Some(waiting) = scene.state.pending.get(key) {
            if *full {
                rows = arguments::rows(waiting, Strip::Short, room, scene.theme);
            } else if matches!(decision, Decision::Approve { arguments: None }) {
                rows = read_before(waiting, room, scene);
            }
            // A reason that several calls share is shown once, below the first of them.
            if last != Some(decision) || matches!(decision, Decision::Approve { .. }) {
                rows.extend(arguments::decision(
                    &waiting.call.arguments,
                    decision,
                    room,
                    scene.theme,
                ));
            }
        }
        let indent = |row| Row::new().with("  ", scene.theme.text).then(row);
        all.push(rows.into_iter().map(indent).collect());
        last = Some(decision);
    }
    all
}

/// Below an approval of what was read before: how much of it is not repeated here.
fn read_before(waiting: &Waiting, width: usize, scene: Scene<'_>) -> Vec<Row> {
    let rows = arguments::rows(waiting, Strip::Short, width, scene.theme).len();
    if rows <= 1 {
        return Vec::new();
    }
    let told = words::count(rows, "row", "rows", scene.theme.dim);
    vec![
        Row::new()
            .with("read before, not repeated: ", scene.theme.dim)
            .then(told),
    ]
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
    let columns = Columns::of(review, usize::from(area.width), scene);
    let mut at = 0;
    let mut drawn = 0;
    for ((key, decision), below) in review.rulings.iter().zip(below) {
        let next = at + 1 + below.len();
        if next > top && at < top + height {
            let first = (at >= top).then(|| ruling((key, decision), columns, scene));
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

/// The columns of the rulings' own rows.
#[derive(Clone, Copy)]
struct Columns {
    verb: usize,
    agent: usize,
    tool: usize,
    width: usize,
}

impl Columns {
    fn of(review: &Review, width: usize, scene: Scene<'_>) -> Self {
        let mut columns = Self {
            verb: 0,
            agent: 0,
            tool: 0,
            width,
        };
        for ruling in &review.rulings {
            columns.verb = columns.verb.max(verb(ruling, scene).len());
            if let Some(waiting) = scene.state.pending.get(&ruling.0) {
                let tool = Row::new().with(&waiting.tool, scene.theme.text);
                columns.tool = columns.tool.max(tool.width().min(LONGEST_TOOL));
                columns.agent = columns.agent.max(words::agent(waiting, scene).width());
            }
        }
        columns.agent = columns.agent.min(width / 5);
        columns
    }
}

fn ruling((key, decision): (&CallKey, &Decision), columns: Columns, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let look = words::decision_look(decision.answer(), theme);
    let waiting = scene.state.pending.get(key);
    let mut row = Row::new()
        .with(words::decision_mark(decision.answer()), look)
        .with(" ", look)
        .with(words::verb(decision, waiting), look)
        .padded(columns.verb + 4);
    let Some(waiting) = waiting else {
        return row
            .with("a call that no longer waits", theme.warn)
            .fitted(columns.width);
    };
    if columns.agent > 0 {
        let agent = words::agent(waiting, scene).fitted(columns.agent);
        row = row.then(agent.padded(columns.agent + 2));
    }
    let mut risk = Row::new();
    let found = !waiting.findings.is_empty();
    if found || waiting.call.is_destructive() || words::is_unknown(waiting) {
        risk = words::risks(waiting, theme)
            .into_iter()
            .next()
            .unwrap_or_default();
    }
    let room = columns.width.saturating_sub(risk.width() + 2);
    let tool = Row::new().with(&waiting.tool, theme.accent);
    row.then(tool.padded(columns.tool + 2))
        .with(&waiting.summary, theme.text)
        .fitted(room)
        .padded(room + 2)
        .then(risk)
}

/// What has not been on screen, and what the keys do.
fn foot(
    review: &Review,
    extent: Extent,
    below: &[Vec<Row>],
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
        not_seen(review, extent, below, scene).fitted(width),
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
fn not_seen(review: &Review, extent: Extent, below: &[Vec<Row>], scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let approves =
        |(_, decision): &(CallKey, Decision)| matches!(decision, Decision::Approve { .. });
    if !review.rulings.iter().any(approves) {
        return Row::new().with("Nothing of this will run.", theme.dim);
    }
    let mut seen = review.seen;
    seen.extend(extent);
    let unseen = seen.unseen();
    if unseen == 0 {
        return Row::new().with("✓ everything here has been on screen", theme.good);
    }
    let row = Row::new()
        .with("! ", theme.warn)
        .then(words::count(unseen, "row", "rows", theme.warn))
        .with(" not seen yet", theme.warn);
    let starts = below.iter().scan(0, |next, below| {
        let start = *next;
        *next += 1 + below.len();
        Some(start)
    });
    let calls = starts.filter(|start| *start >= seen.to).count();
    if calls == 0 {
        return row;
    }
    row.with(" · ", theme.dim)
        .then(words::count(calls, "call", "calls", theme.warn))
        .with(" not seen at all", theme.warn)
}
