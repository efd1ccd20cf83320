//! `[attention]`: how an operator who looks elsewhere is called.
//!
//! Owns the guess of what this terminal understands, from the environment alone.

use reqwest::Url;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::sources::Sources;
use crate::core::attention::{Call, Through, Unknown};
use crate::core::reading::{Field, Section};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attention {
    /// `None`: the terminal does not call.
    pub notify: Option<Call>,
    /// At least this long lies between two calls.
    pub every: Duration,
    pub unknown: Unknown,
    pub title: Title,
    pub through: Through,
    pub webhook: Option<Webhook>,
}

/// Whether the terminal's title says how many calls wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Title {
    Shown,
    LeftAlone,
}

/// Who is told outside of this terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub url: String,
    /// Calls must have waited for so long, while no key was pressed.
    pub after: Duration,
    /// The variable whose value is sent as a bearer token.
    pub key_env: Option<String>,
}

const EVERY: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(1);
const AFTER: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(24);
const USUAL_EVERY: Duration = Duration::from_secs(10);
const USUAL_AFTER: Duration = Duration::from_mins(1);

/// What a name in the file stands for.
#[derive(Debug, Clone, Copy)]
enum Named {
    Auto,
    Off,
    Call(Call),
}

const NOTIFY: &[(&str, Named)] = &[
    ("auto", Named::Auto),
    ("off", Named::Off),
    ("bell", Named::Call(Call::Bell)),
    ("osc9", Named::Call(Call::Osc9)),
    ("osc777", Named::Call(Call::Osc777)),
    ("osc99", Named::Call(Call::Osc99)),
];

const UNKNOWN: &[(&str, Unknown)] = &[
    ("idle", Unknown::Idle),
    ("away", Unknown::Away),
    ("here", Unknown::Here),
];

impl Attention {
    /// What counts where the file says nothing.
    pub fn usual(sources: &Sources) -> Self {
        Self {
            notify: Some(guess(sources)),
            every: USUAL_EVERY,
            unknown: Unknown::default(),
            title: Title::Shown,
            through: through(sources),
            webhook: None,
        }
    }
}

/// `None` if there is a mistake in it.
pub(super) fn read(root: &mut Section<'_>, sources: &Sources) -> Option<Attention> {
    let usual = Attention::usual(sources);
    let Some(field) = root.field("attention") else {
        return Some(usual);
    };
    let mut section = field.section()?;
    let notify = section.field("notify").map(|field| field.one_of(NOTIFY));
    let every = section.field("every").map(|field| field.duration(EVERY));
    let unknown = section
        .field("unknown_focus")
        .map(|field| field.one_of(UNKNOWN));
    let title = section.field("title").map(|field| field.flag());
    let webhook = section.field("webhook").map(|field| webhook(&field));
    section.finish();
    Some(Attention {
        notify: match notify.unwrap_or(Some(Named::Auto))? {
            Named::Auto => usual.notify,
            Named::Off => None,
            Named::Call(call) => Some(call),
        },
        every: every.unwrap_or(Some(usual.every))?,
        unknown: unknown.unwrap_or(Some(usual.unknown))?,
        title: if title.unwrap_or(Some(true))? {
            Title::Shown
        } else {
            Title::LeftAlone
        },
        webhook: match webhook {
            Some(webhook) => Some(webhook?),
            None => None,
        },
        ..usual
    })
}

fn webhook(field: &Field<'_>) -> Option<Webhook> {
    let mut section = field.section()?;
    let todo = "write url = \"https://…\"";
    let url = section.required("url", todo).and_then(|field| url(&field));
    let after = section.field("after").map(|field| field.duration(AFTER));
    let key_env = section.field("key_env").map(|field| field.words());
    section.finish();
    Some(Webhook {
        url: url?,
        after: after.unwrap_or(Some(USUAL_AFTER))?,
        key_env: match key_env {
            Some(name) => Some(name?.to_owned()),
            None => None,
        },
    })
}

fn url(field: &Field<'_>) -> Option<String> {
    let text = field.text()?;
    let fits = |url: &Url| matches!(url.scheme(), "http" | "https");
    if Url::parse(text).is_ok_and(|url| fits(&url)) {
        return Some(text.to_owned());
    }
    field.mistake("is no http or https address", "write it in full");
    None
}

/// What this terminal is known to understand; the bell where nothing is known.
fn guess(sources: &Sources) -> Call {
    let is_set = |name| sources.variable(name).is_some();
    let term = sources.variable("TERM").unwrap_or_default();
    let program = sources
        .variable("LC_TERMINAL")
        .or_else(|| sources.variable("TERM_PROGRAM"))
        .unwrap_or_default();
    if is_set("KITTY_WINDOW_ID") || term.contains("kitty") {
        Call::Osc99
    } else if matches!(program, "iTerm2" | "iTerm.app" | "WezTerm" | "ghostty")
        || term.contains("ghostty")
    {
        Call::Osc9
    } else if is_set("VTE_VERSION") || term.starts_with("foot") || term.starts_with("rxvt") {
        Call::Osc777
    } else {
        Call::Bell
    }
}

fn through(sources: &Sources) -> Through {
    let term = sources.variable("TERM").unwrap_or_default();
    if sources.variable("TMUX").is_some() {
        Through::Tmux
    } else if sources.variable("STY").is_some() || term.starts_with("screen") {
        Through::Screen
    } else {
        Through::Nothing
    }
}
