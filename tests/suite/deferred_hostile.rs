//! States that were tampered with: reading them ends in a fault or in calls that can be answered.

use countersign::core::call::Answer;
use countersign::deferred::{Format, Imported, ImportedCall, read};
use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};

use super::deferred_pydantic::accepted;
use crate::support::deferred::{approve, edit, fixture, json, on, reject, respond};

const STATES: [(&str, &str); 9] = [
    ("mistral", "local_mixed"),
    ("mistral", "connector_plus_local"),
    ("mistral", "bad_args"),
    ("pydantic-ai", "conversation_before_mixed"),
    ("pydantic-ai", "requests_mixed"),
    ("pydantic-ai", "history_before_mixed"),
    ("pydantic-ai", "v1_requests"),
    ("pydantic-ai", "code_mode_batch"),
    ("pydantic-ai", "code_mode_seq"),
];

/// Any JSON, among it texts that states give a meaning to.
fn anything() -> impl Strategy<Value = Value> {
    let words = [
        "",
        "rc1",
        "rc1__2",
        "A1",
        "F1",
        "code_mode",
        "function.result",
        "pending",
        "response",
        "request",
        "{\"a\":1}",
        "{\"a\":1,\"a\":1}",
        "{",
        "[]",
        "$serde_json::private::Number",
        "\u{202e}\u{1b}]52;c;\u{7}\0",
        "~/",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| Value::Number(Number::from(number))),
        proptest::sample::select(words.to_vec()).prop_map(Value::from),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// All places in a document.
fn places(value: &Value, place: &str, all: &mut Vec<String>) {
    all.push(place.to_owned());
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                places(value, &format!("{place}/{name}"), all);
            }
        }
        Value::Array(items) => {
            for (item, value) in items.iter().enumerate() {
                places(value, &format!("{place}/{item}"), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What is done to a document.
#[derive(Debug, Clone)]
enum Change {
    Replace(Value),
    Remove,
    Twice,
    Text,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        anything().prop_map(Change::Replace),
        Just(Change::Remove),
        Just(Change::Twice),
        Just(Change::Text),
    ]
}

fn apply(document: &mut Value, place: &str, change: Change) {
    let (parent, last) = place.rsplit_once('/').unwrap_or(("", ""));
    match (change, document.pointer_mut(parent)) {
        (Change::Remove, Some(Value::Object(members))) => {
            members.shift_remove(&last.replace("~1", "/").replace("~0", "~"));
        }
        // The document itself has no place in another.
        (Change::Remove, Some(Value::Array(items))) if !place.is_empty() => {
            items.remove(last.parse().expect("it is an index"));
        }
        (Change::Twice, Some(Value::Array(items))) => {
            items.extend(items.clone());
        }
        (Change::Replace(value), _) => {
            *document.pointer_mut(place).expect("it is there") = value;
        }
        (Change::Text, _) => {
            let value = document.pointer_mut(place).expect("it is there");
            *value = value.to_string().into();
        }
        (Change::Remove | Change::Twice, _) => {}
    }
}

/// One answer to each call, the boldest that it takes.
fn answered(read: &Imported) -> Value {
    let bold = |call: &ImportedCall| {
        let decision = if call.answers.take(Answer::Respond) {
            respond(call.arguments.text())
        } else if call.answers.take(Answer::Edit) {
            edit(call.arguments.text())
        } else if call.answers.take(Answer::Approve) {
            approve()
        } else {
            reject("")
        };
        on(&call.id.0, decision)
    };
    let decided: Vec<_> = read.calls.iter().map(bold).collect();
    read.results(&decided).expect("each answer is taken")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_state_that_was_tampered_with_is_refused_or_can_be_answered(
        which in 0..STATES.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), change()), 1..4),
    ) {
        let (form, name) = STATES[which];
        let mut document = json(&fixture(form, name));
        for (place, change) in changes {
            let mut all = Vec::new();
            places(&document, "", &mut all);
            let place: &String = place.get(&all);
            apply(&mut document, place, change);
        }
        let text = document.to_string();
        let _ = read(&text, None);
        if let Ok(read) = read(&text, Format::named(form)) {
            let written = answered(&read);
            if form == "pydantic-ai" {
                accepted(&written);
            } else {
                let answers = written["inputs"].as_array().expect("a list").len();
                prop_assert!(answers >= read.calls.len());
            }
        }
    }

    #[test]
    fn any_text_goes_through_unchanged(tool in ".+", id in ".+", text in any::<String>(), reason in any::<String>()) {
        let arguments = json!({ "a": text });
        let document = json!({ "approvals": [{ "tool_name": tool, "tool_call_id": id, "args": arguments.to_string() }],
                               "metadata": { id.as_str(): { "reason": text } } });
        let imported = read(&document.to_string(), None).expect("the state is sound");
        prop_assert_eq!(&imported.calls[0].tool, &tool);
        prop_assert_eq!(imported.calls[0].arguments.value(), &arguments);
        let denied = imported.results(&[on(&id, reject(&reason))]).expect("it is taken");
        let message = if reason.is_empty() { "The tool call was denied.".to_owned() } else { reason.clone() };
        prop_assert_eq!(&denied["approvals"][id.as_str()]["message"], &json!(message));
        prop_assert_eq!(&denied["metadata"], &document["metadata"]);

        let function = json!({ "tool_call_id": id, "name": tool, "arguments": arguments });
        let document = json!({ "conversation_id": "c", "deferred_calls": [{ "function_call": function }] });
        let imported = read(&document.to_string(), None).expect("the state is sound");
        let approved = imported.results(&[on(&id, approve())]).expect("it is taken");
        prop_assert_eq!(&approved["run"], &json!([function]));
    }
}

#[test]
fn nesting_and_size_end_in_a_fault_or_work() {
    let deep = format!("{{\"calls\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let fault = read(&deep, Some(Format::PydanticAi)).expect_err("it is too deep");
    assert_eq!(fault.at, "line 1, column 136");
    let inner = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let document =
        json!({ "approvals": [{ "tool_name": "t", "tool_call_id": "1", "args": inner }] });
    let imported = read(&document.to_string(), None).expect("the text is kept");
    assert!(!imported.calls[0].answers.take(Answer::Approve));
    let big = "\u{202e}\"\\".repeat(2_000_000);
    let document =
        json!({ "approvals": [{ "tool_name": "t", "tool_call_id": "1", "args": { "a": big } }] });
    let imported = read(&document.to_string(), None).expect("the state is sound");
    assert_eq!(imported.calls[0].arguments.value(), &json!({ "a": big }));
}
