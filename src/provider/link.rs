//! One HTTP client and one request at a time.
//!
//! Owns the connection, its time limits and the reading of answers. Knows no model and repeats
//! nothing.

use super::endpoint::{Endpoint, host, is_loopback};
use super::retry::{Again, Miss, Pace, Sent, asked};
use super::sse::{ANSWER_LIMIT, Broken, Event, events};
use super::{Fault, fault, transport};
use futures::stream::{BoxStream, StreamExt};
use jiff::Timestamp;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Method, Response, Url, redirect};
use serde_json::Value;
use std::time::Duration;

const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Most bytes that are read of an answer that is not one.
const REFUSAL_LIMIT: usize = 64 << 10;

/// What came with status 200.
pub(super) enum Answer {
    Whole(String),
    Events(Events),
}

/// The way to one server.
#[derive(Debug)]
pub(super) struct Link {
    endpoint: Endpoint,
    /// Built when first needed: a machine without certificates can still use a local server.
    client: Option<Client>,
}

impl Link {
    pub const fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            client: None,
        }
    }

    pub const fn pace(&self) -> Pace {
        self.endpoint.pace
    }

    /// The server's name for messages.
    pub fn host(&self) -> String {
        self.endpoint
            .at("")
            .map_or_else(|_| self.endpoint.base_url.clone(), |url| host(&url))
    }

    pub async fn get(&mut self, path: &str) -> Result<Answer, Miss> {
        self.ask(Method::GET, path, None).await
    }

    pub async fn post(&mut self, path: &str, body: &Value) -> Result<Answer, Miss> {
        self.ask(Method::POST, path, Some(body)).await
    }

    async fn ask(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, Miss> {
        let unsent = |fault| Miss::last(fault, Sent::No);
        let url = self.endpoint.at(path).map_err(unsent)?;
        let key = self.endpoint.authorization().map_err(unsent)?;
        let wants = Wants::of(body);
        let client = self.client(&url).map_err(unsent)?;
        let mut request = client.request(method, url).header(ACCEPT, wants.accept());
        if let Some(key) = key {
            request = request.header(AUTHORIZATION, key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        match request.send().await {
            Ok(response) => self.read(response, wants).await,
            Err(error) => Err(transport::unanswered(
                &self.host(),
                self.endpoint.idle,
                CONNECT_LIMIT,
                &error,
            )),
        }
    }

    fn client(&mut self, url: &Url) -> Result<Client, Fault> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let client = build(url, self.endpoint.idle)?;
        self.client = Some(client.clone());
        Ok(client)
    }

    async fn read(&self, response: Response, wants: Wants) -> Result<Answer, Miss> {
        let status = response.status().as_u16();
        if status != 200 {
            return Err(self.turned_away(response, status).await);
        }
        let kind = response.headers().get(CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_unnamed = kind.is_empty();
        let kind = kind.to_ascii_lowercase();
        if kind.contains("event-stream") || (is_unnamed && wants == Wants::Events) {
            let inner = events(response.bytes_stream());
            let (host, idle) = (self.host(), self.endpoint.idle);
            return Ok(Answer::Events(Events { inner, host, idle }));
        }
        if kind.contains("json") || is_unnamed {
            return Ok(Answer::Whole(self.whole(response).await?));
        }
        let body = start_of(response).await;
        let why = format!("its content type is {kind}");
        let fault = fault::unreadable(&self.host(), &why, &body);
        Err(Miss::last(fault, Sent::Perhaps))
    }

    async fn whole(&self, response: Response) -> Result<String, Miss> {
        let mut pieces = response.bytes_stream();
        let mut body = Vec::new();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| {
                transport::broke(
                    &self.host(),
                    self.endpoint.idle,
                    &Broken::Transport(error.into()),
                )
            })?;
            if body.len() + piece.len() > ANSWER_LIMIT {
                let too_large = Broken::AnswerTooLarge;
                return Err(transport::broke(
                    &self.host(),
                    self.endpoint.idle,
                    &too_large,
                ));
            }
            body.extend_from_slice(&piece);
        }
        String::from_utf8(body).map_err(|_| {
            let fault = fault::unreadable(&self.host(), "it is not UTF-8", "?");
            Miss::last(fault, Sent::Perhaps)
        })
    }

    async fn turned_away(&self, response: Response, status: u16) -> Miss {
        let pause = asked(response.headers(), Timestamp::now());
        let place = response.headers().get(LOCATION);
        let place = place.and_then(|place| place.to_str().ok().map(str::to_owned));
        let body = start_of(response).await;
        let said = place
            .filter(|_| (300..400).contains(&status))
            .unwrap_or(body);
        let sent = match status {
            429 => Sent::No,
            300..=499 if status != 408 => Sent::Refused,
            _ => Sent::Perhaps,
        };
        let again = match status {
            429 | 500 | 502 | 503 | 504 => pause.map_or(Again::Soon, Again::After),
            _ => Again::No,
        };
        Miss {
            fault: fault::refused(&self.host(), status, &said),
            sent,
            again,
        }
    }
}

/// What kind of answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wants {
    Json,
    Events,
}

impl Wants {
    /// The body says it: `"stream": true`.
    fn of(body: Option<&Value>) -> Self {
        let streams = body.and_then(|body| body.get("stream"));
        if streams == Some(&Value::Bool(true)) {
            Self::Events
        } else {
            Self::Json
        }
    }

    const fn accept(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Events => "text/event-stream",
        }
    }
}

/// The events of one answer.
pub(super) struct Events {
    inner: BoxStream<'static, Result<Event, Broken>>,
    host: String,
    idle: Duration,
}

impl Events {
    /// The next event; `None` once the server has closed the answer.
    pub async fn next(&mut self) -> Result<Option<Event>, Miss> {
        match self.inner.next().await {
            None => Ok(None),
            Some(Ok(event)) => Ok(Some(event)),
            Some(Err(broken)) => Err(transport::broke(&self.host, self.idle, &broken)),
        }
    }
}

fn build(url: &Url, idle: Duration) -> Result<Client, Fault> {
    // Already installed if the program has built another client before.
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    let plain = || {
        let builder = Client::builder()
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .connect_timeout(CONNECT_LIMIT)
            .read_timeout(idle);
        // A proxy is of no use on the way to this machine itself.
        if is_loopback(url) {
            builder.no_proxy()
        } else {
            builder
        }
    };
    // No certificate is ever looked at on the way to this machine itself: none are read, and none are kept.
    if is_loopback(url) && url.scheme() == "http" {
        let built = plain().tls_certs_only([]).build();
        return built.map_err(|error| transport::no_client(&error));
    }
    match plain().build() {
        Ok(client) => Ok(client),
        // No certificates on this machine: none are needed without TLS.
        Err(_) if url.scheme() == "http" => plain()
            .tls_certs_only([])
            .build()
            .map_err(|error| transport::no_client(&error)),
        Err(error) => Err(transport::no_client(&error)),
    }
}

/// The beginning of a body that is only going to be quoted.
async fn start_of(response: Response) -> String {
    let mut pieces = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(Ok(piece)) = pieces.next().await {
        body.extend_from_slice(&piece);
        if body.len() >= REFUSAL_LIMIT {
            body.truncate(REFUSAL_LIMIT);
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}
