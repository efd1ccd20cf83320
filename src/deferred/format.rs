//! Telling the forms apart, and reading the one a text is in.

use serde_json::Value;
use std::fmt;

use super::imported::{Imported, ReadFault};
use super::{agent_framework, langchain, mistral, native, openai_agents, pydantic_ai};
use crate::core::arguments::strict;

/// A form of deferred state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    Mistral,
    PydanticAi,
    Langchain,
    OpenAiAgents,
    AgentFramework,
    Native,
}

impl Format {
    pub const ALL: [Self; 6] = [
        Self::Mistral,
        Self::PydanticAi,
        Self::Langchain,
        Self::OpenAiAgents,
        Self::AgentFramework,
        Self::Native,
    ];

    /// As `--format` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mistral => "mistral",
            Self::PydanticAi => "pydantic-ai",
            Self::Langchain => "langchain",
            Self::OpenAiAgents => "openai-agents",
            Self::AgentFramework => "agent-framework",
            Self::Native => "native",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether a document looks like this form. Only one form should say so of a document.
    fn recognises(self, document: &Value) -> bool {
        match self {
            Self::Mistral => mistral::recognises(document),
            Self::PydanticAi => pydantic_ai::recognises(document),
            Self::Langchain => langchain::recognises(document),
            Self::OpenAiAgents => openai_agents::recognises(document),
            Self::AgentFramework => agent_framework::recognises(document),
            Self::Native => native::recognises(document),
        }
    }

    fn read(self, document: Value) -> Result<Imported, ReadFault> {
        match self {
            Self::Mistral => mistral::read(document),
            Self::PydanticAi => pydantic_ai::read(document),
            Self::Langchain => langchain::read(document),
            Self::OpenAiAgents => openai_agents::read(document),
            Self::AgentFramework => agent_framework::read(document),
            Self::Native => native::read(document),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads a deferred state, in the form that was named or in the one that it has.
pub fn read(text: &str, format: Option<Format>) -> Result<Imported, ReadFault> {
    let document = strict(text).map_err(|fault| {
        let at = match fault.line {
            0 => String::new(),
            line => format!("line {line}, column {}", fault.column),
        };
        let what = format!(
            "this is not JSON that can be taken as it stands: {}",
            fault.what
        );
        ReadFault::new(at, what, "write the state out again as one JSON document")
    })?;
    let format = format.map_or_else(|| recognised(&document), Ok)?;
    let imported = format.read(document)?;
    unique(&imported)?;
    if imported.calls.is_empty() {
        return Err(ReadFault::new(
            "",
            format!("no call waits in this {format} state"),
            "there is nothing to decide; go on with the program",
        ));
    }
    Ok(imported)
}

fn recognised(document: &Value) -> Result<Format, ReadFault> {
    let fits = Format::ALL.into_iter();
    let fits: Vec<_> = fits.filter(|format| format.recognises(document)).collect();
    let names = |formats: &[Format]| {
        formats
            .iter()
            .map(|f| f.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match fits.as_slice() {
        [format] => Ok(*format),
        [] => Err(ReadFault::new(
            "",
            "this is no deferred state of a form that is known",
            format!("name one with --format: {}", names(&Format::ALL)),
        )),
        several => Err(ReadFault::new(
            "",
            format!("this could be any of {}", names(several)),
            "say which with --format",
        )),
    }
}

/// A decision must name one call.
fn unique(imported: &Imported) -> Result<(), ReadFault> {
    let mut seen = std::collections::HashSet::new();
    let twice = imported.calls.iter().find(|call| !seen.insert(&call.id));
    twice.map_or(Ok(()), |call| {
        let what = format!("two calls have the id `{}`", call.id);
        Err(ReadFault::new("", what, "give each call an id of its own"))
    })
}
