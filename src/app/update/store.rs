//! What became of a ruling that was to be recorded. Only what is recorded is delivered.

use super::{batch, cursor, notice, rules, run};
use crate::app::batch::Phase;
use crate::app::effect::Effect;
use crate::app::event::StoreEvent;
use crate::app::state::State;
use crate::core::call::CallKey;
use crate::core::decision::Withdrawal;
use crate::core::pending::Stage;

pub(super) fn answered(state: &mut State, event: StoreEvent) -> Vec<Effect> {
    match event {
        StoreEvent::Recorded(key) => recorded(state, &key),
        StoreEvent::DecidedElsewhere { key, by, ruling } => {
            let lost = cursor::remove(state, &key).as_ref().and_then(run::lost);
            if ruling.is_some() || !Withdrawal::is_told_by(&by) {
                batch::explained(state, &key, Phase::Elsewhere, &by);
                match lost {
                    Some(lost) => notice::error(state, format!("{lost}; before it: {by}")),
                    None => notice::warn(state, format!("decided elsewhere: {by}")),
                }
            } else {
                batch::explained(state, &key, Phase::Gone, &by);
                // Whoever stops a run wants all of it gone.
                if !by.ends_with(Withdrawal::INTERRUPTED) {
                    notice::warn(state, format!("nobody decides it any more: {by}"));
                }
            }
            ruling.map(Effect::Deliver).into_iter().collect()
        }
        StoreEvent::RecordFailed { key, why } => {
            state.pending.change(&key, |waiting| {
                waiting.stage = Stage::Awaiting;
                waiting.failure = Some(why.clone());
            });
            batch::explained(state, &key, Phase::NotRecorded, &why);
            notice::error(state, format!("not recorded, so nothing runs: {why}"));
            Vec::new()
        }
        StoreEvent::Given(grant) => rules::given(state, *grant),
        StoreEvent::Revoked(id) => rules::revoked(state, &id),
        StoreEvent::RuleFailed(why) => {
            rules::failed(state, &why);
            Vec::new()
        }
        StoreEvent::Rules(listed) => {
            rules::listed(state, listed);
            Vec::new()
        }
    }
}

fn recorded(state: &mut State, key: &CallKey) -> Vec<Effect> {
    let Some(waiting) = cursor::remove(state, key) else {
        return Vec::new();
    };
    match waiting.stage {
        Stage::Recording { ruling } => {
            batch::becomes(state, key, Phase::Recorded);
            if let Some(session) = state.session_mut(&key.session) {
                session.ruled(key.call.clone());
            }
            vec![Effect::Deliver(ruling)]
        }
        // Nothing was being recorded for it: there is nothing to deliver.
        Stage::Awaiting | Stage::Held { .. } => Vec::new(),
    }
}
