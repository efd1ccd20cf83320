//! What was found in calls that stand together.
//!
//! Owns what is said once of all of them and what of each. Finds nothing.

use std::collections::HashMap;

use crate::core::alike::Variant;
use crate::core::finding::{Finding, Kind};
use crate::core::shown::{Shown, lookalike};
use crate::ui::pending::signed::Signed;
use crate::ui::pending::strip;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;

/// Variants in each of which the calls are alike in this too.
pub fn told_apart(variants: Vec<Variant>, calls: &[Signed<'_>]) -> Vec<Variant> {
    let mut apart: Vec<Variant> = Vec::with_capacity(variants.len());
    for Variant { calls: places, own } in variants {
        let first = apart.len();
        for place in places {
            let is_like = |variant: &&mut Variant| {
                let others = variant.calls.first().and_then(|other| calls.get(*other));
                others
                    .zip(calls.get(place))
                    .is_some_and(|(a, b)| alike(a, b))
            };
            if let Some(variant) = apart[first..].iter_mut().find(is_like) {
                variant.calls.push(place);
            } else {
                let calls = vec![place];
                let own = own.clone();
                apart.push(Variant { calls, own });
            }
        }
    }
    apart
}

fn alike(one: &Signed<'_>, other: &Signed<'_>) -> bool {
    let (one, other) = (one.runs, other.runs);
    one.call.preview == other.call.preview
        && one.findings.more() == other.findings.more()
        && one
            .findings
            .iter()
            .map(said)
            .eq(other.findings.iter().map(said))
}

/// What a finding says, wherever it was found.
fn said(finding: &Finding) -> (Kind, &str) {
    (finding.kind, &finding.what)
}

/// Of each variant: that it reads like another one, and by which characters it is told from that.
pub fn reads_alike(variants: &[Variant], width: usize, theme: &Theme) -> Vec<Vec<Row>> {
    let text = |variant: &Variant| {
        let own = variant.own.iter();
        let values: Vec<String> = own.map(|own| format!("{:?}", own.value)).collect();
        values.join(" ")
    };
    let texts: Vec<String> = variants.iter().map(text).collect();
    let read: Vec<String> = texts.iter().map(|text| lookalike::looks(text)).collect();
    let mut often: HashMap<&str, usize> = HashMap::new();
    for read in &read {
        *often.entry(read).or_default() += 1;
    }
    let said = |(text, read): (&String, &String)| {
        if often.get(read.as_str()).is_none_or(|often| *often < 2) {
            return Vec::new();
        }
        let numbers = lookalike::numbers(text);
        let row = Row::new().with("! reads like another one here: ", theme.warn);
        let row = if numbers.is_empty() {
            row.with("it is all plain letters", theme.text)
        } else {
            row.with("it has ", theme.text)
                .with(&Shown::label(&numbers), theme.strong)
        };
        row.wrapped(width, Breaks::Words)
    };
    texts.iter().zip(&read).map(said).collect()
}

/// What was found in each of the calls.
pub fn in_all<'a>(calls: &[Signed<'a>]) -> Vec<&'a Finding> {
    let Some((first, others)) = calls.split_first() else {
        return Vec::new();
    };
    let in_others = |finding: &&Finding| {
        let findings = |other: &Signed<'a>| &other.runs.findings;
        let has = |other: &Signed<'a>| findings(other).iter().any(|at| said(at) == said(finding));
        others.iter().all(has)
    };
    first.runs.findings.iter().filter(in_others).collect()
}

/// What was found in this call and not in all.
pub fn own(signed: Signed<'_>, in_all: &[&Finding], width: usize, theme: &Theme) -> Vec<Row> {
    let is_said = |finding: &&Finding| in_all.iter().any(|other| said(other) == said(finding));
    let findings = &signed.runs.findings;
    let rest = findings.iter().filter(|finding| !is_said(finding));
    let rest: Vec<&Finding> = rest.collect();
    strip::named(&rest, findings.more(), width, theme)
}
