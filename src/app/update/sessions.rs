//! The list of sessions: moving in it, choosing, and what became of what was chosen.
//!
//! Choosing decides nothing. What is opened takes its place beside what is there: it moves no call and
//! no cursor by itself, only where the operator still looks at the list that it was chosen from.

use super::{cursor, notice};
use crate::app::draft::{Draft, Purpose};
use crate::app::effect::Effect;
use crate::app::event::Opened;
use crate::app::sessions::{Choice, Item, Saved, SessionList};
use crate::app::state::{Overlay, State};
use crate::core::name::quoted;
use crate::core::run::RunState;
use crate::core::session::{Home, SavedSession};

pub(super) fn open_list(state: &mut State) -> Vec<Effect> {
    let here = Choice::Open(state.current.clone());
    state.overlay = Some(Overlay::Sessions(SessionList::new(here)));
    vec![Effect::ListSessions]
}

/// Moves by `by` rows, stopping at the ends.
pub(super) fn step(state: &mut State, by: isize) {
    let Some(Overlay::Sessions(list)) = &state.overlay else {
        return;
    };
    let items = list.items(state);
    let at = items.iter().position(|item| item.is(&list.chosen));
    let to = at.unwrap_or(0).saturating_add_signed(by);
    let chosen = items
        .get(to.min(items.len().saturating_sub(1)))
        .map(|item| item.choice());
    choose_row(state, chosen);
}

fn choose_row(state: &mut State, chosen: Option<Choice>) {
    if let (Some(Overlay::Sessions(list)), Some(chosen)) = (&mut state.overlay, chosen) {
        list.chosen = chosen;
    }
}

pub(super) fn search(state: &mut State) {
    if let Some(Overlay::Sessions(list)) = &state.overlay {
        let draft = Draft::new(Purpose::Sessions, &list.filter);
        state.draft = Some(draft);
    }
}

/// Lists what contains this text.
pub(super) fn filter(state: &mut State, text: String) {
    if let Some(Overlay::Sessions(list)) = &mut state.overlay {
        list.filter = text;
    }
    let Some(Overlay::Sessions(list)) = &state.overlay else {
        return;
    };
    let items = list.items(state);
    if !items.iter().any(|item| item.is(&list.chosen)) {
        let first = items.first().map(|item| item.choice());
        choose_row(state, first);
    }
}

/// Shows, opens or starts what is under the list's cursor.
pub(super) fn choose(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::Sessions(list)) = &state.overlay else {
        return Vec::new();
    };
    let items = list.items(state);
    let Some(item) = items.into_iter().find(|item| item.is(&list.chosen)) else {
        return Vec::new();
    };
    let choice = item.choice();
    let effect = match item {
        Item::Open(_, session) if session.run == RunState::Ended && session.home != Home::File => {
            Effect::Open(session.id.clone())
        }
        Item::Open(_, session) => {
            let session = session.id.clone();
            state.overlay = None;
            cursor::show_session(state, &session);
            return Vec::new();
        }
        Item::Start(configured) => Effect::Start(configured.agent.clone()),
        Item::Saved(row) => Effect::Open(row.id.clone()),
    };
    if state.opening.is_some() {
        notice::warn(state, "another session is being opened; wait for it");
        return Vec::new();
    }
    state.opening = Some(choice);
    vec![effect]
}

/// The journal was read for the list.
pub(super) fn listed(state: &mut State, rows: Result<Vec<SavedSession>, String>) {
    if let Some(Overlay::Sessions(list)) = &mut state.overlay {
        list.saved = match rows {
            Ok(rows) => Saved::Read(rows),
            Err(why) => Saved::Failed(why),
        };
    }
}

pub(super) fn opened(state: &mut State, opened: Result<Opened, String>) {
    state.opening = None;
    let Opened {
        session,
        calls,
        note,
    } = match opened {
        Ok(opened) => opened,
        Err(why) => return notice::error(state, why),
    };
    let id = session.id.clone();
    let looks_on = matches!(state.overlay, Some(Overlay::Sessions(_)));
    let shows = looks_on || state.sessions.is_empty();
    let agent = quoted(&session.agent).into_owned();
    match state.session_mut(&id) {
        // It had ended here and is there again.
        Some(before) => {
            *before = session;
            state.replaced += 1;
        }
        None => state.sessions.push(session),
    }
    for call in calls {
        cursor::arrive(state, call);
    }
    if looks_on {
        state.overlay = None;
        state.draft = None;
    }
    if shows {
        cursor::show_session(state, &id);
    }
    match note {
        Some(note) => notice::note(state, note),
        None if !shows => notice::note(state, format!("a session of {agent} is open now")),
        None => {}
    }
}
