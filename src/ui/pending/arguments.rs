//! All there is to read of a call before a decision, as rows: why it waits, what it would change, its arguments.
//!
//! Owns their order, and the words around the arguments; the layout of values is `values`.

use super::change;
use super::question;
use super::review;
use super::signed::{Look, Signed};
use super::strip::{self, Strip};
use super::values::{LONGEST_NAME, block, values};
use crate::core::call::{Answer, Call, Origin};
use crate::core::decision::{Decision, Reach};
use crate::core::diff::Diff;
use crate::core::fields;
use crate::core::pending::{Stage, Waiting};
use crate::core::shown::Shown;
use crate::core::verdict::Basis;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words;

/// All there is to read before a decision.
pub fn rows(signed: Signed<'_>, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = above(signed.call, width, theme);
    rows.extend(body(signed, strip, width, theme));
    rows
}

/// What runs: what was found in it, what it would change, and its arguments.
pub fn body(signed: Signed<'_>, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = found(signed, strip, width, theme);
    // A question shows what it asks for before what would be sent.
    if !is_question(&signed.call.call) {
        // What it would change says more than the text it would write, so it comes first.
        rows.extend(change::preview(signed, width, theme));
        rows.extend(values(&signed.fields(), signed.marks(), width, theme));
    }
    rows.extend(below(signed.runs, width, theme));
    rows
}

/// What was found in the arguments that run.
pub fn found(signed: Signed<'_>, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    match signed.look() {
        Look::Proposed | Look::Rewritten(_) => {
            strip::rows(&signed.runs.findings, strip, width, theme)
        }
        Look::Unlooked => Vec::new(),
    }
}

/// What there is to read before the arguments, but for what was found in them.
pub fn above(waiting: &Waiting, width: usize, theme: &Theme) -> Vec<Row> {
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
    rows
}

const fn is_question(call: &Call) -> bool {
    matches!(call.basis, Basis::Question { .. })
}

/// What there is to read after the arguments.
pub fn below(waiting: &Waiting, width: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = if is_question(&waiting.call) {
        question::rows(waiting, width, theme)
    } else {
        why(waiting, width, theme)
    };
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
