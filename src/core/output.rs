//! What a running tool wrote, bounded in memory: the first rows and the last, and a count of what
//! is between.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

use super::shown::Shown;

/// Bytes of visible text kept from the start, and again from the end, of one call's output.
const KEPT: usize = 4 * 1024 * 1024;
/// A row without an end is broken here, so one endless line stays bounded.
const LONGEST: usize = 16 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    Out,
    Err,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputRow {
    pub stream: Stream,
    pub text: Shown,
}

/// The output of one call. Rows are numbered from 0 in the order they came; a number stays with its
/// row even after earlier rows were let go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    head: Vec<OutputRow>,
    head_bytes: usize,
    tail: VecDeque<OutputRow>,
    tail_bytes: usize,
    /// Rows between head and tail that are no longer kept.
    dropped: u64,
    /// The raw text of a row that has not ended yet, by stream.
    open: Option<(Stream, String)>,
}

/// A place in an output, for drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLine<'a> {
    Row(&'a OutputRow),
    /// This many rows are not kept.
    Gap(u64),
}

impl Output {
    /// Adds text as it came from the tool. It is made visible here.
    pub fn push(&mut self, stream: Stream, text: &str) {
        if self.open.as_ref().is_some_and(|(open, _)| *open != stream) {
            self.end_row();
        }
        for part in text.split_inclusive('\n') {
            let ended = part.strip_suffix('\n');
            self.extend(stream, ended.unwrap_or(part));
            if ended.is_some() {
                self.end_row();
            }
        }
    }

    /// Adds to the open row, which is broken wherever it grows too long: at the same places however
    /// the text was cut into pieces.
    fn extend(&mut self, stream: Stream, text: &str) {
        let mut rest = text;
        loop {
            let (_, open) = self.open.get_or_insert_with(|| (stream, String::new()));
            let room = rest.floor_char_boundary(LONGEST - open.len());
            let (fits, more) = rest.split_at(room);
            open.push_str(fits);
            if more.is_empty() {
                return;
            }
            let text = Shown::prose(open);
            self.open = None;
            self.keep(OutputRow { stream, text });
            rest = more;
        }
    }

    /// Ends the row that is still open, when the tool has finished.
    pub fn end_row(&mut self) {
        let Some((stream, text)) = self.open.take() else {
            return;
        };
        let text = Shown::prose(text.strip_suffix('\r').unwrap_or(&text));
        self.keep(OutputRow { stream, text });
    }

    fn keep(&mut self, row: OutputRow) {
        let size = row.text.as_str().len() + size_of::<OutputRow>();
        if self.tail.is_empty() && self.head_bytes + size <= KEPT {
            self.head_bytes += size;
            self.head.push(row);
            return;
        }
        self.tail_bytes += size;
        self.tail.push_back(row);
        while self.tail_bytes > KEPT {
            let Some(gone) = self.tail.pop_front() else {
                break;
            };
            self.tail_bytes -= gone.text.as_str().len() + size_of::<OutputRow>();
            self.dropped += 1;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.head.is_empty() && self.open.is_none()
    }

    /// How many lines there are to draw: kept rows, one for the gap if there is one, and the open row.
    pub fn len(&self) -> usize {
        self.head.len()
            + usize::from(self.dropped > 0)
            + self.tail.len()
            + usize::from(self.open.is_some())
    }

    /// Rows that ever ended, kept or not.
    pub fn total(&self) -> u64 {
        self.head.len() as u64 + self.dropped + self.tail.len() as u64
    }

    /// The line at `index` (below `len`); `None` past the end and for the row that is still open.
    pub fn line(&self, index: usize) -> Option<OutputLine<'_>> {
        if let Some(row) = self.head.get(index) {
            return Some(OutputLine::Row(row));
        }
        let mut index = index - self.head.len();
        if self.dropped > 0 {
            if index == 0 {
                return Some(OutputLine::Gap(self.dropped));
            }
            index -= 1;
        }
        self.tail.get(index).map(OutputLine::Row)
    }

    /// The number of the line at `index`, which it keeps: a row's own number, and for the gap that of
    /// the last row in it.
    pub fn number(&self, index: usize) -> u64 {
        let Some(after) = index.checked_sub(self.head.len()) else {
            return index as u64;
        };
        // With a gap, the line at its place stands for all dropped rows.
        (self.head.len() + after) as u64 + self.dropped.saturating_sub(1)
    }

    /// The index of the line that shows row `number`; that of the gap if the row is not kept.
    pub fn index(&self, number: u64) -> usize {
        let head = self.head.len() as u64;
        let index = if number < head || self.dropped == 0 {
            number
        } else if number < head + self.dropped {
            head
        } else {
            number - self.dropped + 1
        };
        usize::try_from(index).unwrap_or(usize::MAX)
    }

    /// The row that has not ended yet, made visible.
    pub fn open_row(&self) -> Option<OutputRow> {
        let (stream, text) = self.open.as_ref()?;
        Some(OutputRow {
            stream: *stream,
            text: Shown::prose(text),
        })
    }
}
