//! One call of a server's tool, from the sending to the answer.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest,
    ElicitResult, ElicitationAction, InputRequest, InputRequiredResult, InputResponses, RequestId,
    ServerResult,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::length::MESSAGE;
use super::server::{Line, Server, Standing, Up};
use super::{address, content, excerpt, link, question};
use crate::core::digest::Digest;
use crate::core::run::Ran;
use crate::tools::{Job, Written};

/// How often a server may ask for more before it answers.
const ROUNDS: usize = 10;
/// How long progress that came just before the answer is waited for.
const LAST_PROGRESS: Duration = Duration::from_millis(20);
/// The most characters of a server's error.
const ERROR: usize = 4000;

/// What to call, as it was when the call was judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// The server's own name of the tool.
    pub(super) tool: &'a str,
    pub(super) print: &'a Digest,
}

pub(super) async fn call(
    server: &Server,
    wanted: Wanted<'_>,
    job: &Job,
    output: &mpsc::Sender<Written>,
) -> Ran {
    let up = match ready(server, job).await {
        Ok(up) => up,
        Err(ran) => return ran,
    };
    let tool = &job.tool;
    match up.listing.offered.get(wanted.tool) {
        None => {
            return Ran::Failed(format!(
                "not run: the server {} no longer has the tool {tool}",
                server.name()
            ));
        }
        Some(offered) if offered.print != *wanted.print => {
            return Ran::Failed(format!(
                "not run: the server {} has changed the tool {tool} since this call was made; look at it and call it again",
                server.name()
            ));
        }
        Some(_) => {}
    }
    let line = Line {
        output: output.clone(),
        questions: job.questions.clone(),
        progress: Arc::default(),
        ended: CancellationToken::new(),
        too_long: CancellationToken::new(),
    };
    let mut params = CallToolRequestParams::new(wanted.tool.to_owned());
    if let Value::Object(arguments) = job.arguments.value() {
        params = params.with_arguments(arguments.clone());
    }
    let sent = Sent {
        server,
        up: &up,
        line: &line,
    };
    let over = over(server);
    tokio::pin!(over);
    for _ in 0..ROUNDS {
        let asked = match sent.once(params.clone(), job, over.as_mut()).await {
            Ok(asked) => asked,
            Err(ran) => return ran,
        };
        params.request_state.clone_from(&asked.request_state);
        params.input_responses = sent.answers(asked, job).await;
        if job.cancel.is_cancelled() {
            return Ran::Interrupted;
        }
    }
    Ran::Failed(format!(
        "the server {} asked for more {ROUNDS} times and gave no answer",
        server.name()
    ))
}

/// A server that answers: the one that is there, or the one that is just being started.
async fn ready(server: &Server, job: &Job) -> Result<Arc<Up>, Ran> {
    let mut standing = server.standing.subscribe();
    let known = |standing: &Standing| {
        matches!(
            standing,
            Standing::Up(_) | Standing::Down { again: false, .. }
        )
    };
    let found = tokio::select! {
        biased;
        () = job.cancel.cancelled() => return Err(Ran::Interrupted),
        found = standing.wait_for(known) => found.ok().map(|found| found.clone()),
        () = sleep(server.spec.start_timeout) => None,
    };
    match found.unwrap_or_else(|| server.standing.borrow().clone()) {
        Standing::Up(up) => Ok(up),
        Standing::Starting => Err(not_there(server, "it has not started")),
        Standing::Down { why, .. } => Err(not_there(server, &why)),
    }
}

fn not_there(server: &Server, why: &str) -> Ran {
    Ran::Failed(format!(
        "not run: the server {} is not there ({})",
        server.name(),
        excerpt(why, ERROR)
    ))
}

/// Done when the call has had its time. It stands still while a person is asked.
async fn over(server: &Server) {
    let mut asked = server.asked.subscribe();
    let mut left = server.spec.timeout;
    loop {
        // The sender is held by the server.
        let _ = asked.wait_for(|open| *open == 0).await;
        let begun = Instant::now();
        tokio::select! {
            () = sleep(left) => return,
            _ = asked.wait_for(|open| *open > 0) => {
                left = left.saturating_sub(begun.elapsed());
            }
        }
    }
}

struct Sent<'a> {
    server: &'a Server,
    up: &'a Up,
    line: &'a Line,
}

