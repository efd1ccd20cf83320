//! Which rules hold for which calls, and which of them wins.

use countersign::core::verdict::{Basis, RuleSource, Verdict};
use countersign::policy::{Judgement, Policy};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::policy::{judge, judge_with, policy, read, short};

#[test]
fn the_strictest_rule_wins_whatever_the_order() {
    let rules = [
        "[[rules]]\ntool = 'delete_*'\nverdict = 'allow'\n",
        "[[rules]]\ntool = 'delete_*'\nverdict = 'deny'\nreason = 'audits'\n",
        "[[rules]]\ntool = '*'\nverdict = 'ask'\n",
    ];
    for (order, number) in [([0, 1, 2], 2), ([1, 0, 2], 1), ([2, 0, 1], 3)] {
        let text: String = order.map(|index| rules[index]).concat();
        let expected = Judgement {
            verdict: Verdict::Deny,
            basis: Basis::Rule {
                number,
                source: RuleSource::Configuration,
                reason: "audits".to_owned(),
            },
        };
        assert_eq!(judge(&policy(&text), "delete_file", &json!({})), expected);
    }
}

#[test]
fn of_two_equally_strict_rules_the_first_is_named() {
    let policy = policy(
        "[[rules]]\ntool = 'x'\nverdict = 'ask'\nreason = 'first'\n\
         [[rules]]\ntool = 'x'\nverdict = 'ask'\nreason = 'second'\n",
    );
    assert_eq!(short(&judge(&policy, "x", &json!({}))), "ask by 1");
}

#[test]
fn a_configured_rule_is_named_before_an_equally_strict_built_in_one() {
    let rules = |text| read(text).expect("sound");
    let mut built_in = rules("[[rules]]\ntool = 'x'\nverdict = 'deny'\n");
    for rule in &mut built_in {
        rule.source = RuleSource::BuiltIn;
    }
    let configured =
        rules("[[rules]]\ntool = 'y'\nverdict = 'deny'\n[[rules]]\ntool = 'x'\nverdict = 'deny'\n");
    let policy = Policy::new(configured, built_in.clone());
    assert_eq!(short(&judge(&policy, "x", &json!({}))), "deny by 2");
    let policy = Policy::new(Vec::new(), built_in);
    assert_eq!(
        short(&judge(&policy, "x", &json!({}))),
        "deny by built-in 1"
    );
}

#[test]
fn the_tools_own_word_counts_if_no_rule_matches() {
    let policy = policy("[[rules]]\ntool = 'other'\nverdict = 'deny'\n");
    for default in [Verdict::Allow, Verdict::Ask, Verdict::Deny] {
        let expected = Judgement {
            verdict: default,
            basis: Basis::ToolDefault,
        };
        assert_eq!(judge_with(&policy, "x", &json!({}), default), expected);
    }
}

#[test]
fn names_are_matched_exactly_and_as_a_whole() {
    let cases = [
        ("'delete_*'", "delete_file", true),
        ("'delete_*'", "undelete_file", false),
        ("'delete_*'", "DELETE_file", false),
        ("'delete'", "delete_file", false),
        ("['a', 'b']", "b", true),
        ("['a', 'b']", "ab", false),
        ("'gmail.*'", "gmail.a/b", true),
        ("'{read,write}_file'", "write_file", true),
        ("'?'", "ab", false),
    ];
    for (pattern, tool, expected) in cases {
        let policy = policy(&format!("[[rules]]\ntool = {pattern}\nverdict = 'deny'\n"));
        let denied = judge(&policy, tool, &json!({})).verdict == Verdict::Deny;
        assert_eq!(denied, expected, "{pattern} on {tool}");
    }
}

#[test]
fn a_rule_for_one_agent_says_nothing_of_another() {
    let text = |agent| format!("[[rules]]\ntool = '*'\nagent = '{agent}'\nverdict = 'deny'\n");
    assert_eq!(
        short(&judge(&policy(&text("trav*")), "x", &json!({}))),
        "deny by 1"
    );
    assert_eq!(
        short(&judge(&policy(&text("clerk")), "x", &json!({}))),
        "ask by default"
    );
}

