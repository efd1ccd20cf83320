//! A rule that an operator gave while the program ran, for a session, for a time, or until it is taken
//! back; and what it changes in what the policy says.
//!
//! Owns when a given rule counts. It is written in the language of the configuration's rules, and the text
//! that was shown is the text that is read here. Reads no file and no clock: the time is told.
//!
//! A given rule that denies is one more rule: the strictest wins. One that allows turns an *ask* into an
//! *allow*, never a *deny* into anything, and only where all that asks now had asked when it was given.
//! A command line it allows only as a whole: one named by its digest, or one that is a single plain
//! command. No part of a compound line is ever allowed by it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::path::Path;

use super::command_line;
use super::evaluate::seen;
use super::file::{self, Known, Proof};
use super::rule::Rule;
use super::{Judgement, Policy, Subject};
use crate::core::call::{CallId, SessionId};
use crate::core::digest::Digest;
use crate::core::mistake::{Mistake, Mistakes};
use crate::core::reading::{self, Section};
use crate::core::verdict::{Basis, Question, RuleSource, Verdict};

/// How long a given rule counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lasts {
    /// In the session it was given in, whenever that goes on.
    Session,
    /// In every session of the agent in the workspace, until then.
    Until(Timestamp),
    /// In every session of the agent in the workspace, until it is revoked.
    Always,
}

/// A rule as it was given: the record of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub id: String,
    /// One `[[rules]]`, as it was shown.
    pub text: String,
    pub lasts: Lasts,
    /// Where it was given.
    pub session: SessionId,
    /// The calls it was made from.
    pub from: Vec<CallId>,
    /// It counts for calls in this workspace only.
    pub workspace: String,
    /// What asked about the calls it was made from.
    pub answers: Vec<Question>,
    /// User and host of who gave it.
    pub who: String,
    pub at: Timestamp,
}

/// Where and when a call is judged.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    pub session: &'a SessionId,
    pub at: Timestamp,
}

/// A given rule, read.
#[derive(Debug, Clone)]
pub struct Given {
    pub grant: Grant,
    rule: Rule,
}

impl Lasts {
    /// For how long, in words.
    pub fn words(self) -> String {
        match self {
            Self::Session => "for this session".to_owned(),
            Self::Until(end) => format!("until {end:.0}"),
            Self::Always => "until it is revoked".to_owned(),
        }
    }
}

impl Grant {
    /// A name that no other rule has: made of all that tells one given rule from another.
    pub fn name(text: &str, who: &str, at: Timestamp, session: &SessionId) -> String {
        let all = [text, who, &at.to_string(), &session.0].join("\n");
        let digest = Digest::of_bytes(all.as_bytes());
        format!("g{}", digest.short())
    }

    pub fn is_live(&self, now: Timestamp) -> bool {
        match self.lasts {
            Lasts::Until(end) => now < end,
            Lasts::Session | Lasts::Always => true,
        }
    }

    /// Whether it counts there and then at all.
    pub fn reaches(&self, moment: Moment<'_>, workspace: &Path) -> bool {
        let here = match self.lasts {
            Lasts::Session => self.session == *moment.session,
            Lasts::Until(_) | Lasts::Always => true,
        };
        here && self.is_live(moment.at) && Path::new(&self.workspace) == workspace
    }
}

/// Reads the one rule of a text, which allows or denies.
fn read(text: &str) -> Result<Rule, Vec<Mistake>> {
    let mistakes = Mistakes::new("the rule", text);
    let rules = reading::parse(text, &mistakes).map(|table| {
        let mut root = Section::root(&table, &mistakes);
        let fields = root.items("rules");
        let known = Known {
            command_lines: &|_| None,
            agents: &[],
            proof: Proof::Needed,
        };
        let rules = file::read(&fields, RuleSource::Configuration, known);
        let one = [fields.len(), rules.len()] == [1, 1];
        if !one && mistakes.is_empty() {
            mistakes.add(&(0..0), "it is not one rule", "write one [[rules]]");
        }
        for rule in rules.iter().filter(|rule| rule.verdict == Verdict::Ask) {
            let what = format!("rule {} asks, which is what happens anyway", rule.number);
            mistakes.add(&(0..0), what, "say \"allow\" or \"deny\"");
        }
        root.finish();
        rules
    });
    match rules.unwrap_or_default().pop() {
        Some(rule) if mistakes.is_empty() => Ok(rule),
        _ => Err(mistakes.into_vec()),
    }
}

