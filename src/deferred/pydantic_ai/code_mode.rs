//! Scripts that wait at inner calls: the inner calls are what is shown and decided, each with where the
//! script stands. The script itself can be dropped.
//!
//! The snapshot of the script is opaque. It goes back as it came and is shown to nobody.

mod stand;

use serde_json::Value;
use std::sync::Arc;

use super::offer::{Version, own};
use super::requests::Waiting;
use crate::core::call::{Answer, Answers, CallId};
use crate::core::script::Script;
use crate::core::verdict::Basis;
use crate::deferred::cursor::At;
use crate::deferred::imported::{ImportedCall, ReadFault};
use crate::deferred::proposed::{Proposed, structured};

/// How many bytes of one script may stand beside its calls, all of them together. It is shown with the script
/// itself in any case.
const ROOM: usize = 1 << 20;

/// What a script itself takes: each of these drops it.
const DROPS: [Answer; 3] = [Answer::Reject, Answer::Reason, Answer::Respond];

/// The inner calls that this call waits at; none if it is no script or waits for itself.
pub(super) fn inner<'v>(
    outer: &Waiting<'v>,
    metadata: &At<'v>,
) -> Result<Vec<(ImportedCall, At<'v>)>, ReadFault> {
    let is_script = metadata.value.get("kind").and_then(Value::as_str) == Some("code_mode");
    let Some(pending) = metadata.member("pending").filter(|_| is_script) else {
        return Ok(Vec::new());
    };
    let mut calls = Vec::new();
    for part in pending.items()? {
        calls.push((call(outer, &part)?, part));
    }
    calls.sort_by_key(|(call, _)| number(outer.id, &call.id));
    let script = stand::script(outer, metadata);
    let warning = other_script(outer, metadata.value);
    let size = stand::size(&script);
    let mut room = ROOM;
    for (at, (call, part)) in calls.iter_mut().enumerate() {
        let line = stand::line(&script, &call.tool, part);
        // The first one has all of it in any case.
        let whole = at == 0 || size <= room;
        room = room.saturating_sub(size);
        let script = if whole {
            script.clone()
        } else {
            stand::bare(&script)
        };
        call.script = Some(Arc::new(Script { line, ..script }));
        call.warnings.extend(warning.clone());
        call.metadata = part.member("metadata").map(|own| own.value.clone());
    }
    Ok(calls)
}

/// The script itself, behind the calls it waits at: whoever comes to it has seen those.
pub(super) fn itself(
    outer: Waiting<'_>,
    metadata: &At<'_>,
    inner: &[(ImportedCall, At<'_>)],
    version: Version,
) -> Result<ImportedCall, ReadFault> {
    let script = stand::script(&outer, metadata);
    let warning = other_script(&outer, metadata.value);
    let mut lines = inner
        .iter()
        .map(|(call, _)| call.script.as_ref().and_then(|script| script.line));
    let first = lines.next().flatten();
    let together = first.filter(|first| lines.all(|line| line == Some(*first)));
    let line = script.line.or(together);
    let mut call = own(outer, version)?;
    call.answers = Answers::of(DROPS);
    call.warnings.extend(warning);
    call.metadata = None;
    call.script = Some(Arc::new(Script { line, ..script }));
    Ok(call)
}

/// The script as the model wrote it.
pub(super) fn own_script(outer: &Waiting) -> Option<Value> {
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
        arrived: None,
        script: None,
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
