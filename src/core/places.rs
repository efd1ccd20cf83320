//! Where on the screen a place in the arguments is: from bytes of a string to bytes of its visible text.
//!
//! Owns the way through escapes, layout and what is written out. Does not draw.

use serde_json::value::RawValue;
use std::collections::HashMap;
use std::ops::Range;

use super::arguments::Arguments;
use super::fields;
use super::finding::Findings;
use super::locate;
use super::shown;

/// A range of one field's visible text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Which of the arguments' members.
    pub field: usize,
    pub range: Range<usize>,
}

/// The places of all findings that have one, in the order of the fields.
pub fn marks(arguments: &Arguments, findings: &Findings) -> Vec<Mark> {
    let mut of_strings: HashMap<&str, Vec<Range<usize>>> = HashMap::new();
    for place in findings.iter().filter_map(|finding| finding.place.as_ref()) {
        let ranges = of_strings.entry(&place.pointer).or_default();
        ranges.push(place.range.clone());
    }
    if of_strings.is_empty() {
        return Vec::new();
    }
    let members = fields::members(arguments.text());
    let mut marks = Vec::new();
    for (pointer, ranges) in of_strings {
        let Some((name, rest)) = split(pointer) else {
            continue;
        };
        let Some(field) = members.iter().position(|(member, _)| *member == name) else {
            continue;
        };
        let raw = members[field].1;
        let shown = if rest.is_empty() {
            of_text(raw, &ranges)
        } else {
            of_json(raw, rest, &ranges)
        };
        marks.extend(shown.into_iter().map(|range| Mark { field, range }));
    }
    marks.sort_by_key(|mark| (mark.field, mark.range.start, mark.range.end));
    marks
}

/// The first token of a pointer, and what follows it.
fn split(pointer: &str) -> Option<(String, &str)> {
    let tail = pointer.strip_prefix('/')?;
    let end = tail.find('/').unwrap_or(tail.len());
    let name = tail[..end].replace("~1", "/").replace("~0", "~");
    Some((name, &tail[end..]))
}

/// In a string that is shown as the characters it holds.
fn of_text(raw: &RawValue, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let Ok(text) = serde_json::from_str::<String>(raw.get()) else {
        return Vec::new();
    };
    mapped(ranges, |wanted| shown::strict_offsets(&text, wanted))
}

/// In a string somewhere within what is shown as JSON.
fn of_json(raw: &RawValue, pointer: &str, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let text = raw.get();
    let Some(start) = locate::pointer(text, pointer).filter(|at| text[*at..].starts_with('"'))
    else {
        return Vec::new();
    };
    let pretty = fields::pretty(text);
    mapped(ranges, |wanted| {
        let in_raw = raw_offsets(&text[start..], wanted);
        let in_raw: Vec<usize> = in_raw.into_iter().map(|at| start + at).collect();
        let in_pretty = laid_out(text, &pretty, &in_raw);
        shown::laid_out_offsets(&pretty, &in_pretty)
    })
}

/// Ranges put through a mapping of offsets, which wants them in rising order.
fn mapped(ranges: &[Range<usize>], map: impl FnOnce(&[usize]) -> Vec<usize>) -> Vec<Range<usize>> {
    let mut wanted: Vec<usize> = ranges.iter().flat_map(|r| [r.start, r.end]).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let found = map(&wanted);
    let to = |at: &usize| {
        let place = wanted.binary_search(at).ok()?;
        found.get(place).copied()
    };
    let range = |range: &Range<usize>| Some(to(&range.start)?..to(&range.end)?);
    ranges
        .iter()
        .filter_map(range)
        .filter(|range| !range.is_empty())
        .collect()
}

/// From bytes of a string's characters to bytes of the JSON that begins with it, quote included.
fn raw_offsets(json: &str, wanted: &[usize]) -> Vec<usize> {
    let mut found = Vec::with_capacity(wanted.len());
    let mut wanted = wanted.iter().peekable();
    let (mut held, mut at) = (0, 1);
    while let Some(c) = json[at..].chars().next().filter(|c| *c != '"') {
        while wanted.next_if(|wanted| **wanted <= held).is_some() {
            found.push(at);
        }
        let (raw, bytes) = unit(&json[at..], c);
        at += raw;
        held += bytes;
        if at >= json.len() {
            break;
        }
    }
    found.extend(wanted.map(|_| at.min(json.len())));
    found
}

/// The bytes that one character of a JSON string is written in, and those it holds.
fn unit(json: &str, first: char) -> (usize, usize) {
    if first != '\\' {
        return (first.len_utf8(), first.len_utf8());
    }
    let code = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    match code(0) {
        None => (2.min(json.len()), 1),
        Some(0xD800..=0xDBFF) if code(6).is_some() => (12, 4),
        Some(code) => (6, char::from_u32(code).map_or(3, char::len_utf8)),
    }
}

/// From bytes of a JSON text to bytes of the same text laid out: what is kept stands in the same order.
fn laid_out(text: &str, pretty: &str, wanted: &[usize]) -> Vec<usize> {
    let mut found = Vec::with_capacity(wanted.len());
    let mut wanted = wanted.iter().peekable();
    for (at, to) in kept(text).zip(kept(pretty)) {
        while wanted.next_if(|wanted| **wanted <= at).is_some() {
            found.push(to);
        }
        if wanted.peek().is_none() {
            break;
        }
    }
    found.extend(wanted.map(|_| pretty.len()));
    found
}

/// Where the characters of a JSON text stand that laying out keeps.
fn kept(text: &str) -> impl Iterator<Item = usize> {
    let (mut quoted, mut escaped) = (false, false);
    let kept = move |(at, c): (usize, char)| {
        let kept = quoted || !c.is_ascii_whitespace();
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && c == '\\' && !escaped;
        kept.then_some(at)
    };
    text.char_indices().filter_map(kept)
}
