//! Arguments as they are shown and edited: nothing left out, nothing rounded, nothing hidden.

use countersign::core::arguments::Arguments;
use countersign::core::fields::{Field, FieldValue, editable, fields, pretty, summary};
use countersign::core::name;
use countersign::core::shown::Shown;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::HashSet;

fn parsed(text: &str) -> Arguments {
    Arguments::parse(text).expect("the test's arguments are sound")
}

/// Name and value, as rows of the screen.
fn shown(text: &str) -> Vec<(String, String)> {
    let field = |field: Field| match field.value {
        FieldValue::Text(text) => (field.name.to_string(), format!("text {text}")),
        FieldValue::Json(json) => (field.name.to_string(), format!("json {json}")),
    };
    fields(&parsed(text)).into_iter().map(field).collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn strings_show_the_characters_they_hold_and_numbers_their_own_digits() {
    let text = r#"{"z":"a\n\"b\"\t\u00e9","n":1.50,"big":123456789012345678901234567890,"a":true,"x":null,"s":"true"}"#;
    assert_eq!(
        shown(text),
        [
            pair("z", "text a⏎\n\"b\"→é"),
            pair("n", "json 1.50"),
            pair("big", "json 123456789012345678901234567890"),
            pair("a", "json true"),
            pair("x", "json null"),
            pair("s", "text true"),
        ]
    );
}

#[test]
fn what_is_nested_is_laid_out_and_keeps_its_own_text() {
    assert_eq!(
        shown(r#"{"a":{"b":[1,2.0,"x\ny\u202e"],"c":{},"d":[ ]}}"#),
        [pair(
            "a",
            "json {\n  \"b\": [\n    1,\n    2.0,\n    \"x\\ny\\u202e\"\n  ],\n  \"c\": {},\n  \"d\": []\n}"
        )]
    );
}

#[test]
fn hostile_names_and_values_are_written_out() {
    let text = "{\"\u{202e}to\\n\":\"\u{200b}\\u001b[2J⟨\",\"\":{\"\u{feff}\":\"\u{2028}\"}}";
    assert_eq!(
        shown(text),
        [
            pair("\"⟨U+202E⟩to⏎\"", "text ⟨U+200B⟩⟨U+001B⟩[2J⟨U+27E8⟩"),
            pair("", "json {\n  \"⟨U+FEFF⟩\": \"⟨U+2028⟩\"\n}"),
        ]
    );
}

#[test]
fn no_arguments_are_no_fields() {
    assert_eq!(fields(&parsed("")), []);
    assert_eq!(summary(&parsed("{}")), Shown::default());
}

#[test]
fn a_summary_is_one_row_of_the_values_in_order() {
    let text = "{\"to\":\"Millau\\nFrance\",\"n\":1.50,\"l\":[1,\n  {\"a b\": \"c  d\"}],\"e\":\"\",\"z\":null}";
    assert_eq!(
        summary(&parsed(text)).as_str(),
        "Millau⏎France, 1.50, [1,{\"a b\":\"c  d\"}], , null"
    );
}

#[test]
fn a_summary_of_a_megabyte_is_short() {
    let text = format!(
        r#"{{"a":"{}","b":[{}1]}}"#,
        "x".repeat(1_000_000),
        "1,".repeat(100_000)
    );
    assert_eq!(summary(&parsed(&text)).to_string(), "x".repeat(240) + "…");
}

#[test]
fn white_space_is_laid_out_afresh() {
    let text = " {\"a\" :\r\n[ ],\t\"b\": { \"c\":[1 , 2]} } ";
    assert_eq!(
        pretty(text),
        "{\n  \"a\": [],\n  \"b\": {\n    \"c\": [\n      1,\n      2\n    ]\n  }\n}"
    );
}

#[test]
fn text_in_quotes_is_not_laid_out() {
    let text = r#"{"a":"{ [ , : ] } \" \\","b\\":"\\\""}"#;
    assert_eq!(
        pretty(text),
        "{\n  \"a\": \"{ [ , : ] } \\\" \\\\\",\n  \"b\\\\\": \"\\\\\\\"\"\n}"
    );
}

#[test]
fn what_is_nested_deeply_grows_by_a_small_factor_only() {
    let text = format!(
        "{}{}1{}",
        "[".repeat(100),
        "1,".repeat(10_000),
        "]".repeat(100)
    );
    assert!(pretty(&text).len() < text.len() * 25);
}

#[test]
fn editable_text_writes_unusual_characters_as_escapes() {
    let text = "{\"a\u{202e}\":\"\u{200b}→⟨é中\u{e0041}e\u{301}👍\u{fe0f}\\n\"}";
    assert_eq!(
        editable(&parsed(text)),
        "{\n  \"a\\u202e\": \"\\u200b\\u2192\\u27e8é中\\udb40\\udc41e\\u0301👍\\ufe0f\\n\"\n}"
    );
}

/// A JSON text with its white space in odd places.
fn json() -> impl Strategy<Value = String> {
    let space = || prop::sample::select(vec!["", " ", "\n", "\r\n\t"]);
    let string = prop_oneof![
        any::<String>().prop_map(|text| Value::from(text).to_string()),
        Just(r#""\u202e \\ \" \ud83d\udc4d { [ , :""#.to_owned()),
    ];
    let name = string.clone();
    let leaf = prop_oneof![
        string,
        any::<i64>().prop_map(|n| n.to_string()),
        prop::sample::select(vec![
            "1.50", "-0", "1E+2", "true", "null", "[]", "{ }", "[\n]"
        ])
        .prop_map(str::to_owned),
    ];
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        let item = (space(), inner.clone(), space()).prop_map(|(a, v, b)| format!("{a}{v}{b}"));
        prop::collection::vec(item, 0..4).prop_map(|items| format!("[{}]", items.join(",")))
    });
    prop::collection::vec((name, space(), value, space()), 0..5).prop_map(|members| {
        // Numbered, so that no name stands twice.
        let member = |(number, (name, a, value, b)): (usize, (String, &str, String, &str))| {
            format!("{a}\"{number}{}{a}:{b}{value}{b}", &name[1..])
        };
        let members: Vec<_> = members.into_iter().enumerate().map(member).collect();
        format!("{{{}}}", members.join(","))
    })
}

/// Without the white space outside strings, done another way than in the program.
fn minified(text: &str) -> String {
    let parts = regex::Regex::new(r#""(?:[^"\\]|\\.)*"|\s+|[^"\s]+"#).expect("it is a pattern");
    parts
        .find_iter(text)
        .map(|part| part.as_str())
        .filter(|part| !part.trim_ascii().is_empty())
        .collect()
}

proptest! {
    #[test]
    fn laying_out_changes_white_space_only(text in json()) {
        prop_assert_eq!(minified(&pretty(&text)), minified(&text));
        prop_assert_eq!(pretty(&pretty(&text)), pretty(&text));
    }

    #[test]
    fn editable_text_says_the_same_and_hides_nothing(text in json()) {
        let arguments = parsed(&text);
        let editable = editable(&arguments);
        let again = parsed(&editable);
        prop_assert_eq!(again.value(), arguments.value());
        let laid_out = Shown::laid_out(&editable);
        prop_assert_eq!(laid_out.as_str(), editable.as_str());
    }

    #[test]
    fn every_member_is_shown(text in json()) {
        let arguments = parsed(&text);
        let names: Vec<_> = fields(&arguments).into_iter().map(|field| field.name).collect();
        let object = arguments.value().as_object().expect("arguments are an object");
        // A member without a name is told of in words of ours.
        let named = |key: &String| match key.as_str() {
            "" => Shown::default(),
            key => name::shown(key),
        };
        let keys: Vec<_> = object.keys().map(named).collect();
        prop_assert_eq!(&names, &keys);
        let different: HashSet<&str> = names.iter().map(Shown::as_str).collect();
        prop_assert_eq!(different.len(), object.len());
    }
}
