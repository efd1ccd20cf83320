//! The Microsoft Agent Framework's function approval requests and responses.
//!
//! Read: requests alone, a message or a response that has them, or the file of a session. Written: one
//! message of the user with the answers, to run the agent with. The framework has no place for a reason
//! and runs the arguments it proposed, whatever an answer says: neither is offered.

mod past;
mod requests;

use serde_json::{Value, json};
use std::collections::HashMap;

use super::decided::Decided;
use super::imported::{self, Imported, ImportedCall, ReadFault};
use super::{cursor, identity};
use crate::core::decision::{Decision, Reach};
use cursor::{At, Ids};

/// What the results are made from, beside the decisions.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// In the order of the calls.
    requests: Vec<Value>,
}

/// Whether a document looks like this form.
pub(super) fn recognises(document: &Value) -> bool {
    requests::shape(&At::root(document)).is_some()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the forms have the same functions, and some keep it"
)]
pub(super) fn read(document: Value) -> Result<Imported, ReadFault> {
    let root = At::root(&document);
    let Some(shape) = requests::shape(&root) else {
        return Err(root.fault("there are no approval requests of the framework here"));
    };
    let lasting = requests::lasting(shape, &root);
    let (mut calls, mut kept, mut seen) = (Vec::new(), Vec::new(), Ids::default());
    for request in requests::all(shape, &root)? {
        let call = requests::call(&request, lasting)?;
        seen.take(&call.id, &request)?;
        calls.push(call);
        kept.push(request.value.clone());
    }
    let messages = requests::messages(shape, &root);
    Ok(Imported {
        agent: past::author(&messages),
        model: None,
        calls,
        history: past::of(&messages),
        warnings: requests::warnings(lasting),
        identity: identity::of(&document),
        state: imported::State::AgentFramework(State { requests: kept }),
    })
}

impl State {
    /// The framework asks again for what was not answered.
    #[expect(clippy::unused_self, reason = "the forms have the same methods")]
    pub(super) fn takes_a_part(&self) -> bool {
        true
    }

    /// The results of these decisions, which were checked against the calls.
    pub(super) fn results(&self, calls: &[ImportedCall], decided: &[Decided]) -> Value {
        let decided: HashMap<_, _> = decided.iter().map(|one| (&one.call, one)).collect();
        let pairs = calls.iter().zip(&self.requests);
        let contents: Vec<_> = pairs
            .filter_map(|(call, request)| Some(response(request, decided.get(&call.id)?)))
            .collect();
        json!({
            "type": "message",
            "role": "user",
            "contents": contents,
            "additional_properties": {},
        })
    }
}

/// The request, answered: everything it says is said again.
fn response(request: &Value, decided: &Decided) -> Value {
    let approved = matches!(decided.decision, Decision::Approve { .. });
    let mut response = request.clone();
    let Some(members) = response.as_object_mut() else {
        return response;
    };
    members.shift_remove("user_input_request");
    members.insert("type".to_owned(), json!("function_approval_response"));
    members.insert("approved".to_owned(), json!(approved));
    let scope = match decided.reach {
        Reach::Once => None,
        Reach::Tool => Some("tool"),
        Reach::Arguments => Some("tool_with_arguments"),
    };
    // A lasting rejection is not taken.
    if let Some(scope) = scope.filter(|_| approved) {
        let more = members
            .entry("additional_properties")
            .or_insert(Value::Null);
        if !more.is_object() {
            *more = json!({});
        }
        if let Some(more) = more.as_object_mut() {
            more.insert(
                "tool_approval".to_owned(),
                json!({ "always_approve": scope }),
            );
        }
    }
    response
}
