//! `run_code`: the tool whose script calls the agent's other tools as functions.
//!
//! Owns what policy, operator and model are told of it, and which tools its scripts can call. The agent
//! runs it: each call of a script is a call like any other.

use globset::{GlobBuilder, GlobMatcher};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;

use super::Tool;
use crate::code::{Function, Limits, identifiers, stubs};
use crate::core::schema::Schema;
use crate::core::verdict::Verdict;

/// What models and rules call it.
pub const RUN_CODE: &str = "run_code";

/// Bytes of the functions' declarations that the model is told.
const STUBS: usize = 24 * 1024;

/// Whether the calls that a script will certainly make are asked about before it starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ahead {
    #[default]
    No,
    Yes,
}

/// Code mode, as an agent has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeTool {
    /// Our own executable, which scripts are run by.
    pub program: PathBuf,
    /// The data folder, where the key of paused scripts is.
    pub folder: PathBuf,
    pub limits: Limits,
    pub ahead: Ahead,
    /// Patterns for the names of the tools that scripts can call; `None`: all.
    pub include: Option<Vec<String>>,
    /// Patterns for the names of those that they cannot.
    pub exclude: Vec<String>,
}

/// The tool, with the functions its scripts have.
#[derive(Debug, Clone)]
pub struct Code {
    pub tool: CodeTool,
    pub functions: Vec<Function>,
}

/// A pattern for names of tools: `*` and `?`.
pub fn pattern(text: &str) -> Result<GlobMatcher, String> {
    let glob = GlobBuilder::new(text).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| error.kind().to_string())
}

impl CodeTool {
    /// Patterns that begin so and match none of these names.
    pub fn idle<'a>(
        &'a self,
        prefix: &'a str,
        names: &'a [String],
    ) -> impl Iterator<Item = &'a str> {
        let all = self.include.iter().flatten().chain(&self.exclude);
        let idle = all.filter(move |text| {
            let is_match = |name: &String| pattern(text).is_ok_and(|it| it.is_match(name));
            text.starts_with(prefix) && !names.iter().any(is_match)
        });
        idle.map(String::as_str)
    }

    /// Whether a script can call the tool of this name.
    pub fn offers(&self, name: &str) -> bool {
        // One that cannot be read was refused when the configuration was.
        let is_match = |text: &String| pattern(text).is_ok_and(|pattern| pattern.is_match(name));
        let included = self
            .include
            .as_ref()
            .is_none_or(|patterns| patterns.iter().any(is_match));
        name != RUN_CODE && included && !self.exclude.iter().any(is_match)
    }
}

impl Code {
    pub(super) fn of<'a>(tool: CodeTool, tools: impl Iterator<Item = &'a Tool>) -> Self {
        let offered: Vec<_> = tools.filter(|other| tool.offers(&other.name)).collect();
        let names: Vec<_> = offered.iter().map(|tool| tool.name.as_str()).collect();
        let function = |(name, tool): (String, &&Tool)| Function {
            name,
            tool: tool.name.clone(),
            parameters: tool.schema.value().clone(),
            description: tool.description.clone(),
        };
        let functions = identifiers(&names).into_iter().zip(&offered);
        let functions = functions.map(function).collect();
        Self { tool, functions }
    }

    pub(super) fn tool(&self) -> Tool {
        Tool {
            name: RUN_CODE.to_owned(),
            description: self.description(),
            schema: Schema::new(json!({
                "type": "object",
                "properties": {
                    "code": { "type": "string", "minLength": 1, "description": "The Python script." },
                },
                "required": ["code"],
                "additionalProperties": false,
            })),
            risks: Vec::new(),
            // By itself it can do nothing; what it calls is judged call by call.
            default: Verdict::Allow,
            command_line: None,
            expires: None,
        }
    }

    fn description(&self) -> String {
        let limits = &self.tool.limits;
        format!(
            "Run a Python script that calls tools as functions, when several calls depend on each other or \
             their results need working on. The functions are declared below. They are asynchronous: \
             `await` each call, and let independent ones run together with `await asyncio.gather(…)` after \
             `import asyncio`. A call gives the tool's result as text; `json.loads` (after `import json`) \
             reads it where it is JSON. A call that fails, or that the operator rejects, raises a \
             RuntimeError that can be caught. The result is the value of the last expression, and what was \
             printed. There are no files, no environment, no clock, no network and no other modules than a \
             few of the standard library. At most {} seconds of computing, {} \
             MiB of memory and {} calls.\n\n{}",
            limits.time.as_secs(),
            limits.memory / (1024 * 1024),
            limits.calls,
            self.declared()
        )
    }

    /// The functions as Python declares them; without descriptions if that would be too long, and by
    /// their names alone if it still is.
    fn declared(&self) -> String {
        let whole = stubs(&self.functions);
        if whole.len() <= STUBS {
            return whole;
        }
        let brief = |function: &Function| Function {
            description: String::new(),
            ..function.clone()
        };
        let short = stubs(&self.functions.iter().map(brief).collect::<Vec<_>>());
        if short.len() <= STUBS {
            return short;
        }
        let mut names = String::from("Functions, each with keyword arguments:\n");
        for (at, function) in self.functions.iter().enumerate() {
            if names.len() + function.name.len() > STUBS {
                let left = self.functions.len() - at;
                // Writing to a String cannot fail.
                let _ = writeln!(names, "and {left} more, under the names of their tools");
                break;
            }
            names.push_str(&function.name);
            names.push('\n');
        }
        names
    }
}
