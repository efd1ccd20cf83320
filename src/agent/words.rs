//! What the model is told of each call, in words.

use crate::core::arguments::Arguments;
use crate::core::decision::Awaited;
use crate::core::run::Outcome;
use crate::core::schema::Violation;
use crate::core::time;
use crate::core::verdict::Basis;

pub const INTERRUPTED: &str = "Not finished: the operator interrupted the run.";

/// The text that answers a call which came to `outcome`.
pub fn result(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Result { text } | Outcome::Responded { result: text } => text.clone(),
        Outcome::Failed { message } => format!("Error: {message}"),
        Outcome::Denied { basis } => denied(basis),
        Outcome::Rejected { reason } if reason.is_empty() => "Rejected by the operator.".to_owned(),
        Outcome::Rejected { reason } => format!("Rejected by the operator: {reason}"),
        Outcome::SentBack { message } => {
            format!("Not run. The operator asks you to try again: {message}")
        }
        Outcome::Refused { fault } => format!("Error: not run: {fault}"),
        Outcome::Interrupted => INTERRUPTED.to_owned(),
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
        Awaited::Result => format!("Expired: nobody gave its result within {span}."),
    }
}

/// Put before the result of a call whose arguments somebody changed: the model's own history
/// still says what it had asked for.
pub fn edited(arguments: &Arguments, by: &str) -> String {
    format!(
        "[{by} changed the arguments to {} before this ran.]\n",
        arguments.text()
    )
}

/// For a call that was running when the program stopped and of which nobody knows what became.
pub fn unknown(reason: &str) -> String {
    let told = "the program stopped while this ran, so it is not known whether it did what it was to do; do not assume either";
    if reason.is_empty() {
        told.to_owned()
    } else {
        format!("{told}. The operator says: {reason}")
    }
}

pub fn unknown_tool<'a>(tool: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.collect();
    format!(
        "there is no tool `{tool}`; the tools are {}",
        known.join(", ")
    )
}

pub fn violations(found: &[Violation]) -> String {
    let list: Vec<_> = found.iter().map(ToString::to_string).collect();
    format!(
        "the arguments do not fit the tool's schema: {}",
        list.join("; ")
    )
}
