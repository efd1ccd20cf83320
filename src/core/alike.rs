//! What the arguments of several calls of one tool have in common, and what differs.
//!
//! Owns the comparing. Nothing is left out: of each call every value is in what all have, in what most
//! have, or in what is its own. Decides nothing and draws nothing.

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

/// Several calls compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Alike {
    /// What all of them have.
    pub same: Vec<Shared>,
    /// What more than half of them have. The others have it among what is their own.
    pub most: Vec<Shared>,
    /// The calls, those together that have the same of their own; those that differ from most come first.
    pub variants: Vec<Variant>,
}

/// A value that calls share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    pub path: Path,
    /// `None`: they do not have it.
    pub value: Option<Value>,
    pub calls: usize,
}

/// Calls that are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Their places among the calls that were compared.
    pub calls: Vec<usize>,
    pub own: Vec<Own>,
}

/// A value that not all calls have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    pub path: Path,
    pub value: Option<Value>,
    /// Most of the calls have another one, which is among what most have.
    pub deviates: bool,
}

impl Variant {
    pub fn deviates(&self) -> bool {
        self.own.iter().any(|own| own.deviates)
    }
}

/// The way to a value, from the outside in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path(pub Vec<String>);

impl Path {
    /// A member's name; a JSON pointer for what lies deeper, and where a name could be taken for one.
    pub fn label(&self) -> String {
        match self.0.as_slice() {
            [name] if !name.starts_with('/') => name.clone(),
            _ => self.pointer(),
        }
    }

    pub fn pointer(&self) -> String {
        let token = |token: &String| format!("/{}", token.replace('~', "~0").replace('/', "~1"));
        self.0.iter().map(token).collect()
    }
}

/// A place where the calls differ: what each of them has there.
struct Difference<'v> {
    path: Path,
    values: Vec<Option<&'v Value>>,
}

/// Compares the arguments of calls, each of them an object.
pub fn compare(calls: &[&Value]) -> Alike {
    let (mut same, mut differences) = (Vec::new(), Vec::new());
    let all: Vec<Option<&Value>> = calls.iter().map(|value| Some(*value)).collect();
    for (path, values) in members(&Path(Vec::new()), &all) {
        descend(path, values, &mut same, &mut differences);
    }
    let (mut most, mut own) = (Vec::new(), vec![Vec::new(); calls.len()]);
    for Difference { path, values } in differences {
        let shared = majority(&values);
        if let Some((value, calls)) = shared {
            most.push(Shared {
                path: path.clone(),
                value: value.cloned(),
                calls,
            });
        }
        for (own, value) in own.iter_mut().zip(values) {
            if shared.is_none_or(|(most, _)| most != value) {
                own.push(Own {
                    path: path.clone(),
                    value: value.cloned(),
                    deviates: shared.is_some(),
                });
            }
        }
    }
    Alike {
        same,
        most,
        variants: variants(own),
    }
}

/// A value that an edit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: Path,
    /// `None`: it was not there.
    pub before: Option<Value>,
    /// `None`: it is not there any more.
    pub after: Option<Value>,
}

/// What differs between two objects, value by value. Empty if they say the same.
pub fn changes(before: &Value, after: &Value) -> Vec<Changed> {
    let alike = compare(&[before, after]);
    let [old, new] = alike.variants.as_slice() else {
        return Vec::new();
    };
    let changed = |(old, new): (&Own, &Own)| Changed {
        path: old.path.clone(),
        before: old.value.clone(),
        after: new.value.clone(),
    };
    old.own.iter().zip(&new.own).map(changed).collect()
}

fn descend<'v>(
    path: Path,
    values: Vec<Option<&'v Value>>,
    same: &mut Vec<Shared>,
    differences: &mut Vec<Difference<'v>>,
) {
    if let Some((first, others)) = values.split_first()
        && others.iter().all(|value| value == first)
    {
        same.push(Shared {
            path,
            value: first.cloned(),
            calls: values.len(),
        });
        return;
    }
    let parts = if all_objects(&values) {
        members(&path, &values)
    } else {
        items(&path, &values)
    };
    if parts.is_empty() {
        differences.push(Difference { path, values });
        return;
    }
    for (path, values) in parts {
        descend(path, values, same, differences);
    }
}

/// An empty object has no members that could tell it from one that is not there.
fn all_objects(values: &[Option<&Value>]) -> bool {
    let has_members = |value: &Value| value.as_object().is_some_and(|object| !object.is_empty());
    values.iter().all(|value| value.is_some_and(has_members))
}

type Parts<'v> = Vec<(Path, Vec<Option<&'v Value>>)>;

/// Each member that some of these objects have.
fn members<'v>(path: &Path, values: &[Option<&'v Value>]) -> Parts<'v> {
    let objects = values
        .iter()
        .filter_map(|value| value.and_then(Value::as_object));
    let names: IndexSet<&str> = objects
        .flat_map(|object| object.keys().map(String::as_str))
        .collect();
    let member = |name: &str| {
        let of = values
            .iter()
            .map(|value| value.and_then(|value| value.get(name)));
        (below(path, name), of.collect())
    };
    names.into_iter().map(member).collect()
}

/// Each item, if these are all arrays of one length.
fn items<'v>(path: &Path, values: &[Option<&'v Value>]) -> Parts<'v> {
    let lengths: IndexSet<Option<usize>> = values
        .iter()
        .map(|value| value.and_then(Value::as_array).map(Vec::len))
        .collect();
    let [Some(length)] = lengths.into_iter().collect::<Vec<_>>()[..] else {
        return Vec::new();
    };
    let item = |at: usize| {
        let of = values
            .iter()
            .map(|value| value.and_then(|value| value.get(at)));
        (below(path, &at.to_string()), of.collect())
    };
    (0..length).map(item).collect()
}

fn below(path: &Path, token: &str) -> Path {
    let mut path = path.clone();
    path.0.push(token.to_owned());
    path
}

/// The value that more than half of at least three have, and how many have it.
fn majority<'v>(values: &[Option<&'v Value>]) -> Option<(Option<&'v Value>, usize)> {
    if values.len() < 3 {
        return None;
    }
    // If some value has more than half of the votes, this finds it.
    let (mut candidate, mut votes) = (None, 0_usize);
    for value in values {
        if votes == 0 {
            candidate = Some(*value);
        }
        if candidate == Some(*value) {
            votes += 1;
        } else {
            votes -= 1;
        }
    }
    let candidate = candidate?;
    let calls = values.iter().filter(|value| **value == candidate).count();
    (calls * 2 > values.len()).then_some((candidate, calls))
}

fn variants(own: Vec<Vec<Own>>) -> Vec<Variant> {
    let mut found: IndexMap<Vec<(Path, Option<String>)>, Variant> = IndexMap::new();
    for (call, own) in own.into_iter().enumerate() {
        let text = |own: &Own| (own.path.clone(), own.value.as_ref().map(Value::to_string));
        let variant = found
            .entry(own.iter().map(text).collect())
            .or_insert_with(|| Variant {
                calls: Vec::new(),
                own,
            });
        variant.calls.push(call);
    }
    let (mut first, others): (Vec<_>, Vec<_>) = found.into_values().partition(Variant::deviates);
    first.extend(others);
    first
}
