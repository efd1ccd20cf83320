//! What a reviewer says of a call: a program or a model that looks before a person does.
//!
//! Owns the form of its answer, what each word comes to under what it may do, and how several are
//! weighed. Asks nobody.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::arguments::{Arguments, fault};
use super::verdict::{Basis, Verdict};

/// One word on a call, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Word {
    /// Nothing for or against it.
    Annotate,
    Allow,
    Ask,
    Deny,
}

impl Word {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Annotate => "annotate",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What the configuration lets a reviewer do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum May {
    Allow,
    Deny,
    Ask,
    Annotate,
    /// Let the call run with other arguments, if it also allows it.
    Edit,
}

impl May {
    /// Without more being said: nothing that lets a call run.
    pub const USUAL: [Self; 3] = [Self::Deny, Self::Ask, Self::Annotate];
}

/// A reviewer's word on one call, and what came of it. Everything textual but its name is untrusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub reviewer: String,
    /// What it said; `None` if it gave no sound answer.
    pub said: Option<Word>,
    /// What that counts for.
    pub counts: Word,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Other arguments that it proposes, or that run by its word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arguments>,
    /// Why it counts for something else than it said, or why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// An answer that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub word: Word,
    pub reason: String,
    pub note: String,
    pub arguments: Option<Arguments>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    approved: Option<bool>,
    verdict: Option<Word>,
    reason: Option<String>,
    note: Option<String>,
    arguments: Option<Box<RawValue>>,
}

/// Reads an answer. `Err` says why it is none, in a few words.
pub fn read(text: &str) -> Result<Answer, String> {
    if text.trim().is_empty() {
        return Err("it said nothing".to_owned());
    }
    let written: Written = serde_json::from_str(text)
        .map_err(|error| format!("its answer cannot be read: {}", fault(text, &error)))?;
    let word = match (written.approved, written.verdict) {
        (Some(_), Some(_)) => return Err("its answer has both approved and verdict".to_owned()),
        (Some(true), None) => Word::Allow,
        (Some(false), None) => Word::Deny,
        (None, Some(word)) => word,
        (None, None) if written.note.is_some() || written.arguments.is_some() => Word::Annotate,
        (None, None) => return Err("its answer has neither approved nor verdict".to_owned()),
    };
    let arguments = written
        .arguments
        .filter(|raw| raw.get() != "null")
        .map(|raw| Arguments::parse(raw.get()))
        .transpose()
        .map_err(|fault| format!("the arguments in its answer cannot be read: {fault}"))?;
    Ok(Answer {
        word,
        reason: written.reason.unwrap_or_default(),
        note: written.note.unwrap_or_default(),
        arguments,
    })
}

impl Review {
    /// What is made of no answer: a person is asked, whatever the reviewer may do.
    pub fn failed(reviewer: &str, why: String) -> Self {
        Self {
            reviewer: reviewer.to_owned(),
            said: None,
            counts: Word::Ask,
            reason: String::new(),
            note: String::new(),
            arguments: None,
            fault: Some(why),
        }
    }

    /// What an answer on a call with the arguments `proposed` comes to under what the reviewer may do.
    pub fn of(reviewer: &str, answer: Answer, may: &[May], proposed: &Arguments) -> Self {
        let arguments = answer
            .arguments
            .filter(|arguments| arguments.value() != proposed.value());
        let (counts, fault) = counts(answer.word, arguments.is_some(), may);
        let note = if may.contains(&May::Annotate) {
            answer.note
        } else {
            String::new()
        };
        Self {
            reviewer: reviewer.to_owned(),
            said: Some(answer.word),
            counts,
            reason: answer.reason,
            note,
            arguments,
            fault: fault.map(str::to_owned),
        }
    }

    /// The same word, but a person is asked, for this reason.
    pub fn asking(self, why: String) -> Self {
        Self {
            counts: self.counts.max(Word::Ask),
            fault: Some(why),
            ..self
        }
    }

