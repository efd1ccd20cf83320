//! What may run, what must be asked about, what is denied.
//!
//! Owns rules, their reading and their evaluation. Pure: no I/O, no clock. Does not remember
//! decisions and runs nothing.
#![warn(clippy::wildcard_enum_match_arm)]

use serde_json::Value;
use std::path::Path;

use crate::core::verdict::{Basis, Verdict};

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
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub verdict: Verdict,
    pub basis: Basis,
}
