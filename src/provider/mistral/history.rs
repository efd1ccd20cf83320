//! Whether a request whose answer was lost had arrived.
//!
//! Owns the reading of a conversation's history for that one question. Does no I/O.

use super::entry::{Input, Item, View};
use crate::provider::content::{Run, runs};
use crate::provider::{Append, Body};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A conversation's history.
#[derive(Debug, Deserialize)]
pub(super) struct History<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
}

/// What became of a request.
#[derive(Debug)]
pub(super) enum Found<'a> {
    Nothing,
    /// It arrived, and its answer is not complete: these are the entries so far.
    Unfinished(Vec<Item<'a>>),
    Answered(Vec<Item<'a>>),
}

impl<'a> History<'a> {
    /// Looks for `sent`, which followed a response made of the entries `seen`.
    pub fn find(&self, seen: &[String], sent: &Append) -> Found<'a> {
        let items = || {
            let places = self.entries.iter().enumerate();
            places.map(|(place, raw)| Item::entry(raw, place))
        };
        let Some(start) = start(items(), seen, sent) else {
            return Found::Nothing;
        };
        let last = items().skip(start).rfind(|item| is_of(item, sent));
        let outputs = |from: usize| -> Vec<Item<'a>> {
            items()
                .skip(from)
                .filter(|item| is_output(item, sent))
                .collect()
        };
        if let Some(last) = last {
            return judged(outputs(place_after(&last)));
        }
        if !sent.messages.is_empty() || has_results(sent) {
            return Found::Nothing;
        }
        // Confirmations leave no entry of their own: they show in the call and in what follows.
        let outputs = outputs(start);
        if outputs.is_empty() && !items().any(|item| is_confirmed(&item, sent)) {
            return Found::Nothing;
        }
        judged(outputs)
    }
}

/// The place after all that was there before `sent`; `None` if the history does not show it.
fn start<'a>(
    items: impl Iterator<Item = Item<'a>>,
    seen: &[String],
    sent: &Append,
) -> Option<usize> {
    items
        .filter(|item| seen.contains(&item.id) || asked(item, sent))
        .last()
        .map(|item| place_after(&item))
}

fn place_after(item: &Item<'_>) -> usize {
    usize::try_from(item.index).map_or(usize::MAX, |place| place.saturating_add(1))
}

/// Whether the item is a call that `sent` answers.
fn asked(item: &Item<'_>, sent: &Append) -> bool {
    let mut answers = sent.answers.iter();
    matches!(&item.view, View::Call(call) if answers.any(|answer| answer.call.0 == call.call))
}

/// Whether the item is a part of `sent`.
fn is_of(item: &Item<'_>, sent: &Append) -> bool {
    let View::Input(input) = &item.view else {
        return false;
    };
    match input {
        Input::Result { call } => sent.answers.iter().any(|answer| answer.call.0 == *call),
        Input::Message(content) => sent.messages.contains(&plain(content)),
    }
}

fn is_output(item: &Item<'_>, sent: &Append) -> bool {
    !matches!(item.view, View::Input(_)) && !asked(item, sent)
}

fn is_confirmed(item: &Item<'_>, sent: &Append) -> bool {
    let View::Call(call) = &item.view else {
        return false;
    };
    asked(item, sent) && matches!(call.status.as_deref(), Some("allowed" | "denied"))
}

fn has_results(sent: &Append) -> bool {
    let mut answers = sent.answers.iter();
    answers.any(|answer| matches!(answer.body, Body::Result(_)))
}

fn judged(outputs: Vec<Item<'_>>) -> Found<'_> {
    if outputs.is_empty() || outputs.iter().any(is_being_written) {
        Found::Unfinished(outputs)
    } else {
        Found::Answered(outputs)
    }
}

/// A call stays open until it is answered, so for a call this says nothing.
fn is_being_written(item: &Item<'_>) -> bool {
    let fields: Value = serde_json::from_str(item.raw.get()).unwrap_or_default();
    !matches!(item.view, View::Call(_)) && fields.get("completed_at") == Some(&Value::Null)
}

fn plain(content: &Value) -> String {
    let texts = runs(content).into_iter().filter_map(|run| match run {
        Run::Text(text) => Some(text),
        Run::Thinking(_) | Run::Unknown { .. } => None,
    });
    texts.collect()
}
