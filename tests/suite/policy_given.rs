//! Rules made from calls: what is offered, what each of them matches, and what they change in a verdict.

use countersign::core::arguments::Arguments;
use countersign::core::call::SessionId;
use countersign::core::verdict::{Basis, Question, Verdict};
use countersign::policy::grant::{Given, Grant, Lasts, Moment, judge};
use countersign::policy::propose::{Breadth, Candidate, Source, candidates};
use countersign::policy::{Judgement, Policy, Subject};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

use super::policy::{command_line, policy, short};

const WORKSPACE: &str = "/home/op/ws";

fn arguments(value: &Value) -> Arguments {
    Arguments::from_value(value).expect("the test's arguments are an object")
}

fn now() -> Timestamp {
    "2026-11-20T09:30:00Z".parse().expect("a timestamp")
}

fn offered(tool: &str, calls: &[Value]) -> Vec<Candidate> {
    let calls: Vec<Arguments> = calls.iter().map(arguments).collect();
    let sources: Vec<Source<'_>> = calls
        .iter()
        .map(|arguments| Source {
            agent: "travel",
            tool,
            arguments,
            command_line: command_line(tool),
            workspace: WORKSPACE,
        })
        .collect();
    candidates(&sources)
}

fn grant(text: &str) -> Grant {
    Grant {
        id: "g1".to_owned(),
        text: text.to_owned(),
        lasts: Lasts::Session,
        session: SessionId("s1".to_owned()),
        from: Vec::new(),
        workspace: WORKSPACE.to_owned(),
        answers: vec![Question::Default],
        who: "ada@desk".to_owned(),
        at: now(),
    }
}

fn given(grant: Grant) -> Given {
    Given::read(grant).expect("the test's rule is sound")
}

fn of(candidate: &Candidate) -> Given {
    given(grant(&candidate.text(Verdict::Allow)))
}

