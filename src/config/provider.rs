//! `[providers.*]`: where models are reached.

use indexmap::{IndexMap, IndexSet};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use super::Place;
use super::mistake::listed;
use crate::core::reading::{Field, Member, Section};

/// Where an agent's answers come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderChoice {
    /// Mistral's Conversations API.
    Mistral(Endpoint),
    /// Any OpenAI-compatible `/chat/completions`.
    OpenAi(Endpoint),
    /// A model that follows a written scenario.
    Script(Scenario),
}

/// A model's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Without a slash at its end.
    pub base_url: String,
    /// The environment variable that holds the key; `None` if no key is sent.
    pub api_key_env: Option<String>,
    /// Silence for this long means that the connection is lost.
    pub read_timeout: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scenario {
    BuiltIn,
    /// Absolute.
    File(PathBuf),
}

/// The tables by name. `None` for one with a mistake: its name is known all the same.
pub(super) type Providers = IndexMap<String, Option<ProviderChoice>>;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Mistral,
    OpenAi,
    Script,
}

const KINDS: &[(&str, Kind)] = &[
    ("mistral", Kind::Mistral),
    ("openai", Kind::OpenAi),
    ("script", Kind::Script),
];

const READ_TIMEOUT: Duration = Duration::from_mins(2);
const READ_TIMEOUTS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(1);

/// An API's usual address, and whose key may be sent there without being named.
struct Vendor {
    base_url: &'static str,
    domain: &'static str,
    api_key_env: &'static str,
}

const MISTRAL: Vendor = Vendor {
    base_url: "https://api.mistral.ai",
    domain: "mistral.ai",
    api_key_env: "MISTRAL_API_KEY",
};
const OPENAI: Vendor = Vendor {
    base_url: "https://api.openai.com/v1",
    domain: "openai.com",
    api_key_env: "OPENAI_API_KEY",
};

/// The configured providers, and the three that need no table.
pub(super) fn read(members: &[Member<'_>], place: Place<'_>) -> Providers {
    let mut providers: Providers = KINDS
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), Some(usual(*kind))))
        .collect();
    for member in members {
        providers.insert(member.name.to_owned(), provider(member, place));
    }
    providers
}

/// The scenarios that providers follow, each once, in the order of the file.
pub(super) fn scenarios(providers: &Providers) -> impl Iterator<Item = Scenario> {
    let all: IndexSet<Scenario> = providers
        .values()
        .flatten()
        .filter_map(|provider| match provider {
            ProviderChoice::Script(scenario) => Some(scenario.clone()),
            ProviderChoice::Mistral(_) | ProviderChoice::OpenAi(_) => None,
        })
        .collect();
    all.into_iter()
}

/// The variables that hold keys, each once. The vendors' usual ones count even where no provider uses
/// them: they may be set all the same.
pub(super) fn key_variables(providers: &Providers) -> Vec<String> {
    let named = providers
        .values()
        .flatten()
        .filter_map(|provider| match provider {
            ProviderChoice::Mistral(endpoint) | ProviderChoice::OpenAi(endpoint) => {
                endpoint.api_key_env.as_deref()
            }
            ProviderChoice::Script(_) => None,
        });
    let all: BTreeSet<&str> = named
        .chain([MISTRAL.api_key_env, OPENAI.api_key_env])
        .collect();
    all.into_iter().map(str::to_owned).collect()
}

fn usual(kind: Kind) -> ProviderChoice {
    match kind {
        Kind::Mistral => ProviderChoice::Mistral(MISTRAL.endpoint()),
        Kind::OpenAi => ProviderChoice::OpenAi(OPENAI.endpoint()),
        Kind::Script => ProviderChoice::Script(Scenario::BuiltIn),
    }
}

fn provider(member: &Member<'_>, place: Place<'_>) -> Option<ProviderChoice> {
    let mut section = member.field.section()?;
    let kind = kind(member, &mut section)?;
    let choice = match kind {
        Kind::Mistral => endpoint(&mut section, &MISTRAL).map(ProviderChoice::Mistral),
        Kind::OpenAi => endpoint(&mut section, &OPENAI).map(ProviderChoice::OpenAi),
        Kind::Script => scenario(&mut section, place).map(ProviderChoice::Script),
    };
    section.finish();
    choice
}

