//! Calls that wait already, and that a rule given since denies.
//!
//! Such a rule decides no call that waits. Owns that whoever decides one is told of it, and looks at it anew.

use super::sight;
use crate::app::rules::{Match, of_pending};
use crate::app::seen::Seen;
use crate::app::state::{Overlay, State};
use crate::core::call::CallKey;
use crate::core::pending::Waiting;
use crate::core::verdict::Verdict;
use crate::policy::grant::Given;

/// Says so on each call that the rule denies.
pub(super) fn warn(state: &mut State, given: &Given) {
    if given.verdict() != Verdict::Deny {
        return;
    }
    let lasts = given.grant.lasts.words();
    let warning = format!("{} {lasts}, by {}", begin(&given.grant.id), given.grant.who);
    let denied = |waiting: &&Waiting| {
        of_pending(state, given, &waiting.call) == Match::Yes
            && !waiting.call.warnings.contains(&warning)
    };
    let keys = keys(state, denied);
    for key in &keys {
        change(state, key, |warnings| warnings.push(warning.clone()));
    }
}

/// The rule counts no more.
pub(super) fn forget(state: &mut State, id: &str) {
    let begin = begin(id);
    let of_it = |warning: &String| warning.starts_with(&begin);
    let keys = keys(state, |waiting| waiting.call.warnings.iter().any(of_it));
    for key in &keys {
        change(state, key, |warnings| {
            warnings.retain(|warning| !of_it(warning));
        });
    }
}

/// Takes back what is said of rules that are not among those that count.
pub(super) fn keep(state: &mut State, ids: &[&str]) {
    let begins: Vec<String> = ids.iter().map(|id| begin(id)).collect();
    let is_gone = |warning: &String| {
        warning.starts_with(BEGIN) && !begins.iter().any(|begin| warning.starts_with(begin))
    };
    let keys = keys(state, |waiting| waiting.call.warnings.iter().any(is_gone));
    for key in &keys {
        change(state, key, |warnings| {
            warnings.retain(|warning| !is_gone(warning))
        });
    }
}

const BEGIN: &str = "a rule given since this call came denies it: ";

fn begin(id: &str) -> String {
    format!("{BEGIN}{id},")
}

fn keys(state: &State, of: impl Fn(&&Waiting) -> bool) -> Vec<CallKey> {
    let waiting = state.pending.iter().filter(of);
    waiting.map(|waiting| waiting.call.key.clone()).collect()
}

/// What is said of the call has changed: it has to be looked at again.
fn change(state: &mut State, key: &CallKey, change: impl FnOnce(&mut Vec<String>)) {
    state
        .pending
        .change(key, |waiting| change(&mut waiting.call.warnings));
    state.seen.remove(key);
    if let Some(Overlay::Review(review)) = &mut state.overlay
        && review.rulings.iter().any(|(other, _)| other == key)
    {
        review.seen = Seen::default();
        review.asked = false;
        sight::other_sheet(state);
    }
    if state.cursor.as_ref() == Some(key) {
        sight::moved(state);
    }
}
