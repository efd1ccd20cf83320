//! What may run, what must be asked about, what is denied.
//!
//! Owns rules, their reading and their evaluation. Pure: no I/O, no clock. Does not remember
//! decisions and runs nothing.
//!
//! The strictest rule that matches wins, whatever the order; if none matches, the tool's own default
//! counts. A shell command line is taken apart and each of its commands is judged on its own. What
//! cannot be taken apart, or holds something whose effect a rule cannot see, is asked about unless a
//! rule denies it.
#![warn(clippy::wildcard_enum_match_arm)]

use serde_json::Value;
use std::path::Path;

use crate::core::digest::Digest;
use crate::core::verdict::{Basis, Verdict};

pub mod command_line;
mod condition;
mod evaluate;
pub mod file;
pub mod findings;
pub mod grant;
mod path;
pub mod propose;
pub mod rule;
mod written;

use rule::Rule;

/// What is to be judged: one call of one agent.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub agent: &'a str,
    pub tool: &'a str,
    pub arguments: &'a Value,
    /// The tool's own word, which counts if no rule matches.
    pub default: Verdict,
    /// JSON pointer to the argument that is a shell command line, where the tool has one.
    pub command_line: Option<&'a str>,
    /// The agent's workspace, absolute. Relative paths in arguments count from here.
    pub workspace: &'a Path,
    /// Of the call, where there is one.
    pub digest: Option<&'a Digest>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub verdict: Verdict,
    pub basis: Basis,
}

/// All rules that hold, checked and compiled.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The operator's rules, then the built-in ones: of two equally strict, the first is named.
    rules: Vec<Rule>,
}

impl Policy {
    pub fn new(configured: Vec<Rule>, built_in: Vec<Rule>) -> Self {
        let mut rules = configured;
        rules.extend(built_in);
        Self { rules }
    }

    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}
