//! What the Mistral SDK writes when it defers calls, and what it goes on with.
//!
//! Reads `DeferredToolCallsException.to_dict()`. What is shown is `function_call`, since that alone is
//! read back and run; what stands beside it, or in `outputs`, and differs is a warning.
//!
//! The results hold everything to go on with, in two forms:
//!
//! ```json
//! { "conversation_id": "conv_…",
//!   "inputs": [
//!     { "type": "function.result", "tool_call_id": "a", "result": "…", "object": "entry" },
//!     { "type": "deferred.confirmation", "tool_call_id": "b", "tool_name": "book_flight",
//!       "function_call": { "id": "fc_…", "tool_call_id": "b", "name": "book_flight", "arguments": "{…}" },
//!       "override_args": null, "deferral_reason": "confirmation_required" },
//!     { "type": "deferred.rejection", "tool_call_id": "c", "message": "not now",
//!       "deferral_reason": "server_side_confirmation_required" },
//!     { "type": "message.input", "role": "user", "content": "…", "object": "entry", "prefix": false } ],
//!   "run": [ { "id": "fc_…", "tool_call_id": "b", "name": "book_flight", "arguments": "{…}" } ],
//!   "append": { "inputs": [ … ], "stream": false, "store": true, "handoff_execution": "server",
//!               "tool_confirmations": [ { "tool_call_id": "c", "confirmation": "deny" } ] } }
//! ```
//!
//! - `inputs` is for `run_async`: the results of what already ran, then one decision for each call, then
//!   messages. The decisions carry the members of the SDK's `DeferredToolCallConfirmation` and
//!   `DeferredToolCallRejection`, with `deferred.…` as their type; all else are entries as the SDK takes
//!   them. The state itself is not needed any more. Edited arguments stand in `function_call`, as the
//!   exact text that was signed: the SDK's `override_args` could not take one away.
//! - `append` is the body of the one POST to `/v1/conversations/{conversation_id}`, as the SDK would send
//!   it. `run` lists the calls that were approved and that the program itself has to run first; their
//!   results go to the end of `append.inputs`, in that order. Without any, the body is complete.
//!
//! A call that the service runs (a connector's) can only be allowed or denied. The SDK drops the reason of
//! a denial, so it goes along as a message.

use serde_json::Value;

use super::decided::Decided;
use super::imported::{Imported, ImportedCall, ReadFault};
use crate::core::call::CallId;
use std::collections::HashMap;

mod past;
mod read;
mod results;

/// What the results are made from, beside the decisions.
#[derive(Debug, Clone)]
pub(super) struct State {
    conversation: Value,
    /// Results of calls that ran before, as they came.
    executed: Vec<Value>,
    calls: HashMap<CallId, Held>,
}

/// A call as it goes back to the SDK.
#[derive(Debug, Clone)]
struct Held {
    /// As it came, with all its members.
    function_call: Value,
    runs: Runs,
}

/// Who runs a call once it is approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runs {
    Program,
    Service,
}

impl Runs {
    /// The SDK's word for why the call was deferred.
    const fn reason(self) -> &'static str {
        match self {
            Self::Program => "confirmation_required",
            Self::Service => "server_side_confirmation_required",
        }
    }
}

/// Whether a document looks like this form.
pub(super) fn recognises(document: &Value) -> bool {
    document.get("deferred_calls").is_some()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the forms have the same functions"
)]
pub(super) fn read(document: Value) -> Result<Imported, ReadFault> {
    read::read(&document)
}

impl State {
    /// The results of all calls of a response go back in one append.
    #[expect(clippy::unused_self, reason = "the forms have the same methods")]
    pub(super) fn takes_a_part(&self) -> bool {
        false
    }

    /// The results of these decisions, which were checked against the calls.
    pub(super) fn results(&self, calls: &[ImportedCall], decided: &[Decided]) -> Value {
        results::write(self, calls, decided)
    }
}