/// What is asked of a rule about a call of `tool`.
fn with<T>(tool: &str, value: &Value, ask: impl FnOnce(&Subject<'_>) -> T) -> T {
    let arguments = arguments(value);
    let digest = arguments.digest(tool);
    ask(&Subject {
        agent: "travel",
        tool,
        arguments: arguments.value(),
        default: Verdict::Ask,
        command_line: command_line(tool),
        workspace: Path::new(WORKSPACE),
        digest: Some(&digest),
    })
}

fn matches(given: &Given, tool: &str, value: &Value) -> bool {
    with(tool, value, |subject| given.matches(subject))
}

fn judged(policy: &Policy, grants: &[Grant], tool: &str, value: &Value) -> Judgement {
    let given: Vec<Given> = grants.iter().cloned().map(given).collect();
    let session = SessionId("s1".to_owned());
    let moment = Moment {
        session: &session,
        at: now(),
    };
    with(tool, value, |subject| {
        judge(policy, subject, &given, moment)
    })
}

const ANY: &str = "[[rules]]\nagent = 'travel'\ntool = 'send'\nverdict = 'allow'\n";

#[test]
fn the_narrowest_rule_comes_first_and_says_all_of_itself() {
    let offered = offered("delete_file", &[json!({"path": "reports/2026/q3.csv"})]);
    let told: Vec<_> = offered
        .iter()
        .map(|candidate| (candidate.breadth, candidate.covers.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (Breadth::Exact, "this very call of delete_file"),
            (Breadth::Folder, "delete_file in reports/2026/"),
            (Breadth::Folder, "delete_file in reports/"),
            (Breadth::Folder, "delete_file anywhere in the workspace"),
            (Breadth::Tool, "every call of delete_file"),
        ]
    );
    assert_eq!(
        offered[2].text(Verdict::Deny),
        "[[rules]]\nagent = \"travel\"\ntool = \"delete_file\"\n\
         arguments = { \"/path\" = { under = \"reports\" } }\nverdict = \"deny\"\n"
    );
}

#[test]
fn a_path_that_leads_out_of_the_workspace_has_no_folder() {
    for path in ["../other/x", "/etc/passwd", "a/../../x", ".", "/home/op/ws"] {
        let offered = offered("write_file", &[json!({"path": path, "content": "x"})]);
        let breadths: Vec<_> = offered.iter().map(|candidate| candidate.breadth).collect();
        assert_eq!(breadths, [Breadth::Exact, Breadth::Tool], "{path}");
    }
}

#[test]
fn a_folder_of_several_calls_is_the_one_that_holds_them_all() {
    let calls = [
        json!({"path": "a/b/c.md"}),
        json!({"path": "./a/d/../e.md"}),
    ];
    let covers: Vec<_> = offered("read_file", &calls)
        .into_iter()
        .map(|candidate| candidate.covers)
        .collect();
    assert_eq!(
        covers,
        [
            "just these 2 calls of read_file",
            "read_file in a/",
            "read_file anywhere in the workspace",
            "every call of read_file",
        ]
    );
}

#[test]
fn a_host_is_its_scheme_name_and_port_and_nothing_that_looks_like_it() {
    let offered = offered("fetch", &[json!({"url": "https://example.org:8443/a?b#c"})]);
    let host = offered
        .iter()
        .find(|candidate| candidate.breadth == Breadth::Host);
    let rule = of(host.expect("a host is offered"));
    let cases = [
        ("https://example.org:8443", true),
        ("https://example.org:8443/", true),
        ("https://example.org:8443?x", true),
        ("https://example.org:8443/a\n@b", true),
        ("https://example.org", false),
        ("https://example.org:84430/", false),
        ("http://example.org:8443/", false),
        ("https://EXAMPLE.org:8443/", false),
        ("https://example.org:8443@evil.example/", false),
        ("https://example.org:8443.evil.example/", false),
        ("https://exampleXorg:8443/", false),
        (" https://example.org:8443/", false),
    ];
    for (url, expected) in cases {
        assert_eq!(
            matches(&rule, "fetch", &json!({"url": url})),
            expected,
            "{url}"
        );
    }
}

#[test]
fn an_address_that_readers_take_differently_has_no_host() {
    for url in [
        "https://user@example.org/",
        "https://example.org\\@evil/",
        "HTTPS://example.org/",
        "https://exa\tmple.org/",
        "ftp://example.org/",
        "https:///x",
        "https://example.org:0/",
        "https://[::1]/",
    ] {
        let offered = offered("fetch", &[json!({"url": url})]);
        let breadths: Vec<_> = offered.iter().map(|candidate| candidate.breadth).collect();
        assert_eq!(breadths, [Breadth::Exact, Breadth::Tool], "{url}");
    }
}

#[test]
fn of_a_compound_line_only_the_whole_of_it_is_offered() {
    let lines = [
        "git push && rm -rf x",
        "git push; ls",
        "git push | cat",
        "git push &",
        "git push > out",
        "git push 2>/dev/null",
        "(git push)",
        "git push $(cat x)",
        "git push `cat x`",
        "git push $X",
        "git push 'a b'",
        "git push *",
        "A=b git push",
        "cat <<E\nx\nE",
        "! git push",
        "sudo git push",
        "sh -c 'git push'",
        "git push # now",
    ];
    for line in lines {
        let offered = offered("shell", &[json!({"command": line})]);
        let breadths: Vec<_> = offered.iter().map(|candidate| candidate.breadth).collect();
        assert_eq!(breadths, [Breadth::Exact], "{line}");
        let rule = of(&offered[0]);
        assert!(matches(&rule, "shell", &json!({"command": line})));
        for part in ["git push", "rm -rf x", "ls", "cat x"] {
            assert!(
                !matches(&rule, "shell", &json!({"command": part})),
                "{line}: {part}"
            );
        }
    }
}

#[test]
fn first_words_match_one_plain_command_and_no_part_of_a_line() {
    let offered = offered("shell", &[json!({"command": "git push origin feature"})]);
    let covers: Vec<_> = offered
        .iter()
        .map(|candidate| candidate.covers.as_str())
        .collect();
    assert_eq!(
        covers,
        [
            "this very call of shell",
            "`git push origin` with any further plain words",
            "`git push` with any further plain words",
        ]
    );
    let rule = of(&offered[2]);
    let cases = [
        ("git push", true),
        ("git push origin main", true),
        ("git pushy", false),
        ("git pull", false),
        ("git push && ls", false),
        ("git push\nls", false),
        ("git push; git push", false),
        ("git push > x", false),
        ("git push $(ls)", false),
        ("git push \"a\"", false),
        ("X=1 git push", false),
        ("git push origin & ", false),
    ];
    for (line, expected) in cases {
        assert_eq!(
            matches(&rule, "shell", &json!({"command": line})),
            expected,
            "{line}"
        );
    }
}

#[test]
fn of_a_plain_command_of_two_words_both_are_first_words() {
    let offers = |line: &str| {
        let offered = offered("shell", &[json!({ "command": line })]);
        let covers = offered.iter().map(|one| one.covers.clone());
        covers.collect::<Vec<_>>()
    };
    let exact = "this very call of shell";
    let words = "`git status` with any further plain words";
    assert_eq!(offers("git status"), [exact, words]);
    assert_eq!(offers("git status --short"), [exact, words]);
    for line in ["git", "ls -la", "sudo ls", "git status; ls", "git 'a b'"] {
        assert_eq!(offers(line), [exact], "{line}");
    }
}

#[test]
fn a_given_rule_turns_an_ask_into_an_allow_and_says_what_asked() {
    let plain = policy("");
    let judgement = judged(&plain, &[grant(ANY)], "send", &json!({}));
    let expected = Judgement {
        verdict: Verdict::Allow,
        basis: Basis::Grant {
            id: "g1".to_owned(),
            by: "ada@desk".to_owned(),
            answers: "the tool's default".to_owned(),
        },
    };
    assert_eq!(judgement, expected);
    assert_eq!(
        short(&judged(&plain, &[grant(ANY)], "other", &json!({}))),
        "ask by default"
    );
}

#[test]
fn a_denial_is_never_beaten() {
    let denies = policy("[[rules]]\ntool = 'send'\nverdict = 'deny'\n");
    assert_eq!(
        short(&judged(&denies, &[grant(ANY)], "send", &json!({}))),
        "deny by 1"
    );
    let refuses = grant(&ANY.replace("allow", "deny"));
    for order in [[grant(ANY), refuses.clone()], [refuses.clone(), grant(ANY)]] {
        let judgement = judged(&policy(""), &order, "send", &json!({}));
        assert_eq!(judgement.verdict, Verdict::Deny);
    }
    let allows = policy("[[rules]]\ntool = 'send'\nverdict = 'allow'\n");
    assert_eq!(
        judged(&allows, &[refuses], "send", &json!({})).verdict,
        Verdict::Deny
    );
}

#[test]
fn what_another_rule_asks_about_is_asked_all_the_same() {
    let text =
        "[[rules]]\ntool = 'send'\narguments = { '/to' = { glob = '*@bank' } }\nverdict = 'ask'\n";
    let asks = policy(text);
    let bank = json!({"to": "a@bank"});
    let judge = |answers: Vec<Question>, to: &Value| {
        let grant = Grant {
            answers,
            ..grant(ANY)
        };
        judged(&asks, &[grant], "send", to).verdict
    };
    assert_eq!(judge(vec![Question::Default], &bank), Verdict::Ask);
    assert_eq!(
        judge(vec![Question::Default], &json!({"to": "a@b"})),
        Verdict::Allow
    );
    let questions = with("send", &bank, |subject| asks.questions(subject));
    assert_eq!(judge(questions.clone(), &bank), Verdict::Allow);
    // The same rule at another place is the same question; a changed rule is another.
    let moved = policy(&format!("[[rules]]\ntool = 'x'\nverdict = 'ask'\n{text}"));
    assert_eq!(
        with("send", &bank, |subject| moved.questions(subject)),
        questions
    );
    let changed = policy(&text.replace("*@bank", "*@*"));
    assert_ne!(
        with("send", &bank, |subject| changed.questions(subject)),
        questions
    );
}

#[test]
fn every_rule_that_asks_of_a_command_is_a_question_of_its_own() {
    let text = "[[rules]]\ntool = 'shell'\narguments = { '/command' = { glob = 'git *' } }\nverdict = 'ask'\n\
                [[rules]]\ntool = 'shell'\narguments = { '/command' = { glob = '*--force*' } }\nverdict = 'ask'\n";
    let asks = policy(text);
    let count = |line: &str| {
        with("shell", &json!({"command": line}), |subject| {
            asks.questions(subject).len()
        })
    };
    assert_eq!(count("git push"), 1);
    assert_eq!(count("git push --force"), 2);
    assert_eq!(count("git push --force && ls > x"), 4);
}

#[test]
fn a_rule_counts_in_its_session_its_workspace_and_its_time_only() {
    let session = SessionId("s1".to_owned());
    let reaches = |grant: &Grant, session: &str, at: &str, workspace: &str| {
        let session = SessionId(session.to_owned());
        let at = at.parse().expect("a timestamp");
        grant.reaches(
            Moment {
                session: &session,
                at,
            },
            Path::new(workspace),
        )
    };
    let of_session = grant(ANY);
    let until = Grant {
        lasts: Lasts::Until("2026-11-20T10:30:00Z".parse().expect("a timestamp")),
        ..grant(ANY)
    };
    let always = Grant {
        lasts: Lasts::Always,
        ..grant(ANY)
    };
    let table = [
        ("s1", "2026-11-20T10:29:59Z", WORKSPACE),
        ("s2", "2026-11-20T10:29:59Z", WORKSPACE),
        ("s1", "2026-11-20T10:30:00Z", WORKSPACE),
        ("s1", "2026-11-20T10:00:00Z", "/elsewhere"),
    ];
    let row = |grant: &Grant| {
        table.map(|(session, at, workspace)| reaches(grant, session, at, workspace))
    };
    assert_eq!(row(&of_session), [true, false, true, false]);
    assert_eq!(row(&until), [true, true, false, false]);
    assert_eq!(row(&always), [true, true, true, false]);
    assert_eq!(of_session.session, session);
}

#[test]
fn a_text_that_is_not_one_sound_rule_that_allows_or_denies_is_refused() {
    for text in [
        "",
        "tool = 'x'",
        &format!("{ANY}{ANY}"),
        &ANY.replace("allow", "ask"),
        &ANY.replace("allow", "perhaps"),
        &format!("{ANY}digest = 'abc'\n"),
        &format!("{ANY}[other]\n"),
        "[[rules]\n",
    ] {
        assert!(Given::read(grant(text)).is_err(), "{text}");
    }
}

/// JSON as models write it, hostile keys and texts among it.
fn json_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[a-z/.]{0,12}",
        "\\PC{0,12}",
        "[\\x00-\\x7f]{0,8}",
        Just("'''".to_owned())
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |f| f.is_finite())
            .prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop::collection::vec(inner, 0..3).prop_map(Value::from)
    })
}

