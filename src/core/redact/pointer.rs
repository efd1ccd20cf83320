//! JSON pointers to the secret values of a call's arguments. `*` stands for every member or element.

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;
use serde_json::value::RawValue;

use super::find::{Found, Kind};
use crate::core::locate::Members;

/// A pointer, and which tools' arguments it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Pointer {
    path: Vec<Segment>,
    /// `None`: those of every tool.
    tools: Option<Tools>,
}

/// The tools of such a name.
#[derive(Debug, Clone)]
pub struct Tools(GlobMatcher);

impl PartialEq for Tools {
    fn eq(&self, other: &Self) -> bool {
        self.0.glob() == other.0.glob()
    }
}

impl Tools {
    /// `Err` says why the text is no pattern.
    pub fn named(pattern: &str) -> Result<Self, String> {
        let glob = GlobBuilder::new(pattern).literal_separator(false).build();
        glob.map(|glob| Self(glob.compile_matcher()))
            .map_err(|error| error.kind().to_string())
    }

    /// The pattern, as it was written.
    pub fn written(&self) -> &str {
        self.0.glob().glob()
    }

    pub fn have(&self, tool: &str) -> bool {
        self.0.is_match(tool)
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Segment {
    Every,
    Named(String),
}

impl Pointer {
    /// `Err` says why the text is no pointer.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err("which begins with a slash");
        };
        let path: Option<Vec<_>> = rest.split('/').map(segment).collect();
        let path = path.ok_or("in which 0 or 1 follows each ~")?;
        Ok(Self { path, tools: None })
    }

    /// For the arguments of these tools alone; of all if none are given.
    pub fn only_of(self, tools: Option<Tools>) -> Self {
        Self { tools, ..self }
    }

    fn is_for(&self, tool: Option<&str>) -> bool {
        match (&self.tools, tool) {
            (None, _) | (_, None) => true,
            (Some(tools), Some(tool)) => tools.have(tool),
        }
    }
}

fn segment(text: &str) -> Option<Segment> {
    let escaped = text.split('~').skip(1);
    let sound = escaped.clone().all(|rest| rest.starts_with(['0', '1']));
    match text {
        "*" => Some(Segment::Every),
        _ => sound.then(|| Segment::Named(text.replace("~1", "/").replace("~0", "~"))),
    }
}

/// The values that pointers name in the arguments of a call of `tool`, or of any tool.
pub(super) fn found(pointers: &[Pointer], tool: Option<&str>, text: &str) -> Vec<Found> {
    let Ok(root) = serde_json::from_str::<&RawValue>(text) else {
        return Vec::new();
    };
    let mut named = Vec::new();
    for pointer in pointers.iter().filter(|pointer| pointer.is_for(tool)) {
        collect(root, &pointer.path, &mut named);
    }
    let found = named.into_iter().map(|value| {
        // `RawValue` borrows from `text`, so the difference of the addresses is the offset.
        let start = value.get().as_ptr() as usize - text.as_ptr() as usize;
        Found {
            at: start..start + value.get().len(),
            secret: serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned()),
            kind: Kind::Value,
        }
    });
    found.collect()
}

fn collect<'a>(value: &'a RawValue, path: &[Segment], named: &mut Vec<&'a RawValue>) {
    let Some((segment, rest)) = path.split_first() else {
        return named.push(value);
    };
    if let Ok(Members(members)) = serde_json::from_str::<Members<'a>>(value.get()) {
        for (name, member) in members {
            if matches!(segment, Segment::Every)
                || matches!(segment, Segment::Named(wanted) if *wanted == name)
            {
                collect(member, rest, named);
            }
        }
        return;
    }
    let items: Vec<&RawValue> = serde_json::from_str(value.get()).unwrap_or_default();
    for (index, item) in items.into_iter().enumerate() {
        if matches!(segment, Segment::Every)
            || matches!(segment, Segment::Named(wanted) if wanted.parse() == Ok(index))
        {
            collect(item, rest, named);
        }
    }
}

/// The texts and numbers in a secret value.
pub(super) fn leaves(json: &str) -> Vec<String> {
    let mut leaves = Vec::new();
    let mut open: Vec<Value> = serde_json::from_str(json).into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => leaves.push(number.to_string()),
            Value::String(text) => leaves.push(text),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.into_iter().map(|(_, value)| value)),
        }
    }
    leaves
}
