//! One call in the conversation: `✓ get_weather Guingamp   14 °C`.
//!
//! Owns its rows, and how the call stands, which changes with the clock and is worked out on every frame.
//! What is dear about it, the summary of the arguments, is kept as its `Head`.

use ratatui::style::Style;

use super::ending::{by, finished};
use crate::core::arguments::Arguments;
use crate::core::conversation::CallRecord;
use crate::core::fields;
use crate::core::name;
use crate::core::pending::{Stage, Waiting};
use crate::core::run::CallStatus;
use crate::core::shown::Shown;
use crate::core::time::Ticks;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words::{self, Scene};

/// Characters of a reason or a failure that are shown here.
pub(super) const TEXT: usize = 2000;
/// Fewer columns than this are no place for the words beside a call.
const BESIDE: usize = 16;
/// Blanks between a call and the words beside it.
const GAP: usize = 3;
/// Columns of the mark and its blank, and of what stands below a call.
pub const INDENT: usize = 2;
/// Milliseconds.
const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
/// Columns of the arguments' summary that do not give way to a result.
const LEAST_SUMMARY: usize = 6;

/// A tool's name takes no more than this part of a row.
const LONGEST_PART: usize = 2;

/// What a call is, for its row: made once for the arguments that run.
#[derive(Debug, Clone)]
pub struct Head {
    pub tool: Shown,
    pub summary: Shown,
    /// The arguments that a person put in place of the model's own.
    pub edited: Option<Arguments>,
    /// Columns of all of it with the blanks between.
    pub width: usize,
}

impl Head {
    pub fn new(record: &CallRecord, edited: Option<&Arguments>) -> Self {
        let proposed = || match Arguments::parse(&record.arguments) {
            Ok(arguments) => fields::summary(&arguments),
            Err(_) => words::excerpt(&record.arguments, 240).0,
        };
        let mut head = Self {
            tool: name::shown(&record.tool),
            summary: edited.map_or_else(proposed, fields::summary),
            edited: edited.cloned(),
            width: 0,
        };
        head.width = head.row(usize::MAX, &Theme::mono()).width();
        head
    }

    /// `book_flight Millau`, with a mark where the arguments are not the model's own.
    /// A name of more than `most` columns is shortened: what it is called with is to be seen too.
    fn row(&self, most: usize, theme: &Theme) -> Row {
        let mark = if self.edited.is_some() { "✎ " } else { "" };
        Row::new()
            .with(&self.tool, theme.accent)
            .fitted(most)
            .with(" ", theme.text)
            .with(mark, theme.warn)
            .with(&self.summary, theme.text)
    }

    /// The columns that it keeps when a result needs room.
    fn least(&self, most: usize, theme: &Theme) -> usize {
        let tool = Row::new().with(&self.tool, theme.accent).width().min(most);
        let mark = if self.edited.is_some() { 2 } else { 0 };
        self.width.min(tool + 1 + mark + LEAST_SUMMARY)
    }
}

/// How a call stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) mark: &'static str,
    pub(super) look: Style,
    /// The state in words, and what came of it.
    pub(super) words: Row,
    /// Said after the words, and never shortened with them: how long it took, who decided.
    pub(super) tail: Vec<Row>,
    pub(super) room: Room,
}

/// The room that the words of a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// One row: they are in full in the tool output.
    Brief,
    /// As many rows as they need.
    Whole,
}

/// Where the words of a group of calls begin, the widest of which takes `widest` columns.
pub fn column(widest: usize, width: usize) -> usize {
    let most = (width * 3 / 5).min(width.saturating_sub(BESIDE + INDENT + GAP));
    widest.min(most.max(8))
}

/// The rows of one call. `column` is where the words of all calls of its group begin.
///
/// What came of it has the first row, beside the call, if need be at the cost of the summary; who
/// decided stands below it. Words that are too long for that stand below as well.
pub(super) fn rows(
    scene: Scene<'_>,
    standing: Standing,
    head: &Head,
    (column, width): (usize, usize),
) -> Vec<Row> {
    let theme = scene.theme;
    let most = width / LONGEST_PART;
    let first = Row::new()
        .with(standing.mark, standing.look)
        .with(" ", theme.text)
        .then(head.row(most, theme));
    let (words, tail) = (standing.words, joined(standing.tail, scene));
    let gap = if tail.is_empty() { "" } else { " · " };
    let whole = words.clone().with(gap, theme.dim).then(tail.clone());
    let fits = |end: usize, row: &Row| end + GAP + row.width() <= width;
    let beside = |end: usize, words: Row| {
        let first = first.clone().fitted(end).padded(end + GAP);
        first.then(words.fitted(width.saturating_sub(end + GAP)))
    };
    let aligned = column + INDENT;
    // The end of the call's own part that leaves room for these words.
    let least = (head.least(most, theme) + INDENT).min(aligned);
    let ends = |row: &Row| {
        let end = width.saturating_sub(GAP + row.width());
        end.clamp(least, aligned)
    };
    let end = match standing.room {
        Room::Brief => aligned,
        Room::Whole => ends(&whole),
    };
    if fits(end, &whole) {
        return vec![beside(end, whole)];
    }
    let end = ends(&words);
    // What a person let run is read for its result; of the others the columns are worth more.
    let cut = if tail.is_empty() {
        aligned.min(width / 2)
    } else {
        least
    };
    let (mut rows, below) = match standing.room {
        Room::Brief | Room::Whole if fits(end, &words) => (vec![beside(end, words)], vec![tail]),
        // In full, where it can stand beside the name of who decided.
        Room::Brief if !tail.is_empty() && INDENT + whole.width() <= width => {
            (vec![first.fitted(width)], vec![whole])
        }
        Room::Brief if width >= cut + GAP + BESIDE => (vec![beside(cut, words)], vec![tail]),
        Room::Brief if INDENT + whole.width() > width => {
            let words = words.fitted(width.saturating_sub(INDENT));
            (vec![first.fitted(width)], vec![words, tail])
        }
        Room::Brief | Room::Whole => (vec![first.fitted(width)], vec![whole]),
    };
    let room = width.saturating_sub(INDENT).max(1);
    let below = below.into_iter().filter(|row| !row.is_empty());
    let parts = below.flat_map(|row| row.wrapped(room, Breaks::Words));
    rows.extend(parts.map(|part| Row::new().padded(INDENT).then(part)));
    rows
}

