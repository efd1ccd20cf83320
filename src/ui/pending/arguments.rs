//! All of a call's arguments as rows, with why it waits and what it would change.
//!
//! Owns the layout of values. Nothing is left out and nothing can be imitated: a value in quotes holds
//! no quote, anything else stands in a block whose every row begins with a gutter.

use super::change;
use super::question;
use super::review;
use super::strip::{self, Strip};
use crate::core::call::{Answer, Call, Origin};
use crate::core::decision::{Decision, Reach};
use crate::core::diff::Diff;
use crate::core::fields::{self, Field, FieldValue};
use crate::core::pending::{Stage, Waiting};
use crate::core::places::Mark;
use crate::core::shown::{BREAK, OPEN, Shown};
use crate::core::verdict::Basis;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words;

/// A longer name stands on a row of its own.
const LONGEST_NAME: usize = 24;

/// All there is to read before a decision.
pub fn rows(waiting: &Waiting, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    let call = &waiting.call;
    let mut rows = above(waiting, strip, width, theme);
    if matches!(call.basis, Basis::Question { .. }) {
        rows.extend(question::rows(waiting, width, theme));
        rows.extend(limits(call, width, theme));
        return rows;
    }
    // What it would change says more than the text it would write, so it comes first.
    rows.extend(change::preview(call, width, theme));
    let fields = fields::fields(&call.arguments);
    rows.extend(values(&fields, &waiting.marks, width, theme));
    rows.extend(below(waiting, width, theme));
    rows
}

/// What there is to read before the arguments.
pub fn above(waiting: &Waiting, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    let call = &waiting.call;
    let mut rows = Vec::new();
    if let Some(failure) = &waiting.failure {
        let text = Row::new()
            .with("✗ not recorded: ", theme.bad)
            .with(&Shown::label(failure), theme.text)
            .with(" · nothing has run; decide again", theme.dim);
        rows.extend(text.wrapped(width, Breaks::Words));
    }
    rows.extend(whole_name(waiting, width, theme));
    rows.extend(reaches(waiting, width, theme));
    rows.extend(decided(waiting, width, theme));
    rows.extend(warnings(call, width, theme));
    rows.extend(review::late(waiting, width, theme));
    rows.extend(review::all(call, width, theme));
    if words::is_unknown(waiting) {
        rows.extend(unknown(call, width, theme));
    }
    rows.extend(strip::rows(&waiting.findings, strip, width, theme));
    rows
}

/// What there is to read after the arguments.
pub fn below(waiting: &Waiting, width: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = why(waiting, width, theme);
    rows.extend(limits(&waiting.call, width, theme));
    rows
}

/// What the framework of a deferred call would not act on, so that nobody looks for it.
fn limits(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let all = [
        (Answer::Approve, "approval"),
        (Answer::Edit, "edit"),
        (Answer::Reject, "rejection"),
        (Answer::Reason, "reason"),
        (Answer::Respond, "result"),
    ];
    let missing = all.iter().filter(|(answer, _)| !call.answers.take(*answer));
    let missing: Vec<&str> = missing.map(|(_, word)| *word).collect();
    if call.origin != Origin::File || missing.is_empty() {
        return Vec::new();
    }
    let mut row = Row::new().with("its framework takes no ", theme.dim);
    for (at, word) in missing.iter().enumerate() {
        let before = if at == 0 { "" } else { ", no " };
        row = row.with(before, theme.dim).with(*word, theme.warn);
    }
    let mut rows = vec![Row::new()];
    rows.extend(row.wrapped(width, Breaks::Words));
    rows
}

/// What may have happened already, and so what each answer means here.
fn unknown(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let mut row = Row::new().with("! outcome unknown", theme.bad);
    if let Some(reason) = call.basis.reason() {
        row = row
            .with(": ", theme.bad)
            .with(&Shown::label(reason), theme.text);
    }
    let mut rows = row.wrapped(width, Breaks::Words);
    rows.push(Row::new());
    rows
}

/// That a yes or no is to hold for later calls too.
fn reaches(waiting: &Waiting, width: usize, theme: &Theme) -> Vec<Row> {
    let reach = waiting.reach;
    if reach == Reach::Once {
        return Vec::new();
    }
    let answers = &waiting.call.answers;
    let lasts = |decision: &Decision| decision.lasts(reach).is_some_and(|a| answers.take(a));
    let yes = Decision::Approve { arguments: None };
    let no = Decision::Reject {
        reason: String::new(),
    };
    let holds = match (lasts(&yes), lasts(&no)) {
        (true, true) => ": approving or rejecting holds for later calls too",
        (true, false) => ": approving holds for later calls too; rejecting does not",
        (false, true) => ": rejecting holds for later calls too; approving does not",
        (false, false) => ": nothing of it holds for later calls",
    };
    let row = Row::new()
        .with(words::reach(reach), theme.warn)
        .with(holds, theme.text);
    row.wrapped(width, Breaks::Words)
}

