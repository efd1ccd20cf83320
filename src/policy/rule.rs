//! One written rule, compiled, and whether it holds for a call.
//!
//! Does not read files (`file`) and does not weigh rules against each other (`evaluate`).

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;
use std::path::Path;

use super::condition::Condition;
use crate::core::digest::Digest;
use crate::core::verdict::{Basis, RuleSource, Verdict};

/// A rule that was read and whose examples hold.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Counted from 1 in its file.
    pub number: usize,
    pub source: RuleSource,
    pub verdict: Verdict,
    /// Empty if the rule gives none.
    pub reason: String,
    pub(super) tools: Names,
    /// `None`: the rule is for every agent.
    pub(super) agents: Option<Names>,
    /// All of them must hold.
    pub(super) conditions: Vec<Condition>,
    /// One of them must be the call's; `None`: any call's.
    pub(super) digests: Option<Vec<Digest>>,
    /// Names what the rule says, wherever it stands.
    pub(super) print: String,
}

/// Name patterns of which one must match.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub written: Vec<String>,
    set: GlobSet,
}

/// The arguments a rule is held against, with one text put in the place of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    pub arguments: &'a Value,
    pub workspace: &'a Path,
    pub digest: Option<&'a Digest>,
    /// JSON pointer, and the text that stands there for this look.
    pub replaced: Option<(&'a str, &'a str)>,
}

impl Rule {
    /// The rule is about this agent and this tool; its conditions are another matter.
    pub(super) fn concerns(&self, agent: &str, tool: &str) -> bool {
        self.tools.match_name(tool)
            && self
                .agents
                .as_ref()
                .is_none_or(|agents| agents.match_name(agent))
    }

    /// Its patterns for tools' names that begin so and match none of these.
    pub fn idle<'a>(
        &'a self,
        prefix: &'a str,
        names: &'a [String],
    ) -> impl Iterator<Item = &'a str> {
        let written = self.tools.written.iter().enumerate();
        let idle = written.filter(move |(place, pattern)| {
            let matches = |name: &String| self.tools.match_one(*place, name);
            pattern.starts_with(prefix) && !names.iter().any(matches)
        });
        idle.map(|(_, pattern)| pattern.as_str())
    }

    /// Every condition holds.
    pub(super) fn holds(&self, seen: Seen<'_>) -> bool {
        let this = |digests: &Vec<Digest>| seen.digest.is_some_and(|it| digests.contains(it));
        self.digests.as_ref().is_none_or(this)
            && self
                .conditions
                .iter()
                .all(|condition| condition.holds(seen))
    }

    pub(super) fn basis(&self) -> Basis {
        Basis::Rule {
            number: self.number,
            source: self.source,
            reason: self.reason.clone(),
        }
    }
}

impl Names {
    /// `Err` names the pattern at fault by its index, and says what is wrong with it.
    pub fn compile(written: Vec<String>) -> Result<Self, (usize, String)> {
        let mut set = GlobSetBuilder::new();
        for (index, pattern) in written.iter().enumerate() {
            let glob = GlobBuilder::new(pattern)
                .literal_separator(false)
                .build()
                .map_err(|error| (index, error.kind().to_string()))?;
            set.add(glob);
        }
        let set = set.build().map_err(|error| (0, error.kind().to_string()))?;
        Ok(Self { written, set })
    }

    pub fn match_name(&self, name: &str) -> bool {
        self.set.is_match(name)
    }

    /// Whether the pattern at this place, counted from 0, matches.
    pub fn match_one(&self, place: usize, name: &str) -> bool {
        self.set.matches(name).contains(&place)
    }

    /// The only name that can match, if there is no pattern in it.
    pub fn only(&self) -> Option<&str> {
        match self.written.as_slice() {
            [name] if !name.contains(['*', '?', '[', '{', '\\']) => Some(name),
            _ => None,
        }
    }
}

impl<'a> Seen<'a> {
    /// The text put in its place, or the value itself.
    pub fn at(self, pointer: &str) -> Option<Look<'a>> {
        match self.replaced {
            Some((place, text)) if place == pointer => Some(Look::Text(text)),
            _ => self.arguments.pointer(pointer).map(|value| match value {
                Value::String(text) => Look::Text(text),
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_) => Look::Other(value),
            }),
        }
    }
}

/// What a condition sees at its pointer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Look<'a> {
    Text(&'a str),
    /// Anything but a string.
    Other(&'a Value),
}