fn object() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("path".to_owned()),
        Just("command".to_owned()),
        Just("url".to_owned()),
        "[a-z~/]{0,4}",
        "\\PC{0,4}",
    ];
    prop::collection::vec((key, json_value()), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// Lines near those that rules are made from.
fn line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "git", "push", "rm", "-rf", "x", "&&", ";", "|", "&", ">", "$(", ")", "`", "'", "\"", "\n",
        "#", "*", "$X",
    ]);
    prop::collection::vec(piece, 1..7).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn each_offered_rule_matches_all_calls_it_was_made_from(
        tool in prop_oneof![Just("shell".to_owned()), "[a-z_]{1,6}", "\\PC{1,6}"],
        calls in prop::collection::vec(object(), 1..4),
    ) {
        for candidate in offered(&tool, &calls) {
            let rule = of(&candidate);
            for call in &calls {
                prop_assert!(matches(&rule, &tool, call), "{} {call}", candidate.text(Verdict::Allow));
            }
        }
    }

    #[test]
    fn the_exact_rule_matches_no_call_of_another_digest(call in object(), other in object(), tool in "[a-z*?]{1,4}") {
        let offered = offered(&tool, std::slice::from_ref(&call));
        if let Some(exact) = offered.first().filter(|candidate| candidate.breadth == Breadth::Exact) {
            let same = arguments(&call).digest(&tool) == arguments(&other).digest(&tool);
            prop_assert_eq!(matches(&of(exact), &tool, &other), same);
            prop_assert!(!matches(&of(exact), "zzzzz", &call));
        }
    }

    #[test]
    fn a_folder_rule_matches_what_lies_in_the_folder(path in "[a-c./]{1,9}", other in "[a-c./]{1,9}") {
        for candidate in offered("read_file", &[json!({"path": path})]) {
            if candidate.breadth != Breadth::Folder {
                continue;
            }
            let hit = matches(&of(&candidate), "read_file", &json!({"path": other}));
            let clean = |path: &str| {
                let mut parts: Vec<&str> = WORKSPACE.split('/').collect();
                if path.starts_with('/') {
                    parts = vec![""];
                }
                for part in path.split('/') {
                    match part {
                        "" | "." => {}
                        ".." => { if parts.len() > 1 { parts.pop(); } }
                        part => parts.push(part),
                    }
                }
                parts.join("/")
            };
            prop_assert!(!hit || clean(&other).starts_with(WORKSPACE), "{other}");
        }
    }

    #[test]
    fn a_rule_of_first_words_matches_lines_of_one_command_only(source in line(), other in line()) {
        for candidate in offered("shell", &[json!({"command": source})]) {
            let rule = of(&candidate);
            let hit = matches(&rule, "shell", &json!({"command": other}));
            let compound = other.contains(['&', ';', '|', '>', '$', '`', '\n', '\'', '"', '#', '*']);
            prop_assert!(!hit || other == source || !compound, "{source} / {other}");
        }
    }
}

