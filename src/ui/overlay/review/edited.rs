//! What an operator changed of the arguments, value by value.

use super::own;
use crate::core::alike::Changed;
use crate::core::diff::Diff;
use crate::ui::pending::{change, values};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// `- cabin  "first"` and `+ cabin  "economy"`; of a text of several rows, the rows.
pub fn rows(changes: &[Changed], room: usize, theme: &Theme) -> Vec<Row> {
    let rows = changes.iter();
    rows.flat_map(|change| match texts(change) {
        Some(texts) => of_text(change, texts, room, theme),
        None => of_value(change, room, theme),
    })
    .collect()
}

/// Both texts, if there are rows to compare.
fn texts(change: &Changed) -> Option<(&str, &str)> {
    let texts = own::compared(change.before.as_ref(), change.after.as_ref());
    texts.filter(|(before, _)| before.contains('\n'))
}

fn of_text(
    change: &Changed,
    (before, after): (&str, &str),
    room: usize,
    theme: &Theme,
) -> Vec<Row> {
    let field = own::of_value(&change.path.label(), None);
    let head = Row::new()
        .then(values::name(&field, theme))
        .with("  differs in", theme.dim);
    let mut rows = head.wrapped(room, Breaks::Kept);
    rows.extend(change::diff(&Diff::between(before, after), room, theme));
    rows
}

fn of_value(change: &Changed, room: usize, theme: &Theme) -> Vec<Row> {
    let label = change.path.label();
    let sides = [
        ("- ", theme.bad, &change.before),
        ("+ ", theme.good, &change.after),
    ];
    let mut rows = Vec::new();
    for (sign, look, value) in sides {
        let mut sign = Row::new().with(sign, look);
        let field = own::of_value(&label, value.as_ref());
        for row in values::values(&[field], &[], room.saturating_sub(2).max(1), theme) {
            rows.push(std::mem::take(&mut sign).padded(2).then(row));
        }
    }
    rows
}
