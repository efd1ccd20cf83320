//! The conversation pane. Owns which rows are on screen and the kept layouts of entries.

mod call;
mod ending;
mod entry;
mod markdown;
mod table;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::HashMap;
use std::rc::Rc;

use super::border::{self, Focus, Titles, Top};
use super::paint;
use super::rows::{Place, up, window};
use super::text::Row;
use super::theme::Theme;
use super::words::{self, Scene};
use crate::app::command::Command;
use crate::app::draft::Purpose;
use crate::app::state::{Anchor, Pane};
use crate::core::arguments::Arguments;
use crate::core::call::{CallId, CallKey, SessionId};
use crate::core::conversation::{CallRecord, Conversation, Entry};
use crate::core::pending::{Stage, Waiting};
use crate::core::run::EntryId;
use crate::core::shown::Shown;
use call::Head;
use entry::Detail;

/// Kept layouts beyond which those not on screen are let go.
const MOST: usize = 2048;
/// Calls on either side that are put in columns with a call.
const GROUP: usize = 12;

/// The layouts of one session's entries at one width. Only a cache: everything in it can be made anew.
#[derive(Debug, Default)]
pub struct Layouts {
    session: Option<SessionId>,
    width: usize,
    detail: Detail,
    entries: HashMap<EntryId, (u32, Rc<[Row]>)>,
    heads: HashMap<CallId, Head>,
    /// Set anew for each frame.
    edits: HashMap<CallId, Arguments>,
}

impl Layouts {
    fn prepare(&mut self, session: &SessionId, width: usize, detail: Detail) {
        if self.session.as_ref() != Some(session) {
            self.heads.clear();
        }
        if self.session.as_ref() != Some(session)
            || self.width != width
            || self.detail != detail
            || self.entries.len() > MOST
        {
            self.entries.clear();
        }
        if self.heads.len() > MOST {
            self.heads.clear();
        }
        self.session = Some(session.clone());
        self.width = width;
        self.detail = detail;
    }

    fn rows(&mut self, scene: Scene<'_>, conversation: &Conversation, at: usize) -> Rc<[Row]> {
        let item = &conversation.items()[at];
        if let Entry::Call(id) = &item.entry {
            return self.call(scene, conversation, at, id).into();
        }
        if let Some((revision, rows)) = self.entries.get(&item.id)
            && *revision == item.revision
        {
            return Rc::clone(rows);
        }
        let mut rows = entry::rows(&item.entry, self.width, self.detail, scene.theme);
        if at > 0 && matches!(item.entry, Entry::User { .. }) {
            rows.insert(0, Row::new());
        }
        let rows: Rc<[Row]> = rows.into();
        self.entries
            .insert(item.id, (item.revision, Rc::clone(&rows)));
        rows
    }

    fn call(
        &mut self,
        scene: Scene<'_>,
        conversation: &Conversation,
        at: usize,
        id: &CallId,
    ) -> Vec<Row> {
        let Some(record) = conversation.call(id) else {
            return vec![Row::new().with("a call that is not recorded", scene.theme.dim)];
        };
        let hangs = record.parent.as_ref().map(|parent| {
            let above = at
                .checked_sub(1)
                .and_then(|above| call_at(conversation, above));
            hanging(conversation, parent, above, scene.theme)
        });
        let indent = if hangs.is_some() { call::INDENT } else { 0 };
        let gutter = entry::gutter(self.width) + indent;
        let room = self.width.saturating_sub(gutter).max(1);
        let column = call::column(self.widest(conversation, at), room + indent);
        let column = column.saturating_sub(indent);
        let key = CallKey {
            session: self.session.clone().unwrap_or(SessionId(String::new())),
            call: id.clone(),
        };
        let head = self.head(id, record);
        let rows = call::rows(scene, &key, record, head, column, room);
        let before = hangs.flatten().map(|row| row.fitted(room));
        before
            .into_iter()
            .chain(rows)
            .map(|row| Row::new().padded(gutter).then(row))
            .collect()
    }

    /// The columns of the widest call of a group, so that what is said of them stands in a column.
    fn widest(&mut self, conversation: &Conversation, at: usize) -> usize {
        let items = conversation.items();
        let call = |at: usize| call_at(conversation, at).cloned();
        let before = (0..at).rev().take(GROUP).map_while(call);
        let from = (at..items.len()).take(GROUP).map_while(call);
        let group: Vec<CallId> = before.chain(from).collect();
        let width = |id: &CallId| {
            conversation.call(id).map_or(0, |record| {
                let indent = if record.parent.is_some() {
                    call::INDENT
                } else {
                    0
                };
                self.head(id, record).width + indent
            })
        };
        group.iter().map(width).max().unwrap_or(0)
    }

    fn head(&mut self, id: &CallId, record: &CallRecord) -> &Head {
        let edited = record.edited.as_ref().or_else(|| self.edits.get(id));
        let head = self
            .heads
            .entry(id.clone())
            .or_insert_with(|| Head::new(record, edited));
        if head.edited.as_ref() != edited {
            *head = Head::new(record, edited);
        }
        head
    }
}

fn call_at(conversation: &Conversation, at: usize) -> Option<&CallId> {
    match &conversation.items().get(at)?.entry {
        Entry::Call(id) => Some(id),
        Entry::User { .. }
        | Entry::Agent { .. }
        | Entry::Thinking { .. }
        | Entry::Server { .. }
        | Entry::Unknown { .. }
        | Entry::Note { .. } => None,
    }
}

/// What stands above a call that a script made, where the script or another call of it does not.
fn hanging(
    conversation: &Conversation,
    parent: &CallId,
    above: Option<&CallId>,
    theme: &Theme,
) -> Option<Row> {
    let is_kin = |id: &CallId| {
        let made_by = conversation.call(id).and_then(|call| call.parent.as_ref());
        id == parent || made_by == Some(parent)
    };
    if above.is_some_and(is_kin) {
        return None;
    }
    let row = Row::new().with("made by ", theme.dim);
    Some(match conversation.call(parent) {
        Some(record) => row.with(&Shown::label(&record.tool), theme.dim),
        None => row.with(&Shown::label(&parent.0), theme.dim),
    })
}

/// The edited arguments of this session's calls whose decision is not recorded yet.
fn edits(scene: Scene<'_>, session: &SessionId) -> HashMap<CallId, Arguments> {
    let edit = |waiting: &Waiting| match &waiting.stage {
        Stage::Held { ruling, .. } | Stage::Recording { ruling } => {
            let key = &waiting.call.key;
            let edited = ruling.decision.edited().filter(|_| key.session == *session);
            edited.map(|edited| (key.call.clone(), edited.clone()))
        }
        Stage::Awaiting => None,
    };
    scene.state.pending.decided().filter_map(edit).collect()
}

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
    let mut visible = Vec::new();
    if let Some(session) = state.current_session() {
        layouts.prepare(&session.id, usize::from(inner.width), detail(scene));
        layouts.edits = edits(scene, &session.id);
        let conversation = &session.conversation;
        let (window, rows) = visible_rows(scene, conversation, layouts, showed.height);
        showed.anchor = window;
        visible = rows;
        if visible.is_empty() {
            visible = empty(scene);
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
    // A text that is shorter than the pane begins at its top.
    if found.ends && up(found.first, 1, &mut rows_of) == Place::default() {
        found.first = Place::default();
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
