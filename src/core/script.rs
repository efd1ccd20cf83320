//! A script that waits at calls it made: where it stands and what it has done.
//!
//! Owns what a person is shown of it beside those calls. How it is run, and what it needs to go on, is
//! not here. Everything textual is untrusted.

use serde::{Deserialize, Serialize};

use super::call::CallId;
use super::count;

/// Where a script stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Script {
    /// The call that runs the script.
    pub outer: CallId,
    /// The whole of it.
    pub code: String,
    /// The line it stands on, from 1; `None` where its origin does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The calls that have their answers, in the order in which the script made them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<Done>,
    /// What it has printed so far.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub printed: String,
}

/// A call of a script that has its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    pub tool: String,
    /// As JSON, or how many bytes it is if it is long: JSON that is cut cannot be searched for what is to be
    /// redacted.
    pub arguments: String,
    /// How it came out, in a word or two of ours.
    pub came: String,
    /// What the script was given, cut if it is long.
    pub result: String,
}

impl Done {
    /// Bytes of a text that are kept; the rest is counted.
    const KEPT: usize = 2048;

    pub fn new(tool: &str, arguments: &str, came: &str, result: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            arguments: whole(arguments),
            came: came.to_owned(),
            result: cut(result),
        }
    }
}

fn whole(text: &str) -> String {
    if text.len() <= Done::KEPT {
        return text.to_owned();
    }
    count::of(text.len(), "byte", "bytes")
}

fn cut(text: &str) -> String {
    if text.len() <= Done::KEPT {
        return text.to_owned();
    }
    let kept = text.floor_char_boundary(Done::KEPT);
    let more = text.len() - kept;
    format!("{} … {} more bytes", &text[..kept], count::number(more))
}