    /// Its word as what something is decided by.
    pub fn basis(&self) -> Basis {
        let reason = match (self.reason.as_str(), &self.fault) {
            ("", Some(fault)) => fault.clone(),
            (reason, _) => reason.to_owned(),
        };
        Basis::Reviewer {
            name: self.reviewer.clone(),
            reason,
        }
    }

    /// All of it as one text: `reviewer guard says ask: it is far; a note`.
    pub fn words(&self) -> String {
        let said = self.said.map_or("has not answered", |word| match word {
            Word::Annotate => "says neither yes nor no",
            Word::Allow if self.arguments.is_some() => "says allow with other arguments",
            Word::Allow => "says allow",
            Word::Ask => "says ask",
            Word::Deny => "says deny",
        });
        let fault = self.fault.as_deref().unwrap_or_default();
        let proposal = self.proposal().map(|arguments| {
            let text = arguments.text();
            format!("it proposes {text}")
        });
        let proposal = proposal.as_deref().unwrap_or_default();
        let parts = [self.reason.as_str(), fault, &self.note, proposal];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let name = &self.reviewer;
        if parts.is_empty() {
            format!("reviewer {name} {said}")
        } else {
            format!("reviewer {name} {said}: {}", parts.join("; "))
        }
    }

    /// Arguments that it gives instead of the model's. Of a call that a person is asked about, they are no
    /// more than a proposal, even if it may let them run by its word.
    pub const fn proposal(&self) -> Option<&Arguments> {
        self.arguments.as_ref()
    }
}

/// What a word counts for, and why it is not what was said.
fn counts(word: Word, edits: bool, may: &[May]) -> (Word, Option<&'static str>) {
    let may = |what| may.contains(&what);
    match word {
        Word::Annotate => (Word::Annotate, None),
        Word::Allow if !may(May::Allow) => (Word::Annotate, Some("it may not allow")),
        Word::Allow if edits && !may(May::Edit) => {
            (Word::Ask, Some("it may not let other arguments run"))
        }
        Word::Allow => (Word::Allow, None),
        Word::Ask if may(May::Ask) => (Word::Ask, None),
        Word::Ask => (Word::Annotate, Some("it may not make a call ask")),
        Word::Deny if may(May::Deny) => (Word::Deny, None),
        Word::Deny if may(May::Ask) => (Word::Ask, Some("it may not deny")),
        Word::Deny => (Word::Annotate, Some("it may not deny")),
    }
}

/// What policy and all reviewers come to together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighed<'a> {
    /// It runs: with these arguments, if a reviewer gave other ones.
    Allow(Option<(&'a Review, &'a Arguments)>),
    /// A person is asked, by this reviewer's word if policy would not ask.
    Ask(Option<&'a Review>),
    Deny(&'a Review),
}

/// The strictest word counts. Policy's deny never comes here: nobody is asked about it.
pub fn weigh(policy: Verdict, reviews: &[Review]) -> Weighed<'_> {
    let strictest = |word| reviews.iter().find(|review| review.counts == word);
    if let Some(review) = strictest(Word::Deny) {
        return Weighed::Deny(review);
    }
    if let Some(review) = strictest(Word::Ask) {
        return Weighed::Ask(Some(review));
    }
    let mut allowing = reviews.iter().filter(|review| review.counts == Word::Allow);
    let first = allowing.next();
    match (policy, first) {
        (Verdict::Allow, None) => Weighed::Allow(None),
        (Verdict::Ask | Verdict::Deny, None) => Weighed::Ask(None),
        (Verdict::Allow | Verdict::Ask | Verdict::Deny, Some(first)) => {
            // Each of them has allowed what it has itself seen or written, and nothing else.
            match allowing.find(|other| other.arguments != first.arguments) {
                Some(other) => Weighed::Ask(Some(other)),
                None => Weighed::Allow(first.arguments.as_ref().map(|edited| (first, edited))),
            }
        }
    }
}