/// One condition on `/v`, a value, and whether it holds.
fn holds(condition: &str, value: &Value) -> bool {
    let text =
        format!("[[rules]]\ntool = 'x'\narguments = {{ '/v' = {condition} }}\nverdict = 'deny'\n");
    judge(&policy(&text), "x", &json!({ "v": value })).verdict == Verdict::Deny
}

#[test]
fn conditions_hold_for_the_whole_value_only() {
    let cases = [
        ("{ equals = 'a' }", json!("a"), true),
        ("{ equals = 'a' }", json!("A"), false),
        ("{ equals = 'a' }", json!("ab"), false),
        ("{ equals = 1 }", json!(1), true),
        ("{ equals = 1 }", json!(1.0), true),
        ("{ equals = 1 }", json!("1"), false),
        ("{ equals = true }", json!(true), true),
        ("{ equals = ['a', 1] }", json!(["a", 1.0]), true),
        ("{ equals = { k = 'a' } }", json!({ "k": "a" }), true),
        (
            "{ equals = { k = 'a' } }",
            json!({ "k": "a", "l": 1 }),
            false,
        ),
        ("{ glob = '*.csv' }", json!("reports/q3.csv"), true),
        ("{ glob = '*.csv' }", json!("q3.csv.bak"), false),
        ("{ glob = 'a*z' }", json!("a\nz"), true),
        ("{ glob = '*' }", json!(12), false),
        ("{ glob = '*' }", json!(["a"]), false),
        ("{ regex = 'git' }", json!("git"), true),
        ("{ regex = 'git' }", json!("rm -rf ~ # git"), false),
        ("{ regex = 'a|b' }", json!("ax"), false),
        ("{ regex = 'a.*z' }", json!("a\nz"), true),
        ("{ regex = '[0-9]{4,}' }", json!(1000), true),
        ("{ regex = '[0-9]{4,}' }", json!(999), false),
        ("{ regex = 'true' }", json!(true), true),
        ("{ regex = 'null' }", json!(null), true),
        ("{ regex = '.*' }", json!(["a"]), false),
        ("{ regex = '.*' }", json!({ "k": 1 }), false),
        ("{ glob = 'a*', regex = '.{3}' }", json!("abc"), true),
        ("{ glob = 'a*', regex = '.{3}' }", json!("abcd"), false),
    ];
    for (condition, value, expected) in cases {
        assert_eq!(holds(condition, &value), expected, "{condition} on {value}");
    }
}

#[test]
fn a_missing_argument_fulfils_no_condition() {
    let policy = policy(
        "[[rules]]\ntool = 'x'\narguments = { '/a/b' = { glob = '*' } }\nverdict = 'deny'\n",
    );
    let cases = [
        (json!({}), "ask by default"),
        (json!({ "a": "b" }), "ask by default"),
        (json!({ "a": { "b": "c" } }), "deny by 1"),
        (json!({ "a/b": "c" }), "ask by default"),
    ];
    for (arguments, expected) in cases {
        assert_eq!(short(&judge(&policy, "x", &arguments)), expected);
    }
}

#[test]
fn all_arguments_of_a_rule_must_match() {
    let policy = policy(
        "[[rules]]\ntool = 'mail'\nverdict = 'allow'\n\
         arguments = { '/to/0' = { glob = '*@example.org' }, '/urgent' = { equals = false } }\n",
    );
    let mail =
        |to: &str, urgent: bool| judge(&policy, "mail", &json!({ "to": [to], "urgent": urgent }));
    assert_eq!(short(&mail("ops@example.org", false)), "allow by 1");
    assert_eq!(short(&mail("ops@example.org", true)), "ask by default");
    assert_eq!(short(&mail("ops@example.com", false)), "ask by default");
}

