//! An address that a server is reached at, and what it says of a message that it does not take.
//!
//! Owns the one thing that the protocol's client does not do: a server that has lost its session refuses with
//! an error that names no request. Whoever waits for the answer is to know that it will not come.

use futures::stream::BoxStream;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::SseError;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use rmcp_sse::Sse;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::length::MESSAGE;

/// How often a stream that was cut is taken up again.
const STREAM_TRIES: usize = 3;
/// How such a refusal begins. A request that a server cannot even name has not been run.
const REFUSED: &str = "it does not take the message: ";

type Failed = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// The protocol's own client, with that.
#[derive(Debug, Clone)]
pub(super) struct Client(reqwest::Client);

impl StreamableHttpClient for Client {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let most = MESSAGE;
        self.post_message_with_max_sse_event_size(uri, message, session, auth, headers, most)
            .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let asks = matches!(message, ClientJsonRpcMessage::Request(_)) && session.is_some();
        let posted = self
            .0
            .post_message_with_max_sse_event_size(uri, message, session, auth, headers, most);
        match posted.await? {
            StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(error), _)
                if asks && error.id.is_none() =>
            {
                let why = format!("{REFUSED}{}", error.error.message);
                Err(Failed::UnexpectedServerResponse(Cow::Owned(why)))
            }
            posted => Ok(posted),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<(), Failed> {
        self.0.delete_session(uri, session, auth, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        self.0.get_stream(uri, session, last, auth, headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        auth: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        self.0
            .get_stream_with_max_sse_event_size(uri, session, last, auth, headers, most)
            .await
    }
}

/// The way there, with these headers.
pub(super) fn address(
    url: &str,
    headers: &[(String, String)],
) -> Result<StreamableHttpClientTransport<Client>, String> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let named = HeaderName::from_bytes(name.as_bytes());
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            format!("the value for the header {name} has characters that no header has")
        })?;
        value.set_sensitive(true);
        let named = named.map_err(|_| format!("{name:?} is no header"))?;
        map.insert(named, value);
    }
    // Fails if there is one already, which serves as well.
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    // A redirect could take the headers to somebody else.
    let client = reqwest::Client::builder()
        .default_headers(map)
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .build()
        .map_err(|error| format!("no connection can be made: {error}"))?;
    let mut retries = ExponentialBackoff::default();
    retries.max_times = Some(STREAM_TRIES);
    let mut config = StreamableHttpClientTransportConfig::with_uri(url)
        .max_sse_event_size(MESSAGE)
        // What a lost session was running is not to be sent again by itself.
        .reinit_on_expired_session(false);
    config.retry_config = Arc::new(retries);
    Ok(StreamableHttpClientTransport::with_client(
        Client(client),
        config,
    ))
}

/// Whether nothing of a request has reached the server, or it has refused to look at it: there was no
/// connection, or it knew no such session.
pub(super) fn was_never_sent(error: &(dyn std::error::Error + 'static)) -> bool {
    let connects = error
        .downcast_ref()
        .is_some_and(|error: &reqwest::Error| error.is_connect());
    let refused = match error.downcast_ref() {
        Some(Failed::SessionExpired) => true,
        Some(Failed::UnexpectedServerResponse(why)) => why.starts_with(REFUSED),
        // The enum is not ours, and open.
        Some(_) | None => false,
    };
    connects || refused
}
