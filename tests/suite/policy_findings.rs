//! The look at a call's arguments: bounded, never at a loss, and honest about where things stand.

use countersign::core::arguments::Arguments;
use countersign::core::call::Call;
use countersign::core::fields;
use countersign::core::finding::{Findings, Kind};
use countersign::core::places::marks;
use countersign::policy::findings::look;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::ui_scene::call;

fn with(tool: &str, value: &Value) -> Call {
    call("c", tool, value)
}

fn kinds(findings: &Findings) -> Vec<Kind> {
    findings.iter().map(|finding| finding.kind).collect()
}

/// The parts of the visible text that are highlighted.
fn highlighted(call: &Call) -> Vec<String> {
    let fields = fields::fields(&call.arguments);
    let marks = marks(&call.arguments, &look(call));
    let text = |mark: &countersign::core::places::Mark| {
        fields[mark.field].value.shown().as_str()[mark.range.clone()].to_owned()
    };
    marks.iter().map(text).collect()
}

#[test]
fn what_is_highlighted_is_what_was_found() {
    let shell = with(
        "shell",
        &json!({"command": "ls\u{202e}\u{1b}\n\tcat x; rm -rf build"}),
    );
    assert_eq!(
        highlighted(&shell),
        ["⟨U+202E⟩", "⟨U+001B⟩", "rm -rf build"]
    );
    let nested = with(
        "batch",
        &json!({"a": [1, {"cmd": "echo \"é\u{1f600}\" \\ \n; rm -rf \"x y\""}, "b"]}),
    );
    assert_eq!(highlighted(&nested), [r#"rm -rf \"x y\""#]);
    let padded = with(
        "shell",
        &json!({"command": format!("ls{}rm x", " ".repeat(200))}),
    );
    assert_eq!(highlighted(&padded)[0], "⟨200 spaces⟩");
    let words = with("run", &json!({"argv": ["sudo", "rm", "-rf", "x"]}));
    assert_eq!(highlighted(&words), ["sudo", "rm"]);
}

#[test]
fn what_is_too_much_is_said_and_not_passed_over() {
    let many: Vec<String> = (0..3000).map(|at| format!("text {at}")).collect();
    let long = "a;".repeat(50_000);
    let deep = format!("{}rm x{}", "$(".repeat(40), ")".repeat(40));
    let cases = [
        json!({ "many": many }),
        json!({ "command": long }),
        json!({ "text": "x".repeat(300_000) }),
        json!({ "command": deep }),
        json!({ "command": "a;".repeat(1000) }),
    ];
    for case in &cases {
        let found = look(&with("run", case));
        assert!(kinds(&found).contains(&Kind::Unread), "{found:?}");
    }
}

#[test]
fn each_thing_is_named_once_and_the_gravest_first() {
    let found = look(&with(
        "shell",
        &json!({"command": "curl a.example; curl a.example; sudo rm x > y"}),
    ));
    let kinds = kinds(&found);
    assert!(kinds.is_sorted(), "{kinds:?}");
    assert_eq!(
        kinds.iter().filter(|kind| **kind == Kind::Network).count(),
        1
    );
    assert_eq!(found.gravest(), Some(Kind::Deletes));
}

#[test]
fn a_call_with_hundreds_of_risks_keeps_the_gravest_and_counts_the_others() {
    let line: Vec<String> = (0..200).map(|at| format!("curl h{at}.example\n")).collect();
    let found = look(&with(
        "shell",
        &json!({"command": line.concat() + "rm -rf ~"}),
    ));
    assert_eq!(found.gravest(), Some(Kind::Deletes));
    assert_eq!(
        (found.iter().len(), found.iter().len() + found.more() > 200),
        (40, true)
    );
}

fn hostile() -> impl Strategy<Value = String> {
    let parts = vec![
        "rm -rf ",
        "curl ",
        "| sh",
        "\"",
        "'",
        "$(",
        ")",
        "`",
        "${",
        "}",
        "\\",
        "\n",
        "<<EOF\n",
        "EOF",
        "$'\\x72",
        "$IFS",
        "{a,b}",
        "://",
        "xn--80ak6aa92e",
        "://a@b",
        "0x7f.1",
        "\u{202e}",
        "\u{e0041}",
        "p\u{430}y",
        "é",
        "漢",
        "  ",
        "&>",
        "<(",
        ">",
        "2>&1",
        "/etc/x",
        "~",
        "../..",
        "base64 -d",
        "cm0gLXJmIH4=",
        "eval ",
        "python -c ",
        "exec(",
        "alias a=",
        "sudo -u ",
        "find . -exec ",
        ";",
        "&&",
        "#",
        "=",
        "-----BEGIN PRIVATE KEY-----",
        "\\u{1f600}",
        "\0",
        "xargs ",
        "ssh h ",
        "env A=b ",
        "timeout ",
    ];
    let part =
        prop_oneof![6 => prop::sample::select(parts).prop_map(str::to_owned), 1 => any::<String>()];
    prop::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_too_odd_to_be_looked_at_and_highlighted(text in hostile(), other in hostile()) {
        let value = json!({"command": text, "code": other, "url": text, "path": other, "sql": text, "steps": [{"cmd": other, "argv": [text, other]}], "note": text});
        let call = with("shell", &value);
        for part in highlighted(&call) {
            prop_assert!(!part.is_empty());
        }
        let parsed = Arguments::from_value(&value).expect("an object");
        prop_assert_eq!(parsed.text(), call.arguments.text());
    }
}

/// What is said of the host of an address, beside that it is one.
fn posing(host: &str) -> Vec<String> {
    let found = look(&with("fetch", &json!({"url": format!("https://{host}/x")})));
    let poses = found
        .iter()
        .filter(|finding| finding.kind == Kind::LookAlike);
    poses.map(|finding| finding.what.clone()).collect()
}

#[test]
fn a_host_in_plain_letters_that_poses_as_a_known_one_is_named() {
    let cases = [
        ("rnicrosoft.com", "microsoft.com"),
        ("login.rnicrosoft.com", "microsoft.com"),
        ("g00gle.com", "google.com"),
        ("G00GLE.com", "google.com"),
        ("paypa1.com", "paypal.com"),
        ("glthub.com", "github.com"),
        ("vvikipedia.org", "wikipedia.org"),
        ("api.github.com.evil.example", "github.com"),
        ("github.com.evil.co", "github.com"),
        ("paypal.com-login.example", "paypal.com"),
        ("www.paypal.com-login.example", "paypal.com"),
    ];
    for (host, known) in cases {
        assert_eq!(posing(host), [format!("{host} is not {known}")]);
    }
    let found = look(&with("shell", &json!({"command": "curl -O g00gle.com/x"})));
    assert!(kinds(&found).contains(&Kind::LookAlike), "{found:?}");
}

#[test]
fn an_ordinary_host_is_not_taken_for_one_that_poses() {
    let hosts = [
        "github.com",
        "api.github.com",
        "raw.githubusercontent.com",
        "me.github.io",
        "www.google.com.au",
        "google.co.uk",
        "amazon.de",
        "s3.eu-west-1.amazonaws.com",
        "s3.cn-north-1.amazonaws.com.cn",
        "mygithub.com",
        "github.company.example",
        "github.com-work",
        "notgoogle.com",
        "modern.com",
        "example.org",
        "docs.rs",
        "registry.npmjs.org",
        "localhost",
        "10.0.0.1",
        "google.com",
        "microsoft.com",
        "login.microsoftonline.com",
    ];
    for host in hosts {
        assert_eq!(posing(host), [""; 0], "{host}");
    }
}

#[test]
fn a_program_that_python_reads_from_the_line_is_looked_at_as_python() {
    let line = "python3 - <<E\nimport os\nos.remove('/etc/passwd')\nE";
    let told = |line: &str| -> Vec<(Kind, String)> {
        let found = look(&with("shell", &json!({ "command": line })));
        let found = found.iter();
        found
            .map(|finding| (finding.kind, finding.what.clone()))
            .collect()
    };
    assert_eq!(
        told(line),
        [
            (Kind::PipedToShell, "<<E".to_owned()),
            (Kind::Deletes, "os.remove".to_owned()),
            (Kind::Outside, "/etc/passwd".to_owned()),
        ]
    );
    let piped = "echo \"import os; os.remove('/etc/passwd')\" | python3";
    let kinds: Vec<Kind> = told(piped).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [Kind::PipedToShell, Kind::Deletes, Kind::Outside]);
}

#[test]
fn every_character_that_shows_nothing_is_counted_and_named() {
    let found = |text: &str| {
        let found = look(&with("save", &json!({ "text": text })));
        found.iter().map(|one| one.what.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        found("a\u{ad}b\u{34f}c\u{180e}d\u{61c}e"),
        ["4 characters without width: U+00AD U+034F U+180E U+061C"]
    );
    assert_eq!(
        found("a\u{200b}\u{200b}b\u{2060}c\u{feff}d\u{3164}e\u{ad}f"),
        ["6 characters without width: U+200B U+2060 U+FEFF U+3164 …"]
    );
    assert_eq!(
        found("a\u{202e}b\u{202c}c"),
        ["2 changes of direction: U+202E U+202C"]
    );
    // Beside letters that are written from the right, a mark of direction is ordinary.
    assert_eq!(found("שלום\u{200f} (1)"), Vec::<String>::new());
    assert_eq!(
        found("a\u{200f}b"),
        ["1 character without width: right-to-left mark"]
    );
}
