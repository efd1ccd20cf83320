//! The title of the pane: how its calls are listed, which filter leaves some out, and how many there are.
//!
//! Owns what gives way where there is no room for all of it. The filter and the counts never do: somebody
//! who does not see them takes a part of the calls for all.

use super::list::Listed;
use crate::core::shown::Shown;
use crate::ui::border::{Focus, Titles};
use crate::ui::conversation::title_look;
use crate::ui::text::Row;
use crate::ui::words::Scene;

/// Columns of a shortened filter.
const LEAST: usize = 6;

const WHOLE: &str = "Pending approvals";

/// How long the words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Whole,
    Short,
}

/// What a title is made of, the widest form first.
const FORMS: [(&str, Words, Words); 6] = [
    (WHOLE, Words::Whole, Words::Whole),
    ("Pending", Words::Whole, Words::Whole),
    ("Pending", Words::Whole, Words::Short),
    ("Pending", Words::Short, Words::Whole),
    ("Pending", Words::Short, Words::Short),
    ("", Words::Short, Words::Short),
];

/// The titles of a pane of this many columns.
pub(super) fn titles(focus: Focus, listed: Listed, columns: u16, scene: Scene<'_>) -> Titles {
    let mut last = Titles::default();
    for (name, listing, counted) in FORMS {
        let look = title_look(focus, scene);
        let mut left = Row::new().with(name, look);
        if listing == Words::Whole {
            left = arranged(left, scene);
        }
        let right = counts(listed, counted, scene);
        // The corners, the mark, and what keeps the two apart.
        let room = usize::from(columns).saturating_sub(right.width() + 8);
        let before = match name {
            WHOLE => " · with ",
            "" => "",
            _ => " · ",
        };
        let (fits, left) = filtered(left, before, room, scene);
        last = Titles {
            left,
            right,
            ..Titles::default()
        };
        if fits {
            break;
        }
    }
    last
}

fn arranged(row: Row, scene: Scene<'_>) -> Row {
    let arrangement = scene.state.pending.arrangement();
    let narrowed = if scene.state.is_narrowed() {
        "of this session"
    } else {
        ""
    };
    let words = [narrowed, arrangement.group.word(), arrangement.sort.word()];
    let words = words.into_iter().filter(|word| !word.is_empty());
    words.fold(row, |row, word| {
        row.with(" · ", scene.theme.dim)
            .with(word, scene.theme.accent)
    })
}

/// Adds the filter, shortened to the room that is left; and whether enough of it is there.
fn filtered(row: Row, before: &'static str, room: usize, scene: Scene<'_>) -> (bool, Row) {
    let filter = scene.state.filter();
    if filter.is_empty() {
        return (row.width() <= room, row);
    }
    let dim = scene.theme.dim;
    let row = row.with(before, dim).with("“", dim);
    let text = Row::new().with(&Shown::label(filter.text()), scene.theme.accent);
    let left = room.saturating_sub(row.width() + 1);
    let fits = left >= text.width().min(LEAST);
    let text = text.fitted(left.max(1));
    (fits, row.then(text).with("”", dim))
}

/// `2 marked · 1 of 3`, and how many the filter leaves out; `✓2 · 1 of 3 · 5 hidden`. Marked calls that it leaves
/// out stand before: `2 marked, not listed`, `✓2 hidden`.
fn counts(listed: Listed, words: Words, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let mut row = Row::new();
    if listed.marked > 0 {
        row = match words {
            Words::Whole => row
                .with(listed.marked, theme.focused)
                .with(" marked · ", theme.focused),
            Words::Short => row
                .with("✓", theme.focused)
                .with(listed.marked, theme.focused)
                .with(" · ", theme.focused),
        };
    }
    let aside = scene.state.pending.marked_aside();
    if aside > 0 {
        row = match words {
            Words::Whole => row
                .with(aside, theme.warn)
                .with(" marked, not listed", theme.warn),
            Words::Short => row
                .with("✓", theme.warn)
                .with(aside, theme.warn)
                .with(" hidden", theme.warn),
        };
        row = row.with(" · ", theme.dim);
    }
    if let Some(cursor) = listed.cursor {
        row = row.with(cursor + 1, theme.text).with(" of ", theme.dim);
    }
    if listed.calls > 0 || !scene.state.filter().is_empty() {
        row.push(listed.calls, theme.text);
    }
    let hidden = scene.state.pending.len().saturating_sub(listed.calls);
    if hidden > 0 {
        let word = match words {
            Words::Whole => " not listed",
            Words::Short => " hidden",
        };
        row = row
            .with(" · ", theme.dim)
            .with(hidden, theme.dim)
            .with(word, theme.dim);
    }
    row
}
