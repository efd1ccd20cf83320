//! Giving a rule, and the list of those that were given: to look at, to change, to take back.
//!
//! A rule decides no call that waits by itself: those that it would have matched are put on the review
//! sheet once it is recorded, for the operator to sign or to leave.

use super::{decide, denied, notice, sight};
use crate::app::available::targets;
use crate::app::command::Command;
use crate::app::effect::Effect;
use crate::app::given::{RuleList, Rules};
use crate::app::rules::{Match, Progress, Proposal, of_pending};
use crate::app::state::{Overlay, State};
use crate::core::call::{Answer, CallKey};
use crate::core::count;
use crate::core::decision::Decision;
use crate::core::verdict::Verdict;
use crate::policy::grant::{Given, Grant, Lasts};
use crate::policy::propose::Candidate;

pub(super) fn propose(state: &mut State) {
    match Proposal::of(state, &targets(state)) {
        Ok(proposal) => show(state, proposal),
        Err(why) => notice::warn(state, why),
    }
}

fn show(state: &mut State, proposal: Proposal) {
    sight::other_sheet(state);
    state.overlay = Some(Overlay::Rule(Box::new(proposal)));
}

/// Takes the proposal off the screen, to put it back; anything else that covers the panes stays.
fn take(state: &mut State) -> Option<Box<Proposal>> {
    match state.overlay.take() {
        Some(Overlay::Rule(proposal)) => Some(proposal),
        other => {
            state.overlay = other;
            None
        }
    }
}

/// Changes the proposal, which then has to be looked at anew.
fn change(state: &mut State, change: impl FnOnce(&mut Proposal)) {
    let Some(mut proposal) = take(state) else {
        return;
    };
    if proposal.progress == Progress::Open {
        change(&mut proposal);
        proposal.weigh(state);
        sight::other_sheet(state);
    }
    state.overlay = Some(Overlay::Rule(proposal));
}

pub(super) fn wider(state: &mut State) {
    let reaches = |proposal: &Proposal| proposal.chosen + 1 < proposal.candidates.len();
    if is_proposed(state, reaches) {
        change(state, |proposal| proposal.chosen += 1);
    } else {
        notice::warn(state, "no wider rule is offered for this");
    }
}

pub(super) fn narrower(state: &mut State) {
    if is_proposed(state, |proposal| proposal.chosen > 0) {
        change(state, |proposal| proposal.chosen -= 1);
    } else {
        notice::warn(state, "this is the narrowest rule");
    }
}

fn is_proposed(state: &State, which: impl Fn(&Proposal) -> bool) -> bool {
    matches!(&state.overlay, Some(Overlay::Rule(proposal)) if which(proposal))
}

pub(super) fn allow_or_deny(state: &mut State) {
    change(state, |proposal| {
        proposal.verdict = match proposal.verdict {
            Verdict::Allow => Verdict::Deny,
            Verdict::Ask | Verdict::Deny => Verdict::Allow,
        };
    });
}

pub(super) fn lasts(state: &mut State) {
    change(state, |proposal| proposal.term = proposal.term.next());
}

/// Calls came or went: what the rule would match of them is another matter now.
pub(super) fn calls_changed(state: &mut State) {
    let Some(mut proposal) = take(state) else {
        return;
    };
    let before = proposal.covers.clone();
    let (seen, asked, top) = (proposal.seen, proposal.asked, proposal.top);
    proposal.weigh(state);
    if proposal.covers == before {
        (proposal.seen, proposal.asked, proposal.top) = (seen, asked, top);
    }
    state.overlay = Some(Overlay::Rule(proposal));
}

/// The text of the rule goes into the operator's editor; of the list, the rule comes onto its own sheet.
pub(super) fn edit(state: &mut State) -> Vec<Effect> {
    match &mut state.overlay {
        Some(Overlay::Rule(proposal)) if proposal.progress == Progress::Open => {
            proposal.progress = Progress::Editing;
            vec![Effect::OpenEditor {
                text: proposal.text(),
                extension: "toml",
            }]
        }
        Some(Overlay::Rules(list)) => {
            if let Some(grant) = list.selected().cloned() {
                let proposal = Proposal::again(state, &grant);
                show(state, proposal);
            }
            Vec::new()
        }
        Some(
            Overlay::Rule(_)
            | Overlay::View { .. }
            | Overlay::Help { .. }
            | Overlay::Batch { .. }
            | Overlay::Review(_)
            | Overlay::Sessions(_)
            | Overlay::Quit,
        )
        | None => Vec::new(),
    }
}

/// Takes the text that comes back from the editor, if it is this sheet's. `false`: it is somebody else's.
pub(super) fn edited(state: &mut State, text: &Result<String, String>) -> Taken {
    let Some(Overlay::Rule(proposal)) = &mut state.overlay else {
        return Taken::No;
    };
    if proposal.progress != Progress::Editing {
        return Taken::No;
    }
    proposal.progress = Progress::Open;
    match text {
        Err(why) => notice::error(state, why.clone()),
        Ok(text) if *text == proposal.text() => {}
        Ok(text) => {
            let mut text = text.trim_end().to_owned();
            text.push('\n');
            change(state, |proposal| {
                proposal.candidates.push(Candidate::written(text));
                proposal.chosen = proposal.candidates.len() - 1;
            });
        }
    }
    Taken::Yes
}

