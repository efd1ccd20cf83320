//! One call in the conversation: `✓ get_weather Guingamp   14 °C`.
//!
//! Owns its rows. They change with the clock, so they are laid out on every frame; what is dear
//! about them (the summary of the arguments) is kept by `heads`.

use ratatui::style::Style;

use crate::core::call::{Answer, CallKey};
use crate::core::conversation::CallRecord;
use crate::core::pending::Stage;
use crate::core::run::{CallStatus, Outcome};
use crate::core::shown::Shown;
use crate::core::verdict::{Basis, RuleSource};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::words::{self, Scene};

/// Characters of a reason or a failure that are shown here.
const TEXT: usize = 2000;
/// Fewer columns than this are no place for the words beside a call.
const BESIDE: usize = 16;

/// What a call is, for its row: made once, since arguments do not change.
#[derive(Debug, Clone)]
pub struct Head {
    pub tool: Shown,
    pub summary: Shown,
    /// Columns of both with the blank between them.
    pub width: usize,
}

/// How a call stands.
struct Standing {
    mark: &'static str,
    look: Style,
    /// The state in words, and what came of it.
    words: Row,
    /// Said after the words, and never shortened with them: how long it took, who decided.
    tail: Vec<Row>,
    /// The words may be shortened to one row: they are in full in the tool output.
    brief: bool,
}

/// Where the words of a group of calls begin, the widest of which takes `widest` columns.
pub fn column(widest: usize, width: usize) -> usize {
    widest.min((width * 3 / 5).min(width.saturating_sub(BESIDE + 5)).max(8))
}

/// The rows of one call. `column` is where the words of all calls of its group begin.
pub fn rows(
    scene: Scene<'_>,
    key: &CallKey,
    record: &CallRecord,
    head: &Head,
    column: usize,
    width: usize,
) -> Vec<Row> {
    let theme = scene.theme;
    let standing = standing(scene, key, record);
    let mut first = Row::new()
        .with(standing.mark, standing.look)
        .with(" ", theme.text)
        .with(&head.tool, theme.accent)
        .with(" ", theme.text)
        .with(&head.summary, theme.text);
    let beside = width.saturating_sub(column + 5);
    let tail = joined(standing.tail, scene);
    let whole = standing.words.width() + tail.width();
    let below = beside < BESIDE || (whole > beside * 3 && !standing.brief);
    first = if below {
        first.fitted(width)
    } else {
        first.fitted(column + 2).padded(column + 5)
    };
    let room = if below {
        width.saturating_sub(2)
    } else {
        beside
    };
    let gap = if tail.is_empty() { "" } else { " · " };
    let parts = if !standing.brief {
        let all = standing.words.with(gap, theme.dim).then(tail);
        all.wrapped(room, Breaks::Words)
    } else if whole + 3 <= room || tail.is_empty() {
        vec![standing.words.with(gap, theme.dim).then(tail).fitted(room)]
    } else {
        let mut parts = vec![standing.words.fitted(room)];
        parts.extend(tail.wrapped(room, Breaks::Words));
        parts
    };
    if below {
        let indented = parts
            .into_iter()
            .map(|part| Row::new().with("  ", theme.text).then(part));
        return std::iter::once(first).chain(indented).collect();
    }
    let mut rows = Vec::with_capacity(parts.len());
    for part in parts {
        let lead = std::mem::take(&mut first);
        rows.push(lead.padded(column + 5).then(part));
    }
    rows
}

