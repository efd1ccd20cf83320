//! What a call in the conversation came to, and by whose word.

use ratatui::style::Style;

use super::call::{Room, Standing, TEXT};
use crate::core::call::Answer;
use crate::core::conversation::CallRecord;
use crate::core::review::{Review, Word};
use crate::core::run::Outcome;
use crate::core::shown::Shown;
use crate::core::time;
use crate::core::verdict::{Basis, RuleSource};
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

/// The reviewers that let the call run, where no person decided.
fn allowed(scene: Scene<'_>, record: &CallRecord) -> Vec<Row> {
    let dim = scene.theme.dim;
    let allows = |review: &&Review| record.decided.is_none() && review.counts == Word::Allow;
    let reviews = record.reviews.iter().filter(allows);
    reviews
        .map(|review| {
            let edits = review.arguments.is_some();
            Row::new()
                .with(
                    if edits {
                        "changed and allowed by reviewer "
                    } else {
                        "allowed by reviewer "
                    },
                    dim,
                )
                .with(&Shown::label(&review.reviewer), dim)
        })
        .collect()
}

/// Who decided, and what, where that is not said already.
pub(super) fn by(scene: Scene<'_>, record: &CallRecord) -> Vec<Row> {
    let Some((answer, by)) = &record.decided else {
        return allowed(scene, record);
    };
    let dim = scene.theme.dim;
    let who = Row::new().with(answer.done(), dim).with(" by ", dim);
    vec![who.with(&Shown::label(by), dim)]
}

pub(super) fn finished(scene: Scene<'_>, record: &CallRecord, outcome: &Outcome) -> Standing {
    let theme = scene.theme;
    let who = by(scene, record);
    let told = |mark, look, word: &'static str, text: &str, tail: Vec<Row>| Standing {
        mark,
        look,
        words: reasoned(word, look, text, scene),
        tail,
        room: Room::Whole,
    };
    match outcome {
        Outcome::Result { text } => Standing {
            mark: "✓",
            look: theme.good,
            words: first_row(text, scene),
            tail: took(scene, record).into_iter().chain(who).collect(),
            room: Room::Brief,
        },
        Outcome::Failed { message } => told("✗", theme.bad, "failed", message, who),
        Outcome::Denied { basis } => Standing {
            mark: "⊘",
            look: theme.bad,
            words: denied(scene, basis),
            tail: Vec::new(),
            room: Room::Whole,
        },
        Outcome::Rejected { reason } => {
            told("⊘", theme.bad, "rejected", reason, named(scene, record))
        }
        Outcome::Responded { result } => Standing {
            room: Room::Brief,
            ..told("↳", theme.accent, "answered", result, named(scene, record))
        },
        Outcome::SentBack { message } => {
            told("↺", theme.warn, "sent back", message, named(scene, record))
        }
        Outcome::Refused { fault } => told("⊘", theme.bad, "not run", fault, Vec::new()),
        Outcome::Withdrawn { why } => told("⊘", theme.dim, "withdrawn", why, Vec::new()),
        Outcome::Interrupted => told("■", theme.warn, "interrupted", "", Vec::new()),
        Outcome::Expired { waited, .. } => Standing {
            mark: "◷",
            look: theme.warn,
            words: expired(*waited, scene),
            tail: Vec::new(),
            room: Room::Whole,
        },
    }
}

/// `expired: nobody decided within 30 min`. One that came too late already says so.
fn expired(waited: u64, scene: Scene<'_>) -> Row {
    let (look, dim) = (scene.theme.warn, scene.theme.dim);
    let row = Row::new().with("expired", look);
    if waited == 0 {
        return row.with(": its time was over", dim);
    }
    row.with(": nobody decided within ", dim)
        .with(&Shown::label(&time::span(waited)), dim)
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
    if let Basis::Grant { id, by, .. } = basis {
        row = row
            .with(" by given rule ", look)
            .with(&Shown::label(id), look)
            .with(" of ", scene.theme.dim)
            .with(&Shown::label(by), scene.theme.dim);
    }
    if let Basis::Reviewer { name, .. } = basis {
        row.push(" by reviewer ", look);
        row.push(&Shown::label(name), look);
    }
    if let Some(reason) = basis.reason() {
        let (shown, _) = words::excerpt(reason, TEXT);
        row.push(": ", look);
        row.push(&shown, scene.theme.text);
    }
    row
}
