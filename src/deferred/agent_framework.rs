//! The Microsoft Agent Framework's function approval requests and responses.

use serde_json::Value;

use super::decided::Decided;
use super::imported::{Imported, ImportedCall, ReadFault};

/// What the results are made from, beside the decisions.
#[derive(Debug, Clone)]
pub(super) struct State {
    document: Value,
}

/// Whether a document looks like this form.
pub(super) fn recognises(_document: &Value) -> bool {
    false
}

pub(super) fn read(document: Value) -> Result<Imported, ReadFault> {
    let State { document: _ } = State { document };
    Err(ReadFault::new(
        "",
        "this form is not read yet",
        "use another",
    ))
}

impl State {
    /// Whether the framework goes on with answers to some of the calls.
    pub(super) fn takes_a_part(&self) -> bool {
        false
    }

    /// The results of these decisions, which were checked against the calls.
    pub(super) fn results(&self, _calls: &[ImportedCall], _decided: &[Decided]) -> Value {
        self.document.clone()
    }
}
