//! The tools as they are now: servers start, and what they offer changes while an agent runs.
//!
//! Owns when the agent looks, what the model is told, and that what servers have to say reaches the
//! operator. A round of calls keeps the tools it began with.

use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::Agent;
use super::report::Reports;
use crate::core::run::Level;
use crate::provider::{Told, ToolSpec};
use crate::tools::Toolbox;
use crate::tools::mcp::Notice;

impl Agent {
    /// Starts the servers. What is returned carries what they say to the operator, until it is dropped.
    pub(super) fn start_servers(&self) -> Option<AbortOnDropHandle<()>> {
        let notices = self.parts.tools.servers()?.start()?;
        let carry = carry(notices, self.reports.clone());
        Some(AbortOnDropHandle::new(tokio::spawn(carry)))
    }

    /// Takes over what is offered now. The first time it waits until each server is up, or known not to be.
    pub(super) async fn renew_tools(&mut self) {
        let Some(servers) = self.parts.tools.servers().cloned() else {
            return;
        };
        servers.settled().await;
        let Some(renewed) = self.parts.tools.renewed() else {
            return;
        };
        let first = self.parts.tools.is_without_servers();
        let before = specs(&self.parts.tools);
        let now = specs(&renewed);
        self.parts.tools = Arc::new(renewed);
        if first {
            for text in self.idle(&servers.names()) {
                self.reports.note(Level::Warning, text).await;
            }
        }
        if before == now {
            return;
        }
        match self.parts.provider.offer(now) {
            Told::Next => {}
            // A resumed conversation began with the same tools, as far as anybody knows.
            Told::Never if first => {}
            Told::Never => {
                let text = "the model is told of the changed tools only in a new session: its provider fixes \
                            them when a conversation begins";
                self.reports.note(Level::Warning, text).await;
            }
        }
    }

    /// What the configuration says of tools that a server does not have: nobody could know that before.
    fn idle(&self, offered: &[(String, Vec<String>)]) -> Vec<String> {
        let rules = self.parts.policy.rules();
        let code = self.parts.tools.code();
        let told = offered.iter().filter_map(|(server, names)| {
            let prefix = format!("{server}.");
            let of_rules = rules.iter().flat_map(|rule| {
                let idle = rule.idle(&prefix, names);
                idle.map(|pattern| format!("rule {} {pattern:?}", rule.number))
            });
            let of_code = code.iter().flat_map(|code| code.tool.idle(&prefix, names));
            let of_code = of_code.map(|pattern| format!("code {pattern:?}"));
            let idle: Vec<_> = of_rules.chain(of_code).collect();
            (!idle.is_empty()).then(|| {
                let idle = idle.join(", ");
                format!("MCP server {server}: matches none of its tools: {idle}; `countersign check --servers` names them")
            })
        });
        told.collect()
    }
}

async fn carry(mut notices: mpsc::Receiver<Notice>, reports: Reports) {
    while let Some(Notice { level, text }) = notices.recv().await {
        reports.note(level, text).await;
    }
}

/// The tools as the model is told of them.
pub fn specs(tools: &Toolbox) -> Vec<ToolSpec> {
    let spec = |(name, tool): (String, &crate::tools::Tool)| ToolSpec {
        name,
        description: tool.description.clone(),
        parameters: tool.schema.value().clone(),
    };
    tools.for_model().map(spec).collect()
}