/// What is odd about the call.
fn warnings(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let rows = call.warnings.iter().flat_map(|warning| {
        let row = Row::new()
            .with("! ", theme.bad)
            .with(&Shown::label(warning), theme.warn);
        row.wrapped(width, Breaks::Kept)
    });
    rows.collect()
}

/// The tool's name, where it is too long for the list and the title to show it whole.
fn whole_name(waiting: &Waiting, width: usize, theme: &Theme) -> Vec<Row> {
    let name = Row::new().with(&waiting.tool, theme.strong);
    if name.width() <= LONGEST_NAME.min(width / 2) {
        return Vec::new();
    }
    let mut rows = vec![Row::new().with("tool", theme.dim)];
    rows.extend(block(&waiting.tool, width, theme));
    rows
}

/// What the decision that is held or being recorded says.
fn decided(waiting: &Waiting, width: usize, theme: &Theme) -> Vec<Row> {
    let (Stage::Held { ruling, .. } | Stage::Recording { ruling }) = &waiting.stage else {
        return Vec::new();
    };
    let look = words::decision_look(ruling.decision.answer(), theme);
    let head = Row::new()
        .with(words::decision_mark(ruling.decision.answer()), look)
        .with(" ", look)
        .with(ruling.decision.word(), look)
        .with(" by ", theme.dim)
        .with(&Shown::label(&ruling.who), theme.dim);
    let mut rows = head.wrapped(width, Breaks::Words);
    rows.extend(decision(
        call_arguments(waiting),
        &ruling.decision,
        width,
        theme,
    ));
    rows
}

fn call_arguments(waiting: &Waiting) -> &crate::core::arguments::Arguments {
    &waiting.call.arguments
}

/// What a decision carries: the edit as a diff, the reason, the result, the message.
pub fn decision(
    proposed: &crate::core::arguments::Arguments,
    decision: &Decision,
    width: usize,
    theme: &Theme,
) -> Vec<Row> {
    match decision {
        Decision::Approve { arguments: None } => Vec::new(),
        Decision::Approve {
            arguments: Some(edited),
        } => {
            let (before, after) = (fields::editable(proposed), fields::editable(edited));
            change::diff(
                &Diff::between(&(before + "\n"), &(after + "\n")),
                width,
                theme,
            )
        }
        Decision::Reject { reason: text }
        | Decision::Respond { result: text }
        | Decision::Retry { message: text }
        | Decision::Fail { message: text } => {
            if text.is_empty() {
                return Vec::new();
            }
            block(&Shown::strict(text), width, theme)
        }
    }
}

/// Names in one column, values in the other.
pub fn values(fields: &[Field], marks: &[Mark], width: usize, theme: &Theme) -> Vec<Row> {
    if fields.is_empty() {
        return vec![Row::new().with("no arguments", theme.dim)];
    }
    let widths = fields.iter().map(|field| name(field, theme).width());
    let fits = |width: &usize| *width <= LONGEST_NAME;
    let column = widths.filter(fits).max().unwrap_or(0).min(width / 3);
    fields
        .iter()
        .enumerate()
        .flat_map(|(at, field)| {
            let start = marks.partition_point(|mark| mark.field < at);
            let end = marks.partition_point(|mark| mark.field <= at);
            value(field, &marks[start..end], (column, width), theme)
        })
        .collect()
}

pub fn name(field: &Field, theme: &Theme) -> Row {
    if field.name.is_empty() {
        return Row::new().with("(no name)", theme.dim);
    }
    Row::new().with(&field.name, theme.accent)
}

fn value(
    field: &Field,
    marks: &[Mark],
    (column, width): (usize, usize),
    theme: &Theme,
) -> Vec<Row> {
    let name = name(field, theme);
    let room = width.saturating_sub(column + 2);
    if let Some(inline) = inline(&field.value, marks, theme).filter(|row| row.width() <= room) {
        if name.width() <= column {
            return vec![name.padded(column + 2).then(inline)];
        }
        let mut rows = name.wrapped(width, Breaks::Anywhere);
        rows.push(Row::new().padded(column + 2).then(inline));
        return rows;
    }
    let kind = kind(&field.value, theme);
    let mut rows = if name.width() + 2 + kind.width() <= width {
        vec![name.padded(column + 2).then(kind)]
    } else {
        name.wrapped(width, Breaks::Anywhere)
    };
    rows.extend(marked_block(field.value.shown(), marks, width, theme));
    rows
}

