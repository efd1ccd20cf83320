//! The time: what is due, and when to look again.
//!
//! There is no tick. The runtime asks `next_due` and sets one timer, or none.

use super::{attention, cursor, decide, held, notice, rule_list, stood};
use crate::app::attention::outside_due;
use crate::app::effect::Effect;
use crate::app::state::State;
use crate::core::run::RunState;
use crate::core::time::{Now, Ticks};

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;

pub(super) fn passed(state: &mut State, now: Now) -> Vec<Effect> {
    state.now = now;
    notice::expire(state);
    state.pending.expire(now);
    if state.pending.passed(now.ticks) {
        cursor::relisted(state);
    }
    if stood::overslept(state) {
        stood::again(state);
    }
    let held = state.pending.held();
    let due: Vec<_> = held
        .take_while(|(until, _)| *until <= now.ticks)
        .map(|(_, waiting)| waiting.call.key.clone())
        .collect();
    let mut effects: Vec<_> = due
        .iter()
        .filter_map(|key| decide::record(state, key))
        .collect();
    effects.extend(held::passed(state));
    effects.extend(attention::passed(state));
    effects.extend(rule_list::passed(state));
    effects
}

/// The next moment at which the screen changes or something must be done by itself. `None`: never.
pub fn next_due(state: &State) -> Option<Ticks> {
    let arming = state
        .arms_in()
        .filter(|left| *left > 0)
        .map(|left| state.now.ticks.plus(left));
    let sheet = [state.sheet_since, state.draft_since]
        .into_iter()
        .flatten()
        .map(|since| since.plus(state.settings.arming))
        .filter(|due| *due > state.now.ticks)
        .min();
    let notice = state.notice.as_ref().and_then(|notice| notice.until);
    let holding = state.pending.next_due();
    // A countdown is shown in seconds.
    let countdown =
        holding.map(|until| step(state.now.ticks, until.since(state.now.ticks), SECOND));
    let expiring = state.pending.counts_down(state.now.ticks);
    [
        expiring,
        arming,
        sheet,
        notice,
        holding,
        countdown,
        held::due(state),
        state.attention.due,
        outside_due(state),
        rule_list::due(state),
        next_second(state),
        state.pending.turns(),
    ]
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

/// When a shown age changes. All ages are shown as of whole seconds of one clock, so that many of them
/// make one frame a second: while something runs or has waited less than a minute; else one a minute.
fn next_second(state: &State) -> Option<Ticks> {
    let session = state.current_session()?;
    let now = state.now.ticks;
    let youngest = state.pending.youngest();
    let young = youngest.is_some_and(|since| now.since(since) < MINUTE);
    let unit = if session.run == RunState::Thinking || session.conversation.running() > 0 || young {
        Some(SECOND)
    } else {
        (!state.pending.is_empty()).then_some(MINUTE)
    };
    unit.map(|unit| next(now, unit))
}

/// The next whole `unit` of the clock.
const fn next(now: Ticks, unit: u64) -> Ticks {
    now.plus(unit - now.0 % unit)
}
