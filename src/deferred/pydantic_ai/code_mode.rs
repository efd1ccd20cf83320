//! Scripts that wait at inner calls: the inner calls are what is shown and decided.
//!
//! The snapshot of the script is opaque. It goes back as it came and is shown to nobody.

use serde_json::{Map, Value, json};

use super::requests::Waiting;
use crate::core::call::{Answer, Answers, CallId};
use crate::core::verdict::Basis;
use crate::deferred::cursor::At;
use crate::deferred::imported::{ImportedCall, ReadFault};
use crate::deferred::proposed::{Proposed, structured};

/// How many bytes of one script, over all its calls, may stand in their metadata. A script is shown in
/// the conversation too.
const ROOM: usize = 1 << 20;

/// The inner calls that this call waits at; none if it is no script or waits for itself.
pub(super) fn inner<'v>(
    outer: &Waiting<'v>,
    metadata: &At<'v>,
) -> Result<Vec<(ImportedCall, At<'v>)>, ReadFault> {
    let is_script = metadata.value.get("kind").and_then(Value::as_str) == Some("code_mode");
    let Some(pending) = metadata.member("pending").filter(|_| is_script) else {
        return Ok(Vec::new());
    };
    let context = context(metadata, outer);
    let warning = other_script(outer, metadata.value);
    let mut calls = Vec::new();
    let mut room = ROOM;
    let size = Value::from(context.clone()).to_string().len();
    for part in pending.items()? {
        let mut call = call(outer, &part)?;
        call.warnings.extend(warning.clone());
        let mut shown = Map::new();
        // The first one has it in any case.
        if calls.is_empty() || size <= room {
            room = room.saturating_sub(size);
            shown.clone_from(&context);
        }
        if let Some(own) = part.member("metadata") {
            shown.insert("metadata".to_owned(), own.value.clone());
        }
        call.metadata =
            Some(Value::Object(shown)).filter(|shown| *shown != Value::from(Map::new()));
        calls.push((call, part));
    }
    calls.sort_by_key(|(call, _)| number(outer.id, &call.id));
    Ok(calls)
}

/// What a person needs to judge an inner call: the script, and what its calls came to so far.
fn context(metadata: &At<'_>, outer: &Waiting) -> Map<String, Value> {
    let mut context = Map::new();
    let code = metadata.member("code").map(|code| code.value.clone());
    if let Some(code) = code.or_else(|| own_script(outer)) {
        context.insert("code".to_owned(), in_lines(code));
    }
    if let Some(done) = metadata.member("done")
        && *done.value != json!({})
    {
        context.insert("done".to_owned(), done.value.clone());
    }
    context
}

/// A text of several lines as a list of them: as JSON, the text itself would be hard to read.
fn in_lines(code: Value) -> Value {
    match code.as_str() {
        Some(text) if text.contains('\n') => text.split('\n').collect(),
        Some(_) | None => code,
    }
}

/// The script as the model wrote it.
fn own_script(outer: &Waiting) -> Option<Value> {
    let arguments = outer.arguments();
    match arguments.as_str() {
        Some(text) => structured(text).get("code").cloned(),
        None => arguments.get("code").cloned(),
    }
}

fn other_script(outer: &Waiting, metadata: &Value) -> Option<String> {
    let (asked, told) = (own_script(outer)?, metadata.get("code")?);
    (asked != *told).then(|| {
        let tool = outer.tool;
        format!("the script in the metadata is not the one in the arguments of `{tool}`")
    })
}

fn call(outer: &Waiting, part: &At<'_>) -> Result<ImportedCall, ReadFault> {
    let proposed = Proposed::member(part, "args")?;
    let answers: &[Answer] = match proposed.unreadable {
        Some(_) => &[Answer::Reject, Answer::Reason],
        None => &[
            Answer::Approve,
            Answer::Edit,
            Answer::Reject,
            Answer::Reason,
        ],
    };
    Ok(ImportedCall {
        id: CallId(part.need("tool_call_id")?.name()?.to_owned()),
        tool: part.need("tool_name")?.name()?.to_owned(),
        arguments: proposed.arguments,
        answers: Answers::of(answers),
        parent: Some(CallId(outer.id.to_owned())),
        basis: Basis::Framework {
            reason: String::new(),
        },
        risks: Vec::new(),
        schema: None,
        metadata: None,
        warnings: proposed.unreadable.into_iter().collect(),
        expires: None,
    })
}

/// Inner calls are numbered in the order in which the script made them; `pending` can have any order.
fn number(outer: &str, inner: &CallId) -> usize {
    let number = inner.0.strip_prefix(outer);
    let number = number.and_then(|rest| rest.strip_prefix("__"));
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or(usize::MAX)
}
