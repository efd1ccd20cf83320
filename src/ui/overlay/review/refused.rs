//! Calls that will not run: what tells them apart, on a row each.
//!
//! Owns how a row is shortened: no value pushes the name of the next one off it. Nothing of these calls runs, so
//! none of it needs to be read whole.

use super::own::{self, GAP};
use super::sheet::{self, Sheet};
use crate::core::alike::{Alike, Own};
use crate::core::shown::Shown;
use crate::ui::pending::signed::Signed;
use crate::ui::pending::values;
use crate::ui::text::Row;
use crate::ui::theme::Theme;
use crate::ui::words::Scene;

/// Columns that a shortened value has at least.
const LEAST: usize = 6;

pub fn rows(
    sheet: &mut Sheet,
    calls: &[Signed<'_>],
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
        let here: Vec<Signed<'_>> = here.collect();
        let mut row = own::lead(variant, here.len(), theme);
        if several {
            let from = sheet::from(&here, width, scene).into_iter().next();
            row = row.then(from.unwrap_or_default()).with("   ", theme.text);
        }
        sheet.start(here.len());
        let room = width.saturating_sub(row.width());
        sheet
            .rows
            .push(row.then(own(&variant.own, room, theme)).fitted(width));
    }
}

/// `≠ path "n/f0.md"   content "#!/bin/sh⏎…`: each with its name, whatever it is.
fn own(own: &[Own], room: usize, theme: &Theme) -> Row {
    if own.is_empty() {
        return own::nothing(theme);
    }
    let parts: Vec<(Row, Row)> = own.iter().map(|own| part(own, theme)).collect();
    let names: usize = parts.iter().map(|(name, _)| name.width()).sum();
    let all: usize = parts.iter().map(|(_, value)| value.width()).sum();
    let gaps = GAP * (parts.len() - 1);
    let left = room.saturating_sub(names + gaps);
    let share = if all <= left {
        all
    } else {
        (left / parts.len()).max(LEAST)
    };
    let joined = parts
        .into_iter()
        .map(|(name, value)| name.then(value.fitted(share)));
    let join = |row: Row, part| row.then(Row::new().padded(GAP)).then(part);
    joined.reduce(join).unwrap_or_default()
}

/// The name, and the value on one row.
fn part(own: &Own, theme: &Theme) -> (Row, Row) {
    let field = own::field(own);
    let mut name = Row::new();
    if own.deviates {
        name.push("≠ ", theme.warn);
    }
    let name = name.then(values::name(&field, theme)).with(" ", theme.text);
    // On one row the text of the JSON is the only form in which nothing imitates what follows it.
    let value = values::inline(&field.value, &[], theme).unwrap_or_else(|| {
        let text = own.value.as_ref().map(ToString::to_string);
        Row::new().with(&Shown::label(&text.unwrap_or_default()), theme.code)
    });
    (name, value)
}
