//! Deferred state of frameworks: the recorded files, decisions on them, and documents that went wrong.

use countersign::core::arguments::Arguments;
use countersign::core::call::CallId;
use countersign::core::decision::{Decision, Reach};
use countersign::deferred::{self, Decided, Format, Imported};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// A recorded document.
pub fn recorded(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/deferred")
        .join(name);
    let text = fs::read_to_string(path).expect("the recording is there");
    serde_json::from_str(&text).expect("the recording is JSON")
}

/// All recorded documents of a folder, with their names.
pub fn all(folder: &str) -> Vec<(String, Value)> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/deferred");
    let files = fs::read_dir(place.join(folder)).expect("the recordings are there");
    let mut names: Vec<_> = files
        .map(|file| {
            file.expect("a file")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| format!("{folder}/{name}"))
        .map(|name| (name.clone(), recorded(&name)))
        .collect()
}

pub fn read(document: &Value) -> Imported {
    deferred::read(&document.to_string(), None).expect("the state can be read")
}

/// What is wrong with a document, as the person is told it.
pub fn refused(document: &Value) -> String {
    deferred::read(&document.to_string(), None)
        .expect_err("the state cannot be read")
        .to_string()
}

pub fn once(call: &str, decision: Decision) -> Decided {
    lasting(call, decision, Reach::Once)
}

pub fn lasting(call: &str, decision: Decision, reach: Reach) -> Decided {
    Decided {
        call: CallId(call.to_owned()),
        digest: None,
        decision,
        reach,
        who: None,
    }
}

pub fn approve() -> Decision {
    Decision::Approve { arguments: None }
}

pub fn edit(arguments: &Value) -> Decision {
    let arguments = Arguments::from_value(arguments).expect("the arguments are an object");
    Decision::Approve {
        arguments: Some(arguments),
    }
}

pub fn reject(reason: &str) -> Decision {
    Decision::Reject {
        reason: reason.to_owned(),
    }
}

pub fn respond(result: &str) -> Decision {
    Decision::Respond {
        result: result.to_owned(),
    }
}

/// Some decision that each call takes, with hostile text in it.
pub fn decide_all(imported: &Imported, text: &str) -> Vec<Decided> {
    let choices = [
        approve(),
        edit(&json!({ "text": text })),
        reject(text),
        respond(text),
    ];
    let calls = imported.calls.iter().enumerate();
    calls
        .filter_map(|(at, call)| {
            let choices = choices.iter().cycle().skip(at % 4).take(4);
            let mut fit = choices.filter(|choice| call.answers.take(choice.answer()));
            Some(once(&call.id.0, fit.next()?.clone()))
        })
        .collect()
}

/// Any JSON, with the words that readers look for among its strings.
pub fn anything() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "",
        "type",
        "id",
        "c1",
        "function_call",
        "approve",
        "1.21",
        "tool_approval",
        "\u{202e}\u{1b}[31m\0\"\\",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| json!(number)),
        words.prop_map(|word| json!(word)),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The document with something else in some of its places.
pub fn spoilt(mut document: Value, changes: &[(prop::sample::Index, Value, u8)]) -> Value {
    for (at, value, how) in changes {
        let mut places = Vec::new();
        walk(&document, String::new(), &mut places);
        let place = &places[at.index(places.len())];
        match (how % 3, document.pointer_mut(place)) {
            (0, Some(Value::Array(items))) if !items.is_empty() => items.push(items[0].clone()),
            (1, Some(Value::Object(members))) if !members.is_empty() => {
                let name = members.keys().next().cloned().unwrap_or_default();
                members.shift_remove(&name);
            }
            (_, Some(there)) => *there = value.clone(),
            (_, None) => {}
        }
    }
    document
}

fn walk(value: &Value, place: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                walk(value, format!("{place}/{name}"), places);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                walk(value, format!("{place}/{at}"), places);
            }
        }
        _ => {}
    }
    places.push(place);
}

/// Reads a document that may be spoilt and decides what it asks; whatever it is, nothing may panic.
pub fn survives(document: &Value, format: Format, text: &str) {
    for format in [None, Some(format)] {
        if let Ok(imported) = deferred::read(&document.to_string(), format) {
            let decided = decide_all(&imported, text);
            let _ = imported.results(&decided);
            let _ = imported.results(&decided[..decided.len() / 2]);
        }
    }
}
