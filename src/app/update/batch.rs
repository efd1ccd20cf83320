//! What happens to the calls of the last batch.

use crate::app::batch::{Batch, Phase};
use crate::app::command::Command;
use crate::app::state::State;
use crate::core::call::{Answer, CallKey, SessionId};
use crate::core::count;
use crate::core::run::{CallStatus, Outcome, RunEvent, RunState};
use crate::core::shown::Shown;

/// Characters of a reason that are kept; the conversation has it as a whole.
const LONGEST: usize = 400;

pub(super) fn becomes(state: &mut State, key: &CallKey, phase: Phase) {
    if let Some(batch) = &mut state.batch {
        batch.becomes(key, phase, None);
    }
}

pub(super) fn explained(state: &mut State, key: &CallKey, phase: Phase, why: &str) {
    if let Some(batch) = &mut state.batch {
        batch.becomes(key, phase, Some(Shown::label(why)));
    }
}

/// Says where the results of a batch that was just signed can be seen.
pub(super) fn signed(state: &State) -> Option<String> {
    let batch = state.batch.as_ref()?;
    let fresh = |phase: Phase| phase == Phase::Recording;
    let calls = batch.calls().len();
    if calls == 0 || !batch.calls().iter().all(|signed| fresh(signed.phase)) {
        return None;
    }
    let key = state.keymap.keys(Command::Batch).first()?;
    let calls = count::of(calls, "call", "calls");
    Some(format!("{calls} signed; {key} shows what becomes of each"))
}

/// A call's run has come further.
pub(super) fn follow(state: &mut State, session: &SessionId, event: &RunEvent) {
    let Some(batch) = &mut state.batch else {
        return;
    };
    if *event == RunEvent::State(RunState::Thinking) {
        return batch.told(session);
    }
    let RunEvent::Status { call, status } = event else {
        return;
    };
    let key = CallKey {
        session: session.clone(),
        call: call.clone(),
    };
    match status {
        CallStatus::Running => batch.becomes(&key, Phase::Running, None),
        CallStatus::Finished { outcome } => {
            let inner = state.sessions.iter().any(|open| {
                let record = open
                    .conversation
                    .call(&key.call)
                    .filter(|_| open.id == *session);
                record.is_some_and(|record| record.parent.is_some())
            });
            // A script is told at once, the model once each call of its answer is decided.
            let unrun = if inner { Phase::Told } else { Phase::Untold };
            finished(batch, &key, outcome, unrun);
        }
        CallStatus::Proposed
        | CallStatus::Reviewing { .. }
        | CallStatus::Waiting
        | CallStatus::Decided { .. }
        | CallStatus::Confirmed => {}
    }
}

fn finished(batch: &mut Batch, key: &CallKey, outcome: &Outcome, unrun: Phase) {
    let told = batch.get(key).is_some_and(|signed| match signed.answer {
        Answer::Fail => true,
        Answer::Approve
        | Answer::Edit
        | Answer::Reject
        | Answer::Reason
        | Answer::Respond
        | Answer::Retry
        | Answer::AlwaysArguments
        | Answer::AlwaysTool
        | Answer::NeverArguments
        | Answer::NeverTool => false,
    });
    let why = |text: &str| {
        let start: String = text.chars().take(LONGEST).collect();
        Some(Shown::label(&start))
    };
    match outcome {
        Outcome::Result { .. } => batch.becomes(key, Phase::Done, None),
        Outcome::Failed { .. } if told => batch.becomes(key, unrun, None),
        Outcome::Failed { message } | Outcome::Refused { fault: message } => {
            batch.becomes(key, Phase::Failed, why(message));
        }
        Outcome::Denied { basis } => batch.becomes(key, Phase::Failed, why(&basis.words())),
        Outcome::Rejected { .. } | Outcome::Responded { .. } | Outcome::SentBack { .. } => {
            batch.becomes(key, unrun, None);
        }
        // Nobody decides in time what was decided; it is here so that none is forgotten.
        Outcome::Expired { .. } => batch.becomes(key, Phase::Gone, None),
        Outcome::Withdrawn { why: text } => batch.becomes(key, Phase::Gone, why(text)),
        Outcome::Interrupted => batch.becomes(key, Phase::Interrupted, None),
    }
}
