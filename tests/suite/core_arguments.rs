//! Arguments: what is accepted, what is refused and where, and what an approval binds to.

use countersign::core::arguments::{Arguments, ArgumentsFault};
use countersign::core::decision::{Decision, How, Ruling};
use countersign::core::digest::Digest;
use countersign::core::locate;
use serde_json::json;

use crate::support::desk::{call, key};

fn parsed(text: &str) -> Arguments {
    Arguments::parse(text).expect("the test's arguments are sound")
}

fn refused(text: &str) -> String {
    Arguments::parse(text)
        .expect_err("the text is not acceptable")
        .to_string()
}

/// A number with these digits.
fn exact(digits: &str) -> serde_json::Value {
    serde_json::from_str(digits).expect("it is a number")
}

#[test]
fn the_text_is_kept_byte_for_byte() {
    let text = " { \"b\" : 1.50 ,\n\t\"a\":[1e2, \"\\u00e9\\/\"] } ";
    let arguments = parsed(text);
    assert_eq!(arguments.text(), text);
    assert_eq!(
        *arguments.value(),
        json!({ "b": exact("1.50"), "a": [exact("1e2"), "é/"] })
    );
}

#[test]
fn no_text_means_no_arguments() {
    for text in ["", " ", "\r\n\t "] {
        assert_eq!(parsed(text), parsed("{}"));
        assert_eq!(parsed(text).text(), "{}");
    }
    assert_eq!(
        refused("\u{a0}"),
        "`\\u{a0}` cannot begin a value: a text stands in double quotes (line 1, column 1)"
    );
}

#[test]
fn a_key_that_stands_twice_is_refused_at_any_depth_and_in_any_spelling() {
    let cases = [
        (
            r#"{"a":1,"a":2}"#,
            "the key \"a\" stands twice (line 1, column 10)",
        ),
        (
            "{\"a\":1,\n \"\\u0061\":1}",
            "the key \"a\" stands twice (line 2, column 9)",
        ),
        (
            r#"{"x":[{"y":{"b":1,"c":2,"b":1}}]}"#,
            "the key \"b\" stands twice (line 1, column 27)",
        ),
        (
            r#"{"":1,"":1}"#,
            "the key \"\" stands twice (line 1, column 8)",
        ),
        (
            "{\"\u{202e}\":1,\"\\u202e\":1}",
            "the key \"\\u{202e}\" stands twice (line 1, column 15)",
        ),
        (
            r#"{"q at line 1 column 2":1,"q at line 1 column 2":1}"#,
            "the key \"q at line 1 column 2\" stands twice (line 1, column 48)",
        ),
    ];
    for (text, what) in cases {
        assert_eq!(refused(text), what);
    }
}

