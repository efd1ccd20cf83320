//! What is taken out of texts and arguments, and what stays.

use countersign::core::arguments::Arguments;
use countersign::core::redact::{Ink, Known, Marks, Pointer, Redaction, Tools};
use countersign::core::run::RunEvent;
use countersign::core::{call::Preview, diff::Diff};
use serde_json::json;

use crate::support::desk::call;

/// Marks that say what they stand for.
struct Plain;

impl Marks for Plain {
    fn mark(&self, secret: &str) -> String {
        let written = secret.escape_debug().to_string();
        format!("<{}>", written.replace("\\\"", "'").replace('\\', "|"))
    }
}

/// One mark for everything.
struct Same;

impl Marks for Same {
    fn mark(&self, _: &str) -> String {
        "[x]".to_owned()
    }
}

fn pointers(pointers: &[&str]) -> Redaction {
    let mut redaction = Redaction::default();
    for pointer in pointers {
        redaction.pointer(Pointer::parse(pointer).expect("a pointer"));
    }
    redaction
}

fn pattern(pattern: &str) -> Redaction {
    let mut redaction = Redaction::default();
    redaction.pattern(pattern).expect("a pattern");
    redaction
}

/// The arguments of a call of `tool` as they are written.
fn arguments(redaction: &Redaction, tool: &str, text: &str) -> String {
    let known = Known::default();
    let mut arguments = Arguments::parse(text).expect("an object");
    Ink::new(redaction, &known, &Plain).arguments(tool, &mut arguments);
    arguments.text().to_owned()
}

/// A text that is written after a call with these arguments.
fn text_after(redaction: &Redaction, arguments: &str, text: &str) -> String {
    let mut known = Known::default();
    known.learn(redaction.secrets("tool", arguments));
    let mut text = text.to_owned();
    Ink::new(redaction, &known, &Plain).text(&mut text);
    text
}

#[test]
fn a_pointer_names_one_value_and_the_rest_stays_as_it_was_written() {
    let written = r#"{ "user":"ada",  "password" : "a\"b", "n": 1.0 }"#;
    assert_eq!(
        arguments(&pointers(&["/password"]), "login", written),
        r#"{ "user":"ada",  "password" : "<a'b>", "n": 1.0 }"#
    );
}

#[test]
fn a_pointer_goes_through_every_member_and_element_and_through_escaped_names() {
    let redaction = pointers(&["/users/*/pin", "/a~1b", "/m~0n", "/list/1", "/all/*"]);
    let written = r#"{"users":[{"pin":1},{"pin":[2,"x"]},{}],"a/b":"c","m~n":true,"list":["d","e"],"all":{"k":"f","l":null}}"#;
    assert_eq!(
        arguments(&redaction, "t", written),
        r#"{"users":[{"pin":"<1>"},{"pin":"<[2,'x']>"},{}],"a/b":"<c>","m~n":"<true>","list":["d","<e>"],"all":{"k":"<f>","l":"<null>"}}"#
    );
}

#[test]
fn a_pointer_may_be_for_some_tools_only() {
    let mut redaction = Redaction::default();
    let pointer = Pointer::parse("/pin").expect("a pointer");
    let tools = Tools::named("bank_*").expect("a pattern");
    redaction.pointer(pointer.only_of(Some(tools)));
    let written = r#"{"pin":"12345"}"#;
    assert_eq!(
        arguments(&redaction, "bank_pay", written),
        r#"{"pin":"<12345>"}"#
    );
    assert_eq!(arguments(&redaction, "sew", written), written);
}

