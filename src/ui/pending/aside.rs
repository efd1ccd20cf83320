//! The words at the right of a row of the list: how far a decision is, else what the call risks, and how long
//! it can still wait and has waited.
//!
//! What it risks comes first, then when it is too late, then how long it has been. Owns what gives way where
//! there is no room for all of it.

use crate::core::pending::Waiting;
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

/// Columns in which a shortened word is still one.
const WORD: usize = 5;
/// Columns that the words get of a narrow row, however long the arguments are.
const LEAST: usize = 18;

/// As many words as fit beside a summary of this width, of which no more than half is taken for them.
pub(super) fn words(waiting: &Waiting, spare: usize, summary: usize, scene: Scene<'_>) -> Row {
    let blank = spare.saturating_sub(summary.saturating_add(2));
    let room = blank.max(spare / 2);
    let stage = words::stage(waiting, scene);
    let told = if stage.is_empty() {
        words::risks(waiting, scene.theme)
    } else {
        vec![stage]
    };
    // The words of a script need the room.
    let (age, left) = if waiting.is_open() && !waiting.call.is_script() {
        (words::age(waiting, scene), words::left(waiting, scene))
    } else {
        (Row::new(), Row::new())
    };
    for count in (1..=told.len()).rev() {
        let risks = told[..count].iter().cloned();
        let risks = risks.fold(Row::new(), |row, word| join(row, word, scene));
        let all = join(join(risks.clone(), age.clone(), scene), left.clone(), scene);
        if all.width() <= room {
            return all;
        }
        let urgent = join(risks, left.clone(), scene);
        if urgent.width() <= room {
            return urgent;
        }
    }
    let first = told.into_iter().next().unwrap_or_default();
    let room = room.max(LEAST.min(spare * 2 / 3));
    let beside = room.saturating_sub(left.width() + 3);
    if left.is_empty() || beside < WORD {
        return first.fitted(room.max(8));
    }
    join(first.fitted(beside), left, scene)
}

fn join(row: Row, next: Row, scene: Scene<'_>) -> Row {
    match (row.is_empty(), next.is_empty()) {
        (true, _) => next,
        (_, true) => row,
        (false, false) => row.with(" · ", scene.theme.dim).then(next),
    }
}
