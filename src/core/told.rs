//! The words in which a model is told what became of a call, and what those words tell.
//!
//! Owns both directions: a journal in which a call's end is missing still has what was sent of it.

use super::arguments::Arguments;
use super::exchange::Came;
use super::run::Outcome;
use super::verdict::Basis;

const INTERRUPTED: &str = "Not finished: the operator interrupted the run.";
const ERROR: &str = "Error: ";
const REJECTED: &str = "Rejected by the operator";
const SENT_BACK: &str = "Not run. The operator asks you to try again: ";
const REFUSED: &str = "Error: not run: ";
const EDITED: (&str, &str) = (
    "[The operator changed the arguments to ",
    " before this ran.]\n",
);

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
    }
}

fn denied(basis: &Basis) -> String {
    basis.reason().map_or_else(
        || "Denied by policy.".to_owned(),
        |reason| format!("Denied by policy: {reason}"),
    )
}

/// Put before the result of a call whose arguments the operator changed: the model's own history
/// still says what it had asked for.
pub fn edited(arguments: &Arguments) -> String {
    let (before, after) = EDITED;
    format!("{before}{}{after}", arguments.text())
}

/// What a call came to that was answered with `text`; `basis` is what policy said of it.
pub fn outcome(came: Came, text: &str, basis: Option<&Basis>) -> Outcome {
    let (before, after) = EDITED;
    let edited = text.strip_prefix(before);
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
        Came::Failed if text == INTERRUPTED => Outcome::Interrupted,
        Came::Failed => Outcome::Failed {
            message: without(ERROR),
        },
    }
}
