//! A deferred state that was read: what it asks, what was said before, and what its results need.

use crate::core::count;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

use super::decided::Decided;
use super::{agent_framework, langchain, mistral, native, openai_agents, pydantic_ai};
use crate::core::arguments::Arguments;
use crate::core::call::{Answer, Answers, CallId, Risk};
use crate::core::digest::Digest;
use crate::core::schema::Schema;
use crate::core::script::Script;
use crate::core::verdict::Basis;
use crate::deferred::Format;

/// What is asked about a call that runs a script.
const SCRIPT: &str = "script";

/// Deferred state in any of the forms. All text in it is untrusted.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The agent's name, where the state says it.
    pub agent: Option<String>,
    /// The model's name, where the state says it.
    pub model: Option<String>,
    /// The calls that wait, in the order in which the model wanted them. No two have the same id.
    pub calls: Vec<ImportedCall>,
    /// What was said and done before, oldest first.
    pub history: Vec<Past>,
    /// What a person should know of the state as a whole.
    pub warnings: Vec<String>,
    /// The same for the same state, however it is laid out.
    pub identity: Digest,
    /// What the form's writer needs.
    pub(super) state: State,
}

/// One call that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedCall {
    /// The framework's own id, or one made from the call's place where it has none.
    pub id: CallId,
    pub tool: String,
    pub arguments: Arguments,
    /// What the framework acts on. Nothing else is offered.
    pub answers: Answers,
    /// The call that this one was made from, in a script.
    pub parent: Option<CallId>,
    /// Why it waits.
    pub basis: Basis,
    pub risks: Vec<Risk>,
    pub schema: Option<Schema>,
    pub metadata: Option<Value>,
    /// What is odd about it, such as fields that contradict each other.
    pub warnings: Vec<String>,
    pub expires: Option<Timestamp>,
    /// Since when it waits, where the state says it.
    pub arrived: Option<Timestamp>,
    /// Where the script stands that this call is part of, or that it is.
    pub script: Option<Arc<Script>>,
}

impl ImportedCall {
    /// Whether it is a script itself, at whose calls it waits. It needs no answer: without one the script
    /// goes on, and with one it is dropped.
    pub fn is_script(&self) -> bool {
        let runs = |script: &Arc<Script>| script.outer == self.id || script.outer == self.id.base();
        self.parent.is_none() && self.script.as_ref().is_some_and(runs)
    }

    /// The id by which the call is known here.
    pub fn key(&self) -> CallId {
        match self.script.as_ref().filter(|_| self.is_script()) {
            // A question about the call that runs it.
            Some(script) => {
                let question = self.id.question().filter(|_| script.outer != self.id);
                let question = question.unwrap_or(SCRIPT).replace('+', "-");
                script.outer.foreign().aside(&question)
            }
            None => self.id.foreign(),
        }
    }
}

/// Something that was said or done before the calls that wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Past {
    /// A message of the user.
    User(String),
    /// The model's text.
    Agent(String),
    Thinking(String),
    /// The model wanted this call; it may be one of those that wait, or an outer one.
    Called {
        call: CallId,
        tool: String,
        /// The text as it came, which may not be JSON.
        arguments: String,
    },
    /// What the call came to.
    Result {
        call: CallId,
        text: String,
    },
    /// Anything else worth reading: a system prompt, an instruction.
    Note(String),
}

/// What a form's writer needs beside the decisions.
#[derive(Debug, Clone)]
pub(super) enum State {
    Mistral(mistral::State),
    PydanticAi(pydantic_ai::State),
    Langchain(langchain::State),
    OpenAiAgents(openai_agents::State),
    AgentFramework(agent_framework::State),
    Native(native::State),
}

/// Why a text is no deferred state that can be decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}; {todo}", place(at))]
pub struct ReadFault {
    /// A JSON pointer to the place, or the line and column; empty where the whole is at fault.
    pub at: String,
    pub what: String,
    /// What to do now.
    pub todo: String,
}

impl ReadFault {
    pub(super) fn new(
        at: impl Into<String>,
        what: impl Into<String>,
        todo: impl Into<String>,
    ) -> Self {
        Self {
            at: at.into(),
            what: what.into(),
            todo: todo.into(),
        }
    }
}

fn place(at: &str) -> String {
    if at.is_empty() {
        String::new()
    } else {
        format!("{at}: ")
    }
}

