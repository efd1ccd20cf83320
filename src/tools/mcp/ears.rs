//! What a server says without being asked: progress, log lines, a changed list, questions.

#![expect(
    deprecated,
    reason = "the protocol will do without log lines; servers of today send them"
)]

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    LoggingMessageNotificationParam, ProgressNotificationParam, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::server::{Line, Server};
use super::{excerpt, question};
use crate::core::output::Stream;
use crate::core::shown::Shown;
use crate::tools::Written;

/// The most characters of a log line.
const LOGGED: usize = 1000;
/// The most characters of a word on progress.
const PROGRESS: usize = 1000;

#[derive(Debug, Clone)]
pub(super) struct Ears(pub(super) Arc<Server>);

impl Ears {
    /// The call that a question belongs to. Before 2026-07-28 a server does not say for which it asks:
    /// with several open it is any of them, and the question says so.
    fn asked_by(&self) -> Option<(Line, usize)> {
        let open = self.0.open();
        let count = open.len();
        open.into_iter().next().map(|line| (line, count))
    }
}

impl ClientHandler for Ears {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let elicitation = ElicitationCapability::new()
            .with_form(FormElicitationCapability::default())
            .with_url(UrlElicitationCapability::default());
        capabilities.elicitation = Some(elicitation);
        let name = env!("CARGO_PKG_NAME");
        ClientConfig::new(
            capabilities,
            Implementation::new(name, env!("CARGO_PKG_VERSION")),
        )
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        loop {
            let Some((line, open)) = self.asked_by() else {
                tracing::warn!(
                    server = self.0.name(),
                    "asks something outside of any call; cancelled"
                );
                return Ok(ElicitResult::new(ElicitationAction::Cancel));
            };
            tokio::select! {
                biased;
                answer = question::ask(&self.0, &line, open, request.clone()) => return Ok(answer),
                () = context.ct.cancelled() => {
                    return Ok(ElicitResult::new(ElicitationAction::Cancel));
                }
                // It was not that call's, or nobody needs the answer: ask for the next one.
                () = line.ended.cancelled() => {}
            }
        }
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        // The call may have been sent and not be noted down yet.
        let line = {
            let _sent = self.0.sending.lock().await;
            self.0.line(&params.progress_token)
        };
        let Some(line) = line else { return };
        line.progress.store(true, Ordering::Relaxed);
        // One that nobody keeps up with is left out: the server is not to wait for a screen.
        let _ = line.output.try_send(Written {
            stream: Stream::Err,
            text: progress(&params),
        });
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let said = match &params.data {
            serde_json::Value::String(text) => excerpt(text, LOGGED),
            data => excerpt(&data.to_string(), LOGGED),
        };
        tracing::info!(
            server = self.0.name(),
            level = ?params.level,
            said = Shown::label(&said).as_str(),
            "an MCP server logs"
        );
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.0.changed.notify_one();
    }
}

fn progress(params: &ProgressNotificationParam) -> String {
    let of = params
        .total
        .map_or_else(String::new, |total| format!(" of {total}"));
    let said = params.message.as_deref().unwrap_or_default();
    let said = excerpt(said, PROGRESS);
    let colon = if said.is_empty() { "" } else { ": " };
    format!("progress {}{of}{colon}{said}\n", params.progress)
}
