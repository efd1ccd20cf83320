//! A call that is decided by itself: what it waits for, and what the framework takes as its answer.

use serde_json::Value;

use super::requests::{Kind, Waiting};
use crate::core::call::{Answer, Answers, CallId};
use crate::core::verdict::Basis;
use crate::deferred::cursor::At;
use crate::deferred::imported::{ImportedCall, ReadFault};
use crate::deferred::proposed::Proposed;

/// The members of a call's metadata that say why it waits, as tools name them.
const REASONS: [&str; 3] = ["reason", "approval_reason", "approval_description"];

/// Which major version wrote the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Two,
    /// Both write this.
    Untold,
}

impl Version {
    /// Only version 2 says what kind a call is.
    pub(super) fn or(self, requests: &At<'_>) -> Self {
        match requests.member("_kinds") {
            Some(_) => Self::Two,
            None => self,
        }
    }
}

/// The call as it is shown.
pub(super) fn own(call: Waiting<'_>, version: Version) -> Result<ImportedCall, ReadFault> {
    let proposed = Proposed::member(&call.part, "args")?;
    let metadata = call.metadata.map(|at| at.value);
    let mut warnings = call.warnings;
    let answers = answers(call.kind, &proposed, version);
    warnings.extend(proposed.unreadable);
    Ok(ImportedCall {
        id: CallId(call.id.to_owned()),
        tool: call.tool.to_owned(),
        arguments: proposed.arguments,
        answers,
        parent: None,
        basis: basis(call.kind, metadata),
        risks: Vec::new(),
        schema: None,
        metadata: metadata.cloned(),
        warnings,
        expires: None,
        arrived: None,
        script: None,
    })
}

fn answers(kind: Kind, proposed: &Proposed, version: Version) -> Answers {
    let mut answers = match (kind, &proposed.unreadable) {
        (Kind::Approval | Kind::Untold, None) => vec![Answer::Approve, Answer::Edit],
        (Kind::Approval | Kind::Untold, Some(_)) | (Kind::External | Kind::Question, _) => {
            Vec::new()
        }
    };
    answers.extend([
        Answer::Reject,
        Answer::Reason,
        Answer::Respond,
        Answer::Retry,
    ]);
    if version == Version::Two {
        answers.push(Answer::Fail);
    }
    Answers::of(answers)
}

fn basis(kind: Kind, metadata: Option<&Value>) -> Basis {
    let said = |member: &str| metadata?.get(member)?.as_str();
    let reason = REASONS.iter().find_map(|member| said(member));
    let reason = match (reason, kind) {
        (Some(reason), _) => reason,
        (None, Kind::Question) => "it is a question to a person",
        (None, Kind::Approval | Kind::External | Kind::Untold) => "",
    };
    let reason = reason.to_owned();
    match kind {
        Kind::Approval | Kind::Untold => Basis::Framework { reason },
        Kind::External | Kind::Question => Basis::External { reason },
    }
}
