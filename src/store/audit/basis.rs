//! What something was decided by, in the words of the log.

use crate::core::verdict::{Basis, RuleSource};

/// What was decided by, in a few words: a reason of its own is kept in `words`.
pub(super) fn in_words(basis: &Basis) -> String {
    match basis {
        Basis::Rule { number, source, .. } => match source {
            RuleSource::Configuration => format!("rule {number}"),
            RuleSource::BuiltIn => format!("built-in rule {number}"),
        },
        Basis::ToolDefault => "the tool's default".to_owned(),
        Basis::Grant { id, answers, .. } if answers.is_empty() => format!("given rule {id}"),
        Basis::Grant { id, answers, .. } => format!("given rule {id}, for {answers}"),
        Basis::GrantsUnread { .. }
        | Basis::NotUnderstood { .. }
        | Basis::Provider
        | Basis::Tool { .. }
        | Basis::Framework { .. }
        | Basis::OutcomeUnknown
        | Basis::Script
        | Basis::Lost { .. }
        | Basis::Question { .. }
        | Basis::External { .. }
        | Basis::Reviewer { .. } => basis.words(),
    }
}