impl Given {
    pub fn read(grant: Grant) -> Result<Self, Vec<Mistake>> {
        let rule = read(&grant.text)?;
        Ok(Self { grant, rule })
    }

    /// The tools it is about, as the rule names them.
    pub fn tools(&self) -> String {
        self.rule.tools.written.join(", ")
    }

    pub const fn verdict(&self) -> Verdict {
        self.rule.verdict
    }

    /// Whether it is about this agent and this tool at all.
    pub fn concerns(&self, agent: &str, tool: &str) -> bool {
        self.rule.concerns(agent, tool)
    }

    /// Whether the rule says what it says of this call, wherever and whenever that is.
    pub fn matches(&self, subject: &Subject<'_>) -> bool {
        let rule = &self.rule;
        if rule.verdict > Verdict::Allow {
            return self.denies(subject);
        }
        if !rule.concerns(subject.agent, subject.tool) {
            return false;
        }
        let Some(pointer) = subject.command_line.filter(|_| rule.digests.is_none()) else {
            return rule.holds(seen(subject, None));
        };
        let text = subject.arguments.pointer(pointer);
        let Some(text) = text.and_then(serde_json::Value::as_str) else {
            return false;
        };
        let line = command_line::take_apart(text);
        match (line.parts.as_slice(), line.fault) {
            // Nothing but the command: no redirection, no group.
            ([only], None) if only.written == text.trim() => {
                rule.holds(seen(subject, Some((pointer, &only.written))))
            }
            _ => false,
        }
    }

    /// As a rule of the configuration would: any command of a line, in any guise.
    fn denies(&self, subject: &Subject<'_>) -> bool {
        let alone = Policy::new(vec![self.rule.clone()], Vec::new());
        let subject = Subject {
            default: Verdict::Allow,
            ..*subject
        };
        alone.evaluate(&subject).verdict == Verdict::Deny
    }

    /// Whether all of these were asked when it was given.
    pub fn answers(&self, questions: &[Question]) -> bool {
        let answers = &self.grant.answers;
        questions.iter().all(|question| answers.contains(question))
    }

    fn judgement(&self, answers: String) -> Judgement {
        Judgement {
            verdict: self.verdict(),
            basis: Basis::Grant {
                id: self.grant.id.clone(),
                by: self.grant.who.clone(),
                answers,
            },
        }
    }
}

/// What the policy says of a call, with the rules that were given.
pub fn judge(
    policy: &Policy,
    subject: &Subject<'_>,
    given: &[Given],
    moment: Moment<'_>,
) -> Judgement {
    let judged = policy.evaluate(subject);
    if judged.verdict == Verdict::Deny {
        return judged;
    }
    let mut held = given
        .iter()
        .filter(|given| given.grant.reaches(moment, subject.workspace) && given.matches(subject));
    let held: Vec<&Given> = held.by_ref().collect();
    let verdict = |wanted| held.iter().filter(move |given| given.verdict() == wanted);
    if let Some(denies) = verdict(Verdict::Deny).next() {
        return denies.judgement(String::new());
    }
    if judged.verdict == Verdict::Allow {
        return judged;
    }
    let questions = policy.questions(subject);
    let answers = verdict(Verdict::Allow).find(|given| given.answers(&questions));
    match answers {
        Some(allows) => allows.judgement(asked_by(&judged.basis)),
        None => judged,
    }
}

/// What a given rule answered, in a few words.
fn asked_by(basis: &Basis) -> String {
    match basis {
        Basis::Rule { number, source, .. } => match source {
            RuleSource::Configuration => format!("rule {number}"),
            RuleSource::BuiltIn => format!("built-in rule {number}"),
        },
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
        | Basis::Grant { .. } => "the tool's default".to_owned(),
        Basis::NotUnderstood { .. } | Basis::GrantsUnread { .. } => basis.words(),
    }
}
