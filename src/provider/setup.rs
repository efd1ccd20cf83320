//! What a provider is set up with: the model, what it is told, and where it is.

use super::ToolSpec;
use super::endpoint::Endpoint;
use serde_json::{Value, json};

/// Whether answers come piece by piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamMode {
    Streamed,
    Whole,
}

impl StreamMode {
    pub const fn is_streamed(self) -> bool {
        matches!(self, Self::Streamed)
    }
}

/// One agent's model.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    pub model: String,
    pub instructions: Option<String>,
    /// Tools that this program runs.
    pub tools: Vec<ToolSpec>,
    /// Tools that the provider runs, exactly as its interface describes them.
    pub server_tools: Vec<Value>,
    pub stream: StreamMode,
    pub endpoint: Endpoint,
}

impl Setup {
    /// The provider's own tools first, then ours. `strict` is left out: it would demand of every
    /// schema that it forbids further properties, which schemas written by hand do not do.
    pub(super) fn all_tools(&self) -> Vec<Value> {
        let ours = self.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            })
        });
        self.server_tools.iter().cloned().chain(ours).collect()
    }
}
