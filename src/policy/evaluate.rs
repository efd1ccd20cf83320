//! Weighing the rules: the strictest that holds wins.

use std::cmp::Reverse;

use super::command_line::{self, Line, Part};
use super::rule::{Rule, Seen};
use super::{Judgement, Policy, Subject};
use crate::core::verdict::{Basis, Question, RuleSource, Verdict};

impl Policy {
    pub fn evaluate(&self, subject: &Subject<'_>) -> Judgement {
        strictest(self.found(subject)).unwrap_or_else(|| by_default(Verdict::Ask))
    }

    /// All that asks about the call, whatever else is said of it.
    pub fn questions(&self, subject: &Subject<'_>) -> Vec<Question> {
        let mut questions = Vec::new();
        for judgement in self.found(subject) {
            let question = match judgement.basis {
                Basis::Rule { number, source, .. } => Question::Rule(self.print(number, source)),
                Basis::NotUnderstood { .. } => Question::NotUnderstood,
                Basis::ToolDefault
                | Basis::Provider
                | Basis::Tool { .. }
                | Basis::Framework { .. }
                | Basis::OutcomeUnknown
                | Basis::Script
                | Basis::Lost { .. }
                | Basis::Question { .. }
                | Basis::External { .. }
                | Basis::Grant { .. }
                | Basis::GrantsUnread { .. }
                | Basis::Reviewer { .. } => Question::Default,
            };
            if judgement.verdict == Verdict::Ask && !questions.contains(&question) {
                questions.push(question);
            }
        }
        questions
    }

    fn print(&self, number: usize, source: RuleSource) -> String {
        let this = |rule: &&Rule| (rule.number, rule.source) == (number, source);
        let rule = self.rules.iter().find(this);
        rule.map(|rule| rule.print.clone()).unwrap_or_default()
    }

    /// All that is said of the call.
    fn found(&self, subject: &Subject<'_>) -> Vec<Judgement> {
        let concerned: Vec<&Rule> = self
            .rules
            .iter()
            .filter(|rule| rule.concerns(subject.agent, subject.tool))
            .collect();
        match subject.command_line {
            None => {
                let holding = concerned
                    .iter()
                    .filter(|rule| rule.holds(seen(subject, None)));
                let found = holding.map(|rule| ruled(rule)).collect();
                or_default(found, subject.default)
            }
            Some(pointer) => Commands {
                rules: &concerned,
                subject,
                pointer,
            }
            .judge(),
        }
    }
}

/// What rules say of something, or the default if none spoke.
fn or_default(mut found: Vec<Judgement>, default: Verdict) -> Vec<Judgement> {
    if found.is_empty() {
        found.push(by_default(default));
    }
    found
}

/// The judging of one command line.
struct Commands<'a> {
    rules: &'a [&'a Rule],
    subject: &'a Subject<'a>,
    pointer: &'a str,
}

impl Commands<'_> {
    fn judge(&self) -> Vec<Judgement> {
        let text = self.subject.arguments.pointer(self.pointer);
        let Some(text) = text.and_then(serde_json::Value::as_str) else {
            let why = format!("there is no text at {}", self.pointer);
            let all = self.rules.iter().filter(|rule| is_strict(rule));
            let held = all.filter(|rule| rule.holds(seen(self.subject, None)));
            return held
                .map(|rule| ruled(rule))
                .chain([not_understood(why)])
                .collect();
        };
        let line = command_line::take_apart(text);
        let mut found: Vec<Judgement> =
            line.parts.iter().flat_map(|part| self.part(part)).collect();
        found.extend(self.whole(text, &line));
        found.extend(line.fault.map(not_understood));
        if found.is_empty() {
            found.push(not_understood("it holds no command".to_owned()));
        }
        found
    }

    /// One command on its own. A rule that allows must match it as it is written; a rule that asks or
    /// denies may match it in any guise.
    fn part(&self, part: &Part) -> Vec<Judgement> {
        let guises = part.guises();
        let held = self.rules.iter().filter(|rule| {
            if is_strict(rule) {
                guises.iter().any(|guise| self.holds(rule, guise))
            } else {
                self.holds(rule, &part.written)
            }
        });
        let found = held.map(|rule| ruled(rule)).collect();
        or_default(found, self.subject.default)
    }

    /// The line as a whole, and the pieces of one that is not understood: only rules that ask or deny.
    fn whole(&self, text: &str, line: &Line) -> Vec<Judgement> {
        let strict = self.rules.iter().filter(|rule| is_strict(rule));
        let held = strict.filter(|rule| {
            self.holds(rule, text) || line.pieces.iter().any(|piece| self.holds(rule, piece))
        });
        held.map(|rule| ruled(rule)).collect()
    }

    fn holds(&self, rule: &Rule, text: &str) -> bool {
        rule.holds(seen(self.subject, Some((self.pointer, text))))
    }
}

pub(super) fn seen<'a>(subject: &Subject<'a>, replaced: Option<(&'a str, &'a str)>) -> Seen<'a> {
    Seen {
        arguments: subject.arguments,
        workspace: subject.workspace,
        digest: subject.digest,
        replaced,
    }
}

fn is_strict(rule: &Rule) -> bool {
    rule.verdict > Verdict::Allow
}

fn ruled(rule: &Rule) -> Judgement {
    Judgement {
        verdict: rule.verdict,
        basis: rule.basis(),
    }
}

const fn by_default(verdict: Verdict) -> Judgement {
    Judgement {
        verdict,
        basis: Basis::ToolDefault,
    }
}

const fn not_understood(why: String) -> Judgement {
    Judgement {
        verdict: Verdict::Ask,
        basis: Basis::NotUnderstood { why },
    }
}

/// The strictest; of equally strict ones that which says most, and of rules the first.
fn strictest(found: impl IntoIterator<Item = Judgement>) -> Option<Judgement> {
    found
        .into_iter()
        .min_by_key(|judgement| (Reverse(judgement.verdict), rank(&judgement.basis)))
}

/// A rule says most: its number and reason. The default says least.
fn rank(basis: &Basis) -> (u8, usize) {
    match basis {
        Basis::Rule { number, source, .. } => match source {
            RuleSource::Configuration => (0, *number),
            RuleSource::BuiltIn => (1, *number),
        },
        Basis::NotUnderstood { .. } | Basis::GrantsUnread { .. } => (2, 0),
        Basis::ToolDefault
        | Basis::Provider
        | Basis::Tool { .. }
        | Basis::Framework { .. }
        | Basis::OutcomeUnknown
        | Basis::Script
        | Basis::Lost { .. }
        | Basis::Question { .. }
        | Basis::External { .. }
        | Basis::Reviewer { .. }
        | Basis::Grant { .. } => (3, 0),
    }
}
