//! What one part of a filter asks of a call.

use crate::core::count;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;

use super::reading::{Part, Sign};
use super::{FilterFault, told};
use crate::core::call::{Call, Origin, Risk, SessionId};
use crate::core::name::quoted;
use crate::core::pending::{Pending, Waiting};
use crate::core::time::Ticks;

/// Names that are told when a part fits nothing; more would not be read.
const TOLD: usize = 6;
/// Characters of a name that are told.
const LONGEST: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    written: String,
    negated: bool,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    /// Tool, agent or arguments contain this lower-case text.
    Text(String),
    Tool(Wanted),
    Agent(Wanted),
    Session(Wanted),
    /// The id of the call that runs the script which a call is part of.
    Script(Wanted),
    Risk(Vec<Kind>),
    Origin(Vec<Origin>),
    Field(At, Wanted),
    /// Milliseconds.
    Older(u64),
    Younger(u64),
    Marked,
}

/// A text to be found, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    Part(String),
    Whole(String),
}

/// A kind of call by what is known of its risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Says(Risk),
    /// It was running when the program stopped.
    Unknown,
    /// Nothing is said of it.
    Nothing,
}

/// Where in the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// Each member of this name, however deep, in lower case.
    Name(String),
    /// The one place that a JSON pointer names.
    Pointer(String),
}

impl Wanted {
    fn of(part: &Part, sign: Sign) -> Self {
        let text = part.word.to_lowercase();
        match sign {
            Sign::Is => Self::Whole(text),
            Sign::Has | Sign::Above | Sign::Below => Self::Part(text),
        }
    }

    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Part(wanted) => text.to_lowercase().contains(wanted),
            Self::Whole(wanted) => text.to_lowercase() == *wanted,
        }
    }
}

const KINDS: [(&str, Kind); 6] = [
    ("destructive", Kind::Says(Risk::Destructive)),
    ("open-world", Kind::Says(Risk::OpenWorld)),
    ("idempotent", Kind::Says(Risk::Idempotent)),
    ("read-only", Kind::Says(Risk::ReadOnly)),
    ("unknown", Kind::Unknown),
    ("none", Kind::Nothing),
];

const ORIGINS: [(&str, Origin); 3] = [
    ("agent", Origin::Agent),
    ("provider", Origin::Provider),
    ("file", Origin::File),
];

/// Reads one part.
pub fn read(part: Part, sessions: &[SessionId]) -> Result<Term, FilterFault> {
    let test = match &part.name {
        None if part.word == "marked" && !part.quoted => Test::Marked,
        None if part.word == "age" && !part.quoted => {
            return Err(fault(&part, "an age is written as age>5m or age<30s"));
        }
        None => Test::Text(part.word.to_lowercase()),
        Some((name, sign)) => named(&part, name, *sign, sessions)?,
    };
    Ok(Term {
        written: part.written,
        negated: part.negated,
        test,
    })
}

fn fault(part: &Part, what: &str) -> FilterFault {
    FilterFault {
        part: part.written.clone(),
        what: what.to_owned(),
    }
}

fn named(part: &Part, name: &str, sign: Sign, sessions: &[SessionId]) -> Result<Test, FilterFault> {
    let wanted = || {
        if part.word.is_empty() {
            return Err(fault(part, "say what it is to contain"));
        }
        Ok(Wanted::of(part, sign))
    };
    match name {
        "age" => age(part, sign),
        "tool" => Ok(Test::Tool(wanted()?)),
        "agent" => Ok(Test::Agent(wanted()?)),
        "session" => session(part, wanted()?, sessions),
        "script" => Ok(Test::Script(wanted()?)),
        "risk" => Ok(Test::Risk(listed(part, &KINDS)?)),
        "origin" => Ok(Test::Origin(listed(part, &ORIGINS)?)),
        pointer if pointer.starts_with('/') => {
            let at = At::Pointer(pointer.to_owned());
            Ok(Test::Field(at, Wanted::of(part, sign)))
        }
        name => {
            let at = At::Name(name.to_lowercase());
            Ok(Test::Field(at, Wanted::of(part, sign)))
        }
    }
}

