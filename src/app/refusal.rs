//! Why a decision does not count, in words.
//!
//! Owns the words that more than one place says. What counts is decided elsewhere.

use crate::core::call::Call;
use crate::core::verdict::Basis;

/// Why the call cannot be `done`: approved, edited, whatever its answers leave out.
pub fn not_taken(call: &Call, done: &str) -> String {
    if matches!(call.basis, Basis::Question { .. }) {
        return format!(
            "a question cannot be {done} as it stands: write the answer, decline it or cancel it"
        );
    }
    format!("where this call comes from, it cannot be {done}")
}
