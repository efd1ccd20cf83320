//! What the pane has laid out, kept from frame to frame. Only a cache.
//!
//! Owns the rows of each entry, and the column in which the words of a group of calls begin. A call's rows
//! change with the clock: they are kept with all that they were made of, and made anew when that is different.

use std::collections::HashMap;
use std::rc::Rc;

use super::call::{self, Head, Standing};
use super::entry::{self, Detail};
use super::screenful::Screenful;
use crate::app::state::State;
use crate::core::arguments::Arguments;
use crate::core::call::{CallId, CallKey, SessionId};
use crate::core::conversation::{CallRecord, Conversation, Entry};
use crate::core::name;
use crate::core::pending::{Stage, Waiting};
use crate::core::run::{CallStatus, EntryId};
use crate::core::session::Session;
use crate::core::time::Ticks;
use crate::ui::text::Row;
use crate::ui::theme::Theme;
use crate::ui::words::Scene;

/// Kept layouts beyond which those not on screen are let go.
const MOST: usize = 2048;
/// Calls on either side that are put in columns with a call.
const GROUP: usize = 12;

/// The layouts of one session's entries at one width. Only a cache: everything in it can be made anew.
#[derive(Debug, Default)]
pub struct Layouts {
    session: Option<SessionId>,
    replaced: u64,
    width: usize,
    detail: Detail,
    entries: HashMap<EntryId, (u32, Rc<[Row]>)>,
    heads: HashMap<CallId, Head>,
    calls: HashMap<EntryId, (Made, Rc<[Row]>)>,
    /// Of this frame only, by their place: calls whose rows are known to be right, and how wide calls are.
    current: HashMap<usize, Rc<[Row]>>,
    widths: HashMap<usize, Option<usize>>,
    /// Of this frame only: until when what is said of the time stays as it is.
    pub(super) stays: Option<Ticks>,
    pub(super) screenful: Option<Screenful>,
    /// The first row on screen while text came in at the end.
    pub(super) stood: Option<(EntryId, usize)>,
}

/// All that a call's rows are made of, but for what is kept only as long as it is the same.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Made {
    revision: u32,
    widest: usize,
    indent: usize,
    /// What stands above a call that a script made.
    hangs: Option<Row>,
    edited: Option<Arguments>,
    /// `None` for a call that is finished: its revision tells.
    standing: Option<Standing>,
}

impl Layouts {
    /// Lets go what is of another session, or of another width.
    pub(super) fn prepare(
        &mut self,
        session: &Session,
        state: &State,
        width: usize,
        detail: Detail,
    ) {
        let same = self.session.as_ref() == Some(&session.id) && self.replaced == state.replaced;
        if !same {
            self.heads.clear();
            self.session = Some(session.id.clone());
            self.replaced = state.replaced;
        }
        if !same || self.width != width || self.detail != detail {
            self.entries.clear();
            self.calls.clear();
            self.stood = None;
            self.screenful = None;
        }
        self.width = width;
        self.detail = detail;
    }

    /// Begins to lay out anew what is on screen.
    pub(super) fn begin(&mut self) {
        if self.entries.len() + self.calls.len() > MOST {
            self.entries.clear();
            self.calls.clear();
            self.stood = None;
        }
        if self.heads.len() > MOST {
            self.heads.clear();
        }
        self.current.clear();
        self.widths.clear();
        self.stays = None;
    }

