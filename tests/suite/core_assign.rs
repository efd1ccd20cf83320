//! Fields set in many calls: what the rows mean, and that nothing else changes by a byte.

use countersign::core::assign::{AssignFault, Unset, apply, parse};
use countersign::core::call::Call;
use countersign::core::schema::Schema;
use serde_json::{Value, json};

use crate::support::desk::call;

fn set(rows: &str, call: &Call) -> Result<Option<String>, String> {
    let rows = parse(rows).expect("the rows are sound");
    let set = apply(&rows, call).map_err(|unset| unset.to_string())?;
    Ok(set.map(|arguments| arguments.text().to_owned()))
}

fn with(schema: Value, arguments: &str) -> Call {
    Call {
        schema: Some(Schema::new(schema)),
        ..call("c", "book", arguments)
    }
}

#[test]
fn only_the_value_that_is_set_changes() {
    let odd = "{ \"a\" : 1.00 ,\n\t\"b\":{\"c\":[1, {\"d\":\"x\"}]}, \"odd = name\":\"\\u0041\" }";
    for (rows, wanted) in [
        ("a = 2", odd.replace("1.00", "2")),
        ("/a = \"two\"", odd.replace("1.00", "\"two\"")),
        ("/b/c/1/d = null\n\n", odd.replace("\"x\"", "null")),
        (
            "\"odd = name\" = {\"k\": [ 1 ]}",
            odd.replace("\"\\u0041\"", "{\"k\": [ 1 ]}"),
        ),
        (
            "b={}\na=3",
            "{ \"a\" : 3 ,\n\t\"b\":{}, \"odd = name\":\"\\u0041\" }".to_owned(),
        ),
    ] {
        assert_eq!(set(rows, &call("c", "t", odd)), Ok(Some(wanted)), "{rows}");
    }
    assert_eq!(
        set("\"odd = name\" = \"A\"", &call("c", "t", odd)),
        Ok(None)
    );
}

#[test]
fn a_field_that_a_call_does_not_have_is_added_only_where_its_tool_names_it() {
    let schema = json!({
        "properties": { "cabin": { "enum": ["economy", "first"] }, "seat": { "$ref": "#/$defs/seat" } },
        "$defs": { "seat": { "properties": { "row": { "type": "integer" } } } },
    });
    let unnamed = |name: &str| {
        let name = name.to_owned();
        Unset::NoField { row: 0, name }.to_string()
    };
    let named = with(schema.clone(), r#"{"to":"Nice","seat":{}}"#);
    assert_eq!(
        set("cabin = \"first\"\n/seat/row = 4", &named),
        Ok(Some(
            r#"{"to":"Nice","seat":{"row":4},"cabin":"first"}"#.to_owned()
        ))
    );
    assert_eq!(
        set("cabin = \"first\"", &with(schema.clone(), "{}")),
        Ok(Some(r#"{"cabin":"first"}"#.to_owned()))
    );
    assert_eq!(set("cabn = \"first\"", &named), Err(unnamed("cabn")));
    assert_eq!(set("/seat/rwo = 4", &named), Err(unnamed("/seat/rwo")));
    assert_eq!(set("/to/row = 4", &named), Err(unnamed("/to/row")));
    assert_eq!(
        set("cabin = 1", &call("c", "t", "{}")),
        Err(unnamed("cabin"))
    );
    let broken = set("cabin = \"royal\"", &with(schema, "{}")).expect_err("it is not one of them");
    assert_eq!(
        broken,
        "/cabin: must be \"economy\" or \"first\", and is the text \"royal\""
    );
}

#[test]
fn a_row_that_sets_nothing_says_what_is_wrong_and_where() {
    let json = "a value is JSON, so a text stands in double quotes";
    for (rows, row, column, what) in [
        (
            "a = economy",
            0,
            4,
            "`economy` cannot begin a value: a text stands in double quotes".to_owned(),
        ),
        (
            "a = 1\n b = {\"x\":1,\"x\":2}",
            1,
            5,
            format!("the key \"x\" stands twice; {json}"),
        ),
        (
            "a = 1 2",
            0,
            4,
            format!("the value is complete before `2`: take out what follows; {json}"),
        ),
        ("a", 0, 1, "write it as field = value".to_owned()),
        (
            "\"a b",
            0,
            0,
            "the quote around the field is not closed".to_owned(),
        ),
        (
            "= 1",
            0,
            0,
            "say which field, as in cabin = \"economy\"".to_owned(),
        ),
        ("a =", 0, 3, "say what it is set to".to_owned()),
        ("a = 1\n/a = 2", 1, 0, "/a is set twice".to_owned()),
    ] {
        assert_eq!(
            parse(rows),
            Err(vec![AssignFault { row, column, what }]),
            "{rows}"
        );
    }
    assert_eq!(parse(" \n\n"), Ok(vec![]));
}
