//! What is wrong with a text, in words for who writes it.

use countersign::core::arguments::{Arguments, strict};
use countersign::core::mistake::{Mistake, Mistakes};
use countersign::core::reading::parse;
use countersign::core::shown::Shown;
use countersign::deferred::native::decisions;

fn check(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => "../snapshots",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn what_is_no_json_is_told_in_plain_words() {
    let mut told = Vec::new();
    for text in [
        " ",
        "{\"a\":",
        "{\"a\": [1, {\"b\": 2",
        "{\"a\": 1",
        "{\"a\": \"one",
        "{\"a\" 1}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": [1 2]}",
        "{\"a\": nul}",
        "{\"a\": True}",
        "{\"a\": economy class}",
        "{\"a\": 'one'}",
        "{\"ä\": }",
        "{a: 1}",
        "{\"a\": 1,}",
        "{\"a\": [1,]}",
        "{\"a\": 1} x",
        "{\"a\": 01}",
        "{\"a\": 1.}",
        "{\"a\": 1e999}",
        "{\"a\": \"\\q\"}",
        "{\"a\": \"one\ntwo\"}",
        "{\"a\": \"\\ud800\"}",
        "{\"a\": 1, \"a\": 2}",
    ] {
        let fault = strict(text).expect_err("it is not JSON");
        told.push(format!("{text:?}\n    {fault}\n"));
    }
    let deep = "[".repeat(200);
    let fault = strict(&deep).expect_err("it is too deep");
    told.push(format!("[[[…\n    {fault}\n"));
    check("syntax_json", &told.concat());
}

#[test]
fn a_file_of_decisions_is_faulted_in_plain_words() {
    let mut told = Vec::new();
    let entry = |entry: &str| {
        format!(
            "{{\"format\": \"countersign.decisions\", \"version\": 1, \"decisions\": [{entry}]}}"
        )
    };
    for text in [
        entry(r#"{"call": "c1", "aprove": {}}"#),
        entry(r#"{"call": 7, "approve": {}}"#),
        entry(r#"{"approve": {}}"#),
        entry(r#"{"call": "c1", "approve": {"always": "maybe"}}"#),
        entry(r#"{"call": "c1", "reject": {"reason": ["no"]}}"#),
        entry(r#"{"call": "c1", "reject": {"reason": 7}}"#),
        entry(r#"{"call": "c1", "respond": {}}"#),
        entry(r#"{"call": "c1", "call": "c2", "approve": {}}"#),
        entry(r#"{"call": "c1", "approve": {}"#),
    ] {
        let fault = decisions(&text).expect_err("it decides nothing");
        told.push(format!("{text}\n    {fault}\n"));
    }
    check("syntax_decisions", &told.concat());
}

#[test]
fn what_is_no_toml_is_told_in_plain_words() {
    let mut told = Vec::new();
    for text in [
        "model = travel\n",
        "model = true-ish\n",
        "[agents.a\n",
        "[[rules\n",
        "a = [1, 2\n",
        "a = {b = 1\n",
        "a =\n",
        "a\n",
        "a = 1\na = 2\n",
        "a = = 1\n",
        "a = [1,, 2]\n",
        "a = [1 2]\n",
        "a = 'x\n",
        "a = \"x\n",
        "a = \"\\q\"\n",
        "a = 1 b = 2\n",
        "= 1\n",
        "ä = 1\n",
        "a = 01\n",
    ] {
        let mistakes = Mistakes::new("countersign.toml", text);
        assert!(parse(text, &mistakes).is_none(), "{text}");
        let found = mistakes.into_vec();
        let lines: Vec<_> = found.iter().map(Mistake::to_string).collect();
        told.push(format!("{text:?}\n    {}\n", lines.join("\n    ")));
    }
    check("syntax_toml", &told.concat());
}

#[test]
fn the_place_of_a_fault_is_counted_in_characters() {
    let fault = Arguments::parse("{\"größe\": x}").expect_err("it is not JSON");
    assert_eq!((fault.line, fault.column), (1, 11));
    let fault = Arguments::parse("{\n \"größe\": ,\n}").expect_err("it is not JSON");
    assert_eq!((fault.line, fault.column), (2, 11));
}

#[test]
fn what_stands_at_the_fault_is_made_visible_once_by_whatever_way_it_is_told() {
    let fault = Arguments::parse("{\"a\": \u{1b}[2J⟨x}").expect_err("it is not JSON");
    let told = fault.to_string();
    assert!(!told.contains('\u{1b}'), "{told:?}");
    assert!(told.contains(r"\u{1b}"), "{told:?}");
    assert_eq!(Shown::label(&told).as_str(), told);
}
