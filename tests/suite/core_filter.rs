//! The filter's language: what each part lists, and what is said of a part that means nothing.

use countersign::core::call::{Call, Origin, Risk, SessionId};
use countersign::core::filter::Filter;
use countersign::core::finding::Findings;
use countersign::core::pending::{Arrangement, Pending};
use countersign::core::time::Ticks;
use countersign::core::verdict::Basis;
use proptest::prelude::*;

use crate::support::desk::{call, key};

fn sessions() -> [SessionId; 2] {
    [SessionId("s1".to_owned()), SessionId("s2".to_owned())]
}

/// Four calls that have waited for 100, 60, 30 and 0 seconds.
fn pending() -> Pending {
    let mail = call(
        "mail",
        "send_mail",
        r#"{"to":"Ops@example.org","headers":{"Bcc":"eve@example.org"},"count":3}"#,
    );
    let delete = Call {
        risks: vec![Risk::Destructive],
        ..call("delete", "delete_file", r#"{"path":"/etc/passwd"}"#)
    };
    let mut write = Call {
        agent: "deploy bot".to_owned(),
        origin: Origin::File,
        risks: vec![Risk::OpenWorld, Risk::Idempotent],
        ..call(
            "write",
            "write_file",
            r#"{"path":"/srv/a","list":[{"path":"deep"}]}"#,
        )
    };
    write.key.session = SessionId("s2".to_owned());
    let again = Call {
        basis: Basis::OutcomeUnknown,
        ..call(
            "again",
            "file",
            r#"{"note":"a marked \"quote\" https://x"}"#,
        )
    };
    let mut pending = Pending::default();
    for (call, since) in [
        (mail, 0),
        (delete, 40_000),
        (write, 70_000),
        (again, 100_000),
    ] {
        assert!(pending.arrive(call, Findings::default(), Ticks(since)));
    }
    pending.passed(Ticks(100_000));
    pending.change(&key("delete"), |waiting| waiting.marked = true);
    pending
}

fn filtered(text: &str) -> Pending {
    let mut pending = pending();
    pending.arrange(Arrangement {
        filter: Filter::parse(text, &sessions()),
        ..Arrangement::default()
    });
    pending
}

fn listed(text: &str) -> String {
    let pending = filtered(text);
    let ids: Vec<&str> = pending
        .listed()
        .map(|waiting| waiting.call.key.call.0.as_str())
        .collect();
    ids.join(" ")
}

fn faults(text: &str) -> Vec<String> {
    let filter = Filter::parse(text, &sessions());
    filter.faults().iter().map(ToString::to_string).collect()
}

#[test]
fn each_part_narrows_the_list() {
    for (text, wanted) in [
        ("", "mail delete write again"),
        ("   ", "mail delete write again"),
        ("FILE", "delete write again"),
        ("file etc", "delete"),
        ("\"a marked\"", "again"),
        ("\"marked\"", "again"),
        ("\\", "again"),
        ("tool:file", "delete write again"),
        ("tool=file", "again"),
        ("agent:\"deploy bot\"", "write"),
        ("agent:deploy", "write"),
        ("session:2", "write"),
        ("session:s1", "mail delete again"),
        ("risk:destructive", "delete"),
        ("risk:open-world", "write"),
        ("risk:destructive|idempotent", "delete write"),
        ("risk:unknown", "again"),
        ("risk:none", "mail"),
        ("origin:file", "write"),
        ("path:/etc", "delete"),
        ("path:", "delete write"),
        ("path=/srv/a", "write"),
        ("path:deep", "write"),
        ("bcc:EVE", "mail"),
        ("/headers/Bcc:eve", "mail"),
        ("/headers:eve", "mail"),
        ("/list/0/path=deep", "write"),
        ("/path:deep", ""),
        ("count=3", "mail"),
        ("note:\"\\\"quote\\\"\"", "again"),
        ("age>1m", "mail"),
        ("age>50s", "mail delete"),
        ("age<31s", "write again"),
        ("age>1m30s", "mail"),
        ("marked", "delete"),
        ("-marked file", "write again"),
        ("-tool:file", "mail"),
        ("!path:/etc tool:_file", "write"),
        ("-risk:destructive -risk:none", "write again"),
    ] {
        assert_eq!(listed(text), wanted, "{text}");
        assert_eq!(faults(text), [""; 0], "{text}");
    }
}

#[test]
fn a_part_that_means_nothing_is_named_and_nothing_is_listed() {
    let risk = "one of destructive, open-world, idempotent, read-only, unknown, none";
    let time = "a time is a number and s, m, h or d, as in age>90s";
    for (text, wanted) in [
        ("risk:grave", format!("risk:grave: {risk}")),
        ("risk:", format!("risk: {risk}")),
        ("risk:destructive|x", format!("risk:destructive|x: {risk}")),
        (
            "origin:x",
            "origin:x: one of agent, provider, file".to_owned(),
        ),
        ("age>", format!("age>: {time}")),
        ("age>5", format!("age>5: {time}")),
        ("age>5w", format!("age>5w: {time}")),
        (
            "age<99999999999999999999d",
            format!("age<99999999999999999999d: {time}"),
        ),
        (
            "age:5m",
            "age:5m: an age is compared with > or <, as in age>5m".to_owned(),
        ),
        (
            "age",
            "age: an age is written as age>5m or age<30s".to_owned(),
        ),
        ("tool:", "tool: say what it is to contain".to_owned()),
        (
            "session:7",
            "session:7: there are sessions 1 to 2".to_owned(),
        ),
        (
            "session:0",
            "session:0: there are sessions 1 to 2".to_owned(),
        ),
        (
            "-",
            "-: say what is not to be listed, as in -tool:send_mail".to_owned(),
        ),
        ("\"open", "\"open: the quote is not closed".to_owned()),
        (
            "\"\"",
            "\"\": there is no text between the quotes".to_owned(),
        ),
    ] {
        assert_eq!(faults(text), [wanted], "{text}");
        assert_eq!(listed(&format!("file {text}")), "", "{text}");
    }
    assert_eq!(faults("risk:x age>y mail").len(), 2);
}

#[test]
fn a_sound_part_that_fits_nothing_is_told_with_what_there_is() {
    for (text, wanted) in [
        (
            "tool:mial",
            "tool:mial: no pending call fits this; tools: delete_file, file, send_mail, write_file",
        ),
        (
            "agent:x",
            "agent:x: no pending call fits this; agents: \"deploy bot\", travel",
        ),
        ("path:nowhere", "path:nowhere: no call has this in path"),
        (
            "https://x",
            "https://x: no call has such an argument; a text with a sign in it stands in quotes; arguments: count, headers, list, note, path, to",
        ),
        ("xyz", "xyz: no pending call fits this"),
        ("/a/b:c", "/a/b:c: no pending call fits this"),
    ] {
        let pending = filtered(text);
        let unmet = pending.arrangement().filter.unmet(&pending);
        assert_eq!(unmet, [wanted], "{text}");
    }
    let each_fits_something = filtered("tool:mail path:/etc");
    let unmet = each_fits_something
        .arrangement()
        .filter
        .unmet(&each_fits_something);
    assert_eq!((each_fits_something.listed_len(), unmet), (0, vec![]));
}

#[test]
fn calls_come_and_go_by_their_age_at_whole_seconds() {
    let mut pending = filtered("age>45s");
    let ids = |pending: &Pending| {
        let listed = pending.listed();
        let ids: Vec<String> = listed.map(|w| w.call.key.call.0.clone()).collect();
        ids.join(" ")
    };
    assert_eq!(
        (ids(&pending).as_str(), pending.turns()),
        ("mail delete", Some(Ticks(116_000)))
    );
    assert!(!pending.passed(Ticks(115_999)));
    assert!(pending.passed(Ticks(116_000)));
    assert_eq!(
        (ids(&pending).as_str(), pending.turns()),
        ("mail delete write", Some(Ticks(146_000)))
    );
    pending.passed(Ticks(200_000));
    assert_eq!(
        (ids(&pending).as_str(), pending.turns()),
        ("mail delete write again", None)
    );
}

proptest! {
    #[test]
    fn no_text_is_too_odd_for_a_filter(text in "[a-z:=<>\"\\\\|/ !-]{0,40}|\\PC{0,40}") {
        let filter = Filter::parse(&text, &sessions());
        prop_assert_eq!(filter.text(), text.as_str());
        let pending = filtered(&text);
        prop_assert!(filter.faults().is_empty() || pending.listed_len() == 0);
        prop_assert_eq!(filter.is_empty(), text.trim().is_empty());
    }

    #[test]
    fn a_part_and_its_negation_share_the_calls_between_them(
        part in prop::sample::select(vec!["file", "tool:mail", "path:", "age>1m", "marked", "risk:none", "session:2", "x=1"]),
    ) {
        let not = format!("-{part}");
        let both: usize = [part, not.as_str()].iter().map(|text| filtered(text).listed_len()).sum();
        prop_assert_eq!(both, 4);
    }
}
