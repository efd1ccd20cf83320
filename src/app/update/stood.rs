//! The program stood still: stopped with ctrl-z or from outside, or with the machine it runs on.
//!
//! Owns what becomes of decisions that are held back meanwhile. Nobody could take them back while the program
//! stood, so the time for that begins again.

use super::{decide, held, notice, sight};
use crate::app::state::State;
use crate::core::pending::{Stage, Waiting};
use crate::core::time::{Now, Ticks};

/// Milliseconds that a decision can come late to the journal on a machine that is merely busy.
const LATE: u64 = 1000;

/// The program goes on, and its screen is no longer what it was.
pub(super) fn went_on(state: &mut State, now: Now) {
    state.now = now;
    sight::lost(state);
    held::forget(state);
    again(state);
}

/// Whether a held decision should have been sent so long ago that the program cannot have been awake.
pub(super) fn overslept(state: &State) -> bool {
    let due = state.pending.next_due();
    due.is_some_and(|due| state.now.ticks.since(due) > LATE)
}

/// All held decisions are held back longer, all by the same, so that the first has the whole time again.
pub(super) fn again(state: &mut State) {
    let Some(first) = state.pending.next_due() else {
        return;
    };
    let settings = &state.settings;
    let whole = settings.hold.max(settings.hold_destructive);
    let longer = state.now.ticks.plus(whole).since(first);
    let key = |(_, waiting): (Ticks, &Waiting)| waiting.call.key.clone();
    let keys: Vec<_> = state.pending.held().map(key).collect();
    for key in &keys {
        state.pending.change(key, |waiting| {
            if let Stage::Held { until, .. } = &mut waiting.stage {
                *until = until.plus(longer);
            }
        });
    }
    let how = |(until, waiting): (Ticks, &Waiting)| match &waiting.stage {
        Stage::Held { ruling, .. } => Some((until, ruling.how)),
        Stage::Awaiting | Stage::Recording { .. } => None,
    };
    let last = state.pending.held().next_back().and_then(how);
    if let Some((until, how)) = last {
        let (calls, undoing) = (decide::calls(keys.len()), decide::undoing(state, how));
        let text = format!("{calls} held back anew after the stop; {undoing}");
        notice::note_until(state, text, until);
    }
}