/// A number is a session's place in the console; anything else is looked for in its id.
fn session(part: &Part, wanted: Wanted, sessions: &[SessionId]) -> Result<Test, FilterFault> {
    let short = part.word.len() <= 4;
    let Some(number) = part.word.parse::<usize>().ok().filter(|_| short) else {
        return Ok(Test::Session(wanted));
    };
    let found = number.checked_sub(1).and_then(|at| sessions.get(at));
    let Some(session) = found else {
        let what = format!("there are sessions 1 to {}", sessions.len());
        return Err(fault(part, &what));
    };
    Ok(Test::Session(Wanted::Whole(session.0.to_lowercase())))
}

/// One name of a list, or several with `|` between them.
fn listed<T: Copy>(part: &Part, known: &[(&str, T)]) -> Result<Vec<T>, FilterFault> {
    let find = |word: &str| {
        let found = known.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            fault(part, &format!("one of {}", names.join(", ")))
        })
    };
    part.word.to_lowercase().split('|').map(find).collect()
}

fn age(part: &Part, sign: Sign) -> Result<Test, FilterFault> {
    let limit = duration(&part.word);
    match (sign, limit) {
        (Sign::Above, Some(limit)) => Ok(Test::Older(limit)),
        (Sign::Below, Some(limit)) => Ok(Test::Younger(limit)),
        (Sign::Has | Sign::Is, _) => {
            Err(fault(part, "an age is compared with > or <, as in age>5m"))
        }
        (Sign::Above | Sign::Below, None) => Err(fault(
            part,
            "a time is a number and s, m, h or d, as in age>90s",
        )),
    }
}

/// `90s`, `5m`, `1h30m` in milliseconds.
fn duration(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let unit = rest[digits..].chars().next()?;
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return None,
        };
        let number: u64 = rest[..digits].parse().ok()?;
        sum = sum.checked_add(number.checked_mul(seconds * 1000)?)?;
        rest = &rest[digits + unit.len_utf8()..];
    }
    (!text.is_empty()).then_some(sum)
}

impl Term {
    pub fn fits(&self, waiting: &Waiting, now: Ticks) -> bool {
        self.test.fits(waiting, now) != self.negated
    }

    pub fn turns(&self, waiting: &Waiting, now: Ticks) -> Option<Ticks> {
        let at = match self.test {
            Test::Older(limit) => waiting.since.plus(limit).plus(1),
            Test::Younger(limit) => waiting.since.plus(limit),
            Test::Text(_)
            | Test::Tool(_)
            | Test::Agent(_)
            | Test::Session(_)
            | Test::Script(_)
            | Test::Risk(_)
            | Test::Origin(_)
            | Test::Field(..)
            | Test::Marked => return None,
        };
        (at > now).then_some(at)
    }

    /// Whether a list of what there is helps where it fits no call.
    pub const fn can_be_explained(&self) -> bool {
        match self.test {
            Test::Text(_)
            | Test::Tool(_)
            | Test::Agent(_)
            | Test::Session(_)
            | Test::Script(_)
            | Test::Risk(_)
            | Test::Origin(_)
            | Test::Field(..)
            | Test::Marked => !self.negated,
            Test::Older(_) | Test::Younger(_) => false,
        }
    }