#[test]
fn a_path_is_under_a_folder_by_its_resolved_text() {
    let cases = [
        ("reports", "reports", true),
        ("reports", "reports/q3.csv", true),
        ("reports", "./reports//q3.csv", true),
        ("reports", "drafts/../reports/q3.csv", true),
        ("reports", "/home/op/ws/reports/q3.csv", true),
        ("reports", "../ws/reports/q3.csv", true),
        ("reports/", "reports/2026/q3.csv", true),
        ("./reports/.", "reports/q3.csv", true),
        ("reports", "reports2/q3.csv", false),
        ("reports", "reports/../q3.csv", false),
        ("reports", "reports/../../x", false),
        ("reports", "Reports/q3.csv", false),
        ("reports", "/reports/q3.csv", false),
        ("reports", "../reports/q3.csv", false),
        ("reports", "", false),
        (".", "", true),
        (".", "any/where", true),
        (".", "..", false),
        (".", "../../../../../etc/passwd", false),
        (".", "/etc/passwd", false),
        ("/etc", "../../../etc/passwd", true),
        ("/", "anything", true),
    ];
    for (folder, path, expected) in cases {
        let condition = format!("{{ under = '{folder}' }}");
        assert_eq!(
            holds(&condition, &json!(path)),
            expected,
            "{path} under {folder}"
        );
    }
    assert!(!holds("{ under = '.' }", &json!(3)));
}

fn any_rule() -> impl Strategy<Value = (String, Verdict)> {
    let tool = prop::sample::select(vec!["*", "x", "y", "x*"]);
    let condition = prop::sample::select(vec![
        "",
        "arguments = { '/v' = { glob = 'a*' } }\n",
        "arguments = { '/v' = { regex = '.*b' } }\n",
        "arguments = { '/v' = { under = 'a' } }\n",
    ]);
    let verdict = prop::sample::select(vec![Verdict::Allow, Verdict::Ask, Verdict::Deny]);
    (tool, condition, verdict).prop_map(|(tool, condition, verdict)| {
        let text = format!(
            "[[rules]]\ntool = '{tool}'\n{condition}verdict = '{}'\n",
            verdict.word()
        );
        (text, verdict)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Taken together, rules say the maximum of what each of them says alone.
    #[test]
    fn many_rules_are_as_strict_as_the_strictest_that_holds(
        rules in prop::collection::vec(any_rule(), 0..8),
        value in "[abc/]{0,3}",
        tool in prop::sample::select(vec!["x", "y", "xy"]),
    ) {
        let arguments = json!({ "v": value });
        let alone = |text: &str| judge_with(&policy(text), tool, &arguments, Verdict::Ask);
        let held = rules.iter().filter(|(text, _)| alone(text).basis != Basis::ToolDefault);
        let expected = held.map(|(_, verdict)| *verdict).max().unwrap_or(Verdict::Ask);
        let text: String = rules.iter().map(|(text, _)| text.as_str()).collect();
        prop_assert_eq!(judge(&policy(&text), tool, &arguments).verdict, expected);
    }

    /// A rule that asks or denies never makes any verdict laxer, on shell lines neither.
    #[test]
    fn one_more_strict_rule_never_makes_a_verdict_laxer(
        rules in prop::collection::vec(any_rule(), 0..4),
        strict in any_rule(),
        line in "(git|rm|ls)( [ab;|&$'\"()]{0,4}){0,4}",
    ) {
        let shell = |text: &str| text
            .replace("'x'", "'shell'")
            .replace("'/v'", "'/command'");
        let before: String = rules.iter().map(|(text, _)| shell(text)).collect();
        let strict = shell(&strict.0).replace("'allow'", "'ask'");
        let arguments = json!({ "command": line });
        let lax = judge(&policy(&before), "shell", &arguments).verdict;
        let now = judge(&policy(&format!("{before}{strict}")), "shell", &arguments).verdict;
        // The new rule may itself be what lifts a call over the tool's default; never below it.
        prop_assert!(now >= lax, "{:?} then {:?}", lax, now);
    }
}
