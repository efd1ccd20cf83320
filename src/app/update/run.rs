//! What an agent's run reports.

use super::{attention, batch, cursor, notice, rules};
use crate::app::batch::Phase;
use crate::app::effect::Effect;
use crate::app::state::{Leaves, Scroll, State};
use crate::core::call::{CallId, CallKey, SessionId};
use crate::core::name;
use crate::core::pending::{Stage, Waiting};
use crate::core::run::{CallStatus, Level, RunEvent, RunState};
use crate::core::time;
use crate::core::verdict::Basis;

pub(super) fn happened(state: &mut State, session: &SessionId, event: RunEvent) -> Vec<Effect> {
    match event {
        RunEvent::Arrived(call) => {
            cursor::arrive(state, *call);
            rules::calls_changed(state);
            attention::arrived(state);
        }
        RunEvent::Stands { call, script } => {
            let session = session.clone();
            state.pending.stands(&CallKey { session, call }, script);
        }
        RunEvent::Withdrawn { call, why } => {
            let key = CallKey {
                session: session.clone(),
                call,
            };
            let gone = cursor::remove(state, &key);
            if let Some(waiting) = gone {
                batch::explained(state, &key, Phase::Gone, &why);
                // A script that goes on is what everybody waits for.
                if waiting.call.basis != Basis::Script {
                    notice::note(state, format!("a call is no longer wanted: {why}"));
                }
                rules::calls_changed(state);
            }
        }
        RunEvent::Expired { call, tool, waited } => {
            let tool = name::of_call(&call, &tool).into_owned();
            let session = session.clone();
            let gone = cursor::remove(state, &CallKey { session, call });
            if gone.is_some() {
                let span = time::span(waited);
                let text = format!("{tool} has expired: nobody decided within {span}");
                notice::warn(state, text);
            }
        }
        event @ (RunEvent::Began { .. }
        | RunEvent::State(_)
        | RunEvent::User { .. }
        | RunEvent::Text { .. }
        | RunEvent::Thinking { .. }
        | RunEvent::TextEnded { .. }
        | RunEvent::Called { .. }
        | RunEvent::Reviewed { .. }
        | RunEvent::Status { .. }
        | RunEvent::Output { .. }
        | RunEvent::Server { .. }
        | RunEvent::Unknown { .. }
        | RunEvent::Note { .. }
        | RunEvent::Discarded { .. }) => {
            report(state, session, &event);
            batch::follow(state, session, &event);
            let now = state.now.ticks;
            if let Some(session) = state.session_mut(session) {
                session.apply(now, &event);
            }
            return left(state);
        }
    }
    Vec::new()
}

/// Somebody may wait for the console to close once everything is decided.
fn left(state: &State) -> Vec<Effect> {
    let ended = || {
        state
            .sessions
            .iter()
            .all(|session| session.run == RunState::Ended)
    };
    match state.settings.leaves {
        Leaves::WhenDecided if ended() => vec![Effect::Quit],
        Leaves::WhenDecided | Leaves::WhenAsked => Vec::new(),
    }
}

/// Nobody is left to take a decision on the calls of a session whose agent has ended.
fn ended(state: &mut State, session: &SessionId) {
    let of_session = |waiting: &&Waiting| waiting.call.key.session == *session;
    let left: Vec<_> = state
        .pending
        .iter()
        .filter(of_session)
        .map(|waiting| waiting.call.key.clone())
        .collect();
    for key in &left {
        cursor::remove(state, key);
        batch::explained(state, key, Phase::Gone, "its agent has ended");
    }
    if !left.is_empty() {
        let text = format!(
            "the session's agent has ended; open it again in the list of sessions, or with: countersign resume {session}"
        );
        notice::error(state, text);
    }
}

/// A call that still waits here was decided by another console: the row leaves and says by whom.
fn decided_elsewhere(state: &mut State, session: &SessionId, call: &CallId, word: &str, by: &str) {
    let waits = state.pending.about(session, call);
    let Some(waiting) = waits else {
        return;
    };
    let (key, lost) = (waiting.call.key.clone(), lost(waiting));
    cursor::remove(state, &key);
    batch::explained(state, &key, Phase::Elsewhere, &format!("{word} by {by}"));
    // It is told as it happens, so this clock says when.
    let at = state.now.wall;
    let told = format!("{word} by {by} at {at:.0}");
    match lost {
        Some(lost) => notice::error(state, format!("{lost}; before it: {told}")),
        None => notice::note(state, format!("decided elsewhere: {told}")),
    }
}

/// That a decision of this console came too late, in words; `None` if it has made none.
pub(super) fn lost(waiting: &Waiting) -> Option<String> {
    let (Stage::Held { ruling, .. } | Stage::Recording { ruling }) = &waiting.stage else {
        return None;
    };
    let name = name::quoted(&waiting.call.tool);
    Some(format!(
        "does not count: {name} {}",
        ruling.decision.answer().done()
    ))
}

/// What of the event shows outside the conversation: errors, and which output is followed.
fn report(state: &mut State, session: &SessionId, event: &RunEvent) {
    match event {
        RunEvent::State(RunState::Ended) => ended(state, session),
        // The conversation on screen says it already, and the footer is needed for what to do now.
        RunEvent::Note {
            level: Level::Error,
            text,
            ..
        } if *session != state.current => {
            notice::error(state, text.clone());
        }
        RunEvent::Status {
            call,
            status: CallStatus::Decided { answer, by, .. },
        } => decided_elsewhere(state, session, call, answer.done(), by),
        RunEvent::Status {
            call,
            status: CallStatus::Running,
        }
        | RunEvent::Output { call, .. } => {
            follow_output(state, session, call);
        }
        RunEvent::Began { .. }
        | RunEvent::State(_)
        | RunEvent::User { .. }
        | RunEvent::Text { .. }
        | RunEvent::Thinking { .. }
        | RunEvent::TextEnded { .. }
        | RunEvent::Called { .. }
        | RunEvent::Status { .. }
        | RunEvent::Arrived(_)
        | RunEvent::Stands { .. }
        | RunEvent::Reviewed { .. }
        | RunEvent::Expired { .. }
        | RunEvent::Withdrawn { .. }
        | RunEvent::Server { .. }
        | RunEvent::Unknown { .. }
        | RunEvent::Note { .. }
        | RunEvent::Discarded { .. } => {}
    }
}

fn follow_output(state: &mut State, session: &SessionId, call: &CallId) {
    if *session != state.current {
        return;
    }
    let shown = state.newest_output.as_ref();
    if shown.is_some_and(|key| key.session == *session && key.call == *call) {
        return;
    }
    // A call that still runs keeps the pane; others write beside it, out of sight.
    let busy = shown.is_some_and(|key| {
        let record = state
            .session(&key.session)
            .and_then(|s| s.conversation.call(&key.call));
        record.is_some_and(|record| record.status == CallStatus::Running)
    });
    if busy {
        return;
    }
    state.newest_output = Some(CallKey {
        session: session.clone(),
        call: call.clone(),
    });
    if state.output_of.is_none() {
        state.output_scroll = Scroll::default();
    }
}