    /// That it fits none of the calls, and what they have in its place.
    pub fn explained(&self, pending: &Pending) -> String {
        let calls = || pending.iter().map(|waiting| &waiting.call);
        let (what, names) = match &self.test {
            Test::Tool(_) => ("tools", some(calls().map(|call| call.tool.as_str()))),
            Test::Agent(_) => ("agents", some(calls().map(|call| call.agent.as_str()))),
            Test::Field(At::Name(name), _) => {
                let has = |call: &Call| {
                    members(call.arguments.value(), &mut |member, _| same(member, name))
                };
                if calls().any(has) {
                    return told(
                        &self.written,
                        &format!("no call has this in {}", quoted(name)),
                    );
                }
                let names = some(calls().flat_map(top));
                let what = "no call has such an argument; a text with a sign in it stands in quotes; arguments";
                return told(&self.written, &format!("{what}: {names}"));
            }
            Test::Text(_)
            | Test::Session(_)
            | Test::Script(_)
            | Test::Risk(_)
            | Test::Origin(_)
            | Test::Field(At::Pointer(_), _)
            | Test::Older(_)
            | Test::Younger(_)
            | Test::Marked => return told(&self.written, "no pending call fits this"),
        };
        told(
            &self.written,
            &format!("no pending call fits this; {what}: {names}"),
        )
    }
}

/// The first few different names, in alphabetical order.
fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: BTreeSet<&str> = names.collect();
    let short = |name: &&str| name.chars().take(LONGEST).collect::<String>();
    let told: Vec<_> = names
        .iter()
        .take(TOLD)
        .map(short)
        .map(|name| quoted(&name).into_owned())
        .collect();
    let more = names.len().saturating_sub(TOLD);
    let told = told.join(", ");
    if more > 0 {
        format!("{told} and {} more", count::number(more))
    } else {
        told
    }
}

fn top(call: &Call) -> impl Iterator<Item = &str> {
    let members = call.arguments.value().as_object();
    members
        .into_iter()
        .flat_map(|members| members.keys().map(String::as_str))
}

impl Test {
    fn fits(&self, waiting: &Waiting, now: Ticks) -> bool {
        let call = &waiting.call;
        match self {
            Self::Text(wanted) => waiting.search.contains(wanted),
            Self::Tool(wanted) => wanted.fits(&call.tool),
            Self::Agent(wanted) => wanted.fits(&call.agent),
            Self::Session(wanted) => wanted.fits(&call.key.session.0),
            Self::Script(wanted) => call
                .outer_key()
                .is_some_and(|outer| wanted.fits(&outer.call.0)),
            Self::Risk(kinds) => kinds.iter().any(|kind| kind.is_of(call)),
            Self::Origin(origins) => origins.contains(&call.origin),
            Self::Field(At::Pointer(pointer), wanted) => call
                .arguments
                .value()
                .pointer(pointer)
                .is_some_and(|value| wanted.fits(&text(value))),
            Self::Field(At::Name(name), wanted) => {
                members(call.arguments.value(), &mut |member, value| {
                    same(member, name) && wanted.fits(&text(value))
                })
            }
            Self::Older(limit) => now.since(waiting.since) > *limit,
            Self::Younger(limit) => now.since(waiting.since) < *limit,
            Self::Marked => waiting.marked,
        }
    }
}

impl Kind {
    fn is_of(self, call: &Call) -> bool {
        let unknown = call.basis.is_unknown();
        match self {
            // What is claimed of harm counts; what is claimed of harmlessness does not.
            Self::Says(Risk::Destructive) => call.is_destructive(),
            Self::Says(risk) => call.risks.contains(&risk),
            Self::Unknown => unknown,
            Self::Nothing => call.risks.is_empty() && !unknown,
        }
    }
}

/// Whether a member's name is this lower-case one.
fn same(member: &str, name: &str) -> bool {
    member == name || member.to_lowercase() == name
}

/// Whether some member, however deep, fits. JSON is nested no deeper than its reader allows.
fn members(value: &Value, fits: &mut impl FnMut(&str, &Value) -> bool) -> bool {
    match value {
        Value::Object(object) => object
            .iter()
            .any(|(name, value)| fits(name, value) || members(value, fits)),
        Value::Array(items) => items.iter().any(|item| members(item, fits)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A string's own characters; anything else as JSON.
fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Cow::Owned(value.to_string())
        }
    }
}
