//! Reading a scenario file piece by piece, so that every mistake is told in one go.
//!
//! A piece that cannot be read leaves an empty name or a pattern in its place, so that the rest is
//! still checked. A scenario with a mistake is never played, so nothing of that is ever seen.

use regex::Regex;
use std::sync::LazyLock;
use std::time::Duration;
use toml::Spanned;

use super::checks::{Gaps, check};
use super::{Condition, Scenario, ScriptCall, Step, Turn};
use crate::core::mistake::Mistakes;
use crate::core::reading::{Field, Section, parse};
use crate::provider::Came;

/// The longest pause between two words.
const SLOWEST: Duration = Duration::from_secs(10);

/// What a call can come to, in the words of the file.
const CAME: &[(&str, Came)] = &[
    ("executed", Came::Executed),
    ("approved", Came::Approved),
    ("edited", Came::Edited),
    ("rejected", Came::Rejected),
    ("responded", Came::Responded),
    ("sent-back", Came::SentBack),
    ("denied", Came::Denied),
    ("refused", Came::Refused),
    ("failed", Came::Failed),
    ("expired", Came::Expired),
];

/// Stands where a pattern could not be read.
static ANYTHING: LazyLock<Regex> = LazyLock::new(|| Regex::new("").expect("it is a pattern"));

/// The scenario as far as it can be read, with all its mistakes told.
pub(super) fn read(text: &str, mistakes: &Mistakes<'_>) -> Scenario {
    let Some(table) = parse(text, mistakes) else {
        return Scenario::default();
    };
    let mut root = Section::root(&table, mistakes);
    let title = words(root.required("title", "name the scenario"));
    let prompt = words(root.field("prompt"));
    let pace = root
        .field("pace")
        .and_then(|pace| pace.duration(Duration::ZERO..=SLOWEST));
    let listed = root.field("turns");
    let mut gaps = Gaps::default();
    let mut turns = Vec::new();
    match listed.as_ref().map(Field::items) {
        Some(Some(items)) => turns.extend(items.iter().map(|item| turn(item, &mut gaps))),
        Some(None) => gaps.add(&Gaps::ALL),
        None => {}
    }
    // The turns may stand under a key that was misspelt.
    if root.finish() > 0 && listed.is_none() {
        gaps.add(&Gaps::ALL);
    }
    let scenario = Scenario {
        title: title.unwrap_or_default(),
        prompt,
        pace: pace.unwrap_or_default(),
        turns,
    };
    check(&scenario, &gaps, mistakes);
    scenario
}

fn turn(field: &Field<'_>, gaps: &mut Gaps) -> Turn {
    let Some(mut section) = field.section() else {
        gaps.add(&Gaps::ALL);
        return unreadable(field);
    };
    let name = name(section.required("name", "name the turn"));
    let on = section.field("on").map(|on| pattern(&on));
    let text = section.field("text").and_then(|text| text.text());
    let listed = section.field("calls").map(|field| field.items());
    gaps.calls |= matches!(listed, Some(None));
    let calls = listed.flatten().unwrap_or_default();
    let calls = calls.iter().map(call).collect::<Vec<_>>();
    gaps.calls |= calls.iter().any(Option::is_none);
    let listed = section.field("then").map(|field| field.items());
    gaps.steps |= matches!(listed, Some(None));
    let then = listed.flatten().unwrap_or_default();
    let then = then.iter().map(step).collect::<Vec<_>>();
    gaps.steps |= then.iter().any(|step| step.turn.get_ref().is_empty());
    gaps.names |= name.is_none();
    let misspelt = section.finish() > 0;
    // What a misspelt key was to be is not known.
    gaps.calls |= misspelt;
    gaps.steps |= misspelt;
    Turn {
        name: name.unwrap_or_else(|| nameless(field)),
        on: on.or_else(|| misspelt.then(|| ANYTHING.clone())),
        text: text.unwrap_or_default().to_owned(),
        calls: calls.into_iter().flatten().collect(),
        then,
    }
}

fn unreadable(field: &Field<'_>) -> Turn {
    Turn {
        name: nameless(field),
        on: Some(ANYTHING.clone()),
        text: String::new(),
        calls: Vec::new(),
        then: Vec::new(),
    }
}

/// `None` if it may be named otherwise than it seems.
fn call(field: &Field<'_>) -> Option<ScriptCall> {
    let mut section = field.section()?;
    let id = section.field("id").map(|id| words(Some(id)));
    let tool = words(section.required("tool", "name the tool that is called"));
    let arguments = section.field("arguments").and_then(|field| field.json());
    let text = section.field("arguments_text");
    if let (Some(_), Some(text)) = (&arguments, &text) {
        text.mistake("stands beside arguments", "leave one of them out");
    }
    let text = text.and_then(|text| text.text());
    let held = section.field("held").and_then(|held| held.flag());
    if section.finish() > 0 {
        return None;
    }
    Some(ScriptCall {
        id: id.map_or(Some(None), |id| id.map(Some))?,
        tool: tool?,
        arguments,
        arguments_text: text.map(ToOwned::to_owned),
        held: held.unwrap_or_default(),
    })
}

fn step(field: &Field<'_>) -> Step {
    let Some(mut section) = field.section() else {
        return Step {
            turn: nameless(field),
            conditions: Vec::new(),
        };
    };
    let turn = name(section.required("turn", "name the turn that follows"));
    let conditions = section.items("when");
    section.finish();
    Step {
        turn: turn.unwrap_or_else(|| nameless(field)),
        conditions: conditions.iter().filter_map(condition).collect(),
    }
}

fn condition(field: &Field<'_>) -> Option<Condition> {
    let mut section = field.section()?;
    let call = name(section.required("call", "name the call that is asked about"));
    let came = section.items("came");
    let came = came.iter().filter_map(|came| came.one_of(CAME)).collect();
    let result = section.field("result").map(|result| pattern(&result));
    section.finish();
    Some(Condition {
        call: call?,
        came,
        result,
    })
}

fn words(field: Option<Field<'_>>) -> Option<String> {
    field.and_then(|field| field.words()).map(ToOwned::to_owned)
}

/// A name with its place, for the mistakes that only show later.
fn name(field: Option<Field<'_>>) -> Option<Spanned<String>> {
    let field = field?;
    let words = field.words()?.to_owned();
    Some(Spanned::new(field.span(), words))
}

fn nameless(field: &Field<'_>) -> Spanned<String> {
    Spanned::new(field.span(), String::new())
}

fn pattern(field: &Field<'_>) -> Regex {
    let Some(text) = field.text() else {
        return ANYTHING.clone();
    };
    Regex::new(text).unwrap_or_else(|error| {
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default();
        let why = last.strip_prefix("error: ").unwrap_or(last);
        field.mistake(&format!("is no pattern: {why}"), "correct the pattern");
        ANYTHING.clone()
    })
}
