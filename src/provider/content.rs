//! A message's content as text.
//!
//! Owns what becomes of the kinds of content that are not text: a link is written out, an unknown
//! kind is handed on as it came.

use super::Streamed;
use indexmap::IndexSet;
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt::Write;
use std::hash::Hash;

/// One run of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run {
    Text(String),
    Thinking(String),
    Unknown { kind: String, raw: String },
}

/// The runs of a content that is a string, a chunk or a list of chunks.
pub fn runs(content: &Value) -> Vec<Run> {
    match content {
        Value::Null => Vec::new(),
        Value::String(text) => vec![Run::Text(text.clone())],
        Value::Array(chunks) => chunks.iter().flat_map(runs).collect(),
        Value::Object(_) => vec![chunk(content)],
        Value::Bool(_) | Value::Number(_) => vec![unknown(content)],
    }
}

fn chunk(chunk: &Value) -> Run {
    let kind = text(chunk, "type").unwrap_or("text");
    let known = match kind {
        "text" | "output_text" => text(chunk, "text").map(str::to_owned),
        "thinking" => return thinking(chunk),
        "image_url" => address(chunk, "image_url").map(|url| link("image", url)),
        "document_url" => address(chunk, "document_url")
            .map(|url| link(text(chunk, "document_name").unwrap_or("document"), url)),
        "tool_reference" => reference(chunk),
        "reference" => chunk.get("reference_ids").map(references),
        "tool_file" => file(chunk),
        _ => None,
    };
    known.map_or_else(|| unknown(chunk), Run::Text)
}

fn thinking(chunk: &Value) -> Run {
    let mut thought = String::new();
    for run in chunk.get("thinking").map(runs).unwrap_or_default() {
        match run {
            Run::Text(text) | Run::Thinking(text) => thought.push_str(&text),
            Run::Unknown { raw, .. } => thought.push_str(&raw),
        }
    }
    Run::Thinking(thought)
}

fn reference(chunk: &Value) -> Option<String> {
    let title = text(chunk, "title").or_else(|| text(chunk, "tool"))?;
    Some(match text(chunk, "url") {
        Some(url) => link(title, url),
        None => format!(" ({title})"),
    })
}

fn references(ids: &Value) -> String {
    let mut list = String::new();
    for id in ids.as_array().into_iter().flatten() {
        let comma = if list.is_empty() { "" } else { ", " };
        // Writing to a string cannot fail.
        write!(list, "{comma}{id}").ok();
    }
    format!(" (references {list})")
}

fn file(chunk: &Value) -> Option<String> {
    let id = text(chunk, "file_id")?;
    Some(match text(chunk, "file_name") {
        Some(name) => format!(" (file {name}, {id})"),
        None => format!(" (file {id})"),
    })
}

/// An address that stands by itself or in an object under `url`.
fn address<'a>(chunk: &'a Value, name: &str) -> Option<&'a str> {
    let value = chunk.get(name)?;
    value.as_str().or_else(|| text(value, "url"))
}

fn link(title: &str, url: &str) -> String {
    format!(" ({title} <{url}>)")
}

fn text<'a>(chunk: &'a Value, name: &str) -> Option<&'a str> {
    chunk.get(name)?.as_str()
}

fn unknown(chunk: &Value) -> Run {
    Run::Unknown {
        kind: text(chunk, "type").unwrap_or("content").to_owned(),
        raw: chunk.to_string(),
    }
}

/// The exact text of a call's arguments, which come as a string of JSON or as JSON itself. A tool
/// without parameters is often called with nothing at all.
pub(super) fn arguments(raw: Option<&RawValue>) -> String {
    let Some(raw) = raw else {
        return String::new();
    };
    match serde_json::from_str::<Value>(raw.get()) {
        Ok(Value::String(text)) => text,
        Ok(Value::Null) => String::new(),
        Ok(_) | Err(_) => raw.get().to_owned(),
    }
}

/// Arguments once they are whole: none are an empty object.
pub(super) fn settled(arguments: String) -> String {
    if arguments.trim().is_empty() {
        "{}".to_owned()
    } else {
        arguments
    }
}

/// Whether a piece is said or thought: the two are different parts of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Voice {
    Said,
    Thought,
    Tool,
}

/// Numbers the parts of one response in the order they began.
#[derive(Debug)]
pub(super) struct Parts<K>(IndexSet<(K, Voice)>);

impl<K: Hash + Eq> Parts<K> {
    pub fn new() -> Self {
        Self(IndexSet::new())
    }

    pub fn number(&mut self, key: K, voice: Voice) -> usize {
        self.0.insert_full((key, voice)).0
    }

    /// A run as it is streamed; nothing for an empty one.
    pub fn streamed(&mut self, key: K, run: Run) -> Option<Streamed> {
        match run {
            Run::Text(piece) | Run::Thinking(piece) if piece.is_empty() => None,
            Run::Text(piece) => Some(Streamed::Text {
                part: self.number(key, Voice::Said),
                piece,
            }),
            Run::Thinking(piece) => Some(Streamed::Thinking {
                part: self.number(key, Voice::Thought),
                piece,
            }),
            Run::Unknown { kind, raw } => Some(Streamed::Unknown { kind, raw }),
        }
    }
}
