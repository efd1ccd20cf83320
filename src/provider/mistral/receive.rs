//! The reading of a response, whole or streamed.
//!
//! Owns when a response is complete: whole JSON, or a stream up to the event that says so. Remembers
//! nothing.

use super::entry::{Item, View};
use super::response::{Complete, Response};
use crate::provider::link::{Answer, Events};
use crate::provider::retry::{Miss, Sent};
use crate::provider::{Streamed, fault, tell};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

/// The body of a response that came whole.
#[derive(Deserialize)]
struct Whole<'a> {
    conversation_id: String,
    #[serde(borrow)]
    outputs: Vec<&'a RawValue>,
}

/// The conversation's id and its response. `known` is the id of a conversation that goes on.
pub(super) async fn response(
    host: &str,
    answer: Answer,
    known: Option<String>,
    out: &mpsc::Sender<Streamed>,
) -> Result<(String, Complete), Miss> {
    let (id, complete) = match answer {
        Answer::Whole(text) => whole(host, &text, out).await?,
        Answer::Events(events) => streamed(host, events, known, out).await?,
    };
    if !is_id(&id) {
        let why = "its conversation_id is not an id";
        let fault = fault::unreadable(host, why, &id);
        return Err(Miss::last(fault, Sent::Perhaps));
    }
    Ok((id, complete))
}

async fn whole(
    host: &str,
    text: &str,
    out: &mpsc::Sender<Streamed>,
) -> Result<(String, Complete), Miss> {
    let whole: Whole<'_> = serde_json::from_str(text).map_err(|error| {
        let fault = fault::unreadable(host, &error.to_string(), text);
        Miss::last(fault, Sent::Perhaps)
    })?;
    let mut response = Response::new();
    for (place, raw) in whole.outputs.into_iter().enumerate() {
        tell(response.take(Item::entry(raw, place)), out).await;
    }
    Ok((whole.conversation_id, response.finish()))
}

/// Reads events until the one that says the response is complete. Without it nothing counts.
async fn streamed(
    host: &str,
    mut events: Events,
    known: Option<String>,
    out: &mpsc::Sender<Streamed>,
) -> Result<(String, Complete), Miss> {
    let mut response = Response::new();
    let mut id = known;
    while let Some(event) = events.next().await? {
        let raw: &RawValue = serde_json::from_str(&event.data).map_err(|error| {
            let why = format!("an event is not JSON: {error}");
            Miss::last(fault::cut(host, &why), Sent::Perhaps)
        })?;
        let item = Item::event(raw, &event.kind);
        match &item.view {
            View::Started { conversation } => id = Some(conversation.clone()),
            View::Error { code, message } => {
                let fault = fault::reported(host, *code, message);
                return Err(Miss::last(fault, Sent::Perhaps));
            }
            View::Done => {
                let id = id.unwrap_or_default();
                return Ok((id, response.finish()));
            }
            View::Message { .. }
            | View::Call(_)
            | View::Tool(_)
            | View::Handoff { .. }
            | View::Input(_)
            | View::Unknown => tell(response.take(item), out).await,
        }
    }
    let why = "it ended without conversation.response.done";
    Err(Miss::last(fault::cut(host, why), Sent::Perhaps))
}

/// An id becomes a part of an address, so it may hold nothing that leads elsewhere.
pub(super) fn is_id(id: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !id.is_empty() && id.len() <= 200 && id.chars().all(is_plain)
}
