//! What a pane would show, as lines of text without cells, colours and width.
//!
//! Owns the way from rows to text. What is in the rows is the panes', so that no other place decides
//! what there is to know of a call.

use super::overlay::view;
use super::pending::script::{self, Known};
use super::text::Row;
use super::theme::Theme;
use super::{pending, words};
use crate::app::state::State;
use crate::core::arguments::Arguments;
use crate::core::decision::Decision;
use crate::core::pending::Waiting;
use crate::core::shown::Shown;

/// Nothing is broken but where the text itself breaks.
const ENDLESS: usize = 1 << 30;

/// Everything that the full view shows of a waiting call, but for its tool's schema.
pub fn call(waiting: &Waiting, state: &State) -> Vec<Shown> {
    let script = Known::of(waiting, state);
    lines(view::whole(waiting, &script, ENDLESS, &Theme::mono()).iter())
}

/// The schema of the call's tool.
pub fn schema(waiting: &Waiting) -> Vec<Shown> {
    lines(view::schema(&waiting.call, ENDLESS, &Theme::mono()).iter())
}

/// Which script a call is part of: `line 4 of 12 of the script of run_code c1`.
pub fn script(waiting: &Waiting, state: &State) -> Option<Shown> {
    let script = Known::of(waiting, state);
    let row = script::of(&waiting.call, &script, &Theme::mono())?;
    lines(std::iter::once(&row)).pop()
}

/// What a decision carries: the edit as a diff, the reason, the result.
pub fn decision(proposed: &Arguments, decision: &Decision) -> Vec<Shown> {
    let rows = pending::arguments::decision(proposed, decision, ENDLESS, &Theme::mono());
    lines(rows.iter())
}

/// Why a call waits and what it risks.
pub fn risks(waiting: &Waiting) -> Vec<Shown> {
    lines(words::risks(waiting, &Theme::mono()).iter())
}

fn lines<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<Shown> {
    let text = |row: &Row| row.runs().map(|(text, _)| text).collect::<String>();
    // A row is made of what is visible already, which stays as it is.
    rows.map(|row| Shown::from(text(row))).collect()
}
