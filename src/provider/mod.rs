//! Models: where an agent's answers and calls come from.
//!
//! Owns the wire formats and what is needed to go on with a conversation. Runs no tool and decides
//! nothing: it turns answers into a request and a response into text and wanted calls.

pub mod content;
pub mod endpoint;
pub mod fault;
mod ledger;
mod link;
pub mod mistral;
pub mod openai;
pub mod retry;
pub mod script;
pub mod setup;
pub mod sse;
mod transport;

pub use crate::core::exchange::{Answered, Append, Body, Came, Reply, Wanted};
use serde_json::Value;
use tokio::sync::mpsc;

/// A conversation with a model, of whichever kind.
#[derive(Debug)]
pub enum Provider {
    Mistral(mistral::Mistral),
    OpenAi(openai::OpenAi),
    Script(script::Script),
}

impl Provider {
    /// Sends `append`, streams what comes to `out`, and gives the complete response. After a
    /// [`Fault`], or if the future is dropped (which cancels the request), the same append may be
    /// given again, or only what is new: what the failed request was to say goes along, and calls
    /// that neither answers are told of the interrupt.
    pub async fn respond(
        &mut self,
        append: &Append,
        out: &mpsc::Sender<Streamed>,
    ) -> Result<Reply, Fault> {
        match self {
            Self::Mistral(mistral) => mistral.respond(append, out).await,
            Self::OpenAi(openai) => openai.respond(append, out).await,
            Self::Script(script) => script.respond(append, out).await,
        }
    }

    /// Gives the model other tools than before.
    pub fn offer(&mut self, tools: Vec<ToolSpec>) -> Told {
        match self {
            Self::Mistral(mistral) => mistral.offer(tools),
            Self::OpenAi(openai) => openai.offer(tools),
            Self::Script(_) => Told::Next,
        }
    }

    /// What is needed to go on with the conversation in another process.
    pub fn suspension(&self) -> Value {
        match self {
            Self::Mistral(mistral) => mistral.suspension(),
            Self::OpenAi(openai) => openai.suspension(),
            Self::Script(script) => script.suspension(),
        }
    }
}

/// When a model learns that its tools are others than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// With the next request.
    Next,
    /// Not in this conversation, which has begun.
    Never,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// What arrives while a response is under way. `part` names one piece of the response; pieces of one
/// part belong together, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Streamed {
    Text {
        part: usize,
        piece: String,
    },
    Thinking {
        part: usize,
        piece: String,
    },
    /// A tool that the provider ran by itself; sent again with the result once it is there.
    Server {
        part: usize,
        tool: String,
        arguments: String,
        result: Option<String>,
    },
    /// Something this program does not know. Kept and shown.
    Unknown {
        kind: String,
        raw: String,
    },
    /// A line for the operator, such as "asked again after 429".
    Note(String),
}

/// Why there is no reply. Nothing of the response may be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    /// One line: what failed, on what, what to do now.
    pub what: String,
    /// Sending the same request again makes sense.
    pub retry: bool,
}

/// Streams to the run. If nobody listens any more, the run has ended and with it the need to know.
async fn tell(pieces: Vec<Streamed>, out: &mpsc::Sender<Streamed>) {
    for piece in pieces {
        out.send(piece).await.ok();
    }
}
