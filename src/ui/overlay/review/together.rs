//! Which of several calls that are alike have something long in common that not all have: the text of a file, or
//! the change of one.
//!
//! Owns the putting together, so that what is equal is shown once, whichever calls have it. Draws nothing.

use std::collections::HashMap;

use crate::core::alike::{Alike, Own, Path, Variant};
use crate::ui::pending::signed::Signed;
use crate::ui::pending::{change, values};
use crate::ui::text::Row;
use crate::ui::theme::Theme;

use super::own;

/// A value of fewer columns is as quickly read again as it is looked for.
const LONG: usize = 40;
/// The same of a change, in rows.
const LONG_CHANGE: usize = 3;

/// Variants that are shown one after the other.
#[derive(Debug, Default)]
pub struct Part<'a> {
    /// What all of them have, and not all calls.
    pub shared: Vec<Own>,
    /// The change that each of them would make.
    pub change: Vec<Row>,
    pub variants: Vec<One<'a>>,
}

/// One of them, without what it shares.
#[derive(Debug)]
pub struct One<'a> {
    pub variant: Variant,
    pub calls: Vec<Signed<'a>>,
    /// Empty where it is shown for all of the part.
    pub change: Vec<Row>,
}

impl Part<'_> {
    pub const fn is_shared(&self) -> bool {
        !self.shared.is_empty() || !self.change.is_empty()
    }

    pub fn calls(&self) -> usize {
        self.variants.iter().map(|one| one.calls.len()).sum()
    }
}

/// What variants are put together by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Common {
    Value(Path, String),
    Change(Vec<Row>),
}

/// The variants in parts. Those that differ from most in a way of their own come first, and those that share
/// nothing last.
pub fn parts<'a>(
    alike: &Alike,
    calls: &[Signed<'a>],
    width: usize,
    theme: &Theme,
) -> Vec<Part<'a>> {
    let of = |variant: &Variant| {
        let here = variant
            .calls
            .iter()
            .filter_map(|at| calls.get(*at).copied());
        let calls: Vec<Signed<'a>> = here.collect();
        let first = calls.first();
        One {
            variant: variant.clone(),
            change: first.map_or_else(Vec::new, |first| change::body(*first, width, theme)),
            calls,
        }
    };
    let ones: Vec<One<'a>> = alike.variants.iter().map(of).collect();
    let common: Vec<Vec<Common>> = ones.iter().map(|one| long(one, theme)).collect();
    let mut often: HashMap<&Common, usize> = HashMap::new();
    for common in common.iter().flatten() {
        *often.entry(common).or_default() += 1;
    }
    let repeated = |common: &&Common| often.get(common).is_some_and(|often| *often > 1);
    let keys: Vec<Option<Common>> = common
        .iter()
        .map(|common| common.iter().find(repeated).cloned())
        .collect();
    let (mut first, mut last) = (Part::default(), Part::default());
    let mut shared: indexmap::IndexMap<Common, Vec<One<'a>>> = indexmap::IndexMap::new();
    for (one, key) in ones.into_iter().zip(keys) {
        match key {
            Some(key) => shared.entry(key).or_default().push(one),
            None if one.variant.deviates() => first.variants.push(one),
            None => last.variants.push(one),
        }
    }
    let shared = shared.into_values().map(|ones| sharing(ones, theme));
    let all = std::iter::once(first).chain(shared).chain([last]);
    all.filter(|part| !part.variants.is_empty()).collect()
}

/// What is long of it: the longest value first, then the change.
fn long(one: &One<'_>, theme: &Theme) -> Vec<Common> {
    let owns = one.variant.own.iter().filter(|own| is_long(own, theme));
    let mut found: Vec<Common> = owns.map(value).collect();
    found.sort_by_key(|common| match common {
        Common::Value(_, text) => std::cmp::Reverse(text.len()),
        Common::Change(_) => std::cmp::Reverse(0),
    });
    if one.change.len() >= LONG_CHANGE {
        found.push(Common::Change(one.change.clone()));
    }
    found
}

fn is_long(own: &Own, theme: &Theme) -> bool {
    let inline = values::inline(&own::field(own).value, &[], theme);
    inline.is_none_or(|row| row.width() >= LONG)
}

fn value(own: &Own) -> Common {
    let text = own.value.as_ref().map(ToString::to_string);
    Common::Value(own.path.clone(), text.unwrap_or_default())
}

/// Takes out of each what all of them have.
fn sharing<'a>(mut ones: Vec<One<'a>>, theme: &Theme) -> Part<'a> {
    let Some((first, others)) = ones.split_first() else {
        return Part::default();
    };
    let in_others = |own: &&Own| {
        is_long(own, theme) && others.iter().all(|other| other.variant.own.contains(own))
    };
    let shared: Vec<Own> = first
        .variant
        .own
        .iter()
        .filter(in_others)
        .cloned()
        .collect();
    let is_same = first.change.len() >= LONG_CHANGE
        && others.iter().all(|other| other.change == first.change);
    let change = if is_same {
        first.change.clone()
    } else {
        Vec::new()
    };
    for one in &mut ones {
        one.variant.own.retain(|own| !shared.contains(own));
        if is_same {
            one.change.clear();
        }
    }
    Part {
        shared,
        change,
        variants: ones,
    }
}
