//! A waiting call in one row.

use crate::core::call::Call;
use crate::core::fields;
use crate::core::shown::Shown;
use crate::core::verdict::Basis;

/// The most characters of a question that stand in a row.
const ASKED: usize = 200;

/// What stands for the call in one row: its arguments, or what a server asks.
pub(super) fn of(call: &Call) -> Shown {
    match &call.basis {
        Basis::Question { message, .. } => {
            let rows: Vec<&str> = message.split_whitespace().collect();
            let asked: String = rows.join(" ").chars().take(ASKED).collect();
            Shown::label(&asked)
        }
        Basis::Rule { .. }
        | Basis::ToolDefault
        | Basis::NotUnderstood { .. }
        | Basis::Provider
        | Basis::Tool { .. }
        | Basis::OutcomeUnknown
        | Basis::Lost { .. }
        | Basis::Framework { .. }
        | Basis::External { .. }
        | Basis::Reviewer { .. }
        | Basis::Grant { .. }
        | Basis::GrantsUnread { .. }
        | Basis::Script => fields::summary(&call.arguments),
    }
}