fn standing(scene: Scene<'_>, key: &CallKey, record: &CallRecord) -> Standing {
    let theme = scene.theme;
    let now = scene.state.now.ticks;
    let said = |mark, look, words: &'static str| Standing {
        mark,
        look,
        words: Row::new().with(words, look),
        tail: Vec::new(),
        brief: false,
    };
    match &record.status {
        CallStatus::Proposed => said("·", theme.dim, "proposed"),
        CallStatus::Waiting => waiting(scene, key, record),
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

fn waiting(scene: Scene<'_>, key: &CallKey, record: &CallRecord) -> Standing {
    let theme = scene.theme;
    let mut words = Row::new();
    let (mut mark, mut look) = ("‖", theme.warn);
    let waiting = scene.state.pending.get(key);
    if let Some(waiting) = waiting {
        words = words::stage(waiting, scene);
        if let Stage::Held { ruling, .. } | Stage::Recording { ruling } = &waiting.stage {
            mark = words::decision_mark(ruling.decision.answer());
            look = words::decision_look(ruling.decision.answer(), theme);
        }
    }
    if words.is_empty() {
        let since = scene.state.now.ticks.since(record.since);
        words = Row::new()
            .with("waiting ", look)
            .with(&words::wait(since), look);
    }
    Standing {
        mark,
        look,
        words,
        tail: Vec::new(),
        brief: false,
    }
}

/// `took 0:03 · approved by anna`.
fn joined(parts: Vec<Row>, scene: Scene<'_>) -> Row {
    let join = |row: Row, next| row.with(" · ", scene.theme.dim).then(next);
    parts.into_iter().reduce(join).unwrap_or_default()
}

/// Who decided, and what, where that is not said already.
fn by(scene: Scene<'_>, record: &CallRecord) -> Vec<Row> {
    let Some((answer, by)) = &record.decided else {
        return Vec::new();
    };
    let dim = scene.theme.dim;
    let mark = match answer {
        Answer::Edit => Row::new().with("✎ ", words::decision_look(*answer, scene.theme)),
        Answer::Approve | Answer::Reject | Answer::Reason | Answer::Respond | Answer::Retry => {
            Row::new()
        }
    };
    let who = mark.with(answer.done(), dim).with(" by ", dim);
    vec![who.with(&Shown::label(by), dim)]
}

fn finished(scene: Scene<'_>, record: &CallRecord, outcome: &Outcome) -> Standing {
    let theme = scene.theme;
    let who = by(scene, record);
    let told = |mark, look, word: &'static str, text: &str, tail: Vec<Row>| Standing {
        mark,
        look,
        words: reasoned(word, look, text, scene),
        tail,
        brief: false,
    };
    match outcome {
        Outcome::Result { text } => Standing {
            mark: "✓",
            look: theme.good,
            words: first_row(text, scene),
            tail: took(scene, record).into_iter().chain(who).collect(),
            brief: true,
        },
        Outcome::Failed { message } => told("✗", theme.bad, "failed", message, who),
        Outcome::Denied { basis } => Standing {
            mark: "⊘",
            look: theme.bad,
            words: denied(scene, basis),
            tail: Vec::new(),
            brief: false,
        },
        Outcome::Rejected { reason } => {
            told("⊘", theme.bad, "rejected", reason, named(scene, record))
        }
        Outcome::Responded { result } => Standing {
            brief: true,
            ..told("↳", theme.accent, "answered", result, named(scene, record))
        },
        Outcome::SentBack { message } => {
            told("↺", theme.warn, "sent back", message, named(scene, record))
        }
        Outcome::Refused { fault } => told("⊘", theme.bad, "not run", fault, Vec::new()),
        Outcome::Interrupted => told("■", theme.warn, "interrupted", "", Vec::new()),
    }
}

/// `word: text`, or the word alone; says how much of a very long text is not here.
fn reasoned(word: &'static str, look: Style, text: &str, scene: Scene<'_>) -> Row {
    let mut row = Row::new().with(word, look);
    if text.trim().is_empty() {
        return row;
    }
    let (shown, rest) = words::excerpt(text.trim(), TEXT);
    row.push(": ", look);
    row.push(&shown, scene.theme.text);
    if rest > 0 {
        row.push(" … and ", scene.theme.dim);
        row.append(words::count(
            rest,
            "more character",
            "more characters",
            scene.theme.dim,
        ));
    }
    row
}

/// The person's name after a word that says what they did.
fn named(scene: Scene<'_>, record: &CallRecord) -> Vec<Row> {
    let dim = scene.theme.dim;
    let name =
        |(_, by): &(Answer, String)| Row::new().with("by ", dim).with(&Shown::label(by), dim);
    record.decided.iter().map(name).collect()
}

/// How long it ran, if that was long enough to matter.
fn took(scene: Scene<'_>, record: &CallRecord) -> Vec<Row> {
    let dim = scene.theme.dim;
    let long = record.took.filter(|millis| *millis >= 1000);
    let row = |millis| {
        Row::new()
            .with("took ", dim)
            .with(&words::running(millis), dim)
    };
    long.into_iter().map(row).collect()
}

fn first_row(text: &str, scene: Scene<'_>) -> Row {
    let mut lines = text
        .trim()
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty());
    let Some(first) = lines.next() else {
        return Row::new().with("done, no output", scene.theme.dim);
    };
    let (shown, rest) = words::excerpt(first, 300);
    let row = Row::new().with(&shown, scene.theme.text);
    if rest > 0 || lines.next().is_some() {
        return row.with(" …", scene.theme.dim);
    }
    row
}

fn denied(scene: Scene<'_>, basis: &Basis) -> Row {
    let look = scene.theme.bad;
    let mut row = Row::new().with("denied", look);
    if let Basis::Rule { number, source, .. } = basis {
        row.push(
            match source {
                RuleSource::Configuration => " by rule ",
                RuleSource::BuiltIn => " by built-in rule ",
            },
            look,
        );
        row.push(*number, look);
    }
    if let Some(reason) = basis.reason() {
        let (shown, _) = words::excerpt(reason, TEXT);
        row.push(": ", look);
        row.push(&shown, scene.theme.text);
    }
    row
}
