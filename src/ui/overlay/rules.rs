//! The list of the rules that were given: one row each, and below them the text of the one under the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Showed, centred, sheet};
use crate::app::given::{RuleList, Rules, Told, told};
use crate::app::state::Extent;
use crate::core::shown::Shown;
use crate::ui::border::Titles;
use crate::ui::paint::{self, split_top};
use crate::ui::rows::keep_visible;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::words::Scene;

const WIDEST: usize = 100;

pub fn draw(
    buffer: &mut Buffer,
    body: Rect,
    list: &RuleList,
    scene: Scene<'_>,
    top: &mut usize,
) -> Showed {
    let theme = scene.theme;
    let width = super::width(body, WIDEST);
    let room = width.saturating_sub(4).max(1);
    let rows = rows(list, room, scene);
    let below = below(list, room, scene);
    let area = centred(body, width, rows.len() + below.len() + 2);
    let titles = Titles {
        left: Row::new().with("Given rules", theme.focused),
        ..Titles::default()
    };
    let inner = sheet(buffer, area, titles, scene);
    // The rows come first; the text gets what is left, but never less than half.
    let most = usize::from(inner.height);
    let text = below
        .len()
        .min(most / 2)
        .max(most.saturating_sub(rows.len()));
    let height = most.saturating_sub(text.min(below.len()));
    let (upper, lower) = split_top(inner, u16::try_from(height).unwrap_or(u16::MAX));
    let chosen = list.chosen.as_ref();
    let at = list
        .listed()
        .iter()
        .position(|grant| Some(&grant.id) == chosen);
    *top = keep_visible(*top, height, rows.len(), at);
    for (y, row) in rows.iter().skip(*top).take(height).enumerate() {
        paint::row(buffer, upper, y, row);
    }
    for (y, row) in below.iter().enumerate() {
        paint::row(buffer, lower, y, row);
    }
    let extent = Extent {
        top: *top,
        height: height.min(rows.len()),
        total: rows.len(),
    };
    super::unseen(buffer, area, extent, scene);
    Showed {
        extent,
        review: !list.listed().is_empty(),
        ..Showed::default()
    }
}

fn rows(list: &RuleList, room: usize, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let one = |row: Row| vec![row.fitted(room)];
    match &list.rules {
        Rules::Reading => return one(Row::new().with("reading the journal …", theme.dim)),
        Rules::Failed(why) => {
            let row = Row::new()
                .with("✗ ", theme.bad)
                .with(&Shown::label(why), theme.bad);
            return row.wrapped(room, Breaks::Words);
        }
        Rules::Read(grants) if grants.is_empty() => {
            return one(Row::new().with("no rule was given that counts now", theme.dim));
        }
        Rules::Read(_) => {}
    }
    let row = |grant| {
        let Told {
            id,
            lasts,
            briefly,
            does,
            who,
        } = told(grant);
        let chosen = list.chosen.as_deref() == Some(id.as_str());
        let look = if chosen { theme.strong } else { theme.text };
        let what = Row::new()
            .with(if chosen { "▌" } else { " " }, theme.focused)
            .with(&id, look)
            .with("  ", look)
            .with(&does, look);
        let by = Row::new().with(" · by ", theme.dim).with(&who, theme.dim);
        let when = |words: &Shown| Row::new().with(" · ", theme.dim).with(words, theme.text);
        let (whole, brief) = (when(&lasts), when(&briefly));
        // How long it counts is told whatever the room; who gave it stands below too.
        let wide = what.width() + whole.width();
        if wide + by.width() <= room {
            return what.then(whole).then(by);
        }
        let when = if wide <= room { whole } else { brief };
        let what = what.fitted(room.saturating_sub(when.width()));
        let row = what.then(when);
        if row.width() + by.width() <= room {
            return row.then(by);
        }
        row.fitted(room)
    };
    list.listed().iter().map(row).collect()
}

fn below(list: &RuleList, room: usize, scene: Scene<'_>) -> Vec<Row> {
    let Some(grant) = list.selected() else {
        return Vec::new();
    };
    let theme = scene.theme;
    let mut rows = vec![Row::new()];
    let text = Shown::laid_out(grant.text.trim_end());
    for row in Row::split(&text, theme.code) {
        rows.extend(row.wrapped(room, Breaks::Anywhere));
    }
    let place = Row::new()
        .with("in ", theme.dim)
        .with(&Shown::label(&grant.workspace), theme.dim);
    rows.extend(place.wrapped(room, Breaks::Anywhere));
    let Told { lasts, who, .. } = told(grant);
    let given = Row::new()
        .with(&lasts, theme.text)
        .with(" · by ", theme.dim)
        .with(&who, theme.dim);
    rows.extend(given.wrapped(room, Breaks::Words));
    rows
}