/// The value on the row of its name, if that leaves no doubt about where it ends.
pub fn inline(value: &FieldValue, marks: &[Mark], theme: &Theme) -> Option<Row> {
    let marked = |row: Row| {
        marks
            .iter()
            .fold(row, |row, mark| row.marked(&mark.range, theme.place))
    };
    match value {
        FieldValue::Text(text) => {
            let plain = !text.as_str().contains(['"', '\\', '\n']);
            plain.then(|| {
                Row::new()
                    .with("\"", theme.dim)
                    .then(marked(Row::new().with(text, theme.text)))
                    .with("\"", theme.dim)
            })
        }
        FieldValue::Json(json) => {
            let short = !json.as_str().contains('\n');
            short.then(|| marked(Row::new().with(json, theme.code)))
        }
    }
}

fn kind(value: &FieldValue, theme: &Theme) -> Row {
    let shown = value.shown();
    match value {
        FieldValue::Text(_) => {
            let characters = shown.as_str().chars().filter(|c| *c != '\n').count();
            let rows = Row::new().with("text · ", theme.dim).then(words::count(
                lines(shown),
                "row",
                "rows",
                theme.dim,
            ));
            // What is written out is longer than what stands there, so no count is given then.
            if shown.as_str().contains(OPEN) {
                return rows.with(" · unusual characters", theme.warn);
            }
            rows.with(" · ", theme.dim).then(words::count(
                characters,
                "character",
                "characters",
                theme.dim,
            ))
        }
        FieldValue::Json(_) => Row::new().with("JSON · ", theme.dim).then(words::count(
            shown.rows().count(),
            "row",
            "rows",
            theme.dim,
        )),
    }
}

/// The rows of a text. A break at its end is marked on the row that it ends, so no empty row says it
/// again.
fn lines(text: &Shown) -> usize {
    let rows = text.rows().count();
    let ended = text.as_str().strip_suffix('\n').unwrap_or(text.as_str());
    rows - usize::from(rows > 1 && ended.ends_with(BREAK))
}

/// A text between gutters: `│` before each of its rows, `┆` before what goes on from the row above.
pub fn block(text: &Shown, width: usize, theme: &Theme) -> Vec<Row> {
    marked_block(text, &[], width, theme)
}

/// The same, with these places of it highlighted.
fn marked_block(text: &Shown, marks: &[Mark], width: usize, theme: &Theme) -> Vec<Row> {
    let room = width.saturating_sub(2).max(1);
    let mut rows = Vec::new();
    let mut offset = 0;
    for (row, shown) in Row::split(text, theme.text)
        .zip(text.rows())
        .take(lines(text))
    {
        let end = offset + shown.len();
        let here = marks.iter().map(|mark| &mark.range);
        let here = here.filter(|range| range.start < end && range.end > offset);
        let row = here.fold(row, |row, range| {
            let range = range.start.saturating_sub(offset)..range.end - offset;
            row.marked(&range, theme.place)
        });
        offset = end + 1;
        for (at, part) in row.wrapped(room, Breaks::Kept).into_iter().enumerate() {
            let gutter = if at == 0 { "│ " } else { "┆ " };
            rows.push(Row::new().with(gutter, theme.dim).then(part));
        }
    }
    rows
}

/// The reason the rule or the tool gives, and what the tool sent along.
fn why(waiting: &Waiting, width: usize, theme: &Theme) -> Vec<Row> {
    let call = &waiting.call;
    let mut rows = Vec::new();
    let reason = call.basis.reason();
    let reason = reason.filter(|_| !words::is_unknown(waiting));
    if let Some(reason) = reason.filter(|reason| reason.trim_end().contains('\n')) {
        rows.push(Row::new());
        rows.push(Row::new().with("why", theme.dim));
        rows.extend(block(&Shown::strict(reason.trim_end()), width, theme));
    } else if let Some(reason) = reason {
        rows.push(Row::new());
        let row = Row::new()
            .with("why  ", theme.dim)
            .with(&Shown::label(reason), theme.text);
        for (at, part) in row
            .wrapped(width.saturating_sub(5).max(1), Breaks::Words)
            .into_iter()
            .enumerate()
        {
            rows.push(if at == 0 {
                part
            } else {
                Row::new().padded(5).then(part)
            });
        }
    }
    if let Some(metadata) = &call.metadata {
        rows.push(Row::new());
        rows.push(Row::new().with("sent along by the tool", theme.dim));
        let text = Shown::laid_out(&fields::pretty(&metadata.to_string()));
        rows.extend(block(&text, width, theme));
    }
    rows
}
