//! The calls of `DeferredToolRequests`, as they stand there.

use serde_json::Value;

use crate::deferred::imported::ReadFault;
use crate::deferred::place::Place;

/// What a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Approval,
    /// A result that somebody brings.
    External,
    /// A person's answer.
    Question,
    /// One of these: a history alone does not say.
    Untold,
}

/// A call that waits.
pub(super) struct Waiting<'v> {
    pub(super) id: &'v str,
    pub(super) tool: &'v str,
    /// Null where there are none.
    pub(super) arguments: &'v Value,
    pub(super) kind: Kind,
    /// With the pointer to it.
    pub(super) metadata: Option<(&'v Value, String)>,
    /// Where the call stands.
    pub(super) pointer: String,
    /// What is odd about it.
    pub(super) warnings: Vec<String>,
}

pub(super) fn read<'v>(requests: &Place<'v, '_>) -> Result<Vec<Waiting<'v>>, ReadFault> {
    let lists = [("approvals", Kind::Approval), ("calls", Kind::External)];
    if requests.object()?.is_empty() {
        let what = "there are no requests here: neither `approvals` nor `calls`";
        return Err(requests.broken(what));
    }
    let metadata = requests.member("metadata");
    let kinds = requests.member("_kinds");
    for of_calls in [&metadata, &kinds].into_iter().flatten() {
        of_calls.object()?;
    }
    let mut read = Vec::new();
    for (list, kind) in lists {
        let Some(parts) = requests.member(list) else {
            continue;
        };
        for part in parts.items()? {
            let id = part.name("tool_call_id")?;
            let metadata = metadata.as_ref().and_then(|all| all.member(id));
            if let Some(metadata) = &metadata {
                metadata.object()?;
            }
            let told = kinds.as_ref().and_then(|kinds| kinds.value().get(id));
            let kind = match told.and_then(Value::as_str) {
                Some("question") if kind == Kind::External => Kind::Question,
                _ => kind,
            };
            read.push(Waiting {
                id,
                tool: part.name("tool_name")?,
                arguments: arguments(&part),
                kind,
                metadata: metadata.map(|at| (at.value(), at.pointer())),
                pointer: part.pointer(),
                warnings: Vec::new(),
            });
        }
    }
    Ok(read)
}

pub(super) fn arguments<'v>(part: &Place<'v, '_>) -> &'v Value {
    part.member("args")
        .map_or(&Value::Null, |arguments| arguments.value())
}
