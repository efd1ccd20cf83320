//! Telling somebody outside of this terminal that calls wait.
//!
//! Owns one request at a time, which the loop never waits for. What is sent are numbers and the ids of
//! sessions: nothing that a model, a tool or a file wrote. A failure is told once, until it works again.

use futures::future::BoxFuture;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde_json::{Value, json};
use std::time::Duration;

use crate::app::attention::Waits;
use crate::config::attention::Webhook;
use crate::config::sources::Sources;

const CONNECT: Duration = Duration::from_secs(5);
const WHOLE: Duration = Duration::from_secs(15);

/// The way outside, if one is configured.
pub(super) struct Outside {
    hook: Option<Hook>,
    under_way: Option<BoxFuture<'static, Result<(), String>>>,
    /// What came meanwhile; only the newest is worth telling.
    next: Option<Waits>,
    /// The last failure was told.
    told: bool,
}

#[derive(Clone)]
struct Hook {
    url: String,
    key: Option<String>,
}

impl Outside {
    pub(super) fn new(webhook: Option<&Webhook>, sources: &Sources) -> Self {
        let hook = webhook.map(|webhook| Hook {
            url: webhook.url.clone(),
            key: webhook
                .key_env
                .as_deref()
                .and_then(|name| sources.variable(name))
                .map(ToOwned::to_owned),
        });
        Self {
            hook,
            under_way: None,
            next: None,
            told: false,
        }
    }

    pub(super) fn tell(&mut self, waits: Waits) {
        if self.under_way.is_some() {
            self.next = Some(waits);
        } else if let Some(hook) = self.hook.clone() {
            self.under_way = Some(Box::pin(post(hook, body(&waits))));
        }
    }

    /// Waits for a failure that has not been told yet. May be dropped at any time.
    pub(super) async fn failed(&mut self) -> String {
        loop {
            let ended = match &mut self.under_way {
                Some(under_way) => under_way.await,
                None => std::future::pending().await,
            };
            self.under_way = None;
            if let Some(next) = self.next.take() {
                self.tell(next);
            }
            let told = std::mem::replace(&mut self.told, ended.is_err());
            if let Err(why) = ended
                && !told
            {
                return why;
            }
        }
    }
}

fn body(waits: &Waits) -> Value {
    let session = |(id, waiting): &(crate::core::call::SessionId, usize)| json!({ "session": id, "waiting": waiting });
    let sessions: Vec<_> = waits.sessions.iter().map(session).collect();
    json!({
        "program": "countersign",
        "waiting": waits.waiting,
        "oldest_seconds": waits.oldest,
        "sessions": sessions,
    })
}

async fn post(hook: Hook, body: Value) -> Result<(), String> {
    let host = Url::parse(&hook.url)
        .ok()
        .and_then(|url| url.host_str().map(ToOwned::to_owned))
        .unwrap_or_default();
    let failed = |why: String| {
        tracing::warn!(host, why, "nobody outside could be told that calls wait");
        format!("{host} could not be told that calls wait: {why}; see attention.webhook")
    };
    // Fails if there is one already, which serves as well.
    rustls::crypto::ring::default_provider()
        .install_default()
        .ok();
    let client = Client::builder()
        .connect_timeout(CONNECT)
        .timeout(WHOLE)
        .redirect(Policy::none())
        .build()
        .map_err(|error| failed(error.without_url().to_string()))?;
    let mut request = client.post(&hook.url).json(&body);
    if let Some(key) = &hook.key {
        request = request.bearer_auth(key);
    }
    let answer = request
        .send()
        .await
        .map_err(|error| failed(error.without_url().to_string()))?;
    let status = answer.status();
    if status.is_success() {
        Ok(())
    } else {
        Err(failed(format!("it answered {status}")))
    }
}
