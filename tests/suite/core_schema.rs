//! Arguments against a tool's schema, which may come from a server that is not to be trusted.

use countersign::core::schema::{Schema, Violation};
use serde_json::{Value, json};

fn broken(schema: Value, arguments: &Value) -> Vec<String> {
    Schema::new(schema)
        .check(arguments)
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn flight() -> Value {
    json!({
        "type": "object",
        "properties": { "to": { "type": "string", "minLength": 1 }, "seats": { "type": "integer", "minimum": 1 } },
        "required": ["to"],
        "additionalProperties": false
    })
}

#[test]
fn arguments_that_fit_break_nothing() {
    assert_eq!(
        broken(flight(), &json!({ "to": "Millau", "seats": 2 })),
        Vec::<String>::new()
    );
}

#[test]
fn each_violation_is_told_with_its_place() {
    let found = Schema::new(flight()).check(&json!({ "seats": 0, "class": "first" }));
    let violation = |path: &str, what: &str| Violation {
        path: path.to_owned(),
        what: what.to_owned(),
    };
    let mut sorted = found.clone();
    sorted.sort_by(|a, b| (&a.path, &a.what).cmp(&(&b.path, &b.what)));
    assert_eq!(
        sorted,
        [
            violation("", "nothing is called class here"),
            violation("", "to is missing"),
            violation("/seats", "must be 1 or more, and is 0"),
        ]
    );
    assert_eq!(sorted[2].to_string(), "/seats: must be 1 or more, and is 0");
    assert_eq!(sorted[1].to_string(), "to is missing");
}

#[test]
fn at_most_twenty_violations_are_told() {
    let list = vec![json!("x"); 1000];
    let schema = json!({ "properties": { "l": { "items": { "type": "integer" } } } });
    assert_eq!(broken(schema, &json!({ "l": list })).len(), 20);
}

#[test]
fn a_violation_does_not_quote_a_megabyte() {
    let schema = json!({ "properties": { "n": { "type": "integer" } } });
    let told = broken(schema, &json!({ "n": "é".repeat(1_000_000) }));
    assert_eq!(told.len(), 1);
    let shown = "é".repeat(59);
    let expected = "/n: must be a whole number, and is the text";
    assert_eq!(
        told[0],
        format!("{expected} \"{shown} … (999,942 more characters)")
    );
}

#[test]
fn a_pattern_takes_linear_time() {
    let schema = json!({ "properties": { "s": { "pattern": "^(a+)+$" } } });
    let hostile = format!("{}!", "a".repeat(20_000));
    assert_eq!(broken(schema, &json!({ "s": hostile })).len(), 1);
}

#[test]
fn a_pattern_that_could_take_longer_is_refused() {
    for pattern in ["(?=a)b", r"(a)\1"] {
        assert!(Schema::compile(json!({ "properties": { "s": { "pattern": pattern } } })).is_err());
    }
}

#[test]
fn a_remote_reference_is_refused() {
    for reference in [
        "https://example.org/schema.json",
        "http://127.0.0.1:9/x",
        "file:///etc/passwd",
    ] {
        let schema = json!({ "$ref": reference });
        assert!(Schema::compile(schema.clone()).is_err());
        assert_eq!(
            broken(schema, &json!({})),
            ["the tool's schema cannot be read, so nothing can be checked against it"]
        );
    }
}

#[test]
fn an_unsound_schema_fits_nothing_and_says_so() {
    for schema in [
        json!({ "type": "strnig" }),
        json!([]),
        json!("x"),
        json!({ "minimum": "1" }),
        json!({ "$ref": "#/nowhere" }),
    ] {
        assert!(Schema::compile(schema.clone()).is_err(), "{schema}");
        let told = broken(schema, &json!({}));
        assert_eq!(
            told,
            ["the tool's schema cannot be read, so nothing can be checked against it"]
        );
    }
}

#[test]
fn a_sound_schema_compiles_and_keeps_its_value() {
    let schema = Schema::compile(flight()).expect("it is sound");
    assert_eq!(*schema.value(), flight());
    assert_eq!(schema, Schema::new(flight()));
    assert_ne!(schema, Schema::new(json!({})));
    let stored = serde_json::to_string(&schema).expect("it can be stored");
    assert_eq!(
        serde_json::from_str::<Schema>(&stored).expect("it can be read"),
        schema
    );
}

#[test]
fn local_references_are_followed() {
    let schema = json!({
        "$defs": { "town": { "enum": ["Millau"] } },
        "properties": { "to": { "$ref": "#/$defs/town" }, "via": { "items": { "$ref": "#" } } }
    });
    assert_eq!(
        broken(
            schema.clone(),
            &json!({ "to": "Millau", "via": [{ "to": "Millau" }] })
        ),
        Vec::<String>::new()
    );
    assert_eq!(
        broken(schema, &json!({ "via": [{ "to": "Paris" }] })),
        ["/via/0/to: must be \"Millau\", and is the text \"Paris\""]
    );
}

#[test]
fn references_that_lead_to_themselves_end() {
    let around = json!({ "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } });
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "$defs": around, "$ref": "#/$defs/a" }),
    ] {
        assert_eq!(broken(schema, &json!({})), Vec::<String>::new());
    }
}