impl Sent<'_> {
    /// Sends the call and waits for what comes. `Ok`: the server asks for more first.
    async fn once(
        &self,
        params: CallToolRequestParams,
        job: &Job,
        over: impl Future<Output = ()>,
    ) -> Result<InputRequiredResult, Ran> {
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let too_long = CancellationToken::new();
        let (handle, _listed) = {
            let _sending = self.server.sending.lock().await;
            let options = PeerRequestOptions::no_options();
            let handle = self
                .up
                .peer
                .send_cancellable_request(request, options)
                .await;
            // Nothing of it has left this program.
            let handle = handle.map_err(|_| not_there(self.server, "it has just ended"))?;
            let token = handle.progress_token.clone();
            // Each sending has an end of its own.
            let line = Line {
                ended: CancellationToken::new(),
                too_long: too_long.clone(),
                ..self.line.clone()
            };
            let listed = self.server.list(token, line);
            (handle, listed)
        };
        let id = handle.id.clone();
        let answer = tokio::select! {
            biased;
            answer = handle.await_response() => answer,
            () = job.cancel.cancelled() => {
                self.cancel(id, "interrupted by the operator").await;
                return Err(Ran::Interrupted);
            }
            () = too_long.cancelled() => {
                self.cancel(id, "its answer is too long").await;
                return Err(Ran::Failed(self.too_much()));
            }
            () = over => {
                self.cancel(id, "it took too long").await;
                return Err(Ran::Failed(self.too_long()));
            }
        };
        if self.line.progress.load(Ordering::Relaxed) {
            // What was said last is taken in beside the answer.
            sleep(LAST_PROGRESS).await;
        }
        match answer {
            Ok(ServerResult::CallToolResult(answer)) => Err(content::ran(&answer)),
            Ok(ServerResult::InputRequiredResult(asked)) => Ok(asked),
            Ok(ServerResult::CustomResult(answer)) => Err(content::unknown(&answer.0)),
            Ok(other) => Err(content::unknown(
                &serde_json::to_value(&other).unwrap_or_default(),
            )),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn too_much(&self) -> String {
        format!(
            "the server {} sent a message of more than {} MiB, which is not taken in; if that was the answer, the call has run: ask for less",
            self.server.name(),
            MESSAGE / 1024 / 1024
        )
    }

    fn too_long(&self) -> String {
        let limit = self.server.spec.timeout.as_secs_f64();
        format!(
            "no answer within {limit} s; the server {} was told to stop, but whether it did, and what it has done, is not known",
            self.server.name()
        )
    }

    /// A word to the server, no more than advice. Whether it got there is not waited for long.
    async fn cancel(&self, id: RequestId, why: &str) {
        let params = CancelledNotificationParam::new(Some(id), Some(why.to_owned()));
        let told = self.up.peer.notify_cancelled(params);
        let _ = tokio::time::timeout(Duration::from_secs(1), told).await;
    }

    /// What a call without an answer comes to. Where it may have run, nobody says that it failed.
    fn failed(&self, error: &ServiceError) -> Ran {
        let name = self.server.name();
        match error {
            ServiceError::McpError(error) => {
                let code = error.code.0;
                let said = excerpt(&error.message, ERROR);
                let more = error.data.as_ref();
                let more = more.map_or_else(String::new, |data| {
                    format!("; {}", excerpt(&data.to_string(), ERROR))
                });
                Ran::Failed(format!(
                    "the server answered with an error: {said} ({code}){more}"
                ))
            }
            ServiceError::TransportSend(error) => {
                self.up.broken.cancel();
                let why = excerpt(&link::sending(error), ERROR);
                if address::was_never_sent(link::cause(error)) {
                    Ran::Failed(format!(
                        "not run: the server {name} cannot be reached ({why})"
                    ))
                } else {
                    Ran::Lost(format!(
                        "the connection to the server {name} failed ({why})"
                    ))
                }
            }
            ServiceError::Cancelled { .. } => Ran::Lost(format!(
                "the server {name} dropped the call without an answer"
            )),
            // The enum is not ours, and open. Whatever it is, there is no answer.
            _ => Ran::Lost(format!("the server {name} ended while it ran this")),
        }
    }

    /// The answers to what the server asks for before it goes on.
    async fn answers(&self, asked: InputRequiredResult, job: &Job) -> Option<InputResponses> {
        let mut answers = InputResponses::new();
        for (key, request) in asked.input_requests? {
            let answer = match request {
                InputRequest::Elicitation(request) => {
                    let asked = question::ask(self.server, self.line, 1, request.params);
                    let answer = tokio::select! {
                        answer = asked => answer,
                        () = job.cancel.cancelled() => ElicitResult::new(ElicitationAction::Cancel),
                    };
                    serde_json::to_value(answer).unwrap_or_default()
                }
                InputRequest::ListRoots(_) => serde_json::json!({ "roots": [] }),
                // This program lends its model to nobody.
                _ => continue,
            };
            answers.insert(key, answer);
        }
        Some(answers)
    }
}
