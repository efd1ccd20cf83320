//! Which call is selected, and which are marked.
//!
//! The cursor names a call. Arrivals and departures of other calls never move it (rule 7).

use super::{decide, sight};
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
    let is_script = call.is_script();
    let (key, expires) = (call.key.clone(), call.expires);
    let now = state.now;
    let due = expires.map(|expires| {
        let left = expires.duration_since(now.wall).as_millis();
        now.ticks.plus(u64::try_from(left).unwrap_or(0))
    });
    if state.pending.arrive(call, findings, since) && due.is_some() {
        state.pending.change(&key, |waiting| waiting.due = due);
    }
    // The calls that a script makes come right after it, and are what is decided.
    if !is_script {
        settle(state);
    }
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
    sight::moved(state);
}

/// Moves by `by` listed calls, stopping at the ends.
pub(super) fn step(state: &mut State, by: isize) {
    let Some(last) = state.pending.listed_len().checked_sub(1) else {
        return;
    };
    let at = state
        .cursor
        .as_ref()
        .map_or(Ok(0), |key| state.pending.rank(key));
    let to = match at {
        // It is no longer listed: what stood below it stands in its place.
        Err(at) if by > 0 => at.saturating_add_signed(by - 1),
        Ok(at) | Err(at) => at.saturating_add_signed(by),
    };
    let key = key_at(state, to.min(last));
    place(state, key);
}

fn key_at(state: &State, rank: usize) -> Option<CallKey> {
    let waiting = state.pending.listed_from(rank).next();
    waiting.map(|waiting| waiting.call.key.clone())
}

/// Where the cursor goes when `key` is decided or leaves: the next open call below, else above, else
/// any other call, so that the list keeps a cursor.
fn neighbour(state: &State, key: &CallKey) -> Option<CallKey> {
    let other = || {
        let mut listed = state.pending.listed();
        listed.find(|waiting| waiting.call.key != *key)
    };
    let found = state.pending.open_beside(key).or_else(other);
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
    sight::note_if_stood(state);
    if let Some(Overlay::Review(review)) = &mut state.overlay {
        let before = review.rulings.len();
        review.rulings.retain(|(other, _)| other != key);
        if review.rulings.is_empty() {
            state.overlay = None;
        } else if review.rulings.len() < before {
            review.how = decide::how(&review.rulings);
            review.laid_anew();
        }
    }
    for draft in [&mut state.draft, &mut state.left].into_iter().flatten() {
        draft.purpose.forget(key);
    }
    state.edited.retain(|(other, _)| other != key);
    state.rewritten.remove(key);
    state.seen.remove(key);
    state.pending.leave(key)
}

/// The full view shows one call; it never turns into another one under the operator's eyes.
fn close_view(state: &mut State) {
    if matches!(state.overlay, Some(Overlay::View { .. })) {
        state.overlay = None;
    }
}

/// Lists only what fits this text, which is being written. The cursor is where it was before, as soon
/// as that call is listed.
pub(super) fn filter(state: &mut State, text: &str) {
    state.list_only(text);
    let before = state.cursor_before.clone();
    if let Some(key) = before.filter(|key| state.pending.rank(key).is_ok()) {
        place(state, Some(key));
    }
    settle(state);
}

/// Gives the cursor a place if it has none in what is listed.
pub(super) fn settle(state: &mut State) {
    if is_listed(state) {
        return;
    }
    let first = first(state, |_| true);
    place(state, first);
}

/// The first listed call of these. What a script makes is decided more often than the script.
fn first(state: &State, of: impl Fn(&Waiting) -> bool) -> Option<CallKey> {
    let made = |waiting: &&Waiting| of(waiting) && !waiting.call.is_script();
    let any = || state.pending.listed().find(|waiting| of(waiting));
    let found = state.pending.listed().find(made).or_else(any);
    found.map(|waiting| waiting.call.key.clone())
}

fn is_listed(state: &State) -> bool {
    let cursor = state.cursor.as_ref();
    cursor.is_some_and(|key| state.pending.rank(key).is_ok())
}

/// Calls have come onto the list or off it by their age. If the one under the cursor went off it, that
/// is as if it had left.
pub(super) fn relisted(state: &mut State) {
    if is_listed(state) {
        return;
    }
    close_view(state);
    let next = state.cursor.as_ref().and_then(|key| neighbour(state, key));
    if next.is_some() {
        place(state, next);
    } else {
        settle(state);
    }
}

/// Divides the list by the next thing. The cursor stays on its call.
pub(super) fn group(state: &mut State) {
    state.arrange(|arrangement| arrangement.group = arrangement.group.next());
}

/// Sorts the list by the next thing. The cursor stays on its call.
pub(super) fn sort(state: &mut State) {
    state.arrange(|arrangement| arrangement.sort = arrangement.sort.next());
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
    let first = first(state, |waiting| waiting.call.key.session == *session);
    if first.is_some() {
        place(state, first);
    } else if state.is_narrowed() {
        place(state, None);
    }
}

/// Lists only the current session's calls, or all again.
pub(super) fn narrow(state: &mut State) {
    let only = (!state.is_narrowed()).then(|| state.current.clone());
    state.arrange(|arrangement| arrangement.only = only);
    settle(state);
}

/// Brings a session's conversation and output onto the screen.
fn show(state: &mut State, session: SessionId) {
    if state.current == session {
        return;
    }
    if state.is_narrowed() {
        let only = Some(session.clone());
        state.arrange(|arrangement| arrangement.only = only);
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
    state
        .pending
        .change(&key, |waiting| waiting.marked = !waiting.marked);
    step(state, 1);
    settle(state);
}

/// Marks all listed calls; unmarks them if all are marked.
pub(super) fn mark_all(state: &mut State) {
    let mark = state.pending.marked_tally().calls < state.pending.open_tally().calls;
    let open = state
        .pending
        .open()
        .filter(|waiting| waiting.marked != mark && !waiting.call.is_script());
    let keys: Vec<CallKey> = open.map(|waiting| waiting.call.key.clone()).collect();
    for key in &keys {
        state.pending.change(key, |waiting| waiting.marked = mark);
    }
    settle(state);
}
