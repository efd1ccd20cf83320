//! The list of the rules that were given: to look at, to change, to take back.
//!
//! Owns what is said of rules that leave it. Gives none: that is `rules`.

use super::rules::{Armed, is_armed};
use super::{denied, notice, sight};
use crate::app::command::Command;
use crate::app::effect::Effect;
use crate::app::given::{RuleList, Rules};
use crate::app::state::{Overlay, State};
use crate::core::time::Ticks;
use crate::core::verdict::Verdict;
use crate::policy::grant::{Given, Grant, Lasts};

pub(super) fn open_list(state: &mut State) -> Vec<Effect> {
    sight::other_sheet(state);
    state.overlay = Some(Overlay::Rules(RuleList::reading()));
    vec![Effect::ListRules]
}

/// The given rules were read. Those of sessions that are not open here are not this console's.
pub(super) fn listed(state: &mut State, rules: Result<Vec<Grant>, String>) {
    let now = state.now.wall;
    let here = |grant: &Grant| match grant.lasts {
        Lasts::Session => state.session(&grant.session).is_some(),
        Lasts::Until(_) | Lasts::Always => grant.is_live(now),
    };
    let rules = rules.map(|grants| grants.into_iter().filter(here).collect::<Vec<_>>());
    // Another console may have given some of them, or taken some back.
    if let Ok(grants) = &rules {
        gone(state, grants);
        let ids: Vec<&str> = grants.iter().map(|grant| grant.id.as_str()).collect();
        denied::keep(state, &ids);
    }
    for grant in rules.iter().flatten() {
        if let Ok(given) = Given::read(grant.clone()) {
            denied::warn(state, &given);
        }
    }
    let read = state.now.ticks;
    let Some(Overlay::Rules(list)) = &mut state.overlay else {
        return;
    };
    list.read = Some(read);
    list.rules = match rules {
        Ok(grants) => Rules::Read(grants),
        Err(why) => Rules::Failed(why),
    };
    if list.selected().is_none() {
        let first = list.listed().first().map(|grant| grant.id.clone());
        let another = list.chosen.is_some();
        (list.chosen, list.asked) = (first, None);
        // What slid under the cursor has to be looked at first.
        if another {
            sight::other_sheet(state);
        }
    }
}

/// Says which of the listed rules count no more though nobody here took them back: another console did, or
/// `countersign rules revoke`, or their time is over. What was revoked here may be known only later.
fn gone(state: &mut State, now: &[Grant]) {
    let Some(Overlay::Rules(list)) = &state.overlay else {
        return;
    };
    let is_gone = |before: &&Grant| now.iter().all(|grant| grant.id != before.id);
    let gone: Vec<Grant> = list.listed().iter().filter(is_gone).cloned().collect();
    if let Some(grant) = gone.last() {
        let why = if grant.is_live(state.now.wall) {
            "it was revoked"
        } else {
            "its time is over"
        };
        notice::warn(state, format!("rule {} counts no more: {why}", grant.id));
    }
}

/// Reads the list anew once it is no longer fresh.
pub(super) fn passed(state: &mut State) -> Option<Effect> {
    let now = state.now.ticks;
    let Some(Overlay::Rules(list)) = &mut state.overlay else {
        return None;
    };
    list.due().filter(|due| *due <= now)?;
    list.read = None;
    Some(Effect::ListRules)
}

/// When that is.
pub(super) fn due(state: &State) -> Option<Ticks> {
    match &state.overlay {
        Some(Overlay::Rules(list)) => list.due(),
        Some(_) | None => None,
    }
}

/// Moves in the list by `by` rows, stopping at the ends.
pub(super) fn step(state: &mut State, by: isize) {
    if let Some(Overlay::Rules(list)) = &mut state.overlay {
        let listed = list.listed();
        let chosen = list.chosen.as_ref();
        let at = listed.iter().position(|grant| Some(&grant.id) == chosen);
        let to = at.unwrap_or(0).saturating_add_signed(by);
        let to = to.min(listed.len().saturating_sub(1));
        let to = listed.get(to).map(|grant| grant.id.clone());
        if list.chosen != to {
            (list.chosen, list.asked) = (to, None);
            sight::other_sheet(state);
        }
    }
}

/// Takes back the rule under the cursor. One that denies kept something from running, so this waits as
/// signing does, and asks once more. The next rule has to be looked at anew.
pub(super) fn revoke(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::Rules(list)) = &state.overlay else {
        return Vec::new();
    };
    let Some(grant) = list.selected().cloned() else {
        return Vec::new();
    };
    if is_armed(state) == Armed::NotYet {
        let why = "this rule has only just come under the cursor; look at it first";
        notice::warn(state, why);
        return Vec::new();
    }
    if asks_first(state, &grant) {
        return Vec::new();
    }
    sight::other_sheet(state);
    vec![Effect::Revoke {
        grant: Box::new(grant),
        who: state.settings.who.clone(),
        at: state.now.wall,
    }]
}

/// Asks once more about a rule that denies, or that nobody can read, and whether it has asked now.
fn asks_first(state: &mut State, grant: &Grant) -> bool {
    let denies = Given::read(grant.clone()).map_or(true, |given| given.verdict() == Verdict::Deny);
    let Some(Overlay::Rules(list)) = &mut state.overlay else {
        return false;
    };
    if !denies || list.asked.as_ref() == Some(&grant.id) {
        return false;
    }
    list.asked = Some(grant.id.clone());
    let key = state.keymap.keys(Command::Revoke).first();
    let key = key.map_or_else(|| "the same".to_owned(), |key| format!("`{key}`"));
    let text = format!(
        "this rule denies: without it such calls are asked about, or run; {key} again revokes it all the same"
    );
    notice::warn(state, text);
    true
}

pub(super) fn revoked(state: &mut State, id: &str) -> Vec<Effect> {
    notice::note(state, format!("rule {id} counts no more"));
    leaves(state, id)
}

/// It was taken back before, and not here.
pub(super) fn revoked_before(state: &mut State, id: &str) -> Vec<Effect> {
    let text = format!("rule {id} counted no more already: it was revoked elsewhere");
    notice::warn(state, text);
    leaves(state, id)
}

fn leaves(state: &mut State, id: &str) -> Vec<Effect> {
    denied::forget(state, id);
    let Some(Overlay::Rules(list)) = &mut state.overlay else {
        return Vec::new();
    };
    // So that it is not told once more when the list is read.
    if let Rules::Read(grants) = &mut list.rules {
        grants.retain(|grant| grant.id != id);
    }
    list.read = None;
    vec![Effect::ListRules]
}
