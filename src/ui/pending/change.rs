//! What a call would change, as a diff.
//!
//! Owns its looks. Works out no diff.

use crate::core::call::Call;
use crate::core::diff::{Diff, DiffKind};
use crate::core::shown::Shown;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// The change a file edit would make.
pub fn preview(call: &Call, width: usize, theme: &Theme) -> Vec<Row> {
    let Some(preview) = &call.preview else {
        return Vec::new();
    };
    if let Some(why) = &preview.fails {
        let row = Row::new()
            .with("this call would fail: ", theme.bad)
            .with(&Shown::label(why), theme.text);
        let mut rows = row.wrapped(width, Breaks::Kept);
        rows.push(Row::new());
        return rows;
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
    let mut rows = head.wrapped(width, Breaks::Kept);
    rows.extend(diff(&preview.diff, width, theme));
    rows.push(Row::new());
    rows
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
