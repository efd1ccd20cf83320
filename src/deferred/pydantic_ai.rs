//! What Pydantic AI's deferred tools write, and the `DeferredToolResults` they go on with.
//!
//! Reads `DeferredToolRequests` by themselves, a `Conversation`, an object with `messages` (or `history`)
//! and `deferred_tool_requests` (or `requests`), and a message history alone. With a history the calls
//! stand in the order in which the model wanted them, and what is shown is the history's call, since that
//! is what the framework will run; a request that says otherwise is a warning. A history alone does not
//! say which calls wait for approval and which for a result from outside, so it is read with a warning.
//!
//! The results are for a run that is resumed (`deferred_tool_results=`), which wants an answer to each
//! call and does not look at which of its two maps an answer stands in:
//!
//! - approved: `true`, or `tool-approved` with the edited arguments as `override_args`
//! - rejected: `tool-denied` with the reason, also for a call that waits for a result, in `approvals`
//! - answered: `tool-return` in `calls`, also for a call that waits for approval. A text that is a JSON
//!   object or list goes as that value, any other as a text. It also stays a text where one of its objects
//!   has a `kind`, since the framework could take that for content of its own.
//! - sent back: `model-retry` in `calls`; failed: `tool-failed` in `calls`. Version 1 would hand a
//!   `tool-failed` to the model as an ordinary result, so it is only offered where the state shows that
//!   version 2 wrote it.
//! - `metadata` of the requests goes back, and `answered_by` says who decided.
//!
//! Nothing in `calls` is ever without a `kind`: the framework would take it for the tool's result.
//!
//! A call with `"kind": "code_mode"` in its metadata is a script that waits at inner calls (`pending`).
//! Those are shown and decided, with the script as their parent. The script is then approved, and its
//! metadata goes back with `decisions`, which has `true`, `tool-approved` or `tool-denied` for each. The script
//! itself needs no answer; rejected or answered, it is dropped, and the framework never comes to its calls.
//! Beside the text of the script (`code`), its metadata can say the `line` it stands on, which each of the
//! `pending` can do too, what its calls came to (`done`: by their number, or a list of objects with
//! `tool_name`, `args`, `outcome` and `result`), and what it has `printed`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::decided::Decided;
use super::imported::{Imported, ImportedCall, ReadFault};
use crate::core::call::CallId;

mod code_mode;
mod document;
mod history;
mod offer;
mod order;
mod read;
mod requests;
mod results;

/// What the results are made from, beside the decisions.
#[derive(Debug, Clone)]
pub(super) struct State {
    seats: HashMap<CallId, Seat>,
    /// The requests' metadata of the calls that wait, as it came.
    metadata: Map<String, Value>,
}

/// Where a call's answer belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seat {
    Own,
    /// In the metadata of the script that makes the call.
    Within(CallId),
}

/// Whether a document looks like this form.
pub(super) fn recognises(document: &Value) -> bool {
    document::recognises(document)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the forms have the same functions"
)]
pub(super) fn read(document: Value) -> Result<Imported, ReadFault> {
    read::read(&document)
}

impl State {
    /// A run is only resumed with the results of all its calls.
    #[expect(clippy::unused_self, reason = "the forms have the same methods")]
    pub(super) fn takes_a_part(&self) -> bool {
        false
    }

    /// The results of these decisions, which were checked against the calls.
    pub(super) fn results(&self, calls: &[ImportedCall], decided: &[Decided]) -> Value {
        results::write(self, calls, decided)
    }
}