#[test]
fn a_denied_command_is_found_in_any_line_however_it_is_written() {
    let deny = |calls: &[Value]| {
        let exact = offered("shell", calls).remove(0);
        given(grant(&exact.text(Verdict::Deny)))
    };
    let push = deny(&[json!({"command": "git  push", "timeout": 5})]);
    let cases = [
        ("git push", true),
        ("git  push", true),
        ("ls && git push", true),
        ("git push; echo x", true),
        ("sudo git push", true),
        ("'git' \"push\"", true),
        ("(git push) | cat", true),
        ("/usr/bin/git push", true),
        ("git push origin", false),
        ("git pull", false),
        ("echo git push", false),
    ];
    for (line, expected) in cases {
        let found = matches(&push, "shell", &json!({"command": line}));
        assert_eq!(found, expected, "{line}");
    }
    let both = deny(&[
        json!({"command": "git push"}),
        json!({"command": "rm -rf 'a b'"}),
    ]);
    for (line, expected) in [
        ("ls; git push", true),
        ("rm -rf 'a b'", true),
        ("rm -rf c", false),
    ] {
        let found = matches(&both, "shell", &json!({"command": line}));
        assert_eq!(found, expected, "{line}");
    }
    // Of a compound line, or one that says more than its words, the whole is denied.
    for line in [
        "git push && ls",
        "echo x > f",
        "git push $X",
        "A=b git push",
    ] {
        let rule = deny(&[json!({"command": line})]);
        assert!(matches(&rule, "shell", &json!({"command": line})), "{line}");
    }
}

