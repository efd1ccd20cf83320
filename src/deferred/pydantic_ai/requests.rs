//! The calls of `DeferredToolRequests`, as they stand there.

use serde_json::Value;

use crate::deferred::cursor::At;
use crate::deferred::imported::ReadFault;

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
    /// The part that will run, with the arguments in it.
    pub(super) part: At<'v>,
    pub(super) kind: Kind,
    pub(super) metadata: Option<At<'v>>,
    /// Where the call stands.
    pub(super) at: At<'v>,
    /// What is odd about it.
    pub(super) warnings: Vec<String>,
}

pub(super) fn read<'v>(requests: &At<'v>) -> Result<Vec<Waiting<'v>>, ReadFault> {
    let lists = [("approvals", Kind::Approval), ("calls", Kind::External)];
    if requests.object()?.is_empty() {
        let what = "there are no requests here: neither `approvals` nor `calls`";
        return Err(requests.fault(what));
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
            let id = part.need("tool_call_id")?.name()?;
            let metadata = metadata.as_ref().and_then(|all| all.member(id));
            if let Some(metadata) = &metadata {
                metadata.object()?;
            }
            let told = kinds.as_ref().and_then(|kinds| kinds.value.get(id));
            let kind = match told.and_then(Value::as_str) {
                Some("question") if kind == Kind::External => Kind::Question,
                _ => kind,
            };
            read.push(Waiting {
                id,
                tool: part.need("tool_name")?.name()?,
                kind,
                metadata,
                at: part.clone(),
                part,
                warnings: Vec::new(),
            });
        }
    }
    Ok(read)
}

impl<'v> Waiting<'v> {
    /// Null where there are none.
    pub(super) fn arguments(&self) -> &'v Value {
        self.part.value.get("args").unwrap_or(&Value::Null)
    }
}
