//! What a call would change, as a diff.
//!
//! Owns its looks. Works out no diff.

use super::signed::{Look, Signed};
use crate::app::rewritten::Change;
use crate::core::call::{Call, Preview};
use crate::core::diff::{Diff, DiffKind};
use crate::core::name;
use crate::core::pending::Waiting;
use crate::core::shown::Shown;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// The change that what runs would make of a file.
pub fn preview(signed: Signed<'_>, width: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = head(signed, Beside::Nothing, width, theme);
    if !rows.is_empty() {
        rows.extend(body(signed, width, theme));
        rows.push(Row::new());
    }
    rows
}

/// What stands beside the words of a change already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    Nothing,
    /// The arguments, with the path among them.
    Arguments,
}

/// What is changed, and how much of it; of edited arguments also that it is not known, or of another file.
pub fn head(signed: Signed<'_>, beside: Beside, width: usize, theme: &Theme) -> Vec<Row> {
    let words = match signed.look() {
        Look::Proposed => return of_call(&signed.call.call, beside, width, theme),
        Look::Unlooked if signed.call.call.preview.is_none() => return Vec::new(),
        Look::Rewritten(Change::None) => return Vec::new(),
        Look::Rewritten(Change::Asked) => {
            let row = Row::new().with("… working out what this would change", theme.warn);
            return row.wrapped(width, Breaks::Words);
        }
        Look::Unlooked | Look::Rewritten(Change::Unknown) => Some(
            "what this would change is not known here; all of the new text stands in the arguments",
        ),
        Look::Rewritten(Change::Known) => other(signed),
    };
    let mut rows = words.map_or_else(Vec::new, |words| {
        let row = Row::new().with("! ", theme.warn).with(words, theme.warn);
        row.wrapped(width, Breaks::Words)
    });
    if signed.look() == Look::Rewritten(Change::Known) {
        rows.extend(of_call(&signed.runs.call, beside, width, theme));
    }
    rows
}

/// What an edit has made different from what was shown when the call came.
fn other(signed: Signed<'_>) -> Option<&'static str> {
    let path = |waiting: &Waiting| waiting.call.arguments.value().get("path").cloned();
    let file = |waiting: &Waiting| waiting.call.preview.as_ref().and_then(Preview::file);
    if path(signed.call) != path(signed.runs) {
        return Some("another file than the one whose change was shown when the call came");
    }
    let now = file(signed.runs)?;
    let is_same = file(signed.call).is_some_and(|before| before == now);
    (!is_same).then_some("the file is not what it was when the call came")
}

fn of_call(call: &Call, beside: Beside, width: usize, theme: &Theme) -> Vec<Row> {
    let Some(preview) = &call.preview else {
        return Vec::new();
    };
    if let Some(why) = &preview.fails {
        let row = Row::new()
            .with("this call would fail: ", theme.bad)
            .with(&Shown::label(why), theme.text);
        return row.wrapped(width, Breaks::Kept);
    }
    let given = call.arguments.value().get("path");
    let is_beside = beside == Beside::Arguments
        && given.and_then(|path| path.as_str()) == Some(preview.path.as_str());
    let head = if is_beside {
        Row::new().with("change ", theme.dim)
    } else {
        Row::new()
            .with("change of ", theme.dim)
            .with(&Shown::label(&name::quoted(&preview.path)), theme.strong)
            .with("  ", theme.text)
    };
    let mut head = head
        .with("+", theme.good)
        .with(preview.diff.added, theme.good)
        .with(" −", theme.bad)
        .with(preview.diff.removed, theme.bad);
    if preview.before.is_none() {
        head.push("  new file", theme.warn);
    }
    if preview.diff.is_empty() {
        head.push("  nothing changes", theme.dim);
    }
    if let Some(name) = content(call, preview).filter(|_| !is_beside) {
        head = head
            .with("; its text is the argument ", theme.dim)
            .with(&name::shown(name), theme.accent);
    }
    head.wrapped(width, Breaks::Kept)
}

/// The change row by row. The text of a new file is its content and nothing else: where an argument is that
/// text, the argument shows it.
pub fn body(signed: Signed<'_>, width: usize, theme: &Theme) -> Vec<Row> {
    let call = match signed.look() {
        Look::Proposed | Look::Rewritten(_) => &signed.runs.call,
        Look::Unlooked => return Vec::new(),
    };
    let shown = call
        .preview
        .as_ref()
        .filter(|preview| preview.fails.is_none() && content(call, preview).is_none());
    shown.map_or_else(Vec::new, |preview| diff(&preview.diff, width, theme))
}

/// The argument that is the whole text of the new file, row by row what the change would add.
fn content<'a>(call: &'a Call, preview: &Preview) -> Option<&'a str> {
    if preview.before.is_some() || preview.diff.added == 0 || preview.diff.removed > 0 {
        return None;
    }
    let arguments = call.arguments.value().as_object()?;
    let is_all = |text: &str| {
        text.split_inclusive('\n').count() == preview.diff.added
            && Diff::between("", text) == preview.diff
    };
    let mut texts = arguments.iter();
    let found = texts.find(|(_, value)| value.as_str().is_some_and(is_all))?;
    Some(found.0)
}

/// A unified diff: the sign stands in a column of its own, so no row of the text can imitate it.
pub fn diff(diff: &Diff, width: usize, theme: &Theme) -> Vec<Row> {
    let room = width.saturating_sub(2).max(1);
    let mut rows = Vec::with_capacity(diff.rows.len());
    for row in &diff.rows {
        let (sign, look) = match row.kind {
            DiffKind::Hunk => ("@ ", theme.dim),
            DiffKind::Same => ("  ", theme.text),
            DiffKind::Added => ("+ ", theme.good),
            DiffKind::Removed => ("- ", theme.bad),
        };
        let text = Row::new().with(&row.text, look);
        for (at, part) in text.wrapped(room, Breaks::Kept).into_iter().enumerate() {
            let edge = if at == 0 { sign } else { "┆ " };
            rows.push(Row::new().with(edge, look).then(part));
        }
    }
    rows
}
