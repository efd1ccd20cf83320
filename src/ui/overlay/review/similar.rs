//! Calls of one tool that differ in some arguments: what they share once, then what differs.
//!
//! Nothing is shortened. What differs from most of the calls stands first, with a mark of its own.

use super::sheet::{self, Sheet};
use super::{blocks, found};
use crate::core::alike::{Alike, Changed, Own, Shared, Variant};
use crate::core::decision::Decision;
use crate::core::diff::Diff;
use crate::core::fields::{self, Field, FieldValue};
use crate::core::pending::Waiting;
use crate::core::shown::Shown;
use crate::ui::pending::{arguments, change, strip, values};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words::{self, Scene};

/// Fields that the title names.
const NAMED: usize = 4;
/// Columns before what the calls share, and before what differs.
const INDENT: usize = 4;
/// Columns between what differs and what was found, on one row.
const GAP: usize = 3;

/// `differ in to, subject`
pub fn title(calls: usize, alike: &Alike, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let own = alike.variants.iter().flat_map(|variant| &variant.own);
    let names: indexmap::IndexSet<String> = own.map(|own| own.path.label()).collect();
    let what = if names.is_empty() {
        "differ in what they do"
    } else {
        "differ in "
    };
    let mut row = Row::new().with(what, theme.dim);
    for (at, name) in names.iter().take(NAMED).enumerate() {
        row = row
            .with(if at > 0 { ", " } else { "" }, theme.dim)
            .with(&Shown::label(name), theme.accent);
    }
    if names.len() > NAMED {
        row = row
            .with(" and ", theme.dim)
            .with(names.len() - NAMED, theme.dim)
            .with(" more", theme.dim);
    }
    let kinds = alike.variants.len();
    if kinds < calls {
        row = row
            .with(" · ", theme.dim)
            .then(words::count(kinds, "kind", "kinds", theme.dim));
    }
    row
}

pub fn rows(
    sheet: &mut Sheet,
    (calls, decision): (&[&Waiting], &Decision),
    alike: &Alike,
    width: usize,
    scene: Scene<'_>,
) {
    let theme = scene.theme;
    let room = width.saturating_sub(INDENT).max(1);
    let Some(first) = calls.first() else { return };
    let several = sheet::are_of_several(calls);
    sheet.below(sheet::script(first, room, scene), INDENT);
    sheet.below(arguments::above(first, room, theme), INDENT);
    let in_all = found::in_all(calls);
    if !in_all.is_empty() {
        let all = Row::new()
            .with("found in all ", theme.dim)
            .with(calls.len(), theme.dim);
        sheet.below(vec![all], 2);
        sheet.below(strip::short(&in_all, 0, room, theme), INDENT);
    }
    let rest = arguments::below(first, room, theme);
    let changes = blocks::changes(first, decision);
    if !changes.is_empty() {
        let all = Row::new()
            .with("changed in all ", theme.dim)
            .with(calls.len(), theme.dim);
        sheet.below(vec![all], 2);
        sheet.below(changed(&changes, room, theme), INDENT);
    }
    if !alike.same.is_empty() {
        let all = Row::new()
            .with("the same in all ", theme.dim)
            .with(calls.len(), theme.dim);
        sheet.below(vec![all], 2);
        sheet.below(shared(&alike.same, room, theme), INDENT);
    }
    for most in &alike.most {
        let row = Row::new()
            .with("the same in ", theme.dim)
            .with(most.calls, theme.dim)
            .with(" of ", theme.dim)
            .with(calls.len(), theme.dim);
        sheet.below(vec![row], 2);
        sheet.below(shared(std::slice::from_ref(most), room, theme), INDENT);
    }
    sheet.below(rest, INDENT);
    let below = room.saturating_sub(2).max(1);
    let reads = found::reads_alike(&alike.variants, below, theme);
    for (variant, reads) in alike.variants.iter().zip(reads) {
        let calls: Vec<&Waiting> = variant
            .calls
            .iter()
            .filter_map(|at| calls.get(*at).copied())
            .collect();
        let mut from = Vec::new();
        if several {
            from = sheet::from(&calls, below, scene);
        }
        let mut said = reads;
        if let Some(first) = calls.first() {
            said.extend(found::own(first, &in_all, below, scene));
        }
        let one = One {
            calls: calls.len(),
            from,
            found: said,
        };
        own(sheet, one, (variant, &alike.most), width, scene);
    }
}

/// What there is to say of a variant besides its arguments.
struct One {
    calls: usize,
    from: Vec<Row>,
    found: Vec<Row>,
}

