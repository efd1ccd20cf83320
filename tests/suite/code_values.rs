//! Code mode: which values of a script are arguments of a call, and what is said of the others.

use crate::support::code::{failed, numbers, paused, run};
use countersign::code::Stand;

const BEFORE: &str = "import datetime\nring = [1]\nring.append(ring)\nasync def later():\n    pass\nclass Of:\n    pass\n";

#[tokio::test]
async fn a_value_that_json_has_no_word_for_is_no_argument_and_python_says_so() {
    for (given, kind, said) in [
        (
            "float('nan')",
            "ValueError",
            " of read_file() is nan, which is not a number that JSON can carry",
        ),
        (
            "1e999",
            "ValueError",
            " of read_file() is inf, which is not a number that JSON can carry",
        ),
        (
            "{'a': [0, -1e999]}",
            "ValueError",
            "['a'][1] of read_file() is -inf, which is not a number that JSON can carry",
        ),
        (
            "{1: 2}",
            "TypeError",
            " of read_file() has the key 1, but JSON has only str as keys",
        ),
        (
            "[{None: 2}]",
            "TypeError",
            "[0] of read_file() has the key None, but JSON has only str as keys",
        ),
        (
            "b'x'",
            "TypeError",
            " of read_file() is bytes, which JSON cannot carry: give its text, with .decode()",
        ),
        (
            "{1}",
            "TypeError",
            " of read_file() is a set, which JSON cannot carry: give a list, which has an order",
        ),
        (
            "datetime.date(2026, 1, 2)",
            "TypeError",
            " of read_file() is a date, which JSON cannot carry: give its text, with .isoformat()",
        ),
        (
            "datetime.timedelta(1)",
            "TypeError",
            " of read_file() is datetime.timedelta(days=1), which JSON cannot carry",
        ),
        (
            "print",
            "TypeError",
            " of read_file() is a function, which JSON cannot carry",
        ),
        (
            "read_file",
            "TypeError",
            " of read_file() is a function, which JSON cannot carry",
        ),
        (
            "range(3)",
            "TypeError",
            " of read_file() is range(0, 3), which JSON cannot carry",
        ),
        (
            "ring",
            "ValueError",
            "[1] of read_file() contains itself, which JSON cannot carry",
        ),
        (
            "later()",
            "TypeError",
            " of read_file() is <coroutine object later>, which JSON cannot carry: await it first",
        ),
        (
            "Of()",
            "TypeError",
            " of read_file() is Of(), which JSON cannot carry: give a dict",
        ),
    ] {
        let Stand::Failed { traceback, .. } =
            run(&format!("{BEFORE}read_file('a', {given})")).await
        else {
            unreachable!("{given} is passed on");
        };
        let expected = format!("{kind}: argument start{said}");
        assert_eq!(traceback.lines().last(), Some(expected.as_str()));
        // The script can catch it, and it is no call.
        let code = format!(
            "{BEFORE}try:\n    read_file('a', {given})\nexcept {kind}:\n    read_file('b')"
        );
        assert_eq!(numbers(&paused(run(&code).await)), [1]);
    }
}

#[tokio::test]
async fn what_json_has_a_word_for_is_passed_on_as_it_is() {
    for (given, carried) in [
        ("2**70", "1180591620717411303424"),
        ("-(10**30)", "-1000000000000000000000000000000"),
        ("-0.0", "-0.0"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("(1, (2, 'ä'))", "[1,[2,\"ä\"]]"),
        ("{'k': None, '': True}", "{\"k\":null,\"\":true}"),
        ("'\\ufffd\\U0001f600'", "\"\u{fffd}\u{1f600}\""),
    ] {
        let pause = paused(run(&format!("read_file('a', {given})")).await);
        assert_eq!(pause.calls[0].arguments["start"].to_string(), carried);
    }
}

#[tokio::test]
async fn a_script_with_half_a_character_in_a_text_does_not_start() {
    for (code, line, half) in [
        ("x = 1\nread_file('\\ud83d\\ude00')", 2, "\\ud83d"),
        ("read_file(f'{1}\\\\\\uDC00')", 1, "\\uDC00"),
        ("'''\n\\U0000d800'''", 2, "\\U0000d800"),
    ] {
        let said = format!(
            "SyntaxError: line {line}: {half} is half of a character and no text; write the character itself, or \\U and its eight digits"
        );
        assert_eq!(run(code).await, failed(&said, ""), "{code}");
    }
    for code in [
        "r'\\ud800'",
        "'\\\\ud800'",
        "b'\\ud800'",
        "'\\u00e4'",
        "1 # \\ud800",
    ] {
        let stand = run(code).await;
        assert!(matches!(stand, Stand::Done { .. }), "{code}: {stand:?}");
    }
}
