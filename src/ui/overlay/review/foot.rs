//! What stands around the rows of the review sheet: how many calls are signed, how much of them nobody has seen,
//! and what the keys do.
//!
//! Owns the forms of each, from the longest to the shortest. The two numbers are never left out: where there is no
//! room for them, nothing is signed.

use super::sheet::Sheet;
use crate::app::command::Command;
use crate::app::state::{Extent, Review, State};
use crate::core::call::CallKey;
use crate::core::decision::Decision;
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

/// Blanks between two things on one row.
const GAP: &str = "   ";

/// The first of these that fits.
pub fn fitting(forms: Vec<Row>, width: usize) -> Option<Row> {
    forms.into_iter().find(|row| row.width() <= width)
}

/// `Review before signing · approve 3 calls`, and shorter.
pub fn titles(review: &Review, scene: Scene<'_>) -> Vec<Row> {
    let look = scene.theme.focused;
    let mut verbs = review.rulings.iter().map(|ruling| verb(ruling, scene));
    let first = verbs.next();
    let calls = words::count(review.rulings.len(), "call", "calls", look);
    let said = first
        .filter(|first| verbs.all(|verb| verb == *first))
        .map(|verb| {
            // `approve 1 call with edits`, `run 2 calls again`.
            let (verb, rest) = verb.split_once(' ').unwrap_or((verb, ""));
            let row = Row::new().with(verb, look).with(" ", look);
            let row = row.then(calls.clone());
            if rest.is_empty() {
                return row;
            }
            row.with(" ", look).with(rest, look)
        });
    let said = said.unwrap_or_else(|| calls.clone());
    let whole = Row::new()
        .with("Review before signing · ", look)
        .then(said.clone());
    vec![whole, said, calls]
}

fn verb((key, decision): &(CallKey, Decision), scene: Scene<'_>) -> &'static str {
    words::verb(decision, scene.state.pending.get(key))
}

/// The rows of the foot, at most so many; `None`: there is no room for what must be said.
pub fn rows(
    review: &Review,
    extent: Extent,
    sheet: &Sheet,
    (width, most): (usize, usize),
    scene: Scene<'_>,
) -> Option<Vec<Row>> {
    let unseen = unseen(review, extent, sheet, scene);
    let keys = keys(review, scene);
    if most > 1 {
        let keys = fitting(keys.clone(), width)
            .or_else(|| keys.into_iter().next_back())
            .unwrap_or_default();
        return Some(vec![fitting(unseen, width)?, keys.fitted(width)]);
    }
    let mut forms = Vec::new();
    for unseen in &unseen {
        for keys in &keys {
            let row = unseen.clone().with(GAP, scene.theme.text);
            forms.push(row.then(keys.clone()));
        }
    }
    forms.extend(unseen);
    Some(vec![fitting(forms, width)?])
}

/// What the keys do, in long and in short.
fn keys(review: &Review, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let armed = armed(scene.state) && !scene.state.awaits_change(review);
    let (key_look, look) = if armed {
        (theme.focused, theme.text)
    } else {
        (theme.dim, theme.dim)
    };
    let mut sign = (Row::new(), Row::new());
    if let Some(key) = words::key(scene.state, Command::Sign) {
        let key = Row::new().with(&key, key_look);
        sign = if review.asked {
            (
                key.clone().with(" again signs all the same", look),
                key.with(" again signs", look),
            )
        } else {
            let sign = key.with(" signs", look);
            (sign.clone(), sign)
        };
    }
    let mut close = (Row::new(), Row::new());
    if let Some(key) = words::key(scene.state, Command::Close) {
        let key = Row::new().with(&key, theme.focused);
        close = (
            key.clone().with(" leaves it unsigned", theme.text),
            key.with(" leaves", theme.text),
        );
    }
    let both = |sign: &Row, close: Row| sign.clone().with(GAP, look).then(close);
    vec![both(&sign.0, close.0), both(&sign.1, close.1), sign.1]
}

/// Whether the sheet has been on screen long enough for a key to sign it.
fn armed(state: &State) -> bool {
    state
        .sheet_since
        .is_some_and(|since| state.now.ticks.since(since) >= state.settings.arming)
}

/// `! 37 rows not seen yet · 2 calls not seen at all`, and shorter. Only approvals let something run, so only they
/// need reading.
fn unseen(review: &Review, extent: Extent, sheet: &Sheet, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let approves =
        |(_, decision): &(CallKey, Decision)| matches!(decision, Decision::Approve { .. });
    if !review.rulings.iter().any(approves) {
        let words = ["Nothing of this will run.", "nothing runs"];
        return words.map(|words| Row::new().with(words, theme.dim)).into();
    }
    let mut seen = review.seen;
    seen.extend(extent.without(sheet.beside));
    let unseen = seen.unseen();
    if unseen == 0 {
        let words = ["✓ everything here has been on screen", "✓ all seen"];
        return words.map(|words| Row::new().with(words, theme.good)).into();
    }
    let mark = || Row::new().with("! ", theme.warn);
    let rows = words::count(unseen, "row", "rows", theme.warn);
    let long = mark().then(rows.clone()).with(" not seen yet", theme.warn);
    let starts = sheet.starts.iter().filter(|(start, _)| *start >= seen.to);
    let calls: usize = starts.map(|(_, calls)| calls).sum();
    let mut forms = vec![
        long.clone(),
        mark().then(rows.clone()).with(" unseen", theme.warn),
        mark().with(unseen, theme.warn).with(" unseen", theme.warn),
    ];
    if calls > 0 {
        let calls = words::count(calls, "call", "calls", theme.warn);
        let short = mark().then(rows).with(" not seen", theme.warn);
        let both = [(long, " not seen at all"), (short, " not at all")];
        let both = both.map(|(rows, words)| {
            let row = rows.with(" · ", theme.dim).then(calls.clone());
            row.with(words, theme.warn)
        });
        forms.splice(0..0, both);
    }
    forms
}