/// `kind`, or the table's name where that is one.
fn kind(member: &Member<'_>, section: &mut Section<'_>) -> Option<Kind> {
    if let Some(field) = section.field("kind") {
        return field.one_of(KINDS);
    }
    let named = KINDS.iter().find(|(name, _)| *name == member.name);
    if named.is_none() {
        let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        let what = format!("{} has no \"kind\"", section.path());
        let todo = format!("set it to {}", listed(&kinds));
        section.mistakes().add(&member.span, what, todo);
    }
    named.map(|(_, kind)| *kind)
}

fn endpoint(section: &mut Section<'_>, vendor: &Vendor) -> Option<Endpoint> {
    let base_url = section.field("base_url").map(|field| base_url(&field));
    let api_key_env = section.field("api_key_env").map(|field| variable(&field));
    let read_timeout = section
        .field("read_timeout")
        .map(|field| field.duration(READ_TIMEOUTS));
    let (base_url, host) = match base_url {
        Some(given) => given?,
        None => (vendor.base_url.to_owned(), vendor.domain.to_owned()),
    };
    let api_key_env = match api_key_env {
        Some(given) => Some(given?).filter(|name| !name.is_empty()),
        None => vendor.key_for(&host),
    };
    Some(Endpoint {
        base_url,
        api_key_env,
        read_timeout: read_timeout.unwrap_or(Some(READ_TIMEOUT))?,
    })
}

/// The address without a slash at its end, and its host.
fn base_url(field: &Field<'_>) -> Option<(String, String)> {
    let text = field.words()?;
    let todo = "write one such as \"https://api.mistral.ai\"";
    let url = match reqwest::Url::parse(text) {
        Ok(url) => url,
        Err(error) => {
            field.mistake(&format!("is no address: {error}"), todo);
            return None;
        }
    };
    let fault = if !matches!(url.scheme(), "http" | "https") {
        Some("must begin with http:// or https://")
    } else if !url.username().is_empty() || url.password().is_some() {
        Some("must not hold a password")
    } else if url.query().is_some() || url.fragment().is_some() {
        Some("must end with its path")
    } else {
        None
    };
    if let Some(what) = fault {
        field.mistake(what, todo);
        return None;
    }
    let host = url.host_str().unwrap_or_default().to_owned();
    Some((text.trim_end_matches('/').to_owned(), host))
}

/// `""` means that no key is sent.
fn variable(field: &Field<'_>) -> Option<String> {
    let name = field.text()?;
    let sound = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !sound {
        // A key put here by mistake must not be printed.
        let what = "is no name of an environment variable";
        field.mistake(what, "name the variable that holds the key, not the key");
        return None;
    }
    Some(name.to_owned())
}

fn scenario(section: &mut Section<'_>, place: Place<'_>) -> Option<Scenario> {
    let Some(field) = section.field("scenario") else {
        return Some(Scenario::BuiltIn);
    };
    let written = field.words()?;
    let file = place.folder.join(written);
    if !file.is_file() {
        let what = format!("names no file: {written:?}");
        field.mistake(
            &what,
            "correct the path, which counts from this file's folder",
        );
        return None;
    }
    Some(Scenario::File(file))
}

impl Vendor {
    fn endpoint(&self) -> Endpoint {
        Endpoint {
            base_url: self.base_url.to_owned(),
            api_key_env: Some(self.api_key_env.to_owned()),
            read_timeout: READ_TIMEOUT,
        }
    }

    /// A vendor's key goes to the vendor's own hosts unless the file says otherwise.
    fn key_for(&self, host: &str) -> Option<String> {
        let own = host == self.domain
            || host
                .strip_suffix(self.domain)
                .is_some_and(|rest| rest.ends_with('.'));
        own.then(|| self.api_key_env.to_owned())
    }
}
