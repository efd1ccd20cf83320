//! What a server's refusal comes to, in one line for the operator.
//!
//! Owns the shapes that error answers have in the field, and the words. Sends nothing and decides
//! nothing about repeating a request beyond whether it makes sense.

use super::Fault;
use reqwest::StatusCode;
use serde_json::Value;

/// Longest excerpt of a server's own words.
const EXCERPT: usize = 300;
/// Faults of single fields that are named; more would not help on one line.
const FIELDS_NAMED: usize = 3;

/// The server answered with a status other than 200.
pub fn refused(host: &str, status: u16, body: &str) -> Fault {
    let reason = StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .unwrap_or_default();
    let mut what = format!("{host} answered {status} {reason}");
    what.truncate(what.trim_end().len());
    if let Some(said) = said(body).filter(|said| !said.eq_ignore_ascii_case(reason)) {
        what.push_str(": ");
        what.push_str(said.trim_end_matches('.'));
    }
    what.push_str(". ");
    what.push_str(advice(status));
    Fault {
        what,
        retry: is_passing(status),
    }
}

/// The server reported a failure inside a response that had begun.
pub fn reported(host: &str, code: Option<u16>, message: &str) -> Fault {
    let retry = code.is_none_or(|code| code < 400 || is_passing(code));
    let code = code.map(|code| format!(" {code}")).unwrap_or_default();
    let message = excerpt(message);
    let message = message.trim_end_matches('.');
    let advice = if retry {
        "Retry."
    } else {
        "Change what is sent, or begin a new session."
    };
    Fault {
        what: format!(
            "{host} broke its answer off with error{code}: {message}. Nothing of it was run. {advice}"
        ),
        retry,
    }
}

/// The status said success, and what came is not what this program can read.
pub fn unreadable(host: &str, why: &str, body: &str) -> Fault {
    let what = match said(body) {
        Some(said) if looks_like_html(body) => {
            format!("{host} answered with {said} instead of a model's answer.")
        }
        Some(said) => format!(
            "{host} answered something unreadable ({}): {said}.",
            excerpt(why)
        ),
        None => format!("{host} answered with nothing at all."),
    };
    Fault {
        what: format!("{what} Nothing of it was run. Check base_url, then retry."),
        retry: true,
    }
}

/// The answer ended before it was complete.
pub fn cut(host: &str, why: &str) -> Fault {
    Fault {
        what: format!("The answer of {host} was cut ({why}). Nothing of it was run. Retry."),
        retry: true,
    }
}

/// Whether a status speaks of a state that passes by itself.
pub const fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504 | 529)
}

const fn advice(status: u16) -> &'static str {
    match status {
        300..=399 => "The service is somewhere else: set base_url to its final address.",
        401 => "Check the API key in the variable that api_key_env names.",
        402 => "Check the account's plan and billing.",
        403 => "Check that this key may use this model, and that no guardrail objects.",
        404 => "Check base_url and the model's name; a conversation may also have been deleted.",
        405 => "Check base_url: there is something else at this address.",
        413 => "The request is too large: begin a new session, or give the model less.",
        422 => "Check the agent's tools, server_tools and model.",
        408 | 429 => "Wait a little, then retry.",
        500..=599 => "The fault is on the server's side: retry in a while.",
        _ => "Change what is sent, or begin a new session.",
    }
}

/// What the server said, whatever it wrapped it in. `None` for an empty body.
fn said(body: &str) -> Option<String> {
    if let Ok(value) = serde_json::from_str::<Value>(body) {
        return in_envelope(&value).or_else(|| Some(excerpt(body)));
    }
    if looks_like_html(body) {
        return Some(match title(body) {
            Some(title) => format!("a web page (\"{}\")", excerpt(title)),
            None => "a web page".to_owned(),
        });
    }
    Some(excerpt(body)).filter(|text| !text.is_empty())
}

fn in_envelope(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(excerpt(text)).filter(|text| !text.is_empty()),
        Value::Array(items) => listed(items),
        Value::Object(fields) => ["message", "detail", "error", "msg"]
            .iter()
            .find_map(|name| fields.get(*name).and_then(in_envelope)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The faults of single fields, as validators list them.
fn listed(items: &[Value]) -> Option<String> {
    let named: Vec<_> = items.iter().take(FIELDS_NAMED).filter_map(field).collect();
    let more = items.len().saturating_sub(FIELDS_NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    let text = named.into_iter().chain(more).collect::<Vec<_>>().join("; ");
    Some(text).filter(|text| !text.is_empty())
}

fn field(item: &Value) -> Option<String> {
    let message = in_envelope(item)?;
    let place: Vec<_> = item
        .get("loc")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|step| step.as_str().map_or_else(|| step.to_string(), excerpt))
        .collect();
    if place.is_empty() {
        return Some(message);
    }
    Some(format!("{}: {message}", excerpt(&place.join("."))))
}

fn looks_like_html(body: &str) -> bool {
    let start = body.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    let start: String = start.chars().take(14).collect();
    let start = start.to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html") || start.starts_with("<head")
}

fn title(body: &str) -> Option<&str> {
    let lower = body.to_ascii_lowercase();
    let from = lower.find("<title>")? + "<title>".len();
    let to = from + lower[from..].find("</title>")?;
    Some(body[from..to].trim()).filter(|title| !title.is_empty())
}

/// One line of at most `EXCERPT` characters.
pub fn excerpt(text: &str) -> String {
    let mut line = String::new();
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    for word in words.filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(EXCERPT + 1));
        if line.chars().count() > EXCERPT {
            let mut short: String = line.chars().take(EXCERPT).collect();
            short.push('…');
            return short;
        }
    }
    line
}
