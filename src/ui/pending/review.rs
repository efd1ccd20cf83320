//! What stands above a call's arguments beside its warnings: that it has expired, and what each reviewer
//! said, as its own word: who, which word, why, and what it proposes instead.
//!
//! Its texts are untrusted: they stand behind its name, and what is long in a block of its own.

use ratatui::style::Style;

use super::change::diff;
use super::values::block;
use crate::core::call::Call;
use crate::core::diff::Diff;
use crate::core::fields;
use crate::core::pending::Waiting;
use crate::core::review::{Review, Word};
use crate::core::shown::Shown;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// Everything that was said, in the order of the configuration.
pub(super) fn all(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let reviews = call.reviews.iter();
    reviews
        .flat_map(|review| rows(call, review, width, theme))
        .collect()
}

/// That nobody can decide it any more.
pub(super) fn late(waiting: &Waiting, width: usize, theme: &Theme) -> Vec<Row> {
    if !waiting.late {
        return Vec::new();
    }
    let row = Row::new().with("◷ expired", theme.bad).with(
        ": its time is over, and nobody can decide it any more",
        theme.text,
    );
    row.wrapped(width, Breaks::Words)
}

fn rows(call: &Call, review: &Review, width: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = said(review, theme).wrapped(width, Breaks::Words);
    if !review.note.is_empty() {
        rows.extend(block(&Shown::strict(&review.note), width, theme));
    }
    if let Some(arguments) = review.proposal() {
        let head = if review.counts == Word::Allow {
            "it allows only this, so it is no more than a proposal:"
        } else {
            "it proposes other arguments:"
        };
        let head = Row::new().with(head, theme.dim);
        rows.extend(head.wrapped(width, Breaks::Words));
        let (before, after) = (
            fields::editable(&call.arguments),
            fields::editable(arguments),
        );
        let changed = Diff::between(&(before + "\n"), &(after + "\n"));
        rows.extend(diff(&changed, width, theme));
    }
    rows.push(Row::new());
    rows
}

/// `◆ guard says deny: the address is not ours (counts as ask: it may not deny)`.
fn said(review: &Review, theme: &Theme) -> Row {
    let name = Shown::label(&review.reviewer);
    let Some(word) = review.said else {
        let row = Row::new()
            .with("◆ ", theme.bad)
            .with(&name, theme.strong)
            .with(" has not answered", theme.bad);
        return with(row, ": ", review.fault.as_deref().unwrap_or(""), theme.text);
    };
    let look = look(word, theme);
    let row = Row::new()
        .with("◆ ", look)
        .with(&name, theme.strong)
        .with(" says ", theme.dim)
        .with(word_of(word), look);
    let row = if word == Word::Allow && review.proposal().is_some() {
        row.with(" with other arguments", look)
    } else {
        row
    };
    let row = with(row, ": ", &review.reason, theme.text);
    match &review.fault {
        Some(fault) if review.counts != word => row
            .with(" (counts as ", theme.dim)
            .with(word_of(review.counts), theme.warn)
            .with(": ", theme.dim)
            .with(&Shown::label(fault), theme.dim)
            .with(")", theme.dim),
        Some(fault) => row
            .with(" (", theme.dim)
            .with(&Shown::label(fault), theme.dim)
            .with(")", theme.dim),
        None => row,
    }
}

fn with(row: Row, before: &'static str, text: &str, look: Style) -> Row {
    if text.trim().is_empty() {
        return row;
    }
    row.with(before, look)
        .with(&Shown::label(text.trim()), look)
}

const fn word_of(word: Word) -> &'static str {
    match word {
        Word::Annotate => "neither yes nor no",
        Word::Allow => "allow",
        Word::Ask => "ask",
        Word::Deny => "deny",
    }
}

const fn look(word: Word, theme: &Theme) -> Style {
    match word {
        Word::Annotate => theme.accent,
        Word::Allow => theme.good,
        Word::Ask => theme.warn,
        Word::Deny => theme.bad,
    }
}