#[test]
fn the_faults_that_people_make_are_told_in_plain_words() {
    let faults = [
        (
            json!({ "type": "string" }),
            json!([1]),
            "must be a text, and is a list",
        ),
        (
            json!({ "type": ["integer", "null"] }),
            json!("x"),
            "must be null or a whole number, and is the text \"x\"",
        ),
        (
            json!({ "type": "object", "required": ["odd name"] }),
            json!({}),
            "\"odd name\" is missing",
        ),
        (
            json!({ "properties": {}, "additionalProperties": false }),
            json!({ "x": 1, "y z": 2 }),
            "nothing is called x, nor \"y z\" here",
        ),
        (
            json!({ "enum": [1, "a"] }),
            json!(true),
            "must be 1 or \"a\", and is true",
        ),
        (
            json!({ "const": "a" }),
            json!(null),
            "must be \"a\", and is null",
        ),
        (
            json!({ "minimum": 1 }),
            json!(0),
            "must be 1 or more, and is 0",
        ),
        (
            json!({ "maximum": 5 }),
            json!(7),
            "must be 5 or less, and is 7",
        ),
        (
            json!({ "exclusiveMinimum": 1 }),
            json!(1),
            "must be more than 1, and is 1",
        ),
        (
            json!({ "exclusiveMaximum": 1 }),
            json!(1),
            "must be less than 1, and is 1",
        ),
        (
            json!({ "multipleOf": 5 }),
            json!(7),
            "must be a multiple of 5, and is 7",
        ),
        (
            json!({ "minLength": 3 }),
            json!("é"),
            "must have 3 characters or more, and has 1",
        ),
        (
            json!({ "maxLength": 1 }),
            json!("ab"),
            "must have 1 character or fewer, and has 2",
        ),
        (
            json!({ "minItems": 2 }),
            json!([1]),
            "must have 2 items or more, and has 1",
        ),
        (
            json!({ "maxItems": 1 }),
            json!([1, 2]),
            "must have 1 item or fewer, and has 2",
        ),
        (
            json!({ "uniqueItems": true }),
            json!([1, 1]),
            "has the same item twice",
        ),
        (
            json!({ "pattern": "^a$" }),
            json!("b"),
            "must match the pattern ^a$, and is the text \"b\"",
        ),
        (
            json!({ "anyOf": [{ "type": "null" }, { "minimum": 3 }] }),
            json!(1),
            "not as its schema says (in the checker's words: 1 is not valid under any of the schemas listed in the 'anyOf' keyword)",
        ),
    ];
    for (schema, value, words) in faults {
        let schema = json!({ "properties": { "it": schema } });
        let told = broken(schema, &json!({ "it": value }));
        assert_eq!(told, [format!("/it: {words}")]);
    }
}
