//! What the tests of the policy share: rules written as in a file, and calls to judge.

use countersign::core::mistake::{Mistake, Mistakes};
use countersign::core::reading::{self, Section};
use countersign::core::verdict::{Basis, RuleSource, Verdict};
use countersign::policy::rule::Rule;
use countersign::policy::{Judgement, Policy, Subject, file};
use serde_json::Value;
use std::path::Path;

/// The shell is the one tool with a command line.
pub fn command_line(tool: &str) -> Option<&'static str> {
    (tool == "shell").then_some("/command")
}

pub fn read(text: &str) -> Result<Vec<Rule>, Vec<Mistake>> {
    let mistakes = Mistakes::new("rules.toml", text);
    let rules = match reading::parse(text, &mistakes) {
        None => Vec::new(),
        Some(table) => {
            let mut root = Section::root(&table, &mistakes);
            let items = root.items("rules");
            let rules = file::read(
                &items,
                RuleSource::Configuration,
                file::Known {
                    command_lines: &command_line,
                    agents: &[],
                    proof: file::Proof::Needed,
                },
            );
            root.finish();
            rules
        }
    };
    if mistakes.is_empty() {
        Ok(rules)
    } else {
        Err(mistakes.into_vec())
    }
}

pub fn policy(text: &str) -> Policy {
    Policy::new(read(text).expect("the test's rules are sound"), Vec::new())
}

/// What a policy says of a call that asks by default.
pub fn judge(policy: &Policy, tool: &str, arguments: &Value) -> Judgement {
    judge_with(policy, tool, arguments, Verdict::Ask)
}

pub fn judge_with(policy: &Policy, tool: &str, arguments: &Value, default: Verdict) -> Judgement {
    policy.evaluate(&Subject {
        agent: "travel",
        tool,
        arguments,
        default,
        command_line: command_line(tool),
        workspace: Path::new("/home/op/ws"),
        digest: None,
    })
}

/// The judgement in one word and a number, which is what most tests compare.
pub fn short(judgement: &Judgement) -> String {
    let verdict = judgement.verdict.word();
    match &judgement.basis {
        Basis::Rule { number, source, .. } => match source {
            RuleSource::Configuration => format!("{verdict} by {number}"),
            RuleSource::BuiltIn => format!("{verdict} by built-in {number}"),
        },
        Basis::ToolDefault => format!("{verdict} by default"),
        Basis::NotUnderstood { why } => format!("{verdict}: {why}"),
        Basis::Provider
        | Basis::Tool { .. }
        | Basis::Framework { .. }
        | Basis::OutcomeUnknown
        | Basis::Script
        | Basis::Lost { .. }
        | Basis::Question { .. }
        | Basis::External { .. }
        | Basis::Reviewer { .. }
        | Basis::Grant { .. }
        | Basis::GrantsUnread { .. } => {
            format!("{verdict} by someone else")
        }
    }
}
