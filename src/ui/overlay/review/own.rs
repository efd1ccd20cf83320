//! What one of several calls that are alike has of its own.
//!
//! Owns its looks. Nothing is shortened.

use super::sheet::Sheet;
use crate::core::alike::{Own, Shared, Variant};
use crate::core::diff::Diff;
use crate::core::fields::{self, Field, FieldValue};
use crate::core::name;
use crate::core::shown::Shown;
use crate::ui::pending::{change, values};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words;

/// Columns before what the calls share, and before what differs.
pub const INDENT: usize = 4;
/// Columns between what differs and what was found, on one row.
pub const GAP: usize = 3;

/// Bytes of two texts that are compared row by row.
const COMPARED: usize = 32 * 1024;

/// What there is to say of a variant besides its arguments.
pub struct One {
    pub calls: usize,
    pub from: Vec<Row>,
    pub found: Vec<Row>,
    /// What is said of one that has nothing of its own.
    pub nothing: Row,
}

/// `  · ×3  `
pub fn lead(variant: &Variant, calls: usize, theme: &Theme) -> Row {
    let (mark, look) = if variant.deviates() {
        ("! ", theme.warn)
    } else {
        ("· ", theme.dim)
    };
    let lead = Row::new().with("  ", look).with(mark, look);
    if calls < 2 {
        return lead;
    }
    lead.with("×", theme.strong)
        .with(calls, theme.strong)
        .with("  ", theme.text)
}

/// What one call, or several equal ones, have of their own.
pub fn rows(
    sheet: &mut Sheet,
    one: One,
    (variant, most): (&Variant, &[Shared]),
    width: usize,
    theme: &Theme,
) {
    let One {
        calls,
        from,
        found,
        nothing,
    } = one;
    let lead = lead(variant, calls, theme);
    sheet.start(calls);
    let mut from = from.into_iter();
    let words = from.next();
    let mut whole = lead.clone();
    if let Some(words) = &words {
        whole = whole.then(words.clone()).with("   ", theme.text);
    }
    let inline = if variant.own.is_empty() {
        Some(nothing.clone())
    } else {
        inline(&variant.own, theme)
    };
    if let Some(row) = inline
        && from.len() == 0
        && whole.width() + row.width() <= width
    {
        whole = whole.then(row);
        // The first of what is said of a call stands on its row, if there is room.
        let mut found = found;
        let fits = |first: &Row| whole.width() + GAP + first.width() <= width;
        if found.first().is_some_and(fits) {
            let first = found.remove(0);
            whole = whole.then(Row::new().padded(GAP)).then(first);
        }
        sheet.rows.push(whole);
        sheet.below(found, INDENT + 2);
        return;
    }
    let words = words.unwrap_or_else(|| words::count(calls, "call", "calls", theme.dim));
    let head = lead.then(words).wrapped(width, Breaks::Words);
    sheet.rows.extend(head);
    sheet.below(from.collect(), INDENT + 2);
    if variant.own.is_empty() {
        sheet.below(vec![nothing], INDENT + 2);
    }
    for own in &variant.own {
        sheet.rows.extend(marked(own, most, width, theme));
    }
    sheet.below(found, INDENT + 2);
}

/// One value, with a mark where most have another one.
pub fn marked(own: &Own, most: &[Shared], width: usize, theme: &Theme) -> Vec<Row> {
    let room = width.saturating_sub(INDENT + 2).max(1);
    let mut sign = Row::new();
    if own.deviates {
        sign.push("≠", theme.warn);
    }
    let rows = value(own, most, room, theme).into_iter();
    rows.map(|row| {
        let sign = std::mem::take(&mut sign);
        let lead = Row::new().padded(INDENT).then(sign);
        lead.padded(INDENT + 2).then(row)
    })
    .collect()
}

/// A text of several rows that differs from what most have is shown as the difference: theirs stands above in
/// full.
fn value(own: &Own, most: &[Shared], room: usize, theme: &Theme) -> Vec<Row> {
    let field = field(own);
    let theirs = most
        .iter()
        .find(|shared| shared.path == own.path)
        .and_then(|shared| shared.value.as_ref());
    let Some((theirs, ours)) = compared(theirs, own.value.as_ref()) else {
        return values::values(&[field], &[], room, theme);
    };
    let head = Row::new()
        .then(values::name(&field, theme))
        .with("  differs from most in", theme.dim);
    let mut rows = head.wrapped(room, Breaks::Kept);
    rows.extend(change::diff(&Diff::between(theirs, ours), room, theme));
    rows
}

/// Two texts of which the difference is shown: what is long is not compared, since many calls may be so, and
/// nobody waits for that. It is shown as it is.
pub fn compared<'a>(
    theirs: Option<&'a serde_json::Value>,
    ours: Option<&'a serde_json::Value>,
) -> Option<(&'a str, &'a str)> {
    let (theirs, ours) = (theirs?.as_str()?, ours?.as_str()?);
    let is_compared = ours.contains('\n') && theirs.len() + ours.len() <= COMPARED;
    is_compared.then_some((theirs, ours))
}

pub fn field(own: &Own) -> Field {
    of_value(&own.path.label(), own.value.as_ref())
}

/// A value that may not be there.
pub fn of_value(label: &str, value: Option<&serde_json::Value>) -> Field {
    match value {
        Some(value) => fields::of_value(label, value),
        None => Field {
            name: name::shown(label),
            value: FieldValue::Json(Shown::literal("(not given)")),
        },
    }
}

pub fn nothing(theme: &Theme) -> Row {
    Row::new().with("as most", theme.dim)
}

/// All of it on one row, if that leaves no doubt about where each value ends.
pub fn inline(own: &[Own], theme: &Theme) -> Option<Row> {
    let mut row = Row::new();
    for own in own {
        let field = field(own);
        let value = values::inline(&field.value, &[], theme)?;
        let gap = if row.is_empty() { "" } else { "   " };
        row.push(gap, theme.text);
        if own.deviates {
            row.push("≠ ", theme.warn);
        }
        row = row
            .then(values::name(&field, theme))
            .with(" ", theme.text)
            .then(value);
    }
    Some(row)
}
