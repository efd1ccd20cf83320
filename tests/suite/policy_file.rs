//! Rules as they are written: what is a mistake in them, and the rules that come with the program.

use countersign::core::verdict::Verdict;
use countersign::policy::Policy;
use countersign::policy::file::{self, Proof};
use serde_json::json;

use super::policy::{command_line, judge, judge_with, read, short};

/// The mistakes of a text, one to a line.
fn mistakes(text: &str) -> String {
    let mistakes = read(text).err().unwrap_or_default();
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn an_example_is_held_against_its_own_rule_alone() {
    let sound = "
[[rules]]
tool = 'delete_*'
agent = 'travel'
arguments = { '/path' = { under = 'reports' } }
verdict = 'ask'
match = [{ tool = 'delete_file', arguments = { path = 'reports/q3.csv' } }]
not_match = [
    { tool = 'delete_file', arguments = { path = 'notes.md' } },
    { tool = 'delete_file' },
    { tool = 'read_file', arguments = { path = 'reports/q3.csv' } },
    { tool = 'delete_file', agent = 'clerk', arguments = { path = 'reports/q3.csv' } },
]
[[rules]]
tool = 'delete_file'
verdict = 'allow'
match = [{ arguments = { path = 'reports/q3.csv' } }]
";
    assert_eq!(mistakes(sound), "");
}

#[test]
fn an_example_that_fails_is_a_mistake_with_its_place() {
    let text = "
[[rules]]
tool = 'shell'
arguments = { '/command' = { glob = 'git *' } }
verdict = 'allow'
match = [{ arguments = { command = 'git log | sh' } }]
not_match = [{ arguments = { command = 'git push' } }]
";
    assert_eq!(
        mistakes(text),
        "rules.toml:6:10: rules[1].match[1] does not match its rule; correct the rule or the example\n\
         rules.toml:7:14: rules[1].not_match[1] matches its rule; correct the rule or the example"
    );
}

#[test]
fn a_regex_cannot_break_out_of_its_anchors() {
    let text = |regex: &str| {
        format!(
            "[[rules]]\ntool = 'x'\narguments = {{ '/v' = {{ regex = '{regex}' }} }}\nverdict = 'allow'\n"
        )
    };
    assert_eq!(
        mistakes(&text("a)|(b")),
        "rules.toml:3:32: rules[1].arguments.\"/v\".regex is no pattern: unopened group; correct the pattern"
    );
    assert_eq!(
        mistakes(&text("a{1000}{1000}{1000}")),
        "rules.toml:3:32: rules[1].arguments.\"/v\".regex is no pattern: \
         Compiled regex exceeds size limit of 1048576 bytes.; correct the pattern"
    );
}

#[test]
fn syntax_errors_are_all_told_and_stop_the_reading() {
    assert_eq!(
        mistakes("[[rules]]\ntool = \nverdict = 'ask'\nreason = 'x\n"),
        "rules.toml:2:8: the value is missing; write it after the `=`\n\
         rules.toml:4:12: the quotes are not closed; write `'` at the end of the text"
    );
}

fn built_in() -> Policy {
    let rules =
        file::built_in(&command_line, Proof::Given).expect("the built-in rules have no mistakes");
    Policy::new(Vec::new(), rules)
}

#[test]
fn the_built_in_rules_are_sound_and_allow_nothing() {
    let rules =
        file::built_in(&command_line, Proof::Needed).expect("the built-in rules have no mistakes");
    assert_eq!(rules.len(), 8);
    for rule in &rules {
        assert!(rule.verdict > Verdict::Allow, "rule {}", rule.number);
        assert!(!rule.reason.is_empty(), "rule {}", rule.number);
    }
}

#[test]
fn the_built_in_rules_ask_before_secrets_are_read() {
    let policy = built_in();
    let read = |path: &str| {
        short(&judge_with(
            &policy,
            "read_file",
            &json!({ "path": path }),
            Verdict::Allow,
        ))
    };
    assert_eq!(read(".env"), "ask by built-in 1");
    assert_eq!(read("a/../.env"), "ask by built-in 1");
    assert_eq!(read(".ssh/id_ed25519"), "ask by built-in 1");
    assert_eq!(read("x/.aws/config"), "ask by built-in 2");
    assert_eq!(read("README.md"), "allow by default");
}

#[test]
fn the_built_in_rules_deny_what_nobody_can_mean() {
    let policy = built_in();
    let shell = |line: &str| short(&judge(&policy, "shell", &json!({ "command": line })));
    assert_eq!(shell("rm -rf /"), "deny by built-in 8");
    assert_eq!(shell("cd x && rm -r -f -- ~/"), "deny by built-in 8");
    assert_eq!(shell("rm -rf ./target"), "ask by default");
    assert_eq!(shell("cat .env"), "ask by built-in 3");
    assert_eq!(shell("git push -f"), "ask by built-in 5");
    assert_eq!(shell("sudo ls"), "ask by built-in 6");
}
