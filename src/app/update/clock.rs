//! The time: what is due, and when to look again.
//!
//! There is no tick. The runtime asks `next_due` and sets one timer, or none.

use super::decide;
use crate::app::effect::Effect;
use crate::app::state::State;
use crate::core::pending::Stage;
use crate::core::run::{CallStatus, RunState};
use crate::core::time::{Now, Ticks};

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;

pub(super) fn passed(state: &mut State, now: Now) -> Vec<Effect> {
    state.now = now;
    let due: Vec<_> = state
        .pending
        .iter()
        .filter(
            |waiting| matches!(&waiting.stage, Stage::Held { until, .. } if *until <= now.ticks),
        )
        .map(|waiting| waiting.call.key.clone())
        .collect();
    due.iter()
        .filter_map(|key| decide::record(state, key))
        .collect()
}

/// The next moment at which the screen changes or something must be done by itself. `None`: never.
pub fn next_due(state: &State) -> Option<Ticks> {
    let arming = state
        .arms_in()
        .filter(|left| *left > 0)
        .map(|left| state.now.ticks.plus(left));
    let sheet = state
        .sheet_since
        .map(|since| since.plus(state.settings.arming))
        .filter(|due| *due > state.now.ticks);
    let holding = state.pending.next_due();
    // A countdown is shown in seconds.
    let countdown =
        holding.map(|until| step(state.now.ticks, until.since(state.now.ticks), SECOND));
    [arming, sheet, holding, countdown, next_second(state)]
        .into_iter()
        .flatten()
        .min()
}

/// The moment `left` milliseconds have shrunk to the next whole `unit`.
fn step(now: Ticks, left: u64, unit: u64) -> Ticks {
    now.plus(match left % unit {
        0 => unit,
        rest => rest,
    })
}

/// When a shown age changes: each second while something runs or has waited less than a minute, else
/// each minute.
fn next_second(state: &State) -> Option<Ticks> {
    let session = state.current_session()?;
    let now = state.now.ticks;
    let ages = session
        .conversation
        .calls()
        .values()
        .filter_map(|record| match record.status {
            CallStatus::Running => Some(next_step(now, now.since(record.since), SECOND)),
            CallStatus::Waiting => {
                let age = now.since(record.since);
                Some(next_step(
                    now,
                    age,
                    if age < MINUTE { SECOND } else { MINUTE },
                ))
            }
            CallStatus::Proposed
            | CallStatus::Decided { .. }
            | CallStatus::Confirmed
            | CallStatus::Finished { .. } => None,
        });
    let thinking = match session.run {
        RunState::Thinking => Some(next_step(now, now.since(session.since), SECOND)),
        RunState::Idle
        | RunState::Working
        | RunState::Waiting
        | RunState::Failed { .. }
        | RunState::Ended => None,
    };
    ages.chain(thinking).min()
}

/// The moment an age reaches its next whole `unit`.
const fn next_step(now: Ticks, age: u64, unit: u64) -> Ticks {
    now.plus(unit - age % unit)
}
