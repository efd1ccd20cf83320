//! Deferred state from fixtures, and decisions on it.

use countersign::core::arguments::Arguments;
use countersign::core::call::CallId;
use countersign::core::decision::{Decision, Reach};
use countersign::deferred::{Decided, Format, Imported, ReadFault, read};
use serde_json::Value;

use super::source::root;

/// The text of a captured document.
pub fn fixture(form: &str, name: &str) -> String {
    let path = root()
        .join("tests/fixtures/deferred")
        .join(form)
        .join(format!("{name}.json"));
    std::fs::read_to_string(path).expect("the fixture is there")
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}

/// Reads a state in the form that it shows by itself.
pub fn imported(document: &Value) -> Imported {
    read(&document.to_string(), None).expect("the state is sound")
}

pub fn refused(document: &Value, format: Format) -> ReadFault {
    read(&document.to_string(), Some(format)).expect_err("the state is not sound")
}

pub fn arguments(text: &str) -> Arguments {
    Arguments::parse(text).expect("the arguments are sound")
}

pub fn id(id: &str) -> CallId {
    CallId(id.to_owned())
}

pub fn on(call: &str, decision: Decision) -> Decided {
    Decided {
        call: id(call),
        digest: None,
        decision,
        reach: Reach::Once,
        who: None,
    }
}

pub fn approve() -> Decision {
    Decision::Approve { arguments: None }
}

pub fn edit(text: &str) -> Decision {
    let arguments = Some(arguments(text));
    Decision::Approve { arguments }
}

pub fn reject(reason: &str) -> Decision {
    let reason = reason.to_owned();
    Decision::Reject { reason }
}

pub fn respond(result: &str) -> Decision {
    let result = result.to_owned();
    Decision::Respond { result }
}

pub fn retry(message: &str) -> Decision {
    let message = message.to_owned();
    Decision::Retry { message }
}

pub fn fail(message: &str) -> Decision {
    let message = message.to_owned();
    Decision::Fail { message }
}

/// What a fault says, with what to do about it.
pub fn todo(says: &str) -> String {
    if says.contains("another call has the id") {
        format!("{says}; give each call an id of its own")
    } else {
        format!("{says}; write the state out again as the framework does")
    }
}