#[test]
fn what_is_no_pointer_is_refused() {
    for text in ["", "password", "/a~b", "/~2", "/x~"] {
        assert!(Pointer::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_pattern_is_found_in_values_and_in_names() {
    assert_eq!(
        arguments(
            &pattern("sk-[a-z]{3}"),
            "t",
            r#"{"sk-abc":["x sk-def y"],"n":"sk-1"}"#
        ),
        r#"{"<sk-abc>":["x <sk-def> y"],"n":"sk-1"}"#
    );
}

#[test]
fn a_pattern_is_found_however_deep_it_is_escaped() {
    let secret = "sk-a\"b\\c\nd";
    let redaction = pattern(r#"sk-a"b\\c\nd"#);
    let once = json!({ "x": secret }).to_string();
    let twice = json!({ "y": once, "z": "\\u0041" }).to_string();
    let thrice = json!({ "z": twice }).to_string();
    for text in [
        once,
        twice,
        thrice,
        r#"{"x":"\u0073k-\u0061\"b\\c\nd"}"#.to_owned(),
    ] {
        let written = arguments(&redaction, "t", &text);
        assert!(written.contains("<sk-a'b||c|nd>"), "{written}");
        assert!(!written.contains("sk-a\\"), "{written}");
        assert!(!written.contains("u0073k"), "{written}");
    }
}

#[test]
fn a_match_across_quotes_leaves_nothing_of_the_arguments() {
    assert_eq!(
        arguments(
            &pattern(r#""password":"[^"]*""#),
            "t",
            r#"{"user":"a","password":"b"}"#
        ),
        r#"{"redacted":"<{'user':'a','password':'b'}>"}"#
    );
}

#[test]
fn two_names_that_would_become_the_same_leave_nothing_either() {
    let (redaction, known) = (pattern("sk-[a-z]+"), Known::default());
    let mut arguments = Arguments::parse(r#"{"sk-a":1,"sk-b":2}"#).expect("an object");
    Ink::new(&redaction, &known, &Same).arguments("t", &mut arguments);
    assert_eq!(arguments.text(), r#"{"redacted":"[x]"}"#);
}

#[test]
fn a_number_that_a_pattern_matches_leaves_an_object() {
    let written = arguments(&pattern("[0-9]{16}"), "t", r#"{"card":4111111111111111}"#);
    assert_eq!(written, r#"{"redacted":"<{'card':4111111111111111}>"}"#);
}

#[test]
fn arguments_that_cannot_be_read_are_one_secret() {
    let mut text = r#"{"password":"hunter2""#.to_owned();
    let (redaction, known) = (pointers(&["/password"]), Known::default());
    Ink::new(&redaction, &known, &Plain).written("t", &mut text);
    assert_eq!(text, "<{'password':'hunter2'>");
}

#[test]
fn a_value_that_was_named_once_is_found_everywhere() {
    let redaction = pointers(&["/password"]);
    let call = r#"{"password":"hun\"ter2"}"#;
    for (text, written) in [
        ("it is hun\"ter2.", "it is <hun'ter2>."),
        (
            r#"{"echo":"{\"password\":\"hun\\\"ter2\"}"}"#,
            r#"{"echo":"{\"password\":\"<hun'ter2>\"}"}"#,
        ),
        ("hunter2", "hunter2"),
        (
            "\"hun\"t… (3 more characters)",
            "\"<hun'ter2>… (3 more characters)",
        ),
        (
            "x hun\"t\n[… 7 bytes left out …]\n",
            "x <hun'ter2>\n[… 7 bytes left out …]\n",
        ),
    ] {
        assert_eq!(text_after(&redaction, call, text), written);
    }
}

#[test]
fn the_lines_of_a_value_of_several_are_found_alone() {
    let redaction = pointers(&["/key"]);
    let call = r#"{"key":"BEGIN KEY\nQUJDREVGRw==\nEND"}"#;
    assert_eq!(
        text_after(&redaction, call, "line 2: QUJDREVGRw== END"),
        "line 2: <QUJDREVGRw==> END"
    );
}

#[test]
fn a_value_too_short_to_be_looked_for_is_not_copied_with_its_arguments() {
    let redaction = pointers(&["/pin"]);
    let call = r#"{"pin":"123"}"#;
    assert_eq!(
        text_after(&redaction, call, r#"changed to {"pin":"123"}; 123 remain"#),
        "changed to <{'pin':'123'}>; 123 remain"
    );
}

#[test]
fn secrets_that_overlap_are_taken_out_as_one() {
    let mut redaction = pattern("secret-[a-z]+");
    redaction.pattern("[a-z]+-end").expect("a pattern");
    assert_eq!(
        text_after(&redaction, "{}", "x secret-abc-end y"),
        "x <secret-abc-end> y"
    );
}

#[test]
fn a_pattern_that_matches_nothing_at_all_is_refused() {
    assert!(Redaction::default().pattern("a*").is_err());
    assert!(Redaction::default().pattern("a)|(b").is_err());
}

#[test]
fn a_diff_with_a_secret_in_it_is_not_written() {
    let preview = |before: &str, after: &str| Preview {
        path: "key.pem".to_owned(),
        fails: None,
        diff: Diff::between(before, after),
        before: None,
    };
    let (redaction, known) = (pattern("(?s)-----BEGIN.*?-----END"), Known::default());
    let rows = |preview: Preview| {
        let mut waiting = call("a", "write_file", r#"{"path":"key.pem"}"#);
        waiting.preview = Some(preview);
        let mut event = RunEvent::Arrived(Box::new(waiting));
        Ink::new(&redaction, &known, &Plain).event(&mut event);
        let RunEvent::Arrived(waiting) = event else {
            unreachable!("it stays what it is")
        };
        let rows = waiting.preview.expect("it stays").diff.rows.into_iter();
        rows.map(|row| row.text.to_string()).collect::<Vec<_>>()
    };
    let secret = "-----BEGIN\nQUJD\tREVG\n-----END\n";
    assert_eq!(rows(preview("", secret)), ["redacted"]);
    assert_eq!(rows(preview(secret, "gone\n")), ["redacted"]);
    assert_eq!(rows(preview("", "open\n")), ["-0,0 +1", "open"]);
}

#[test]
fn values_that_overlap_a_hundred_thousand_times_are_one_secret() {
    let text = "ab".repeat(100_000);
    let written = text_after(&pointers(&["/a"]), r#"{"a":["abab","baba"]}"#, &text);
    assert_eq!(written, format!("<{text}>"));
}
