//! Where a model's server is and how it is addressed.
//!
//! Owns the address, the key and the patience. Opens no connection.

use super::Fault;
use super::retry::Pace;
use reqwest::Url;
use reqwest::header::HeaderValue;
use std::fmt;
use std::time::Duration;

/// Text that never shows up in a log or an error.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A model's server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Paths are appended to it; a slash at its end does not matter.
    pub base_url: String,
    /// Local servers need none.
    pub api_key: Option<Secret>,
    /// How long the server may send nothing before it counts as hanging.
    pub idle: Duration,
    pub pace: Pace,
}

impl Endpoint {
    pub fn new(base_url: impl Into<String>, api_key: Option<Secret>) -> Self {
        Self {
            base_url: base_url.into(),
            api_key,
            idle: Duration::from_mins(2),
            pace: Pace::default(),
        }
    }

    /// The address of `path` below the base.
    pub(super) fn at(&self, path: &str) -> Result<Url, Fault> {
        let base = self.base_url.trim().trim_end_matches('/');
        let wrong = |why: &str| Fault {
            what: format!("base_url \"{base}\" is not an address ({why}). Correct it."),
            retry: false,
        };
        let url =
            Url::parse(&format!("{base}{path}")).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("it begins with neither http:// nor https://"));
        }
        Ok(url)
    }

    /// The `authorization` header. A key that already says `bearer` is sent as it is.
    pub(super) fn authorization(&self) -> Result<Option<HeaderValue>, Fault> {
        let Some(Secret(key)) = &self.api_key else {
            return Ok(None);
        };
        let key = key.trim();
        let is_whole = key
            .get(..7)
            .is_some_and(|start| start.eq_ignore_ascii_case("bearer "));
        let text = if is_whole {
            key.to_owned()
        } else {
            format!("Bearer {key}")
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| Fault {
            what: "The API key holds characters that no key has. Check the variable that api_key_env names."
                .to_owned(),
            retry: false,
        })?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

/// The server's name for messages: host and port.
pub(super) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or("the server");
    url.port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Whether the address is this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
