//! The conversation pane. Owns which rows are on screen; their layouts are its child's, `layouts`.

mod call;
mod ending;
mod entry;
mod layouts;
mod markdown;
mod screenful;
mod table;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::rc::Rc;

use super::border::{self, Focus, Titles, Top};
use super::paint;
use super::rows::{Place, stepped, window};
use super::text::Row;
use super::words::{self, Scene};
use crate::app::command::Command;
use crate::app::draft::Purpose;
use crate::app::state::{Anchor, Pane};
use crate::core::conversation::Conversation;
use crate::core::run::EntryId;
use entry::Detail;
pub use layouts::Layouts;
use screenful::{Of, Screenful};

/// The part of the pane that is left for the next rows of a text that comes in.
const SPARE: usize = 4;

/// What the pane showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Showed {
    pub anchor: Anchor,
    pub height: usize,
}

/// Draws the pane; its lowest `composer` rows are left for the message that is being written.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    composer: u16,
    scene: Scene<'_>,
    layouts: &mut Layouts,
) -> Showed {
    let (state, theme) = (scene.state, scene.theme);
    let focus = Focus::of(Pane::Conversation, state);
    let mut inner = border::inside(area);
    inner.height = inner.height.saturating_sub(composer);
    let mut showed = Showed {
        anchor: state.conversation_scroll.anchor,
        height: usize::from(inner.height),
    };
    let mut titles = Titles {
        left: Row::new().with("Conversation", title_look(focus, scene)),
        ..Titles::default()
    };
    let mut visible: Rc<[Row]> = Rc::new([]);
    if let Some(session) = state.current_session() {
        layouts.prepare(session, state, usize::from(inner.width), detail(scene));
        (showed.anchor, visible) = screenful(scene, &session.conversation, layouts, showed.height);
        if visible.is_empty() {
            visible = empty(scene).into();
        }
    }
    if showed.anchor != Anchor::End && composer == 0 {
        titles.below_right = below(scene, focus);
    }
    if composer == 0 && state.draft.is_none() && !state.unsent.is_empty() {
        titles.below_left = unsent(scene);
    }
    border::pane(buffer, area, focus, Top::Corner, titles, theme);
    for (y, row) in visible.iter().enumerate().take(showed.height) {
        paint::row(buffer, inner, y, row);
    }
    showed
}

/// What is only worth a glimpse is shown whole while this pane is the one that is read.
fn detail(scene: Scene<'_>) -> Detail {
    let state = scene.state;
    let writes = state
        .draft
        .as_ref()
        .is_some_and(|draft| draft.purpose == Purpose::Message);
    let pane = if writes {
        state.focus_before
    } else {
        state.focus
    };
    match pane {
        Pane::Conversation => Detail::Whole,
        Pane::Pending | Pane::Output => Detail::Glimpse,
    }
}

/// The rows on screen: those of the last frame, unless something has changed them.
fn screenful(
    scene: Scene<'_>,
    conversation: &Conversation,
    layouts: &mut Layouts,
    height: usize,
) -> (Anchor, Rc<[Row]>) {
    let now = scene.state.now.ticks;
    let of = Of::new(scene.state, conversation, height);
    if let Some(kept) = layouts.screenful.as_ref().filter(|kept| kept.is(of, now)) {
        return (kept.anchor, Rc::clone(&kept.rows));
    }
    layouts.begin();
    let (anchor, rows) = visible_rows(scene, conversation, layouts, height);
    let rows: Rc<[Row]> = rows.into();
    layouts.screenful = Some(Screenful {
        of,
        at: now,
        stays: layouts.stays,
        anchor,
        rows: Rc::clone(&rows),
    });
    (anchor, rows)
}

fn visible_rows(
    scene: Scene<'_>,
    conversation: &Conversation,
    layouts: &mut Layouts,
    height: usize,
) -> (Anchor, Vec<Row>) {
    let items = conversation.items();
    let scroll = scene.state.conversation_scroll;
    let from = match scroll.anchor {
        Anchor::End => None,
        Anchor::At { item, row } => {
            let found = conversation.position(EntryId(item));
            let next = || items.partition_point(|other| other.id < EntryId(item));
            Some(found.map_or_else(
                || Place {
                    item: next(),
                    row: 0,
                },
                |item| Place { item, row },
            ))
        }
    };
    let mut rows_of = |at: usize| layouts.rows(scene, conversation, at).len();
    let mut found = window(items.len(), height, from, scroll.by, &mut rows_of);
    if found.ends {
        found.first = follow(conversation, layouts, found.first, (scene, height));
    }
    let anchor = match items.get(found.first.item) {
        Some(item) if !found.ends => Anchor::At {
            item: item.id.0,
            row: found.first.row,
        },
        Some(_) | None => Anchor::End,
    };
    let mut visible = Vec::with_capacity(height);
    let mut skip = found.first.row;
    for at in found.first.item..items.len() {
        let rows = layouts.rows(scene, conversation, at);
        visible.extend(rows.iter().skip(skip).take(height - visible.len()).cloned());
        skip = 0;
        if visible.len() >= height {
            break;
        }
    }
    (anchor, visible)
}

/// The first row of a window that ends at the end. While text comes in it moves by several rows at once:
/// over a slow line a pane all of whose rows move with each new row is what streaming costs.
fn follow(
    conversation: &Conversation,
    layouts: &mut Layouts,
    end: Place,
    (scene, height): (Scene<'_>, usize),
) -> Place {
    let items = conversation.items();
    if !items.last().is_some_and(|item| item.entry.is_open()) {
        layouts.stood = None;
        return end;
    }
    let stood = layouts.stood.and_then(|(id, row)| {
        let item = conversation.position(id)?;
        Some(Place { item, row })
    });
    let mut rows_of = |at: usize| layouts.rows(scene, conversation, at).len();
    let first = stepped(end, stood, (items.len(), height / SPARE), &mut rows_of);
    layouts.stood = items.get(first.item).map(|item| (item.id, first.row));
    first
}

fn empty(scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let mut row = Row::new().with("Nothing has been said yet.", theme.dim);
    if let Some(key) = words::key(scene.state, Command::Message) {
        row = row
            .with(" ", theme.dim)
            .with(&key, theme.focused)
            .with(" writes to the agent.", theme.dim);
    }
    vec![row]
}

fn below(scene: Scene<'_>, focus: Focus) -> Row {
    let row = Row::new().with("↓ more", scene.theme.accent);
    match words::key(scene.state, Command::ScrollBottom) {
        Some(key) if focus == Focus::Here => row
            .with(" · ", scene.theme.dim)
            .with(&key, scene.theme.accent),
        Some(_) | None => row,
    }
}

fn unsent(scene: Scene<'_>) -> Row {
    let row = Row::new().with("unsent message", scene.theme.warn);
    match words::key(scene.state, Command::Message) {
        Some(key) => row
            .with(" · ", scene.theme.dim)
            .with(&key, scene.theme.accent),
        None => row,
    }
}

/// The look of a pane's name.
pub fn title_look(focus: Focus, scene: Scene<'_>) -> ratatui::style::Style {
    match focus {
        Focus::Here => scene.theme.focused,
        Focus::Elsewhere => scene.theme.text,
    }
}
