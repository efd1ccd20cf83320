//! Events sent to an address, one request each.

use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

use super::inbox::Inbox;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Requests for one event at the most, and the pause after the first that failed.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);
const AGENT: &str = concat!("countersign/", env!("CARGO_PKG_VERSION"));

/// An address that takes events.
#[derive(Debug, Clone)]
pub struct Webhook {
    pub url: String,
    /// Sent along, such as a token.
    pub header: Option<(HeaderName, HeaderValue)>,
}

impl Webhook {
    pub(super) fn run(self, inbox: Inbox) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => return tracing::error!(%error, "events cannot be sent"),
        };
        match client(&self.url) {
            Ok(client) => runtime.block_on(self.send_all(&client, inbox)),
            Err(error) => {
                tracing::error!(%error, "events cannot be sent: there can be no connection");
            }
        }
    }

    async fn send_all(self, client: &Client, mut inbox: Inbox) {
        let mut failing = false;
        while let Some(line) = inbox.next().await {
            match self.send(client, &line.text).await {
                Ok(()) => failing = false,
                Err(why) => {
                    // Once for each time that it begins to fail.
                    if !failing {
                        tracing::warn!(%why, "an event could not be sent");
                    }
                    failing = true;
                    inbox.lose(&line);
                }
            }
        }
    }

    async fn send(&self, client: &Client, line: &Arc<str>) -> Result<(), String> {
        let mut pause = PAUSE;
        let mut tried = 1;
        loop {
            let (why, again) = match self.post(client, line).await {
                Ok(status) if status.is_success() => return Ok(()),
                Ok(status) => (format!("it answered {status}"), is_passing(status)),
                // Its words may hold the address, and that a token.
                Err(error) => (error.without_url().to_string(), true),
            };
            if !again || tried == TRIES {
                return Err(why);
            }
            sleep(pause).await;
            pause *= 2;
            tried += 1;
        }
    }

    async fn post(&self, client: &Client, line: &Arc<str>) -> reqwest::Result<StatusCode> {
        let mut request = client
            .post(&self.url)
            .header(CONTENT_TYPE, "application/json")
            .body(line.to_string());
        if let Some((name, value)) = &self.header {
            request = request.header(name, value);
        }
        Ok(request.send().await?.status())
    }
}

/// Whether the same request may do better a moment later.
fn is_passing(status: StatusCode) -> bool {
    status.is_server_error()
        || matches!(
            status,
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS
        )
}

/// Redirects are not followed: the header is for this address only.
fn client(url: &str) -> reqwest::Result<Client> {
    // Fails if there is one already, which serves as well.
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    let url = Url::parse(url).ok();
    let plain = || {
        let builder = Client::builder()
            .user_agent(AGENT)
            .timeout(TIMEOUT)
            .redirect(Policy::none());
        // A proxy is of no use on the way to this machine itself.
        if url.as_ref().is_some_and(is_here) {
            builder.no_proxy()
        } else {
            builder
        }
    };
    match plain().build() {
        // No certificates on this machine: none are needed without TLS.
        Err(_) if url.as_ref().is_some_and(|url| url.scheme() == "http") => {
            plain().tls_certs_only([]).build()
        }
        built => built,
    }
}

fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address = bare.parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}