/// Calls that will not run: what tells them apart, on a row each.
pub fn refused(
    sheet: &mut Sheet,
    calls: &[&Waiting],
    alike: &Alike,
    width: usize,
    scene: Scene<'_>,
) {
    let theme = scene.theme;
    let several = sheet::are_of_several(calls);
    for variant in &alike.variants {
        let here = variant
            .calls
            .iter()
            .filter_map(|at| calls.get(*at).copied());
        let here: Vec<&Waiting> = here.collect();
        let Some(first) = here.first() else { continue };
        let mut row = lead(variant, here.len(), theme);
        if several {
            let from = sheet::from(&here, width, scene).into_iter().next();
            row = row.then(from.unwrap_or_default()).with("   ", theme.text);
        }
        let own = inline(&variant.own, theme);
        let own = own.filter(|own| row.width() + own.width() <= width);
        let summary = || Row::new().with(&first.summary, theme.text);
        sheet.start(here.len());
        let row = row.then(own.unwrap_or_else(summary));
        sheet.rows.push(row.fitted(width));
    }
}

/// `  · ×3  `
fn lead(variant: &Variant, calls: usize, theme: &Theme) -> Row {
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

fn field(label: &str, value: Option<&serde_json::Value>) -> Field {
    match value {
        Some(value) => fields::of_value(label, value),
        None => Field {
            name: Shown::label(label),
            value: FieldValue::Json(Shown::literal("(not given)")),
        },
    }
}

/// `- cabin  "first"` and `+ cabin  "economy"`.
fn changed(changes: &[Changed], room: usize, theme: &Theme) -> Vec<Row> {
    let mut rows = Vec::new();
    for change in changes {
        let label = change.path.label();
        let sides = [
            ("- ", theme.bad, &change.before),
            ("+ ", theme.good, &change.after),
        ];
        for (sign, look, value) in sides {
            let mut sign = Row::new().with(sign, look);
            let field = field(&label, value.as_ref());
            for row in values::values(&[field], &[], room.saturating_sub(2).max(1), theme) {
                rows.push(std::mem::take(&mut sign).padded(2).then(row));
            }
        }
    }
    rows
}

fn shared(shared: &[Shared], room: usize, theme: &Theme) -> Vec<Row> {
    let field = |shared: &Shared| field(&shared.path.label(), shared.value.as_ref());
    let fields: Vec<Field> = shared.iter().map(field).collect();
    values::values(&fields, &[], room, theme)
}

/// What one call, or several equal ones, have of their own.
fn own(
    sheet: &mut Sheet,
    One { calls, from, found }: One,
    (variant, most): (&Variant, &[Shared]),
    width: usize,
    scene: Scene<'_>,
) {
    let theme = scene.theme;
    let lead = lead(variant, calls, theme);
    sheet.start(calls);
    let mut from = from.into_iter();
    let words = from.next();
    let mut whole = lead.clone();
    if let Some(words) = &words {
        whole = whole.then(words.clone()).with("   ", theme.text);
    }
    if let Some(row) = inline(&variant.own, theme)
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
    let room = width.saturating_sub(INDENT + 2).max(1);
    if variant.own.is_empty() {
        sheet.below(vec![nothing(theme)], INDENT + 2);
    }
    for own in &variant.own {
        let mut sign = Row::new();
        if own.deviates {
            sign.push("≠", theme.warn);
        }
        for row in value(own, most, room, theme) {
            let sign = std::mem::take(&mut sign);
            let lead = Row::new().padded(INDENT).then(sign);
            sheet.rows.push(lead.padded(INDENT + 2).then(row));
        }
    }
    sheet.below(found, INDENT + 2);
}

/// One value of a call's own. A text of several rows that differs from what most have is shown as the
/// difference: theirs stands above in full.
fn value(own: &Own, most: &[Shared], room: usize, theme: &Theme) -> Vec<Row> {
    let field = of_own(own);
    let theirs = most
        .iter()
        .find(|shared| shared.path == own.path)
        .and_then(|shared| shared.value.as_ref()?.as_str());
    let ours = own.value.as_ref().and_then(serde_json::Value::as_str);
    let Some((theirs, ours)) = theirs.zip(ours.filter(|text| text.contains('\n'))) else {
        return values::values(&[field], &[], room, theme);
    };
    let head = Row::new()
        .then(values::name(&field, theme))
        .with("  differs from most in", theme.dim);
    let mut rows = head.wrapped(room, Breaks::Kept);
    rows.extend(change::diff(&Diff::between(theirs, ours), room, theme));
    rows
}

fn of_own(own: &Own) -> Field {
    field(&own.path.label(), own.value.as_ref())
}

fn nothing(theme: &Theme) -> Row {
    Row::new().with("as most", theme.dim)
}

/// All of it on one row, if that leaves no doubt about where each value ends.
fn inline(own: &[Own], theme: &Theme) -> Option<Row> {
    if own.is_empty() {
        return Some(nothing(theme));
    }
    let mut row = Row::new();
    for own in own {
        let field = of_own(own);
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
