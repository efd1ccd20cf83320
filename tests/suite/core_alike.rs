//! What several calls have in common and what differs: nothing is lost, and the odd one stands out.

use countersign::core::alike::{Alike, Changed, Own, Path, Shared, Variant, changes, compare};
use proptest::prelude::*;
use serde_json::{Value, json};

fn path(names: &[&str]) -> Path {
    Path(names.iter().map(|name| (*name).to_owned()).collect())
}

fn shared(names: &[&str], value: Option<Value>, calls: usize) -> Shared {
    Shared {
        path: path(names),
        value,
        calls,
    }
}

fn compared(calls: &[Value]) -> Alike {
    compare(&calls.iter().collect::<Vec<_>>())
}

#[test]
fn equal_calls_are_one_kind() {
    let call = json!({"a": 1, "b": {"c": [1, 2]}});
    let alike = compared(&[call.clone(), call]);
    assert_eq!(
        alike,
        Alike {
            same: vec![
                shared(&["a"], Some(json!(1)), 2),
                shared(&["b"], Some(json!({"c": [1, 2]})), 2),
            ],
            most: vec![],
            variants: vec![Variant {
                calls: vec![0, 1],
                own: vec![],
            }],
        }
    );
}

#[test]
fn the_one_call_that_differs_from_most_comes_first_and_says_in_what() {
    let mut calls: Vec<Value> = (0..9)
        .map(|at| json!({"to": format!("a{at}"), "body": "hello", "options": {"force": false}}))
        .collect();
    calls.insert(
        5,
        json!({"to": "a0", "body": "hello", "options": {"force": true}, "bcc": "eve"}),
    );
    let alike = compared(&calls);
    assert_eq!(alike.same, [shared(&["body"], Some(json!("hello")), 10)]);
    assert_eq!(
        alike.most,
        [
            shared(&["options", "force"], Some(json!(false)), 9),
            shared(&["bcc"], None, 9),
        ]
    );
    let own = |names: &[&str], value: Value, deviates| Own {
        path: path(names),
        value: Some(value),
        deviates,
    };
    assert_eq!(
        alike.variants[0],
        Variant {
            calls: vec![5],
            own: vec![
                own(&["to"], json!("a0"), false),
                own(&["options", "force"], json!(true), true),
                own(&["bcc"], json!("eve"), true),
            ],
        }
    );
    assert_eq!(alike.variants.len(), 10);
    assert_eq!(
        alike.variants[1],
        Variant {
            calls: vec![0],
            own: vec![own(&["to"], json!("a0"), false)],
        }
    );
}

#[test]
fn a_name_cannot_be_taken_for_a_way_to_something_deeper() {
    for (names, label) in [
        (&["a"][..], "a"),
        (&["a", "b"], "/a/b"),
        (&["/a/b"], "/~1a~1b"),
        (&["a/b"], "a/b"),
        (&["a", "b/c"], "/a/b~1c"),
        (&[""], ""),
    ] {
        assert_eq!(path(names).label(), label);
    }
}

#[test]
fn what_an_edit_changed_is_told_value_by_value() {
    let before = json!({"cabin": "first", "seat": {"row": 1}, "gone": 1, "same": [1]});
    let after = json!({"cabin": "economy", "seat": {"row": 2}, "same": [1], "new": null});
    let changed = |names: &[&str], before: Option<Value>, after: Option<Value>| Changed {
        path: path(names),
        before,
        after,
    };
    let text = |text: &str| Some(json!(text));
    assert_eq!(
        changes(&before, &after),
        [
            changed(&["cabin"], text("first"), text("economy")),
            changed(&["seat", "row"], Some(json!(1)), Some(json!(2))),
            changed(&["gone"], Some(json!(1)), None),
            changed(&["new"], None, Some(Value::Null)),
        ]
    );
    assert_eq!(changes(&before, &before), []);
}

#[test]
fn digits_and_kinds_count_as_differences() {
    let alike = compared(&[
        json!({"n": 1, "s": "1", "l": [1], "o": {}}),
        serde_json::from_str(r#"{"n":1.0,"s":1,"l":[1,2],"o":[]}"#).expect("JSON"),
    ]);
    assert_eq!((alike.same.len(), alike.variants.len()), (0, 2));
    assert_eq!(alike.variants[0].own.len(), 4);
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3_i64).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            object(inner),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::btree_map("[ab/~]{1,2}", inner, 0..3)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// How many values that are not in others of these there are in it.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Object(members) if !members.is_empty() => members.values().map(leaves).sum(),
        Value::Array(items) if !items.is_empty() => items.iter().map(leaves).sum(),
        _ => 1,
    }
}

proptest! {
    #[test]
    fn of_each_call_every_value_is_told_once_and_truly(
        calls in prop::collection::vec(object(json_value()), 2..7),
    ) {
        let alike = compared(&calls);
        let mut seen = vec![0; calls.len()];
        for variant in &alike.variants {
            for at in &variant.calls {
                seen[*at] += 1;
                let overridden = |path: &Path| variant.own.iter().any(|own| own.path == *path);
                let most = alike.most.iter().filter(|shared| !overridden(&shared.path));
                let told = alike.same.iter().chain(most).map(|shared| (&shared.path, &shared.value));
                let told = told.chain(variant.own.iter().map(|own| (&own.path, &own.value)));
                let mut covered = 0;
                for (path, value) in told {
                    prop_assert_eq!(calls[*at].pointer(&path.pointer()), value.as_ref());
                    covered += value.as_ref().map_or(0, leaves);
                }
                let all = calls[*at].as_object().map_or(0, |members| members.values().map(leaves).sum());
                prop_assert_eq!(covered, all);
            }
        }
        prop_assert!(seen.iter().all(|count| *count == 1));
        for variant in &alike.variants {
            let first = &calls[variant.calls[0]];
            prop_assert!(variant.calls.iter().all(|at| calls[*at] == *first));
        }
    }
}
