//! What policy says of a call, and why.

use serde::{Deserialize, Serialize};

use super::name::quoted;

/// What policy says. Ordered by strictness, so the strictest of several is their `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Allow,
    Ask,
    Deny,
}

impl Verdict {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Why a call got its verdict: what the operator and the audit record are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The rule with this number (counted from 1 in its file) matched.
    Rule {
        number: usize,
        source: RuleSource,
        reason: String,
    },
    /// No rule matched; the tool is declared so.
    ToolDefault,
    /// The command line could not be taken apart, so a person must look.
    NotUnderstood { why: String },
    /// The provider holds the call until it is confirmed.
    Provider,
    /// The tool itself asked for approval when it was called.
    Tool { reason: String },
    /// The program stopped while the call ran: whether it did what it was to do is not known.
    OutcomeUnknown,
    /// The script that the call runs waits for calls it made.
    Script,
    /// The server that ran the call has ended, or its answer was lost: whether it did what it was to do is
    /// not known.
    Lost { why: String },
    /// A server asks the operator something while a call of its tool runs.
    Question {
        server: String,
        message: String,
        /// The tool that the call runs; empty where that is not known.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        tool: String,
        /// How many calls the server runs; with more than one it does not say for which it asks.
        #[serde(default, skip_serializing_if = "is_none")]
        open: usize,
    },
    /// The framework that the agent is written with stopped at the call; what it or the agent says of it.
    Framework { reason: String },
    /// The tool handed the call over: its result comes from outside.
    External { reason: String },
    /// A reviewer of the configuration said so, of a call that policy would have let run, or asked about.
    Reviewer { name: String, reason: String },
    /// A rule that an operator gave while the program ran.
    Grant {
        id: String,
        /// Who gave it.
        by: String,
        /// What asked, and was answered by it; empty where it denies.
        answers: String,
    },
    /// The rules that operators gave cannot be read, so a person must look.
    GrantsUnread { why: String },
}

/// One thing that made policy ask. A rule given by an operator answers only what asked when it was given:
/// a call that something else asks about too is asked about all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// No rule spoke of it, and the tool asks by default.
    Default,
    /// The command line could not be taken apart.
    NotUnderstood,
    /// A rule asks. Named by what it says: its number changes when the file does.
    Rule(String),
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out references"
)]
const fn is_none(number: &usize) -> bool {
    *number == 0
}

/// Which list of rules a rule's number counts in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleSource {
    /// `[[rules]]` of the configuration file.
    Configuration,
    /// The rules that come with the program.
    BuiltIn,
}

/// What the operator is told of a call whose outcome is unknown.
const UNKNOWN: &str = "it may have run, in part or as a whole, or run still; approve runs it again, answer gives its \
                       result, reject tells the model that the outcome is not known";

/// What the operator is told of a script that waits.
const SCRIPT: &str = "it goes on by itself once the calls it made are decided; reject ends the script, answer ends it and \
                      gives its result";

impl Basis {
    /// One line for the screen: `asked by rule 3`, `asks by default`, …
    pub fn words(&self) -> String {
        match self {
            Self::Rule {
                number,
                source: RuleSource::Configuration,
                ..
            } => format!("asked by rule {number}"),
            Self::Rule {
                number,
                source: RuleSource::BuiltIn,
                ..
            } => format!("asked by built-in rule {number}"),
            Self::ToolDefault => "this tool always asks".to_owned(),
            Self::NotUnderstood { .. } => "command line not understood".to_owned(),
            Self::Provider => "held by the provider".to_owned(),
            Self::Tool { .. } => "the tool asked for approval".to_owned(),
            Self::Framework { .. } => "the agent's program asks".to_owned(),
            Self::External { .. } => "the result comes from outside".to_owned(),
            Self::Reviewer { name, .. } => format!("asked by reviewer {}", quoted(name)),
            Self::OutcomeUnknown => "it was running when the program stopped".to_owned(),
            Self::Script => "its script waits for calls".to_owned(),
            Self::Lost { .. } => "it was running when its server was lost".to_owned(),
            Self::Question { server, .. } => format!("the MCP server {} asks you", quoted(server)),
            Self::Grant { id, .. } => format!("decided by given rule {id}"),
            Self::GrantsUnread { .. } => "the given rules cannot be read".to_owned(),
        }
    }

    /// Whether the call was begun and nobody knows what came of it.
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::OutcomeUnknown | Self::Lost { .. })
    }

    /// What may be done of a call whose outcome is unknown because of `why`.
    pub fn lost(why: &str) -> Self {
        Self::Lost {
            why: format!("{why}: {UNKNOWN}"),
        }
    }

    /// The reason in words, where there is one.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Rule { reason, .. }
            | Self::Tool { reason }
            | Self::Framework { reason }
            | Self::External { reason }
            | Self::Reviewer { reason, .. } => {
                Some(reason.as_str()).filter(|reason| !reason.is_empty())
            }
            Self::NotUnderstood { why } | Self::GrantsUnread { why } | Self::Lost { why } => {
                Some(why)
            }
            Self::OutcomeUnknown => Some(UNKNOWN),
            Self::Script => Some(SCRIPT),
            Self::Question { message, .. } => {
                Some(message.as_str()).filter(|message| !message.is_empty())
            }
            Self::ToolDefault | Self::Provider | Self::Grant { .. } => None,
        }
    }
}
