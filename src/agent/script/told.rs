//! What a script, its model and the operator are told of the script's calls, in words.

use crate::agent::work::Ended;
use crate::code::{Fault, Reply};
use crate::core::run::Outcome;
use crate::core::time;
use serde_json::Value;

/// Why a call is not run any more that its script has left behind.
pub(super) const LEFT: &str = "the script no longer waits for it";

/// What a call comes to in the script: a value, or a `RuntimeError`. `None` if there is nothing to tell, because
/// the script did not wait for it.
pub(super) fn reply(tool: &str, outcome: &Outcome) -> Option<Reply> {
    let raise = |what: String| Some(Reply::Raise(what));
    match outcome {
        Outcome::Result { text } | Outcome::Responded { result: text } => {
            Some(Reply::Value(Value::String(text.clone())))
        }
        Outcome::Rejected { reason } => raise(denied(tool, reason, "the operator rejected it")),
        Outcome::Denied { basis } => raise(denied(
            tool,
            basis.reason().unwrap_or_default(),
            "policy denies it",
        )),
        Outcome::Failed { message } => raise(format!("Tool '{tool}' failed: {message}")),
        Outcome::SentBack { message } => raise(format!(
            "Tool '{tool}' was not run, and the operator asks to try again: {message}"
        )),
        Outcome::Refused { fault } => raise(format!("Tool '{tool}' was not run: {fault}")),
        Outcome::Expired { waited, .. } => raise(format!(
            "Tool '{tool}' call expired: nobody decided within {}, so it was neither approved nor rejected",
            time::span(*waited)
        )),
        Outcome::Interrupted => raise(format!("Tool '{tool}' was interrupted")),
        Outcome::Withdrawn { .. } => None,
    }
}

fn denied(tool: &str, reason: &str, without: &str) -> String {
    let reason = Some(reason).filter(|reason| !reason.is_empty());
    format!("Tool '{tool}' call denied: {}", reason.unwrap_or(without))
}

/// How a call came out, for the list of what a script has done.
pub(super) fn came(ended: &Ended) -> &'static str {
    match &ended.outcome {
        Outcome::Result { .. } if ended.edited.is_some() => "ran with other arguments",
        Outcome::Result { .. } => "ran",
        Outcome::Failed { .. } => "failed",
        Outcome::Denied { .. } => "denied",
        Outcome::Rejected { .. } => "rejected",
        Outcome::Responded { .. } => "answered",
        Outcome::SentBack { .. } => "sent back",
        Outcome::Refused { .. } => "not run",
        Outcome::Withdrawn { .. } => "withdrawn",
        Outcome::Interrupted => "interrupted",
        Outcome::Expired { .. } => "expired",
    }
}

/// What the script was given of the call.
pub(super) fn given(tool: &str, outcome: &Outcome) -> String {
    match reply(tool, outcome) {
        Some(Reply::Value(Value::String(text)) | Reply::Raise(text)) => text,
        Some(Reply::Value(value)) => value.to_string(),
        None => String::new(),
    }
}

/// What the model is given of a script that came to its end.
pub(super) fn done(result: &Value, printed: &str) -> String {
    with_printed(format!("Result: {result}"), printed)
}

/// What the model is given of a script that an exception ended.
pub(super) fn failed(traceback: &str, printed: &str) -> String {
    with_printed(
        format!("the script failed.\n{}", traceback.trim_end()),
        printed,
    )
}

/// What the model is given of a script that was stopped.
pub(super) fn stopped(fault: &Fault) -> String {
    format!("the script did not come to its end: {fault}")
}

fn with_printed(text: String, printed: &str) -> String {
    if printed.is_empty() {
        return text;
    }
    format!("{text}\n\nPrinted:\n{printed}")
}
