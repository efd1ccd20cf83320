//! A connection to a server: its process or its address, and the protocol over it.
//!
//! Dropping it ends the connection, and has the server's process and all that it started ended.

use rmcp::model::{ProtocolVersion, SubscriptionFilter, Tool};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, Peer, RunningService,
};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::{RoleClient, model};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::time::timeout;

use super::address::address;
use super::ears::Ears;
use super::length::{MESSAGE, Measured};
use super::stderr::Stderr;
use super::{Reach, excerpt, listing};
use crate::tools::process::{Group, kept};
use crate::tools::shell::exit_words;

/// How long a process may take to end once it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long what a process that has ended wrote is still read.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Pages of a list of tools.
const PAGES: usize = 100;
/// The most characters of a server's error.
const ERROR: usize = 400;

pub(super) struct Link {
    service: RunningService<RoleClient, Ears>,
    process: Option<Process>,
}

struct Process {
    group: Group,
    stderr: Stderr,
}

impl Link {
    pub(super) async fn open(reach: &Reach, ears: Ears, folder: &Path) -> Result<Self, String> {
        match reach {
            Reach::Missing(what) => Err(what.clone()),
            Reach::Address { url, headers } => {
                let transport = address(url, headers)?;
                let service = ears.serve_with_lifecycle(transport, lifecycle()).await;
                let service = service.map_err(|error| why_not(&error))?;
                Ok(Self {
                    service,
                    process: None,
                })
            }
            Reach::Program {
                keeper,
                program,
                arguments,
                environment,
            } => {
                let (mut command, leader) = kept(keeper, program);
                command
                    .args(arguments)
                    .env_clear()
                    .envs(environment.iter().map(|(name, value)| (name, value)))
                    .current_dir(folder)
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped());
                let started = Group::spawn(command, leader).await;
                let mut group =
                    started.map_err(|error| format!("could not be started: {error}"))?;
                let stdin = group.take_stdin();
                let (stdout, stderr) = group.take_outputs();
                let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
                    return Err("could not be started: it has no pipes".to_owned());
                };
                let name = ears.0.name().to_owned();
                let mut process = Process {
                    group,
                    stderr: Stderr::read(name, stderr),
                };
                let stdout = Measured::new(stdout, ears.0.clone());
                let transport =
                    AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MESSAGE);
                match ears.serve_with_lifecycle(transport, lifecycle()).await {
                    Ok(service) => Ok(Self {
                        service,
                        process: Some(process),
                    }),
                    Err(error) => Err(process.why(&why_not(&error)).await),
                }
            }
        }
    }

    pub(super) fn peer(&self) -> Peer<RoleClient> {
        self.service.peer().clone()
    }

    /// Waits until the server is gone, and says how that came.
    pub(super) async fn ended(self) -> String {
        let Self { service, process } = self;
        let waiting = service.waiting();
        tokio::pin!(waiting);
        let Some(mut process) = process else {
            return match waiting.await {
                Ok(_) => "the connection was closed".to_owned(),
                Err(error) => format!("the connection broke off: {error}"),
            };
        };
        tokio::select! {
            _ = &mut waiting => {}
            () = process.group.exited() => {
                // Its last answer may still be in the pipe.
                let _ = timeout(LAST_WORDS, &mut waiting).await;
            }
        }
        process.why("it closed its output").await
    }
}

impl Process {
    /// Ends what is left of it, and says how it ended.
    async fn why(&mut self, otherwise: &str) -> String {
        let by_itself = timeout(LAST_WORDS, self.group.exited()).await.is_ok();
        let status = self.group.end(GRACE).await;
        let how = match status {
            Ok(status) if by_itself => exit_words(status),
            Ok(_) | Err(_) => otherwise.to_owned(),
        };
        let last = self.stderr.last().await;
        if last.is_empty() {
            how
        } else {
            format!("{how}; its last words: {}", excerpt(&last, ERROR))
        }
    }
}

/// The newest version first; most servers speak an older one.
fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    }
}

/// Why there is no connection, without the names of the protocol's parts.
fn why_not(error: &ClientInitializeError) -> String {
    let why = match error {
        ClientInitializeError::TransportError { error, .. } => sending(error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => why_not(fallback),
        // The enum is not ours, and open.
        other => chain(other),
    };
    excerpt(&why, ERROR)
}

/// Why something could not be sent.
pub(super) fn sending(error: &DynamicTransportError) -> String {
    let why = chain(cause(error));
    if why.starts_with("Auth required") {
        return "it refuses what it was sent (401): it wants a header, or another value in one"
            .to_owned();
    }
    why
}

/// What is below the protocol's own parts, which do not lead there by themselves.
pub(super) fn cause(error: &DynamicTransportError) -> &(dyn std::error::Error + 'static) {
    match error.error.downcast_ref() {
        Some(StreamableHttpError::<reqwest::Error>::Client(error)) => error,
        Some(error) => error,
        None => &*error.error,
    }
}

/// An error with all that led to it.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        source = error.source();
    }
    words
}

/// All tools of a server, page by page.
pub(super) async fn tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, String> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES {
        let mut params = model::PaginatedRequestParams::default();
        params.cursor = cursor;
        let page = peer.list_tools(Some(params)).await;
        let page = page.map_err(|error| excerpt(&chain(&error), ERROR))?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() > 2 * listing::MOST {
            break;
        }
    }
    Ok(tools)
}

/// Hears of changes from a server that only tells those who listen. Returns when it tells no more, or
/// never would.
pub(super) async fn listen(peer: &Peer<RoleClient>, changed: &tokio::sync::Notify) {
    let modern = peer
        .peer_info()
        .is_some_and(|info| !info.protocol_version.has_initialize());
    if !modern {
        return;
    }
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut heard = match peer.listen(filter).await {
        Ok(heard) => heard,
        Err(error) => {
            let why = excerpt(&chain(&error), ERROR);
            tracing::info!(why, "an MCP server tells nobody of changes");
            return;
        }
    };
    while let Ok(Some(told)) = heard.next().await {
        if matches!(
            told,
            model::ServerNotification::ToolListChangedNotification(_)
        ) {
            changed.notify_one();
        }
    }
}
