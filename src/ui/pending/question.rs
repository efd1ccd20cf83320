//! A question that an MCP server asks: who asks, in what words, for what, and what each answer says to it.
//!
//! Owns that the server's words stand apart as its own. What is signed is the content, as the arguments of any
//! call are.

use super::values::{block, values};
use crate::core::asked::{self, Member};
use crate::core::call::{Answer, Call};
use crate::core::fields;
use crate::core::name;
use crate::core::pending::Waiting;
use crate::core::shown::Shown;
use crate::core::verdict::Basis;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// Blanks before what belongs to the row above.
const INDENT: usize = 2;

/// All there is to read of the question, from who asks to what would be sent.
pub fn rows(waiting: &Waiting, width: usize, theme: &Theme) -> Vec<Row> {
    let call = &waiting.call;
    let Basis::Question {
        server,
        message,
        tool,
        open,
    } = &call.basis
    else {
        return Vec::new();
    };
    let head = Row::new()
        .with(&name::shown(server), theme.accent)
        .with(" says, in words of its own", theme.dim);
    let mut rows = head.wrapped(width, Breaks::Words);
    rows.extend(block(&Shown::strict(message.trim_end()), width, theme));
    rows.extend(during(tool, *open, theme).wrapped(width, Breaks::Words));
    rows.push(Row::new());
    match call.schema.as_ref().filter(|_| call.metadata.is_some()) {
        Some(schema) => rows.extend(wanted(&asked::members(schema.value()), width, theme)),
        None => rows.extend(line("it wants you to visit", width, theme)),
    }
    let fields = fields::fields(&call.arguments);
    if call.metadata.is_some() && fields.is_empty() {
        rows.extend(line("the answer is empty as it stands", width, theme));
    } else {
        if call.metadata.is_some() {
            rows.extend(line("the answer as it stands", width, theme));
        }
        rows.extend(values(&fields, &waiting.marks, width, theme));
    }
    rows.push(Row::new());
    rows.extend(answers(call, width, theme));
    rows
}

fn line(words: &'static str, width: usize, theme: &Theme) -> Vec<Row> {
    Row::new()
        .with(words, theme.dim)
        .wrapped(width, Breaks::Words)
}

/// For which call it is asked.
fn during(tool: &str, open: usize, theme: &Theme) -> Row {
    if open > 1 {
        return Row::new()
            .with("while it runs ", theme.dim)
            .with(open, theme.text)
            .with(" calls; it does not say for which it asks", theme.dim);
    }
    if tool.is_empty() {
        return Row::new().with("while it runs a call", theme.dim);
    }
    Row::new()
        .with("while it runs ", theme.dim)
        .with(&name::shown(tool), theme.accent)
}

fn wanted(members: &[Member], width: usize, theme: &Theme) -> Vec<Row> {
    if members.is_empty() {
        return line(
            "it wants a yes or no, and nothing to be filled in",
            width,
            theme,
        );
    }
    let mut rows = line("it wants to know", width, theme);
    rows.extend(members.iter().flat_map(|one| member(one, width, theme)));
    rows.push(Row::new());
    rows
}

fn member(member: &Member, width: usize, theme: &Theme) -> Vec<Row> {
    let label = |text: &str| Shown::label(text);
    let name = if member.name.is_empty() {
        Row::new().with("(no name)", theme.dim)
    } else {
        Row::new().with(&name::shown(&member.name), theme.accent)
    };
    let mut first = name
        .with("  ", theme.dim)
        .with(&label(&member.kind), theme.text);
    if member.is_required {
        first = first.with(" · required", theme.warn);
    }
    for limit in &member.limits {
        first = first.with(" · ", theme.dim).with(&label(limit), theme.text);
    }
    if let Some(default) = &member.default {
        first = first
            .with(" · default ", theme.dim)
            .with(&label(default), theme.code);
    }
    let mut rows = hanging(first, 0, width);
    for text in [&member.title, &member.description].into_iter().flatten() {
        rows.extend(indented(&block(
            &Shown::strict(text),
            width.saturating_sub(INDENT),
            theme,
        )));
    }
    for (value, words) in &member.choices {
        let row = Row::new()
            .with("▪ ", theme.dim)
            .with(&label(value), theme.code);
        let row = match words {
            Some(words) => row.with("  ", theme.dim).with(&label(words), theme.text),
            None => row,
        };
        rows.extend(hanging(row, INDENT, width));
    }
    rows
}

fn indented(rows: &[Row]) -> Vec<Row> {
    let indented = rows.iter().cloned();
    indented
        .map(|row| Row::new().padded(INDENT).then(row))
        .collect()
}

/// A row that goes on further to the right than it begins.
fn hanging(row: Row, indent: usize, width: usize) -> Vec<Row> {
    let room = width.saturating_sub(indent + INDENT).max(1);
    let parts = row.wrapped(room, Breaks::Words).into_iter().enumerate();
    let place = |at| if at == 0 { indent } else { indent + INDENT };
    parts
        .map(|(at, part)| Row::new().padded(place(at)).then(part))
        .collect()
}

/// What each answer says to the server.
fn answers(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let asks_to_visit = call.metadata.is_none();
    let approve = if asks_to_visit {
        "tells it that you agree to visit the address; nothing here opens it"
    } else {
        "sends it the answer as it stands"
    };
    let all = [
        (
            Answer::Edit,
            "edit",
            "writes the answer, which must fit, and sends it",
        ),
        (Answer::Approve, "approve", approve),
        (Answer::Reject, "reject", "tells it that you decline"),
        (
            Answer::Fail,
            "fail",
            "tells it that you cancelled: neither yes nor no",
        ),
    ];
    let taken = all.iter().filter(|(answer, ..)| call.answers.take(*answer));
    let rows = taken.flat_map(|(_, word, what)| {
        let row = Row::new()
            .with(*word, theme.strong)
            .with("  ", theme.dim)
            .with(*what, theme.dim);
        hanging(row, 0, width)
    });
    rows.collect()
}
