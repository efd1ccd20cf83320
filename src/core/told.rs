//! The words in which a model is told what became of a call, and what those words tell.
//!
//! Owns both directions: a journal in which a call's end is missing still has what was sent of it.

use super::arguments::Arguments;
use super::decision::Awaited;
use super::exchange::Came;
use super::run::Outcome;
use super::time;
use super::verdict::Basis;

const INTERRUPTED: &str = "Not finished: the operator interrupted the run. If this had begun, what it has done is not known.";
/// How every text about it has begun, also in older journals.
const NOT_FINISHED: &str = "Not finished: the operator interrupted the run.";
const ERROR: &str = "Error: ";
const REJECTED: &str = "Rejected by the operator";
const SENT_BACK: &str = "Not run. The operator asks you to try again: ";
const NO_RESULT: &str = "Expired: nobody gave its result";
const WITHDRAWN: &str = "Withdrawn, not run: ";
const REFUSED: &str = "Error: not run: ";
const EDITED: (&str, &str) = (" changed the arguments to ", " before this ran.]\n");
const OPERATOR: &str = "[The operator";
const REVIEWER: &str = "[The reviewer ";

/// The text that answers a call which came to `outcome`.
pub fn result(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Result { text } | Outcome::Responded { result: text } => text.clone(),
        Outcome::Failed { message } => format!("{ERROR}{message}"),
        Outcome::Denied { basis } => denied(basis),
        Outcome::Rejected { reason } if reason.is_empty() => format!("{REJECTED}."),
        Outcome::Rejected { reason } => format!("{REJECTED}: {reason}"),
        Outcome::SentBack { message } => format!("{SENT_BACK}{message}"),
        Outcome::Refused { fault } => format!("{REFUSED}{fault}"),
        Outcome::Interrupted => INTERRUPTED.to_owned(),
        Outcome::Withdrawn { why } => format!("{WITHDRAWN}{why}"),
        Outcome::Expired { awaited, waited } => expired(*awaited, *waited),
    }
}

fn denied(basis: &Basis) -> String {
    let by = match basis {
        Basis::Reviewer { name, .. } => format!("the reviewer {name}"),
        Basis::Rule { .. }
        | Basis::ToolDefault
        | Basis::NotUnderstood { .. }
        | Basis::Provider
        | Basis::Tool { .. }
        | Basis::OutcomeUnknown
        | Basis::Script
        | Basis::Lost { .. }
        | Basis::Question { .. }
        | Basis::Framework { .. }
        | Basis::External { .. }
        | Basis::Grant { .. }
        | Basis::GrantsUnread { .. } => "policy".to_owned(),
    };
    basis.reason().map_or_else(
        || format!("Denied by {by}."),
        |reason| format!("Denied by {by}: {reason}"),
    )
}

/// Nobody said no: the model may well ask again.
fn expired(awaited: Awaited, waited: u64) -> String {
    let span = time::span(waited);
    match awaited {
        Awaited::Decision => format!(
            "Expired: nobody decided within {span}, so it was not run. It was neither approved nor rejected."
        ),
        Awaited::Result => format!("{NO_RESULT} within {span}."),
    }
}

/// Put before the result of a call whose arguments the operator changed, or a reviewer of this name: the
/// model's own history still says what it had asked for.
pub fn edited(arguments: &Arguments, reviewer: Option<&str>) -> String {
    let (before, after) = EDITED;
    let arguments = arguments.text();
    match reviewer {
        None => format!("{OPERATOR}{before}{arguments}{after}"),
        Some(name) => format!("{REVIEWER}{name}{before}{arguments}{after}"),
    }
}

/// What stands after the name of whoever changed the arguments.
fn after_name(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(OPERATOR) {
        return Some(rest);
    }
    let named = text.strip_prefix(REVIEWER)?;
    Some(&named[named.find(' ')?..])
}

/// What a call came to that was answered with `text`; `basis` is what policy said of it.
pub fn outcome(came: Came, text: &str, basis: Option<&Basis>) -> Outcome {
    let (before, after) = EDITED;
    let edited = after_name(text).and_then(|rest| rest.strip_prefix(before));
    let text = edited
        .and_then(|rest| rest.split_once(after))
        .map_or(text, |(_, text)| text);
    let without = |prefix: &str| text.strip_prefix(prefix).unwrap_or(text).to_owned();
    match came {
        Came::Executed | Came::Approved | Came::Edited => Outcome::Result {
            text: text.to_owned(),
        },
        Came::Rejected => Outcome::Rejected {
            reason: match text.strip_prefix(REJECTED) {
                Some(rest) => rest.strip_prefix(": ").unwrap_or_default().to_owned(),
                None => text.to_owned(),
            },
        },
        Came::Responded => Outcome::Responded {
            result: text.to_owned(),
        },
        Came::SentBack => Outcome::SentBack {
            message: without(SENT_BACK),
        },
        Came::Denied => basis.map_or_else(
            || Outcome::Refused {
                fault: text.to_owned(),
            },
            |basis| Outcome::Denied {
                basis: basis.clone(),
            },
        ),
        Came::Refused => Outcome::Refused {
            fault: without(REFUSED),
        },
        // How long it was is in the journal's own record of it.
        Came::Expired => Outcome::Expired {
            awaited: if text.starts_with(NO_RESULT) {
                Awaited::Result
            } else {
                Awaited::Decision
            },
            waited: 0,
        },
        Came::Failed if text.starts_with(NOT_FINISHED) => Outcome::Interrupted,
        Came::Failed => Outcome::Failed {
            message: without(ERROR),
        },
    }
}
