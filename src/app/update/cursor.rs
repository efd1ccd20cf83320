//! Which call is selected, and which are marked.
//!
//! The cursor names a call. Arrivals and departures of other calls never move it (rule 7).

use crate::app::state::{Overlay, Scroll, State};
use crate::core::call::{Call, CallId, CallKey, SessionId};
use crate::core::conversation::CallRecord;
use crate::core::pending::Waiting;
use crate::policy::findings;

/// Takes in a call that waits. The cursor stays where it is, if it is anywhere.
pub(super) fn arrive(state: &mut State, call: Call) {
    // A call that waited before this console came has waited since then.
    let waited = state.now.wall.duration_since(call.arrived).as_millis();
    let since = state.now.ticks.before(u64::try_from(waited).unwrap_or(0));
    let findings = findings::look(&call);
    let (key, expires) = (call.key.clone(), call.expires);
    if state.pending.arrive(call, findings, since)
        && let Some(waiting) = state.pending.get_mut(&key)
    {
        waiting.due = expires.map(|expires| {
            let left = expires.duration_since(state.now.wall).as_millis();
            state.now.ticks.plus(u64::try_from(left).unwrap_or(0))
        });
    }
    settle(state);
}

/// Puts the cursor on a call, whose session comes with it.
pub(super) fn place(state: &mut State, key: Option<CallKey>) {
    if state.cursor == key {
        return;
    }
    if let Some(key) = &key {
        show(state, key.session.clone());
    }
    state.cursor = key;
    state.arguments_top = 0;
    state.sight = None;
}

/// Moves by `by` listed calls, stopping at the ends.
pub(super) fn step(state: &mut State, by: isize) {
    let listed: Vec<_> = state.listed().map(|waiting| &waiting.call.key).collect();
    let Some(last) = listed.len().checked_sub(1) else {
        return;
    };
    let at = listed
        .iter()
        .position(|key| Some(*key) == state.cursor.as_ref())
        .unwrap_or(0);
    let to = at.saturating_add_signed(by).min(last);
    let key = listed[to].clone();
    place(state, Some(key));
}

/// Where the cursor goes when `key` is decided or leaves: the next open call below, else above.
fn neighbour(state: &State, key: &CallKey) -> Option<CallKey> {
    let open = |waiting: &&Waiting| waiting.is_open() && waiting.call.key != *key;
    let after = state
        .listed()
        .skip_while(|waiting| waiting.call.key != *key)
        .find(open);
    let found = after.or_else(|| {
        state
            .listed()
            .rev()
            .skip_while(|w| w.call.key != *key)
            .find(open)
    });
    // Nothing open: any other call, so that the list keeps a cursor.
    let found = found.or_else(|| state.listed().find(|waiting| waiting.call.key != *key));
    found.map(|waiting| waiting.call.key.clone())
}

/// Moves on from a call that was just decided; it stays if nothing else is open.
pub(super) fn move_on(state: &mut State, from: &CallKey) {
    if state.cursor.as_ref() != Some(from) {
        return;
    }
    let next =
        neighbour(state, from).filter(|key| state.pending.get(key).is_some_and(Waiting::is_open));
    if next.is_some() {
        close_view(state);
        place(state, next);
    }
}

/// Takes a call out of the list, and the cursor off it first.
pub(super) fn remove(state: &mut State, key: &CallKey) -> Option<Waiting> {
    if state.cursor.as_ref() == Some(key) {
        close_view(state);
        let next = neighbour(state, key);
        place(state, next);
    }
    if let Some(Overlay::Review(review)) = &mut state.overlay {
        review.rulings.retain(|(other, _)| other != key);
        if review.rulings.is_empty() {
            state.overlay = None;
        }
    }
    for draft in [&mut state.draft, &mut state.left].into_iter().flatten() {
        draft.purpose.forget(key);
    }
    state.edited.retain(|(other, _)| other != key);
    state.seen.remove(key);
    state.pending.leave(key)
}

/// The full view shows one call; it never turns into another one under the operator's eyes.
fn close_view(state: &mut State) {
    if matches!(state.overlay, Some(Overlay::View { .. })) {
        state.overlay = None;
    }
}

/// Gives the cursor a place if it has none in what is listed.
pub(super) fn settle(state: &mut State) {
    let listed = |key: &CallKey| state.listed().any(|waiting| waiting.call.key == *key);
    if state.cursor.as_ref().is_some_and(listed) {
        return;
    }
    let first = state
        .listed()
        .next()
        .map(|waiting| waiting.call.key.clone());
    place(state, first);
}

/// Shows the next session.
pub(super) fn next_session(state: &mut State) {
    let at = state
        .sessions
        .iter()
        .position(|session| session.id == state.current);
    let next = at.map_or(0, |at| (at + 1) % state.sessions.len());
    let Some(session) = state.sessions.get(next).map(|session| session.id.clone()) else {
        return;
    };
    show_session(state, &session);
}

/// Shows a session, and its first call if one waits.
pub(super) fn show_session(state: &mut State, session: &SessionId) {
    show(state, session.clone());
    let of_session = |waiting: &&Waiting| waiting.call.key.session == *session;
    let first = state
        .listed()
        .find(of_session)
        .map(|waiting| waiting.call.key.clone());
    if first.is_some() {
        place(state, first);
    } else if state.narrowed {
        place(state, None);
    }
}

/// Lists only the current session's calls, or all again.
pub(super) fn narrow(state: &mut State) {
    state.narrowed = !state.narrowed;
    settle(state);
}

/// Brings a session's conversation and output onto the screen.
fn show(state: &mut State, session: SessionId) {
    if state.current == session {
        return;
    }
    state.current = session;
    state.conversation_scroll = Scroll::default();
    state.output_of = None;
    state.newest_output = newest_output(state);
    state.output_scroll = Scroll::default();
}

/// The last call of the current session that wrote something.
fn newest_output(state: &State) -> Option<CallKey> {
    let session = state.current_session()?;
    let wrote = |(_, record): &(&CallId, &CallRecord)| !record.output.is_empty();
    let (call, _) = session.conversation.calls().iter().rev().find(wrote)?;
    Some(CallKey {
        session: session.id.clone(),
        call: call.clone(),
    })
}

/// Marks or unmarks the selected call and steps down, so that holding nothing but space marks a run.
pub(super) fn mark(state: &mut State) {
    let Some(key) = state.cursor.clone() else {
        return;
    };
    if let Some(waiting) = state.pending.get_mut(&key) {
        waiting.marked = !waiting.marked;
    }
    step(state, 1);
}

/// Marks all listed calls; unmarks them if all are marked.
pub(super) fn mark_all(state: &mut State) {
    let open: Vec<_> = state
        .listed()
        .filter(|waiting| waiting.is_open())
        .map(|waiting| (waiting.call.key.clone(), waiting.marked))
        .collect();
    let mark = open.iter().any(|(_, marked)| !marked);
    for (key, _) in open {
        if let Some(waiting) = state.pending.get_mut(&key) {
            waiting.marked = mark;
        }
    }
}
