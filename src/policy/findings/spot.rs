//! Where findings are written down: one string of the arguments, or a list of words.
//!
//! Owns the place of each finding, and the bounds on their number and on the work of finding them.

use std::ops::Range;

use crate::core::finding::{Finding, Kind, Place};

/// Findings of one call; what finds more than that says so once.
const MOST: usize = 300;
/// Texts within texts within texts.
const DEEPEST: usize = 6;
/// Bytes of texts within texts that are looked into.
const MOST_WITHIN: usize = 256 * 1024;

/// All that was found in one call so far.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) found: Vec<Finding>,
    within: usize,
}

pub(super) struct Spot<'a> {
    notes: &'a mut Notes,
    pointer: &'a str,
    pub(super) workspace: Option<&'a str>,
    /// Where the words of a list begin in their text, each a byte after the one before.
    starts: Vec<usize>,
    /// What is found in a decoded or unquoted text stands where that text is written.
    fixed: Option<Range<usize>>,
    depth: usize,
}

impl<'a> Spot<'a> {
    pub(super) const fn new(
        notes: &'a mut Notes,
        pointer: &'a str,
        workspace: Option<&'a str>,
    ) -> Self {
        Self {
            notes,
            pointer,
            workspace,
            starts: Vec::new(),
            fixed: None,
            depth: 0,
        }
    }

    /// On the words of a list, as if one byte stood between each two.
    pub(super) fn list(
        notes: &'a mut Notes,
        pointer: &'a str,
        workspace: Option<&'a str>,
        words: &[&str],
    ) -> Self {
        let begin = |next: &mut usize, word: &&str| {
            let start = *next;
            *next += word.len() + 1;
            Some(start)
        };
        Self {
            starts: words.iter().scan(0, begin).collect(),
            ..Self::new(notes, pointer, workspace)
        }
    }

    /// For a text of `length` bytes that is written in this range in some form. `None`, and a word about it, where
    /// that is too deep or too much.
    pub(super) fn within(&mut self, range: Range<usize>, length: usize) -> Option<Spot<'_>> {
        self.notes.within += length;
        if self.depth >= DEEPEST || self.notes.within > MOST_WITHIN {
            self.note(Kind::Unread, "texts within texts within texts", range);
            return None;
        }
        let fixed = self.fixed.clone().unwrap_or(range);
        Some(Spot {
            notes: self.notes,
            pointer: self.pointer,
            workspace: self.workspace,
            starts: self.starts.clone(),
            fixed: Some(fixed),
            depth: self.depth + 1,
        })
    }

    /// An empty range stands for the whole, which is not highlighted.
    pub(super) fn note(&mut self, kind: Kind, what: impl Into<String>, range: Range<usize>) {
        let found = self.notes.found.len();
        if found > MOST {
            return;
        }
        let range = self.fixed.clone().unwrap_or(range);
        let (kind, what, place) = if found == MOST {
            (Kind::Unread, "too much to name".to_owned(), None)
        } else {
            let place = (!range.is_empty()).then(|| self.place(range));
            (kind, what.into(), place)
        };
        self.notes.found.push(Finding { kind, what, place });
    }

    fn place(&self, range: Range<usize>) -> Place {
        let item = self.starts.partition_point(|start| *start <= range.start);
        let Some(item) = item.checked_sub(1) else {
            let pointer = self.pointer.to_owned();
            return Place { pointer, range };
        };
        let start = self.starts[item];
        let end = self
            .starts
            .get(item + 1)
            .map_or(usize::MAX, |next| next - 1);
        Place {
            pointer: format!("{}/{item}", self.pointer),
            range: range.start - start..range.end.min(end) - start,
        }
    }
}
