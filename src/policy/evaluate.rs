//! Weighing the rules: the strictest that holds wins.

use std::cmp::Reverse;

use super::command_line::{self, Line, Part};
use super::rule::{Rule, Seen};
use super::{Judgement, Policy, Subject};
use crate::core::verdict::{Basis, Verdict};

impl Policy {
    pub fn evaluate(&self, subject: &Subject<'_>) -> Judgement {
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
                strictest(holding.map(|rule| ruled(rule)))
                    .unwrap_or_else(|| by_default(subject.default))
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

/// The judging of one command line.
struct Commands<'a> {
    rules: &'a [&'a Rule],
    subject: &'a Subject<'a>,
    pointer: &'a str,
}

impl Commands<'_> {
    fn judge(&self) -> Judgement {
        let text = self.subject.arguments.pointer(self.pointer);
        let Some(text) = text.and_then(serde_json::Value::as_str) else {
            let why = format!("there is no text at {}", self.pointer);
            let all = self.rules.iter().filter(|rule| is_strict(rule));
            let held = all.filter(|rule| rule.holds(seen(self.subject, None)));
            let found = held.map(|rule| ruled(rule)).chain([not_understood(why)]);
            return strictest(found).unwrap_or_else(|| by_default(Verdict::Ask));
        };
        let line = command_line::take_apart(text);
        let parts = line.parts.iter().map(|part| self.part(part));
        let whole = self.whole(text, &line);
        let floor = line.fault.clone().map(not_understood);
        strictest(parts.chain(whole).chain(floor))
            .unwrap_or_else(|| not_understood("it holds no command".to_owned()))
    }

    /// One command on its own. A rule that allows must match it as it is written; a rule that asks or
    /// denies may match it in any guise.
    fn part(&self, part: &Part) -> Judgement {
        let guises = part.guises();
        let held = self.rules.iter().filter(|rule| {
            if is_strict(rule) {
                guises.iter().any(|guise| self.holds(rule, guise))
            } else {
                self.holds(rule, &part.written)
            }
        });
        strictest(held.map(|rule| ruled(rule))).unwrap_or_else(|| by_default(self.subject.default))
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

fn seen<'a>(subject: &Subject<'a>, replaced: Option<(&'a str, &'a str)>) -> Seen<'a> {
    Seen {
        arguments: subject.arguments,
        workspace: subject.workspace,
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
            crate::core::verdict::RuleSource::Configuration => (0, *number),
            crate::core::verdict::RuleSource::BuiltIn => (1, *number),
        },
        Basis::NotUnderstood { .. } => (2, 0),
        Basis::ToolDefault
        | Basis::Provider
        | Basis::Tool { .. }
        | Basis::Framework { .. }
        | Basis::OutcomeUnknown
        | Basis::External { .. }
        | Basis::Reviewer { .. } => (3, 0),
    }
}
