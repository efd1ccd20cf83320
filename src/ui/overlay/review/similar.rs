//! Calls of one tool that differ in some arguments: what they share once, then what differs.
//!
//! Nothing is shortened. What differs from most of the calls stands first, with a mark of its own.

use std::collections::HashMap;

use super::own::{self, INDENT};
use super::sheet::{self, Sheet};
use super::together::{self, Part};
use super::{blocks, edited, found};
use crate::core::alike::{Alike, Shared};
use crate::core::fields::Field;
use crate::core::finding::Finding;
use crate::core::name;
use crate::ui::pending::change::{self, Beside};
use crate::ui::pending::signed::Signed;
use crate::ui::pending::{arguments, strip, values};
use crate::ui::text::Row;
use crate::ui::theme::Theme;
use crate::ui::words::{self, Scene};

/// Fields that the title names.
const NAMED: usize = 4;

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
            .with(&name::shown(name), theme.accent);
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
    calls: &[Signed<'_>],
    alike: &Alike,
    width: usize,
    scene: Scene<'_>,
) {
    let theme = scene.theme;
    let room = width.saturating_sub(INDENT).max(1);
    let Some(first) = calls.first().copied() else {
        return;
    };
    sheet.below(sheet::script(first.call, room, scene), INDENT);
    sheet.below(arguments::above(first.call, room, theme), INDENT);
    let in_all = found::in_all(calls);
    let all = calls.len();
    let under = |sheet: &mut Sheet, words, rows: Vec<Row>| {
        if !rows.is_empty() {
            let words = Row::new().with(words, theme.dim).with(all, theme.dim);
            sheet.below(vec![words], 2);
            sheet.below(rows, INDENT);
        }
    };
    let found = strip::named(&in_all, 0, room, theme);
    under(sheet, "found in all ", found);
    let changes = edited::rows(&blocks::changes(first), room, theme);
    under(sheet, "changed in all ", changes);
    if !alike.same.is_empty() {
        under(sheet, "the same in all ", shared(&alike.same, room, theme));
    }
    for most in &alike.most {
        let row = of_all(
            Row::new().with("the same in ", theme.dim),
            most.calls,
            all,
            theme,
        );
        sheet.below(vec![row], 2);
        sheet.below(shared(std::slice::from_ref(most), room, theme), INDENT);
    }
    sheet.below(arguments::below(first.runs, room, theme), INDENT);
    let group = Group {
        in_all,
        most: &alike.most,
        all,
        several: sheet::are_of_several(calls),
        width,
    };
    group.variants(sheet, calls, alike, scene);
}

/// `3 of 7`.
fn of_all(row: Row, some: usize, all: usize, theme: &Theme) -> Row {
    row.with(some, theme.dim)
        .with(" of ", theme.dim)
        .with(all, theme.dim)
}

/// Calls that stand together: what was said of all of them.
struct Group<'a> {
    in_all: Vec<&'a Finding>,
    most: &'a [Shared],
    all: usize,
    /// They are of several sessions.
    several: bool,
    width: usize,
}

impl<'a> Group<'a> {
    /// What not all of them have: what some share once, with the calls that share it below.
    fn variants(&self, sheet: &mut Sheet, calls: &[Signed<'a>], alike: &Alike, scene: Scene<'_>) {
        let theme = scene.theme;
        let below = self.below();
        let mut reads = reads_alike(alike, below, theme);
        let parts = together::parts(alike, calls, below, theme);
        let several = parts.iter().any(Part::is_shared);
        for part in parts {
            let mut found = self.in_all.clone();
            if part.is_shared() {
                found = self.shared(sheet, &part, theme);
            } else if several && part.variants.iter().all(|one| !one.variant.deviates()) {
                let row = Row::new().with("the other ", theme.dim);
                sheet.below(vec![of_all(row, part.calls(), self.all, theme)], 2);
            }
            let nothing = if part.is_shared() {
                Row::new().with("nothing else", theme.dim)
            } else {
                own::nothing(theme)
            };
            for one in part.variants {
                let at = one.variant.calls.first().copied();
                let mut said = at.and_then(|at| reads.remove(&at)).unwrap_or_default();
                said.extend(self.said(&one, &found, theme));
                let from = if self.several {
                    sheet::from(&one.calls, below, scene)
                } else {
                    Vec::new()
                };
                let of = own::One {
                    calls: one.calls.len(),
                    from,
                    found: said,
                    nothing: nothing.clone(),
                };
                own::rows(sheet, of, (&one.variant, self.most), self.width, theme);
            }
        }
    }

    fn below(&self) -> usize {
        self.width.saturating_sub(INDENT + 2).max(1)
    }

    /// What the calls of a part share, and what was found in each of them, or in all.
    fn shared(&self, sheet: &mut Sheet, part: &Part<'a>, theme: &Theme) -> Vec<&'a Finding> {
        let row = Row::new().with("the same in these ", theme.dim);
        sheet.below(vec![of_all(row, part.calls(), self.all, theme)], 2);
        let calls: Vec<Signed<'a>> = part
            .variants
            .iter()
            .flat_map(|one| one.calls.iter().copied())
            .collect();
        let found = found::in_all(&calls);
        let is_new = |finding: &&Finding| !self.in_all.contains(finding);
        let new: Vec<&Finding> = found.iter().copied().filter(is_new).collect();
        sheet.below(strip::named(&new, 0, self.below(), theme), INDENT + 2);
        for own in &part.shared {
            let rows = own::marked(own, self.most, self.width, theme);
            sheet.rows.extend(rows);
        }
        sheet.below(part.change.clone(), INDENT + 2);
        found
    }

    /// What is to be said of these calls and not of all: what was found in them alone, and what they would change.
    fn said(&self, one: &together::One<'_>, found: &[&Finding], theme: &Theme) -> Vec<Row> {
        let below = self.below();
        let Some(first) = one.calls.first().copied() else {
            return Vec::new();
        };
        let mut rows = found::own(first, found, below, theme);
        rows.extend(change::head(first, Beside::Arguments, below, theme));
        rows.extend(one.change.iter().cloned());
        rows.extend(sheet::in_another_order(&one.calls, below, theme));
        rows
    }
}

/// By the place of its first call, what is said of a variant that reads like another one.
fn reads_alike(alike: &Alike, width: usize, theme: &Theme) -> HashMap<usize, Vec<Row>> {
    let reads = found::reads_alike(&alike.variants, width, theme);
    let places = alike
        .variants
        .iter()
        .map(|variant| variant.calls.first().copied());
    places
        .zip(reads)
        .filter_map(|(place, rows)| Some((place?, rows)))
        .collect()
}

fn shared(shared: &[Shared], room: usize, theme: &Theme) -> Vec<Row> {
    let field = |shared: &Shared| own::of_value(&shared.path.label(), shared.value.as_ref());
    let fields: Vec<Field> = shared.iter().map(field).collect();
    values::values(&fields, &[], room, theme)
}