#[test]
fn what_a_rule_covers_is_said_of_the_verdict_that_it_has() {
    let offered = offered("shell", &[json!({"command": "git push origin"})]);
    let told = |verdict| -> Vec<(&str, &str)> {
        let told = offered.iter().map(|candidate| candidate.told(verdict));
        told.collect()
    };
    assert_eq!(
        told(Verdict::Allow),
        [
            (
                "this very call of shell",
                "Only calls whose arguments are byte for byte the same."
            ),
            (
                "`git push` with any further plain words",
                "Further words may be options too. Other arguments may be anything. Never part of a longer line."
            ),
        ]
    );
    assert_eq!(
        told(Verdict::Deny),
        [
            (
                "the command `git push origin`",
                "Alone or in a longer line, quoted or spaced in another way. Other arguments may be anything."
            ),
            (
                "`git push` with any further plain words",
                "Further words may be options too. Other arguments may be anything. In a longer line as well."
            ),
        ]
    );
}

#[test]
fn first_words_do_not_end_in_an_option_that_takes_the_next_one() {
    let cases: [(&str, &[&str]); 6] = [
        ("git -C repo2 status", &["git -C repo2"]),
        ("git -C repo2", &[]),
        (
            "docker run -v /a:/b image",
            &["docker run -v /a:/b", "docker run"],
        ),
        (
            "kubectl get pods -n prod",
            &["kubectl get pods", "kubectl get"],
        ),
        (
            "cargo test --color=never x",
            &["cargo test --color=never", "cargo test"],
        ),
        ("git log -p --stat x", &["git log -p", "git log"]),
    ];
    for (line, expected) in cases {
        let offered = offered("shell", &[json!({"command": line})]);
        let words: Vec<_> = offered
            .iter()
            .filter(|candidate| candidate.breadth == Breadth::Words)
            .map(|candidate| candidate.covers.split('`').nth(1).unwrap_or_default())
            .collect();
        assert_eq!(words, expected, "{line}");
    }
}