pub(super) fn standing(scene: Scene<'_>, waits: Option<&Waiting>, record: &CallRecord) -> Standing {
    let theme = scene.theme;
    let now = scene.state.now.ticks;
    let said = |mark, look, words: &'static str| Standing {
        mark,
        look,
        words: Row::new().with(words, look),
        tail: Vec::new(),
        room: Room::Whole,
    };
    match &record.status {
        CallStatus::Proposed => said("·", theme.dim, "proposed"),
        CallStatus::Reviewing { by } => reviewing(scene, record, by),
        CallStatus::Waiting => waiting(scene, waits, record),
        CallStatus::Decided { answer, by, .. } => {
            let mark = words::decision_mark(*answer);
            let look = words::decision_look(*answer, theme);
            let words = Row::new()
                .with(answer.done(), look)
                .with(" by ", theme.dim)
                .with(&Shown::label(by), theme.dim);
            Standing {
                words,
                ..said(mark, look, "")
            }
        }
        CallStatus::Running => {
            let mut standing = said("▸", theme.accent, "running ");
            standing
                .words
                .push(&words::running(now.since(record.since)), theme.accent);
            Standing {
                tail: by(scene, record),
                ..standing
            }
        }
        CallStatus::Confirmed => Standing {
            tail: by(scene, record),
            ..said("✓", theme.good, "left to the provider")
        },
        CallStatus::Finished { outcome } => finished(scene, record, outcome),
    }
}

/// Until when what is said of a call's time stays as it is; `None` where nothing is said of it.
pub(super) fn stays(
    scene: Scene<'_>,
    waits: Option<&Waiting>,
    record: &CallRecord,
) -> Option<Ticks> {
    let now = scene.state.now.ticks;
    match &record.status {
        CallStatus::Proposed
        | CallStatus::Decided { .. }
        | CallStatus::Confirmed
        | CallStatus::Finished { .. } => None,
        CallStatus::Running | CallStatus::Reviewing { .. } => Some(passes(record.since, now)),
        CallStatus::Waiting => {
            let held = waits.and_then(|waiting| match waiting.stage {
                Stage::Held { until, .. } => Some(until),
                Stage::Awaiting | Stage::Recording { .. } => None,
            });
            let ends = [held, waits.and_then(|waiting| waiting.due)];
            let ends = ends.into_iter().flatten().map(|end| shrinks(end, now));
            let since = waits.map_or(record.since, |waiting| waiting.since);
            ends.chain([passes(since, now)]).min()
        }
    }
}

/// When the seconds since then become one more, or the minutes after the first.
fn passes(since: Ticks, now: Ticks) -> Ticks {
    let passed = now.since(since);
    let unit = if passed < MINUTE { SECOND } else { MINUTE };
    since.plus((passed / unit + 1) * unit)
}

/// When the seconds that are left until then, rounded up, become one fewer.
fn shrinks(end: Ticks, now: Ticks) -> Ticks {
    let left = end.since(now).saturating_sub(1);
    Ticks(end.0 - (left - left % SECOND).min(end.0))
}

/// `◇ reviewed by guard, second-look 0:03`.
fn reviewing(scene: Scene<'_>, record: &CallRecord, by: &[String]) -> Standing {
    let look = scene.theme.accent;
    let since = scene.state.now.ticks.since(record.since);
    let words = Row::new()
        .with("in review by ", look)
        .with(&Shown::label(&by.join(", ")), look)
        .with(" ", look)
        .with(&words::running(since), look);
    Standing {
        mark: "◇",
        look,
        words,
        tail: Vec::new(),
        room: Room::Whole,
    }
}

fn waiting(scene: Scene<'_>, waiting: Option<&Waiting>, record: &CallRecord) -> Standing {
    let theme = scene.theme;
    let mut words = Row::new();
    let (mut mark, mut look) = ("‖", theme.warn);
    if let Some(waiting) = waiting {
        words = words::stage(waiting, scene);
        if let Stage::Held { ruling, .. } | Stage::Recording { ruling } = &waiting.stage {
            mark = words::decision_mark(ruling.decision.answer());
            look = words::decision_look(ruling.decision.answer(), theme);
        }
    }
    if words.is_empty() {
        words = if waiting.is_some_and(words::is_unknown) {
            look = theme.bad;
            Row::new().with("outcome unknown", look)
        } else {
            let began = waiting.map_or(record.since, |waiting| waiting.since);
            let since = scene.state.now.ticks.since(began);
            let row = Row::new().with("waiting ", look);
            let row = row.with(&words::wait(since), look);
            match waiting.map(|waiting| words::left(waiting, scene)) {
                Some(left) if !left.is_empty() => row.with(" · ", scene.theme.dim).then(left),
                Some(_) | None => row,
            }
        };
    }
    Standing {
        mark,
        look,
        words,
        tail: Vec::new(),
        room: Room::Whole,
    }
}

/// `took 0:03 · approved by anna`.
fn joined(parts: Vec<Row>, scene: Scene<'_>) -> Row {
    let join = |row: Row, next| row.with(" · ", scene.theme.dim).then(next);
    parts.into_iter().reduce(join).unwrap_or_default()
}
