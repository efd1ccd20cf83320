//! Answers that were given line by line, without a screen.
//!
//! The same rules as for keys: the call must have been asked about, all of it printed, for long enough;
//! its origin must take the answer; edited arguments must fit the tool's schema.

use super::{cursor, decide, notice};
use crate::app::effect::Effect;
use crate::app::event::Line;
use crate::app::refusal;
use crate::app::state::{Seen, Sight, State};
use crate::core::call::CallKey;
use crate::core::decision::{Decision, How};

pub(super) fn read(state: &mut State, line: Line) -> Vec<Effect> {
    state.notice = None;
    match line {
        Line::Asked(key) => {
            asked(state, key);
            Vec::new()
        }
        Line::Decided(key, decision) => decided(state, key, decision),
        Line::Undo => {
            decide::undo(state);
            Vec::new()
        }
        Line::Interrupt(session) => {
            state.current = session;
            decide::interrupt(state)
        }
        Line::Message { session, text } => vec![Effect::Message { session, text }],
        Line::Resend(session) => vec![Effect::Resend(session)],
        Line::Quit => vec![Effect::Quit],
    }
}

/// All of the call was printed, and the question stands below it.
fn asked(state: &mut State, key: CallKey) {
    let since = state.now.ticks;
    cursor::place(state, Some(key.clone()));
    let seen = state.seen.entry(key.clone()).or_insert(Seen {
        first: since,
        ..Seen::default()
    });
    (seen.to, seen.total) = (1, 1);
    state.sight = Some(Sight {
        call: key,
        since,
        laid: since,
    });
}

fn decided(state: &mut State, key: CallKey, decision: Decision) -> Vec<Effect> {
    if let Some(why) = refused(state, &key, &decision) {
        notice::warn(state, why);
        return Vec::new();
    }
    decide::decide(state, vec![(key, decision)], How::Line)
}

/// Why the answer does not count.
fn refused(state: &State, key: &CallKey, decision: &Decision) -> Option<String> {
    let asked = state.sight.as_ref().is_some_and(|sight| sight.call == *key);
    let Some(waiting) = state.pending.get(key).filter(|waiting| waiting.is_open()) else {
        return Some("this call is no longer open; nothing was decided".to_owned());
    };
    if !asked || state.arms_in() != Some(0) {
        return Some(
            "this call has only just been printed; nothing was decided, read it first".to_owned(),
        );
    }
    if !waiting.call.answers.take(decision.answer()) {
        return Some(refusal::not_taken(&waiting.call, decision.word()));
    }
    let schema = waiting.call.schema.as_ref().zip(decision.edited());
    schema.and_then(|(schema, edited)| {
        let found = schema.check(edited.value()).into_iter().next()?;
        Some(format!("not accepted: {found}"))
    })
}
