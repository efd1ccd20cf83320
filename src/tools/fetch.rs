//! The `fetch` tool: GET one URL and return its text.
//!
//! Owns what is followed, how much is read and what counts as text. Does not judge addresses: the URL
//! is what the operator is asked about, and only its own host is ever contacted.

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, Url};
use serde::Deserialize;
use std::sync::OnceLock;
use std::time::Duration;

use super::{Job, Ran};

/// The most bytes read of an answer.
pub(super) const MOST: usize = 256 * 1024;
const TIMEOUT: Duration = Duration::from_secs(30);
const REDIRECTS: usize = 10;
const AGENT: &str = concat!("countersign/", env!("CARGO_PKG_VERSION"));

/// Made when first used: without certificates on the machine it cannot be made, and a console that
/// never fetches must start all the same.
#[derive(Debug, Default)]
pub(super) struct Fetcher(OnceLock<Client>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FetchArguments {
    url: String,
}

impl Fetcher {
    pub(super) async fn run(&self, job: &Job) -> Ran {
        let got = tokio::select! {
            biased;
            () = job.cancel.cancelled() => return Ran::Interrupted,
            got = self.get(job) => got,
        };
        match got {
            Ok(text) => Ran::Result(text),
            Err(why) => Ran::Failed(why),
        }
    }

    async fn get(&self, job: &Job) -> Result<String, String> {
        let wanted = FetchArguments::deserialize(job.arguments.value());
        let wanted =
            wanted.map_err(|error| format!("the arguments do not fit this tool: {error}"))?;
        let url = &wanted.url;
        let parsed = Url::parse(url).map_err(|error| format!("{url}: not a URL: {error}"))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(format!("{url}: only http and https are fetched"));
        }
        let response = self.client()?.get(parsed).send().await;
        describe(response.map_err(|error| failure(url, &error))?).await
    }

    fn client(&self) -> Result<&Client, String> {
        if let Some(client) = self.0.get() {
            return Ok(client);
        }
        // Fails if there is one already, which serves as well.
        rustls::crypto::ring::default_provider()
            .install_default()
            .ok();
        let made = Client::builder()
            .user_agent(AGENT)
            .timeout(TIMEOUT)
            .redirect(Policy::custom(follow))
            .build();
        let made = made.map_err(|error| format!("no connection can be made: {}", chain(&error)))?;
        Ok(self.0.get_or_init(|| made))
    }
}

/// Follows only where the operator's answer still fits: same host and port, and never from https to http.
fn follow(attempt: Attempt) -> reqwest::redirect::Action {
    let from = attempt.previous().last();
    let same = from.is_some_and(|from| {
        from.host() == attempt.url().host()
            && (from.port_or_known_default() == attempt.url().port_or_known_default()
                || is_upgrade(from, attempt.url()))
            && (from.scheme() == attempt.url().scheme() || is_upgrade(from, attempt.url()))
    });
    if same && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// From http to https at their usual ports.
fn is_upgrade(from: &Url, to: &Url) -> bool {
    from.scheme() == "http"
        && to.scheme() == "https"
        && from.port().is_none()
        && to.port().is_none()
}

async fn describe(response: Response) -> Result<String, String> {
    let (status, url) = (response.status(), response.url().clone());
    let kind = content_type(response.headers());
    let head = format!("{status}\n{url}\ncontent-type: {kind}\n");
    if let (true, Some(to)) = (status.is_redirection(), response.headers().get(LOCATION)) {
        let to = String::from_utf8_lossy(to.as_bytes());
        let note = "which was not followed: fetch it if it is wanted";
        return Ok(format!("{head}redirects to {to}, {note}\n"));
    }
    let read = body(response).await;
    let (body, rest) = read.map_err(|error| failure(url.as_str(), &error))?;
    let answer = format!("{head}\n{}", shown(&kind, &body, rest));
    if status.is_success() {
        Ok(answer)
    } else {
        Err(answer)
    }
}

/// The body as the model is given it.
fn shown(kind: &str, body: &[u8], rest: Rest) -> String {
    let text = is_text(kind) && !body.contains(&0);
    match (text, rest) {
        (true, Rest::None) => String::from_utf8_lossy(body).into_owned(),
        (true, Rest::Unread) => {
            let text = String::from_utf8_lossy(body);
            format!(
                "{text}\n[… more than {} KiB: the rest was not read …]",
                MOST / 1024
            )
        }
        (false, Rest::None) => format!("[binary content, {} bytes: not shown]", body.len()),
        (false, Rest::Unread) => {
            format!("[binary content, more than {} KiB: not shown]", MOST / 1024)
        }
    }
}

/// Whether an answer was longer than what was read of it.
#[derive(Clone, Copy)]
enum Rest {
    None,
    Unread,
}

/// The first bytes, and whether there are more.
async fn body(mut response: Response) -> reqwest::Result<(Vec<u8>, Rest)> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        let room = MOST - body.len();
        if piece.len() > room {
            body.extend_from_slice(&piece[..room]);
            return Ok((body, Rest::Unread));
        }
        body.extend_from_slice(&piece);
    }
    Ok((body, Rest::None))
}

fn content_type(headers: &HeaderMap) -> String {
    let found = headers
        .get(CONTENT_TYPE)
        .map(|kind| String::from_utf8_lossy(kind.as_bytes()));
    found.map_or_else(|| "not given".to_owned(), |kind| kind.to_ascii_lowercase())
}

fn is_text(kind: &str) -> bool {
    let plain = kind.split(';').next().unwrap_or(kind).trim();
    plain == "not given"
        || plain.starts_with("text/")
        || plain.ends_with("+json")
        || plain.ends_with("+xml")
        || matches!(
            plain,
            "application/json"
                | "application/xml"
                | "application/javascript"
                | "application/x-ndjson"
                | "application/yaml"
                | "application/toml"
                | "application/x-www-form-urlencoded"
        )
}

fn failure(url: &str, error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("{url}: no complete answer within {} s", TIMEOUT.as_secs());
    }
    format!("{url}: {}", chain(error))
}

/// An error with its causes: reqwest's own words leave out what went wrong.
fn chain(error: &reqwest::Error) -> String {
    let mut words = String::new();
    let mut next: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(cause) = next {
        if !words.is_empty() {
            words.push_str(": ");
        }
        words.push_str(&cause.to_string());
        next = cause.source();
    }
    if words.is_empty() {
        error.to_string()
    } else {
        words
    }
}
