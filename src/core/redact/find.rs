//! Where secrets stand in a text, and the text with marks in their place.

use std::cmp::Reverse;
use std::ops::Range;

use super::layer::Layer;
use super::{Known, Marks, Redaction};

/// JSON in JSON is looked through this deep.
const LAYERS: usize = 5;

/// One secret in a text.
pub(super) struct Found {
    pub(super) at: Range<usize>,
    /// As it reads, whatever it was written as.
    pub(super) secret: String,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A whole JSON value: a string takes its place.
    Value,
    /// A piece of text.
    Piece,
}

pub(super) fn in_text(redaction: &Redaction, known: &Known, text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    if redaction.is_empty() {
        return found;
    }
    let mut look = |text: &str, place: &dyn Fn(&Range<usize>) -> Range<usize>| {
        let matched = redaction.patterns.iter().flat_map(|regex| {
            let matches = regex.find_iter(text);
            matches.map(|found| (found.range(), found.as_str()))
        });
        for (at, secret) in matched.chain(known.found(text)) {
            if !at.is_empty() {
                found.push(Found {
                    at: place(&at),
                    secret: secret.to_owned(),
                    kind: Kind::Piece,
                });
            }
        }
    };
    look(text, &Range::clone);
    let mut layer = Layer::of(text);
    for _ in 0..LAYERS {
        let Some(read) = layer else { break };
        look(&read.text, &|at| read.place(at));
        layer = read.next();
    }
    found
}

/// In their order, each place once.
pub(super) fn merged(text: &str, mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| (found.at.start, Reverse(found.at.end), found.kind));
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    for next in found {
        match merged.last_mut() {
            Some(last) if next.at.end <= last.at.end => {}
            Some(last) if next.at.start < last.at.end => {
                last.at.end = next.at.end;
                text[last.at.clone()].clone_into(&mut last.secret);
                last.kind = Kind::Piece;
            }
            _ => merged.push(next),
        }
    }
    merged
}

pub(super) fn replaced(text: &str, found: &[Found], marks: &dyn Marks) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for Found { at, secret, kind } in found {
        out.push_str(&text[end..at.start]);
        let mark = marks.mark(secret);
        match kind {
            Kind::Value => out.extend(["\"", &mark, "\""]),
            Kind::Piece => out.push_str(&mark),
        }
        end = at.end;
    }
    out.push_str(&text[end..]);
    out
}
