//! Fields to be set in the arguments of many calls: one `field = value` on each row.
//!
//! Owns what the rows mean and the new text of a call's arguments, in which every byte that was not set
//! stays as the model wrote it. Does not decide which calls: that is the operator's.

use serde_json::Value;

use super::arguments::{Arguments, strict};
use super::call::Call;
use super::locate;

/// One field and what it is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The row it stands on, counted from 0.
    pub row: usize,
    /// The field as it was written.
    pub name: String,
    /// The way to it, from the outside in.
    path: Vec<String>,
    /// The value's text, as it was written.
    raw: String,
}

/// A row that sets nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct AssignFault {
    /// Counted from 0.
    pub row: usize,
    /// In characters, counted from 0.
    pub column: usize,
    pub what: String,
}

/// Why fields cannot be set in a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unset {
    #[error(
        "no field {name}, and the tool's schema does not name one; unmark the call, or write a field that it has"
    )]
    NoField { row: usize, name: String },
    /// What the arguments would break of the tool's schema.
    #[error("{0}")]
    Schema(String),
    #[error("the arguments cannot be written: {0}")]
    Text(String),
}

impl Unset {
    /// The row of the draft that it is about, where that is known.
    pub const fn row(&self) -> Option<usize> {
        match self {
            Self::NoField { row, .. } => Some(*row),
            Self::Schema(_) | Self::Text(_) => None,
        }
    }
}

/// The rows of a draft; blank ones mean nothing.
pub fn parse(text: &str) -> Result<Vec<Assignment>, Vec<AssignFault>> {
    let (mut all, mut faults) = (Vec::<Assignment>::new(), Vec::new());
    for (row, line) in text.split('\n').enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match assignment(row, line) {
            Ok(one) if all.iter().any(|other| other.path == one.path) => {
                faults.push(AssignFault {
                    row,
                    column: 0,
                    what: format!("{} is set twice", one.name),
                });
            }
            Ok(one) => all.push(one),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() {
        Ok(all)
    } else {
        Err(faults)
    }
}

fn assignment(row: usize, line: &str) -> Result<Assignment, AssignFault> {
    let fault = |rest: &str, what: String| AssignFault {
        row,
        column: line.chars().count() - rest.chars().count(),
        what,
    };
    let start = line.trim_start();
    let (path, rest) = if start.starts_with('"') {
        let mut read = serde_json::Deserializer::from_str(start).into_iter::<String>();
        let Some(Ok(name)) = read.next() else {
            return Err(fault(
                start,
                "the quote around the field is not closed".to_owned(),
            ));
        };
        (vec![name], &start[read.byte_offset()..])
    } else {
        let end = start.find('=').unwrap_or(start.len());
        (path(start[..end].trim_end()), &start[end..])
    };
    let name = start[..start.len() - rest.len()].trim_end().to_owned();
    let rest = rest.trim_start();
    let Some(value) = rest.strip_prefix('=') else {
        return Err(fault(rest, "write it as field = value".to_owned()));
    };
    if name.is_empty() {
        return Err(fault(
            start,
            "say which field, as in cabin = \"economy\"".to_owned(),
        ));
    }
    let raw = value.trim();
    if raw.is_empty() {
        return Err(fault("", "say what it is set to".to_owned()));
    }
    strict(raw).map_err(|error| {
        // Where no value begins, that is said already.
        let mut what = error.what;
        if !what.contains("double quotes") {
            what.push_str("; a value is JSON, so a text stands in double quotes");
        }
        fault(value.trim_start(), what)
    })?;
    Ok(Assignment {
        row,
        name,
        path,
        raw: raw.to_owned(),
    })
}

/// A member by its name, or anything by its JSON pointer.
fn path(name: &str) -> Vec<String> {
    match name.strip_prefix('/') {
        Some(pointer) => pointer
            .split('/')
            .map(|token| token.replace("~1", "/").replace("~0", "~"))
            .collect(),
        None => vec![name.to_owned()],
    }
}

/// The call's arguments with these fields set, if that is allowed; `None` if it has them so already.
pub fn apply(assignments: &[Assignment], call: &Call) -> Result<Option<Arguments>, Unset> {
    let mut text = call.arguments.text().to_owned();
    for assignment in assignments {
        text = set(assignment, &text, call)?;
    }
    let arguments = Arguments::parse(&text).map_err(|fault| Unset::Text(fault.to_string()))?;
    if arguments.value() == call.arguments.value() {
        return Ok(None);
    }
    let broken = call
        .schema
        .as_ref()
        .and_then(|schema| schema.check(arguments.value()).into_iter().next());
    match broken {
        Some(violation) => Err(Unset::Schema(violation.to_string())),
        None => Ok(Some(arguments)),
    }
}

fn set(assignment: &Assignment, text: &str, call: &Call) -> Result<String, Unset> {
    let raw = &assignment.raw;
    if let Some(span) = locate::span(text, &assignment.path) {
        return Ok([&text[..span.start], raw, &text[span.end..]].concat());
    }
    let no_field = || Unset::NoField {
        row: assignment.row,
        name: assignment.name.clone(),
    };
    let (name, parent) = assignment.path.split_last().ok_or_else(no_field)?;
    let span = locate::span(text, parent).ok_or_else(no_field)?;
    let object = &text[span.clone()];
    let is_object = object.starts_with('{') && object.ends_with('}');
    if !is_object || !names(call, &assignment.path) {
        return Err(no_field());
    }
    let end = span.end - 1;
    let bare = object[1..object.len() - 1].trim().is_empty();
    let comma = if bare { "" } else { "," };
    let name = Value::String(name.clone()).to_string();
    Ok(format!(
        "{}{comma}{name}:{raw}{}",
        &text[..end],
        &text[end..]
    ))
}

/// Whether the tool's schema names this field.
fn names(call: &Call, path: &[String]) -> bool {
    let Some(root) = call.schema.as_ref().map(super::schema::Schema::value) else {
        return false;
    };
    let mut at = Some(root);
    for token in path {
        let object = at.map(|schema| resolved(schema, root));
        at = object.and_then(|object| object.get("properties")?.get(token));
    }
    at.is_some()
}

/// What a schema within the same document refers to, or itself.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let pointer = schema.get("$ref").and_then(Value::as_str);
    let pointer = pointer.and_then(|pointer| pointer.strip_prefix('#'));
    pointer
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(schema)
}