/// Why results cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteFault {
    #[error("no call `{0}` waits in this state")]
    Unknown(CallId),
    #[error("the call `{0}` is decided twice")]
    Twice(CallId),
    #[error("the call `{call}` cannot be {done}: the framework would not act on it")]
    NotTaken { call: CallId, done: &'static str },
    /// The framework goes on only with an answer to each call.
    #[error("{0} still undecided, and this form has no place for a part of the answers")]
    Undecided(String),
}

impl Imported {
    pub fn format(&self) -> Format {
        match &self.state {
            State::Mistral(_) => Format::Mistral,
            State::PydanticAi(_) => Format::PydanticAi,
            State::Langchain(_) => Format::Langchain,
            State::OpenAiAgents(_) => Format::OpenAiAgents,
            State::AgentFramework(_) => Format::AgentFramework,
            State::Native(_) => Format::Native,
        }
    }

    /// How many calls need an answer before the framework can go on.
    pub fn asked(&self) -> usize {
        self.calls.iter().filter(|call| !call.is_script()).count()
    }

    /// Those that still need one, if these have theirs: none of a script that has one itself, since it is
    /// dropped.
    pub fn unanswered(&self, answered: &HashSet<CallId>) -> impl Iterator<Item = &ImportedCall> {
        let dropped = |call: &&ImportedCall| call.is_script() && answered.contains(&call.id);
        let outer = |call: &ImportedCall| Some(call.script.as_ref()?.outer.clone());
        let dropped: HashSet<CallId> = self
            .calls
            .iter()
            .filter(dropped)
            .filter_map(outer)
            .collect();
        let open: Vec<_> = self
            .calls
            .iter()
            .filter(|call| !call.is_script() && !answered.contains(&call.id))
            .filter(|call| {
                let parent = call.parent.as_ref();
                parent.is_none_or(|parent| !dropped.contains(parent))
            })
            .collect();
        open.into_iter()
    }

    /// The row of each script, and the calls that it makes.
    pub fn scripts(&self) -> impl Iterator<Item = (&ImportedCall, Vec<&ImportedCall>)> {
        let rows = self.calls.iter().filter(|call| call.is_script());
        rows.map(|row| {
            let outer = row.script.as_ref().map(|script| &script.outer);
            let made = |call: &&ImportedCall| call.parent.as_ref() == outer;
            (row, self.calls.iter().filter(made).collect())
        })
    }

    /// Whether results can be written while some calls are undecided.
    pub fn takes_a_part(&self) -> bool {
        match &self.state {
            State::Mistral(state) => state.takes_a_part(),
            State::PydanticAi(state) => state.takes_a_part(),
            State::Langchain(state) => state.takes_a_part(),
            State::OpenAiAgents(state) => state.takes_a_part(),
            State::AgentFramework(state) => state.takes_a_part(),
            State::Native(state) => state.takes_a_part(),
        }
    }

    /// The results in the form that the framework goes on with.
    pub fn results(&self, decided: &[Decided]) -> Result<Value, WriteFault> {
        self.check(decided)?;
        Ok(match &self.state {
            State::Mistral(state) => state.results(&self.calls, decided),
            State::PydanticAi(state) => state.results(&self.calls, decided),
            State::Langchain(state) => state.results(&self.calls, decided),
            State::OpenAiAgents(state) => state.results(&self.calls, decided),
            State::AgentFramework(state) => state.results(&self.calls, decided),
            State::Native(state) => state.results(&self.calls, decided),
        })
    }

    /// Each decision is on a call that waits and takes it, none is decided twice, and all are decided
    /// where the form has no place for less.
    fn check(&self, decided: &[Decided]) -> Result<(), WriteFault> {
        let calls: std::collections::HashMap<_, _> =
            self.calls.iter().map(|call| (&call.id, call)).collect();
        let mut done = HashSet::new();
        for one in decided {
            let call = calls
                .get(&one.call)
                .ok_or_else(|| WriteFault::Unknown(one.call.clone()))?;
            if !done.insert(one.call.clone()) {
                return Err(WriteFault::Twice(one.call.clone()));
            }
            let refused = |answer: &Answer| !call.answers.take(*answer);
            if let Some(answer) = one.decision.asks(one.reach).into_iter().find(refused) {
                return Err(WriteFault::NotTaken {
                    call: one.call.clone(),
                    done: answer.done(),
                });
            }
        }
        let left = self.unanswered(&done).count();
        if left > 0 && !self.takes_a_part() {
            let calls = count::of(left, "call is", "calls are");
            return Err(WriteFault::Undecided(calls));
        }
        Ok(())
    }
}
