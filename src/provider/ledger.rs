//! Which calls the model still waits for, and what it has not been told yet.
//!
//! A model's server refuses a request that leaves a call of its last response unanswered. So each
//! request is completed here: with what an earlier, failed request was to say, and with a plain
//! word for the calls that the operator's interrupt left open. Owns no wire format.

use super::{Answered, Append, Body, Came, Reply};
use crate::core::call::CallId;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The answer to a call that was left open.
pub const INTERRUPTED: &str = "Interrupted by the operator.";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct OpenCall {
    id: CallId,
    tool: String,
    held_by_provider: bool,
}

/// Open calls and unsent words.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Ledger {
    #[serde(default)]
    open: Vec<OpenCall>,
    /// What the last request was to say, while it has no answer.
    #[serde(skip)]
    unsent: Option<Append>,
    /// What turned out to have arrived although its request failed. Whoever gives it again does not
    /// know that yet.
    #[serde(skip)]
    arrived: Append,
}

impl Ledger {
    /// All that the next request has to say. The same append given again comes out the same.
    pub fn complete(&self, append: &Append) -> Append {
        let append = self.without_arrived(append);
        let unsent = self.unsent.clone().unwrap_or_default();
        let mut answers: Vec<_> = unsent
            .answers
            .into_iter()
            .map(|old| newer(&append, &old).unwrap_or(old))
            .collect();
        let added: Vec<_> = append
            .answers
            .iter()
            .filter(|answer| !answers.contains(answer))
            .cloned()
            .collect();
        answers.extend(added);
        let left = self.left(&answers);
        answers.extend(left);
        Append {
            answers,
            messages: joined(unsent.messages, append.messages),
        }
    }

    /// Notes what is about to be sent.
    pub fn sending(&mut self, append: Append) {
        self.unsent = Some(append);
    }

    pub const fn unsent(&self) -> Option<&Append> {
        self.unsent.as_ref()
    }

    /// The server read the request and refused it: its messages would be refused again, its
    /// answers are still owed.
    pub fn refused(&mut self) {
        if let Some(unsent) = &mut self.unsent {
            unsent.messages.clear();
        }
    }

    /// The request was answered: what is open now are the calls of this reply.
    pub fn answered(&mut self, reply: &Reply) {
        self.unsent = None;
        self.arrived = Append::default();
        self.open_from(reply);
    }

    /// `sent` had been answered by `reply`, which comes too late to be acted on.
    pub fn overtaken(&mut self, sent: Append, reply: &Reply) {
        self.unsent = None;
        self.arrived = sent;
        self.open_from(reply);
    }

    fn open_from(&mut self, reply: &Reply) {
        self.open = reply
            .calls
            .iter()
            .map(|call| OpenCall {
                id: call.id.clone(),
                tool: call.tool.clone(),
                held_by_provider: call.held_by_provider,
            })
            .collect();
    }

    fn without_arrived(&self, append: &Append) -> Append {
        let has_arrived = |answer: &&Answered| {
            let mut there = self.arrived.answers.iter();
            there.any(|there| there.call == answer.call)
        };
        let messages = append.messages.as_slice();
        let new = messages
            .strip_prefix(self.arrived.messages.as_slice())
            .unwrap_or(messages);
        Append {
            answers: append
                .answers
                .iter()
                .filter(|answer| !has_arrived(answer))
                .cloned()
                .collect(),
            messages: new.to_vec(),
        }
    }

    /// Answers for the open calls that `answers` leaves out. An id the model used twice counts twice.
    fn left(&self, answers: &[Answered]) -> Vec<Answered> {
        let mut given: HashMap<&CallId, usize> = HashMap::new();
        for answer in answers {
            *given.entry(&answer.call).or_default() += 1;
        }
        let mut left = Vec::new();
        for call in &self.open {
            match given.get_mut(&call.id) {
                Some(count) if *count > 0 => *count -= 1,
                Some(_) | None => left.push(interrupted(call)),
            }
        }
        left
    }
}

/// Old messages, then new ones; those given again are not doubled.
fn joined(unsent: Vec<String>, given: Vec<String>) -> Vec<String> {
    if given.starts_with(&unsent) {
        return given;
    }
    if unsent.ends_with(&given) {
        return unsent;
    }
    [unsent, given].concat()
}

/// The answer that `append` now gives to the same call.
fn newer(append: &Append, old: &Answered) -> Option<Answered> {
    let mut same = append.answers.iter().filter(|new| new.call == old.call);
    let first = same.next()?;
    // Ids used twice are told apart by what they say.
    match same.next() {
        None => Some(first.clone()),
        Some(_) => None,
    }
}

fn interrupted(call: &OpenCall) -> Answered {
    let body = if call.held_by_provider {
        Body::Confirmation { allow: false }
    } else {
        Body::Result(INTERRUPTED.to_owned())
    };
    Answered {
        call: call.id.clone(),
        tool: call.tool.clone(),
        body,
        came: Came::Rejected,
    }
}
