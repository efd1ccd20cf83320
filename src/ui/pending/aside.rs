//! The words at the right of a row of the list: how far a decision is, else what the call risks, and how long
//! it can still wait and has waited.
//!
//! What it risks comes first, then how long it has been, then when it is too late. Owns what gives way where
//! there is no room for all of it: the lesser risks, then columns of the summary, then the end of the gravest
//! word and at last that word. The times stay.

use crate::core::pending::Waiting;
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

/// Columns in which a shortened word is still one.
const WORD: usize = 5;
/// Columns that the summary keeps, with the blank ones before the words, where a word would be dropped else.
const SUMMARY: usize = 5;

/// As many words as fit beside a summary of this width, of which no more than half is taken for them; for the
/// gravest word and the times two thirds of all there is.
pub(super) fn words(waiting: &Waiting, spare: usize, summary: usize, scene: Scene<'_>) -> Row {
    let blank = spare.saturating_sub(summary.saturating_add(2));
    let room = blank.max(spare / 2);
    let stage = words::stage(waiting, scene);
    let told = if stage.is_empty() {
        words::risks(waiting, scene.theme)
    } else {
        vec![stage]
    };
    let times = times(waiting, scene);
    for count in (1..=told.len()).rev() {
        let risks = told[..count].iter().cloned();
        let risks = risks.fold(Row::new(), |row, word| join(row, word, scene));
        let all = join(risks, times.clone(), scene);
        if all.width() <= room {
            return all;
        }
    }
    let first = told.into_iter().next().unwrap_or_default();
    let room = room.max(spare * 2 / 3);
    if times.is_empty() {
        return first.fitted(room.max(8));
    }
    let least = WORD.min(first.width()) + times.width() + 3;
    let room = room.max(least.min(spare.saturating_sub(SUMMARY)));
    let beside = room.saturating_sub(times.width() + 3);
    if beside >= WORD || first.width() <= beside {
        return join(first.fitted(beside), times, scene);
    }
    times.fitted(spare)
}

/// How long it has waited and how long it still can. The words of a script need the room.
fn times(waiting: &Waiting, scene: Scene<'_>) -> Row {
    if !waiting.is_open() || waiting.call.is_script() {
        return Row::new();
    }
    let (age, left) = (words::age(waiting, scene), words::left(waiting, scene));
    join(age, left, scene)
}

fn join(row: Row, next: Row, scene: Scene<'_>) -> Row {
    match (row.is_empty(), next.is_empty()) {
        (true, _) => next,
        (_, true) => row,
        (false, false) => row.with(" · ", scene.theme.dim).then(next),
    }
}
