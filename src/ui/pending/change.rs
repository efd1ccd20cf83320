//! What a call would change, as a diff.
//!
//! Owns its looks. Works out no diff.

use crate::core::arguments::Arguments;
use crate::core::call::{Call, Preview};
use crate::core::diff::{Diff, DiffKind};
use crate::core::name;
use crate::core::shown::Shown;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// The change a file edit would make.
pub fn preview(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = head(call, width, theme);
    if !rows.is_empty() {
        rows.extend(body(call, width, theme));
        rows.push(Row::new());
    }
    rows
}

/// What is changed, and how much of it.
pub fn head(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let Some(preview) = &call.preview else {
        return Vec::new();
    };
    if let Some(why) = &preview.fails {
        let row = Row::new()
            .with("this call would fail: ", theme.bad)
            .with(&Shown::label(why), theme.text);
        return row.wrapped(width, Breaks::Kept);
    }
    let mut head = Row::new()
        .with("change of ", theme.dim)
        .with(&Shown::label(&preview.path), theme.strong)
        .with("  +", theme.good)
        .with(preview.diff.added, theme.good)
        .with(" −", theme.bad)
        .with(preview.diff.removed, theme.bad);
    if preview.before.is_none() {
        head.push("  new file", theme.warn);
    }
    if preview.diff.is_empty() {
        head.push("  nothing changes", theme.dim);
    }
    if let Some(name) = content(call, preview) {
        head = head
            .with("; its text is the argument ", theme.dim)
            .with(&name::shown(name), theme.accent);
    }
    head.wrapped(width, Breaks::Kept)
}

/// That an edit names another file than the one whose change was shown.
pub fn elsewhere(call: &Call, edited: &Arguments, width: usize, theme: &Theme) -> Vec<Row> {
    let path = |arguments: &Arguments| arguments.value().get("path").cloned();
    if call.preview.is_none() || path(&call.arguments) == path(edited) {
        return Vec::new();
    }
    let row = Row::new()
        .with("! ", theme.warn)
        .with(
            "another file than the one whose change was shown: ",
            theme.warn,
        )
        .with(
            "what it holds is not shown, and no text takes its place",
            theme.text,
        );
    row.wrapped(width, Breaks::Words)
}

/// The change row by row. The text of a new file is its content and nothing else: where an argument is that
/// text, the argument shows it.
pub fn body(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
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