    pub(super) fn rows(
        &mut self,
        scene: Scene<'_>,
        conversation: &Conversation,
        at: usize,
    ) -> Rc<[Row]> {
        let item = &conversation.items()[at];
        if let Entry::Call(id) = &item.entry {
            if let Some(rows) = self.current.get(&at) {
                return Rc::clone(rows);
            }
            let rows = self.call(scene, conversation, at, id);
            self.current.insert(at, Rc::clone(&rows));
            return rows;
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
    ) -> Rc<[Row]> {
        let item = &conversation.items()[at];
        let Some(record) = conversation.call(id) else {
            return Rc::new([Row::new().with("a call that is not recorded", scene.theme.dim)]);
        };
        let hangs = record.parent.as_ref().map(|parent| {
            let above = at
                .checked_sub(1)
                .and_then(|above| call_at(conversation, above));
            hanging(conversation, parent, above, scene.theme)
        });
        let widest = self.widest(scene, conversation, at);
        let waiting = self.waiting(scene, id, record);
        let stays = [self.stays, call::stays(scene, waiting, record)];
        self.stays = stays.into_iter().flatten().min();
        let is_finished = matches!(record.status, CallStatus::Finished { .. });
        let made = Made {
            revision: item.revision,
            widest,
            indent: hangs.as_ref().map_or(0, |_| call::INDENT),
            hangs: hangs.flatten(),
            edited: self.head(id, record, waiting).edited.clone(),
            standing: (!is_finished).then(|| call::standing(scene, waiting, record)),
        };
        if let Some((kept, rows)) = self.calls.get(&item.id)
            && *kept == made
        {
            return Rc::clone(rows);
        }
        let rows: Rc<[Row]> = self.lay(scene, id, record, &made).into();
        self.calls.insert(item.id, (made, Rc::clone(&rows)));
        rows
    }

    fn lay(&self, scene: Scene<'_>, id: &CallId, record: &CallRecord, made: &Made) -> Vec<Row> {
        let gutter = entry::gutter(self.width) + made.indent;
        let room = self.width.saturating_sub(gutter).max(1);
        let column = call::column(made.widest, room + made.indent);
        let column = column.saturating_sub(made.indent);
        let standing = made.standing.clone();
        let standing = standing.unwrap_or_else(|| call::standing(scene, None, record));
        let rows = call::rows(scene, standing, &self.heads[id], (column, room));
        let before = made.hangs.clone().map(|row| row.fitted(room));
        before
            .into_iter()
            .chain(rows)
            .map(|row| Row::new().padded(gutter).then(row))
            .collect()
    }

    /// The columns of the widest call of a group, so that what is said of them stands in a column.
    fn widest(&mut self, scene: Scene<'_>, conversation: &Conversation, at: usize) -> usize {
        let items = conversation.items().len();
        // As far as there is call after call.
        let mut width = |at| self.width(scene, conversation, at);
        let before = (0..at).rev().take(GROUP).map_while(&mut width).max();
        let from = (at..items).take(GROUP).map_while(&mut width).max();
        before.max(from).unwrap_or(0)
    }

    /// The columns of the call at this place; `None` where something else stands.
    fn width(&mut self, scene: Scene<'_>, conversation: &Conversation, at: usize) -> Option<usize> {
        if let Some(width) = self.widths.get(&at) {
            return *width;
        }
        let id = call_at(conversation, at);
        let width = id.map(|id| {
            conversation.call(id).map_or(0, |record| {
                let indent = if record.parent.is_some() {
                    call::INDENT
                } else {
                    0
                };
                let waiting = self.waiting(scene, id, record);
                self.head(id, record, waiting).width + indent
            })
        });
        self.widths.insert(at, width);
        width
    }

    /// The call as it waits for a person, as long as it does.
    fn waiting<'a>(
        &self,
        scene: Scene<'a>,
        id: &CallId,
        record: &CallRecord,
    ) -> Option<&'a Waiting> {
        if matches!(record.status, CallStatus::Finished { .. }) {
            return None;
        }
        let session = self.session.as_ref()?;
        scene.state.pending.get(&CallKey {
            session: session.clone(),
            call: id.clone(),
        })
    }

    fn head(&mut self, id: &CallId, record: &CallRecord, waiting: Option<&Waiting>) -> &Head {
        let edited = record.edited.as_ref().or_else(|| edited(waiting?));
        if self
            .heads
            .get(id)
            .is_none_or(|head| head.edited.as_ref() != edited)
        {
            self.heads.insert(id.clone(), Head::new(record, edited));
        }
        &self.heads[id]
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
    // Several scripts may run at once: the tool alone would not say which.
    let row = match conversation.call(parent) {
        Some(record) => row
            .with(&name::shown(&record.tool), theme.dim)
            .with(" ", theme.dim),
        None => row,
    };
    Some(row.with(&name::shown(&parent.0), theme.dim))
}

/// The edited arguments of a call whose decision is not recorded yet.
fn edited(waiting: &Waiting) -> Option<&Arguments> {
    match &waiting.stage {
        Stage::Held { ruling, .. } | Stage::Recording { ruling } => ruling.decision.edited(),
        Stage::Awaiting => None,
    }
}
