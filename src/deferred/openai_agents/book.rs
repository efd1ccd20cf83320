//! Where in a run state a decision is kept.

use serde_json::{Value, json};

use crate::core::digest::Digest;

/// Where the decision on one call goes.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    /// The JSON pointer of the run state that the call belongs to.
    pub(super) owner: String,
    pub(super) call: String,
    /// The records that hold it; the last is also where a lasting decision stands.
    pub(super) keys: Vec<Key>,
    /// What a lasting decision is bound to.
    pub(super) scope: Digest,
}

/// One record of decisions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// `function_tool_approvals`: by agent and tool, the agent as the state refers to it.
    Function { agent: Value, tool: String },
    /// `approvals`: by the tool's name.
    Named(String),
    /// `hosted_mcp_approvals`: by server and tool.
    Server { label: String, tool: String },
    /// `hosted_mcp_approvals`: by the request alone, where it names no server.
    Request(String),
    /// `hosted_mcp_approvals`: by the tool's name and the request, for questions by name.
    Query { tool: String, request: String },
}

impl Key {
    /// Whether a lasting decision can stand here.
    pub(super) const fn lasts(&self) -> bool {
        match self {
            Self::Function { .. } | Self::Named(_) | Self::Server { .. } => true,
            Self::Request(_) | Self::Query { .. } => false,
        }
    }

    /// The key of an entry of `hosted_mcp_approvals`, from its `identity`.
    pub(super) fn of_identity(identity: &Value) -> Option<Self> {
        let text = |name: &str| Some(identity.get(name)?.as_str()?.to_owned());
        match identity.get("type")?.as_str()? {
            "server_tool" => Some(Self::Server {
                label: text("server_label")?,
                tool: text("tool_name")?,
            }),
            "request" => Some(Self::Request(text("request_id")?)),
            "query" => Some(Self::Query {
                tool: text("tool_name")?,
                request: text("request_id")?,
            }),
            _ => None,
        }
    }

    /// A new entry of the list that this key belongs to, with nothing decided yet.
    pub(super) fn entry(&self) -> Value {
        let decision = json!({ "approved": [], "rejected": [] });
        match self {
            Self::Function { agent, tool } => {
                json!({ "agent": agent, "tool_key": tool, "decision": decision })
            }
            Self::Named(_) => decision,
            Self::Server { label, tool } => json!({
                "identity": { "type": "server_tool", "server_label": label, "tool_name": tool },
                "decision": decision,
            }),
            Self::Request(request) => json!({
                "identity": { "type": "request", "request_id": request },
                "decision": decision,
            }),
            Self::Query { tool, request } => json!({
                "identity": { "type": "query", "tool_name": tool, "request_id": request },
                "decision": decision,
            }),
        }
    }
}

/// The digest of what makes calls the same to a lasting decision. The members of `identity` stand in the
/// order of their names.
pub(super) fn scope(identity: &Value) -> Digest {
    Digest::of_bytes(identity.to_string().as_bytes())
}