#[test]
fn a_long_key_does_not_make_a_long_message() {
    let key = "k".repeat(100_000);
    let begins = "k".repeat(60);
    let what = refused(&format!(r#"{{"{key}":1,"{key}":2}}"#));
    assert_eq!(
        what,
        format!("the key that begins \"{begins}\" stands twice (line 1, column 200008)")
    );
}

#[test]
fn the_same_key_in_different_objects_is_no_fault() {
    let text = r#"{"a":{"a":1},"b":[{"a":1},{"a":2}],"A":0}"#;
    assert_eq!(parsed(text).text(), text);
}

#[test]
fn only_an_object_is_accepted() {
    for text in ["null", "true", "1", "\"{}\"", "[]", "[{}]"] {
        let fault = Arguments::parse(text).expect_err("it is no object");
        let what = "the arguments are not a JSON object".to_owned();
        assert_eq!(
            fault,
            ArgumentsFault {
                what,
                line: 0,
                column: 0
            }
        );
        assert_eq!(fault.to_string(), "the arguments are not a JSON object");
    }
}

#[test]
fn broken_json_is_refused_at_its_place() {
    let cases = [
        (
            "{\"a\":1,}",
            "nothing follows the last `,`: take it out (line 1, column 8)",
        ),
        (
            "{\"a\":1} x",
            "the value is complete before `x`: take out what follows (line 1, column 9)",
        ),
        (
            "{\"a\":1}{}",
            "the value is complete before `{`: take out what follows (line 1, column 8)",
        ),
        (
            "{\"a\":",
            "the text ends where a value is to stand; `}` is missing after it (line 1, column 5)",
        ),
        (
            "{a:1}",
            "a name stands in double quotes; here is `a` (line 1, column 2)",
        ),
        (
            "{\"a\":\n NaN}",
            "`NaN` cannot begin a value: a text stands in double quotes (line 2, column 2)",
        ),
        (
            "{\"a\":01}",
            "this is no number: write it as 12, -3 or 0.5 (line 1, column 7)",
        ),
        (
            "\u{feff}{}",
            "`\\u{feff}` cannot begin a value: a text stands in double quotes (line 1, column 1)",
        ),
        (
            "{\"a\":\"\u{1b}\"}",
            "a new line, a tab or another control character stands inside quotes: write \\n, \\t or \\u001b (line 1, column 7)",
        ),
        (
            "{\"a\":\"\\ud800\"}",
            "this \\u stands for no character: write the character itself (line 1, column 13)",
        ),
        (
            "{\"a\":1e999}",
            "this number is too large to be kept: up to 308 digits are (line 1, column 10)",
        ),
    ];
    for (text, what) in cases {
        assert_eq!(refused(text), what);
    }
}

#[test]
fn deep_nesting_is_refused_and_overflows_nothing() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(
        refused(&deep),
        "lists and objects lie too deep in each other (line 1, column 132)"
    );
    let open = format!("{{\"a\":{}", "{\"a\":".repeat(100_000));
    assert_eq!(
        refused(&open),
        "lists and objects lie too deep in each other (line 1, column 636)"
    );
}

#[test]
fn numbers_keep_their_text() {
    let text = r#"{"i":123456789012345678901234567890,"f":0.10000000000000000000000001,"z":-0.0,"e":1E+2}"#;
    assert_eq!(parsed(text).text(), text);
    assert_eq!(
        *parsed(r#"{"n":18446744073709551615,"m":-9223372036854775808}"#).value(),
        json!({ "n": u64::MAX, "m": i64::MIN })
    );
}

#[test]
fn a_key_that_would_be_taken_for_a_number_is_refused_in_any_spelling_and_place() {
    let what = "the key \"$serde_json::private::Number\" cannot be used";
    for text in [
        r#"{"a":{"$serde_json::private::Number":"1"}}"#,
        r#"{"a":[{"\u0024serde_json:\u003aprivate::Number":"1"}]}"#,
        r#"{"b":"\\\"","a":{"$serde_json::private::Number":"1"}}"#,
        r#"{"c":2,"$serde_json::private::Number":"1"}"#,
    ] {
        assert_eq!(refused(text), what);
    }
    refused(r#"{"a":{"$serde_json::private::Number":"1","c":2}}"#);
    refused(r#"{"a":{"$serde_json::private::Number":"one"}}"#);
    let text = r#"{"$serde_json::private::RawValue":"{}","x::private::Number":"\\"}"#;
    assert_eq!(
        parsed(text).value()["$serde_json::private::RawValue"],
        json!("{}")
    );
}

#[test]
fn the_value_of_a_number_keeps_all_its_digits() {
    let text = r#"{"i":123456789012345678901234567890,"f":0.10000000000000000000000001,"z":-0.0}"#;
    assert_eq!(parsed(text).value().to_string(), text);
}

#[test]
fn a_value_becomes_its_shortest_text() {
    let made = Arguments::from_value(&json!({ "b": [1, 2], "a": "x" })).expect("it is an object");
    assert_eq!(made.text(), r#"{"b":[1,2],"a":"x"}"#);
    assert!(Arguments::from_value(&json!([1])).is_err());
}

#[test]
fn stored_arguments_are_their_text_and_are_checked_when_read() {
    let arguments = parsed("{ \"a\" : 1.0 }");
    let stored = serde_json::to_string(&arguments).expect("it can be stored");
    assert_eq!(stored, r#""{ \"a\" : 1.0 }""#);
    assert_eq!(
        serde_json::from_str::<Arguments>(&stored).expect("it can be read"),
        arguments
    );
    let twice = r#""{\"a\":1,\"a\":2}""#;
    assert!(serde_json::from_str::<Arguments>(twice).is_err());
}

#[test]
fn a_digest_is_of_the_tool_and_the_exact_text() {
    let digest = parsed(r#"{"a":1}"#).digest("t");
    // sha256 of eight bytes of length, the name, and the text.
    assert_eq!(digest, Digest::of_bytes(b"\0\0\0\0\0\0\0\x01t{\"a\":1}"));
    assert_ne!(digest, parsed(r#"{"a": 1}"#).digest("t"));
    assert_ne!(digest, parsed(r#"{"a":1}"#).digest("u"));
    assert_ne!(Digest::of_call("ab", "c"), Digest::of_call("a", "bc"));
    assert_eq!(
        Digest::of_bytes(b"").as_str(),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    assert_eq!(Digest::of_bytes(b"").short(), "e3b0c442");
}

#[test]
fn a_stored_digest_is_checked_when_it_is_read() {
    let digest = Digest::of_bytes(b"x");
    let stored = serde_json::to_value(&digest).expect("it can be stored");
    assert_eq!(
        serde_json::from_value::<Digest>(stored).expect("it can be read"),
        digest
    );
    for forged in [
        "",
        "abc",
        "é23456789",
        &"A".repeat(64),
        &"a".repeat(65),
        &format!("{}é", "a".repeat(62)),
    ] {
        assert!(
            serde_json::from_value::<Digest>(json!(forged)).is_err(),
            "{forged}"
        );
    }
}

fn ruling(decision: Decision) -> Ruling {
    let call = call("c1", "book_flight", r#"{"to":"Millau"}"#);
    Ruling {
        file: None,
        reach: countersign::core::decision::Reach::Once,
        key: key("c1"),
        tool: call.tool.clone(),
        digest: Ruling::digest_of(&call, &decision),
        decision,
        proposed: call.arguments,
        who: "ada@desk".to_owned(),
        at: jiff::Timestamp::UNIX_EPOCH,
        how: How::Key,
        shown_for: 1000,
    }
}

#[test]
fn an_approval_permits_what_was_proposed() {
    let ruling = ruling(Decision::Approve { arguments: None });
    assert_eq!(ruling.permits(), Some(&parsed(r#"{"to":"Millau"}"#)));
}

#[test]
fn an_approval_with_edits_permits_the_edits() {
    let edited = parsed(r#"{"to":"Rodez"}"#);
    let ruling = ruling(Decision::Approve {
        arguments: Some(edited.clone()),
    });
    assert_eq!(ruling.permits(), Some(&edited));
}

#[test]
fn what_is_no_approval_permits_nothing() {
    let (reason, result, message) = (String::new(), "{}".to_owned(), "again".to_owned());
    for decision in [
        Decision::Reject { reason },
        Decision::Respond { result },
        Decision::Retry { message },
    ] {
        assert_eq!(ruling(decision).permits(), None);
    }
}

#[test]
fn an_approval_that_was_tampered_with_permits_nothing() {
    let approved = ruling(Decision::Approve { arguments: None });
    let edited = Decision::Approve {
        arguments: Some(parsed(r#"{"to":"Rodez"}"#)),
    };
    let tampered = [
        Ruling {
            digest: Digest::of_bytes(b""),
            ..approved.clone()
        },
        Ruling {
            tool: "shell".to_owned(),
            ..approved.clone()
        },
        Ruling {
            proposed: parsed(r#"{"to": "Millau"}"#),
            ..approved.clone()
        },
        // An edit slipped in after the digest was taken, and one taken out.
        Ruling {
            decision: edited.clone(),
            ..approved.clone()
        },
        Ruling {
            decision: approved.decision,
            ..ruling(edited)
        },
    ];
    for ruling in tampered {
        assert_eq!(ruling.permits(), None, "{ruling:?}");
    }
}

#[test]
fn a_ruling_comes_back_from_the_journal_as_it_was() {
    let edited = Some(parsed("{ \"to\" : 1.0 }"));
    let before = ruling(Decision::Approve { arguments: edited });
    let stored = serde_json::to_string(&before).expect("it can be stored");
    let after: Ruling = serde_json::from_str(&stored).expect("it can be read");
    assert_eq!(after, before);
    assert_eq!(
        after.permits().map(Arguments::text),
        Some("{ \"to\" : 1.0 }")
    );
}

#[test]
fn a_pointer_leads_to_the_place_of_a_value() {
    let text = " {\"a\": [10, {\"b/c~\": \"é\"}],\n \"d\\u0065\": null, \"\": 5}";
    let at = |pointer| locate::pointer(text, pointer).map(|at| &text[at..=at]);
    assert_eq!(at(""), Some("{"));
    assert_eq!(at("/a"), Some("["));
    assert_eq!(at("/a/0"), Some("1"));
    assert_eq!(at("/a/1/b~1c~0"), Some("\""));
    assert_eq!(at("/de"), Some("n"));
    assert_eq!(at("/"), Some("5"));
    for nowhere in ["/x", "/a/2", "/a/x", "/a/0/0", "/a/-"] {
        assert_eq!(at(nowhere), None, "{nowhere}");
    }
    assert_eq!(locate::pointer("{\"a\":", "/a"), None);
}

#[test]
fn a_place_is_counted_in_characters() {
    let text = "ab\néx\n";
    let places = [0, 2, 3, 4, 5, 7, 99].map(|at| locate::row_and_column(text, at));
    assert_eq!(
        places,
        [(0, 0), (0, 2), (1, 0), (1, 0), (1, 1), (2, 0), (2, 0)]
    );
}

#[test]
fn an_integer_keeps_all_its_digits_up_to_308() {
    let digits = |count: usize| format!("{{\"a\":{}}}", "9".repeat(count));
    let kept = Arguments::parse(&digits(308)).map(|kept| kept.text().to_owned());
    assert_eq!(kept, Ok(digits(308)));
    let what = refused(&digits(309));
    assert!(
        what.starts_with("this number is too large to be kept"),
        "{what}"
    );
}
