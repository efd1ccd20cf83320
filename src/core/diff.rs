//! Unified diffs as rows of visible text. Owns the comparing; drawing is the interface's.

use serde::{Deserialize, Serialize};
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

use super::shown::Shown;

/// Unchanged rows shown around a change.
const CONTEXT: usize = 3;
/// Comparing stops looking for the shortest diff after this; what it has by then is still correct.
const PATIENCE: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffKind {
    /// `@@ -1,4 +1,5 @@`
    Hunk,
    Same,
    Added,
    Removed,
}

impl DiffKind {
    /// The first column of a unified diff.
    pub const fn sign(self) -> char {
        match self {
            Self::Hunk => '@',
            Self::Same => ' ',
            Self::Added => '+',
            Self::Removed => '-',
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffRow {
    pub kind: DiffKind,
    /// The row without its sign.
    pub text: Shown,
}

/// A unified diff. Empty if nothing differs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    pub rows: Vec<DiffRow>,
    pub added: usize,
    pub removed: usize,
}

impl Diff {
    pub fn between(before: &str, after: &str) -> Self {
        let compared = TextDiff::configure()
            .timeout(PATIENCE)
            .diff_slices(&lines(before), &lines(after));
        Self::of(&compared)
    }

    fn of(compared: &TextDiff<'_, '_, str>) -> Self {
        let mut diff = Self::default();
        for hunk in compared.unified_diff().context_radius(CONTEXT).iter_hunks() {
            let header = hunk.header().to_string();
            diff.rows.push(DiffRow {
                kind: DiffKind::Hunk,
                text: Shown::label(header.trim_matches(['@', ' '])),
            });
            for change in hunk.iter_changes() {
                let kind = match change.tag() {
                    ChangeTag::Equal => DiffKind::Same,
                    ChangeTag::Insert => DiffKind::Added,
                    ChangeTag::Delete => DiffKind::Removed,
                };
                diff.added += usize::from(kind == DiffKind::Added);
                diff.removed += usize::from(kind == DiffKind::Removed);
                let line = change.value();
                let ended = line.strip_suffix('\n');
                diff.rows.push(DiffRow {
                    kind,
                    text: Shown::label(ended.unwrap_or(line)),
                });
                if ended.is_none() && kind != DiffKind::Same {
                    diff.rows.push(DiffRow {
                        kind: DiffKind::Hunk,
                        text: Shown::literal("no newline at the end"),
                    });
                }
            }
        }
        diff
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Rows end with a line feed and with nothing else: a lone carriage return is part of its row, and
/// visible there.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}