/// Whether something was meant for here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Yes,
    No,
}

/// Gives the rule, if the sheet has been on screen long enough and what is unseen was asked about.
pub(super) fn sign(state: &mut State) -> Vec<Effect> {
    let armed = is_armed(state);
    let Some(mut proposal) = take(state) else {
        return Vec::new();
    };
    let effects = if proposal.progress == Progress::Open {
        give(state, &mut proposal, armed)
    } else {
        Vec::new()
    };
    state.overlay = Some(Overlay::Rule(proposal));
    effects
}

/// Whether the sheet on screen has been there long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Armed {
    Yes,
    NotYet,
}

fn is_armed(state: &State) -> Armed {
    let long = state
        .sheet_since
        .is_some_and(|since| state.now.ticks.since(since) >= state.settings.arming);
    if long { Armed::Yes } else { Armed::NotYet }
}

fn give(state: &mut State, proposal: &mut Proposal, armed: Armed) -> Vec<Effect> {
    if armed == Armed::NotYet {
        notice::warn(state, "this sheet has only just appeared; look at it first");
        return Vec::new();
    }
    let given = match proposal.grant(state) {
        Ok(given) => given,
        Err(mistakes) => {
            let why = mistakes.first().map(ToString::to_string);
            notice::warn(state, format!("no rule: {}", why.unwrap_or_default()));
            return Vec::new();
        }
    };
    let unseen = proposal.seen.unseen();
    if unseen > 0 && !proposal.asked {
        proposal.asked = true;
        let rows = count::of(unseen, "row", "rows");
        let text = format!("{rows} of this sheet not seen yet; enter again signs all the same");
        notice::warn(state, text);
        return Vec::new();
    }
    proposal.progress = Progress::Giving;
    vec![Effect::Give {
        grant: Box::new(given.grant),
        replaces: proposal.replaces.clone(),
    }]
}

/// The rule is recorded and counts. The calls that wait are still the operator's to decide.
pub(super) fn given(state: &mut State, grant: Grant) -> Vec<Effect> {
    let shown = matches!(&state.overlay, Some(Overlay::Rule(proposal)) if proposal.progress == Progress::Giving);
    if shown {
        state.overlay = None;
    }
    let (id, lasts) = (grant.id.clone(), grant.lasts);
    let Ok(given) = Given::read(grant) else {
        return Vec::new();
    };
    let mut effects = Vec::new();
    denied::warn(state, &given);
    let rulings = matched(state, &given);
    let told = format!("rule {id} counts {}", in_words(lasts));
    match rulings.len() {
        0 => notice::note(state, told),
        count if shown => {
            effects = decide::review(state, rulings);
            let calls = if count == 1 {
                "1 call waits"
            } else {
                "these calls wait"
            };
            notice::note(
                state,
                format!("{told}; {calls} for your signature all the same"),
            );
        }
        1 => notice::note(
            state,
            format!("{told}; 1 pending call matches and still waits"),
        ),
        calls => {
            let calls = count::number(calls);
            let text = format!("{told}; {calls} pending calls match and still wait");
            notice::note(state, text);
        }
    }
    effects
}

fn in_words(lasts: Lasts) -> &'static str {
    match lasts {
        Lasts::Session => "for this session",
        Lasts::Until(_) => "from now on, for its time",
        Lasts::Always => "until it is revoked",
    }
}

/// The open calls that the rule would have decided, each with that decision.
fn matched(state: &State, given: &Given) -> Vec<(CallKey, Decision)> {
    let (answer, decision) = match given.verdict() {
        Verdict::Allow | Verdict::Ask => (Answer::Approve, Decision::Approve { arguments: None }),
        Verdict::Deny => {
            let reason = format!("denied by rule {}", given.grant.id);
            (Answer::Reject, Decision::Reject { reason })
        }
    };
    let open = state
        .pending
        .iter()
        .filter(|waiting| waiting.is_open() && waiting.call.answers.take(answer));
    open.filter(|waiting| of_pending(state, given, &waiting.call) == Match::Yes)
        .map(|waiting| (waiting.call.key.clone(), decision.clone()))
        .collect()
}

pub(super) fn failed(state: &mut State, why: &str) {
    if let Some(Overlay::Rule(proposal)) = &mut state.overlay {
        proposal.progress = Progress::Open;
    }
    notice::error(
        state,
        format!("nothing of it counts that is not recorded: {why}"),
    );
}

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
        let ids: Vec<&str> = grants.iter().map(|grant| grant.id.as_str()).collect();
        denied::keep(state, &ids);
    }
    for grant in rules.iter().flatten() {
        if let Ok(given) = Given::read(grant.clone()) {
            denied::warn(state, &given);
        }
    }
    if let Some(Overlay::Rules(list)) = &mut state.overlay {
        list.rules = match rules {
            Ok(grants) => Rules::Read(grants),
            Err(why) => Rules::Failed(why),
        };
        if list.selected().is_none() {
            list.chosen = list.listed().first().map(|grant| grant.id.clone());
        }
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
    denied::forget(state, id);
    if matches!(state.overlay, Some(Overlay::Rules(_))) {
        return vec![Effect::ListRules];
    }
    Vec::new()
}
