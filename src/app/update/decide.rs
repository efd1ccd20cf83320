//! Decisions: from a key to a ruling that is to be recorded.
//!
//! Nothing here runs anything. A ruling leaves as `Effect::Record`; only when the store answers that
//! it is recorded does `store` deliver it.

use super::{batch, cursor, notice, rewritten, sight};
use crate::app::available::{listed_taking, targets};
use crate::app::batch::{Batch, Phase, Signed};
use crate::app::command::Command;
use crate::app::effect::Effect;
use crate::app::state::{Overlay, Review, Seen, State};
use crate::core::call::{Answer, CallKey, Preview};
use crate::core::count;
use crate::core::decision::{Decision, How, Reach, Ruling};
use crate::core::pending::{Stage, Waiting};
use crate::core::time::Ticks;

/// Approves what a decision key acts on: the selected call at once, several on a review sheet.
pub(super) fn approve(state: &mut State) -> Vec<Effect> {
    let approval = |key| (key, Decision::Approve { arguments: None });
    let rulings = targets(state).into_iter().map(approval).collect();
    propose(state, rulings)
}

/// Puts all listed calls that take an approval on the review sheet.
pub(super) fn approve_all(state: &mut State) -> Vec<Effect> {
    let rulings = listed_taking(state, Answer::Approve)
        .into_iter()
        .map(|key| (key, Decision::Approve { arguments: None }))
        .collect();
    review(state, rulings)
}

/// Signs one decision on the selected call at once; anything else goes onto the review sheet first:
/// several, one away from the cursor, an approval with unseen arguments, an edit.
pub(super) fn propose(state: &mut State, rulings: Vec<(CallKey, Decision)>) -> Vec<Effect> {
    let at_once = match rulings.as_slice() {
        [(key, Decision::Approve { arguments: None })] => {
            state.cursor.as_ref() == Some(key) && state.is_read(key)
        }
        [
            (
                key,
                Decision::Reject { .. }
                | Decision::Respond { .. }
                | Decision::Retry { .. }
                | Decision::Fail { .. },
            ),
        ] => state.cursor.as_ref() == Some(key),
        [] | [(_, Decision::Approve { arguments: Some(_) })] | [_, _, ..] => false,
    };
    if at_once {
        return decide(state, rulings, How::Key);
    }
    review(state, rulings)
}

/// Puts decisions on the review sheet, whose own key signs them.
pub(super) fn review(state: &mut State, rulings: Vec<(CallKey, Decision)>) -> Vec<Effect> {
    if rulings.is_empty() {
        return Vec::new();
    }
    let how = how(&rulings);
    let effects = rewritten::prepare(state, &rulings);
    sight::other_sheet(state);
    state.overlay = Some(Overlay::Review(Review {
        rulings,
        how,
        top: 0,
        seen: Seen::default(),
        asked: false,
    }));
    effects
}

/// By which path these are decided on the sheet.
pub(super) const fn how(rulings: &[(CallKey, Decision)]) -> How {
    match rulings.len() {
        1 => How::Key,
        size => How::Batch { size },
    }
}

/// Signs the review sheet, if it has been on screen long enough and what is unseen was asked about.
pub(super) fn sign(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::Review(review)) = &state.overlay else {
        return Vec::new();
    };
    if let Some(why) = not_yet(state, review) {
        notice::warn(state, why);
        return Vec::new();
    }
    let Some(Overlay::Review(review)) = &mut state.overlay else {
        return Vec::new();
    };
    let unseen = unseen_rows(review);
    if unseen > 0 && !review.asked {
        review.asked = true;
        let rows = count::of(unseen, "row", "rows");
        notice::warn(
            state,
            format!("{rows} of what you sign not seen yet; enter again signs all the same"),
        );
        return Vec::new();
    }
    let Some(Overlay::Review(review)) = state.overlay.take() else {
        return Vec::new();
    };
    decide(state, review.rulings, review.how)
}

/// Why nothing can be signed yet, whatever was seen.
fn not_yet(state: &State, review: &Review) -> Option<&'static str> {
    let drawn = &state.drawn;
    let since = state.sheet_since.map(|since| state.now.ticks.since(since));
    if drawn.afresh == state.afresh && drawn.overlay.total > 0 && !drawn.review {
        return Some("too small to sign: make the window larger");
    }
    if since.is_none_or(|time| time < state.settings.arming) {
        return Some("this sheet has only just appeared; look at it first");
    }
    let awaits = state.awaits_change(review);
    awaits.then_some("what an edited call would change is still being worked out")
}

/// Rows of the sheet that have not been on screen, if anything on it is approved.
fn unseen_rows(review: &Review) -> usize {
    let approves =
        |(_, decision): &(CallKey, Decision)| matches!(decision, Decision::Approve { .. });
    if review.rulings.iter().any(approves) {
        review.seen.unseen()
    } else {
        0
    }
}

/// Makes a ruling of each decision, holds it back or sends it to the journal, and moves on.
pub(super) fn decide(
    state: &mut State,
    rulings: Vec<(CallKey, Decision)>,
    how: How,
) -> Vec<Effect> {
    let mut effects = Vec::new();
    let decided = rulings.len();
    let (mut gone, mut held) = (0, 0);
    let mut last = state.now.ticks;
    let mut batch = Batch::default();
    let mut of_cursor = None;
    for (key, decision) in rulings {
        if state.cursor.as_ref() == Some(&key) {
            of_cursor = Some(key.clone());
        }
        let signed = state
            .pending
            .get(&key)
            .map(|call| Signed::of(call, &decision));
        let Some(ruling) = ruling(state, &key, decision, how) else {
            gone += 1;
            batch.extend(signed.map(|signed| signed.at(Phase::Gone)));
            continue;
        };
        let delay = hold_of(state, &key);
        let until = state.now.ticks.plus(delay);
        hold(state, ruling, until);
        if delay == 0 {
            effects.extend(record(state, &key));
            batch.extend(signed.map(|signed| signed.at(Phase::Recording)));
        } else {
            held += 1;
            last = last.max(until);
            batch.extend(signed);
        }
    }
    if let Some(key) = of_cursor {
        cursor::move_on(state, &key);
    }
    if matches!(how, How::Batch { .. }) {
        state.batch = Some(batch);
    }
    match (gone, held) {
        (0, 0) => {
            let signed = batch::signed(state);
            let all = || format!("{} decided", calls(decided));
            let text = match left_aside(state) {
                Some(aside) => Some(format!("{}; {aside}", signed.unwrap_or_else(all))),
                None => signed,
            };
            if let Some(text) = text {
                notice::note(state, text);
            }
        }
        (0, held) => {
            let held = calls(held);
            let mut text = format!("{held} held back; {}", undoing(state, how));
            if let Some(aside) = left_aside(state) {
                text = format!("{text}; {aside}");
            }
            notice::note_until(state, text, last);
        }
        (gone, _) => notice::warn(
            state,
            format!("{} no longer open; nothing was decided there", calls(gone)),
        ),
    }
    effects
}

/// That marked calls which are not listed were no part of it.
fn left_aside(state: &State) -> Option<String> {
    let aside = state.pending.marked_aside();
    (aside > 0).then(|| {
        let aside = count::of(aside, "marked call", "marked calls");
        format!("no part of it: {aside}, not listed")
    })
}

fn hold(state: &mut State, ruling: Ruling, until: Ticks) {
    let key = ruling.key.clone();
    state.pending.change(&key, |waiting| {
        waiting.marked = false;
        waiting.failure = None;
        waiting.stage = Stage::Held {
            ruling: Box::new(ruling),
            until,
        };
    });
}

/// How it can be undone: with a key, or line by line with the word.
pub(super) fn undoing(state: &State, how: How) -> String {
    let key = state.keymap.keys(Command::Undo).first();
    match key.filter(|_| how != How::Line) {
        Some(key) => format!("`{key}` takes it back"),
        None => "undo is still possible".to_owned(),
    }
}

pub(super) fn calls(calls: usize) -> String {
    count::of(calls, "call", "calls")
}

/// How long a decision on this call is held back, in milliseconds.
fn hold_of(state: &State, key: &CallKey) -> u64 {
    let destructive = state
        .pending
        .get(key)
        .is_some_and(|waiting| waiting.call.is_destructive());
    let settings = &state.settings;
    if destructive {
        settings.hold.max(settings.hold_destructive)
    } else {
        settings.hold
    }
}

/// The record of a decision on a call that is still open and takes it.
fn ruling(state: &State, key: &CallKey, decision: Decision, how: How) -> Option<Ruling> {
    let waiting = state.pending.get(key).filter(|waiting| waiting.is_open())?;
    let reach = reach(waiting, &decision);
    let refused = |answer: &Answer| !waiting.call.answers.take(*answer);
    if decision.asks(reach).iter().any(refused) {
        return None;
    }
    // Under the cursor or on the sheet that is signed, whichever came first.
    let seen = state.seen.get(key).map(|seen| seen.first);
    let first = [seen, state.sheet_since].into_iter().flatten().min();
    let first = first.unwrap_or(state.now.ticks);
    let rewritten = state.rewritten(key, &decision);
    let preview = rewritten.and_then(|rewritten| rewritten.waiting.call.preview.as_ref());
    Some(Ruling {
        file: preview.and_then(Preview::file),
        key: key.clone(),
        tool: waiting.call.tool.clone(),
        digest: Ruling::digest_of(&waiting.call, &decision),
        reach,
        decision,
        proposed: waiting.call.arguments.clone(),
        who: state.settings.who.clone(),
        at: state.now.wall,
        how,
        shown_for: state.now.ticks.since(first),
    })
}

/// How far it reaches: only a plain yes or no is ever kept for later calls.
fn reach(waiting: &Waiting, decision: &Decision) -> Reach {
    match decision {
        Decision::Approve { arguments: None } | Decision::Reject { .. } => {
            let lasts = decision.lasts(waiting.reach);
            if lasts.is_none_or(|answer| waiting.call.answers.take(answer)) {
                waiting.reach
            } else {
                // The row says that only the other answer would last.
                Reach::Once
            }
        }
        Decision::Approve { arguments: Some(_) }
        | Decision::Respond { .. }
        | Decision::Retry { .. }
        | Decision::Fail { .. } => Reach::Once,
    }
}

/// Sends a held ruling to the journal. From here on it cannot be undone.
pub(super) fn record(state: &mut State, key: &CallKey) -> Option<Effect> {
    let ruling = match &state.pending.get(key)?.stage {
        Stage::Held { ruling, .. } => ruling.clone(),
        Stage::Awaiting | Stage::Recording { .. } => return None,
    };
    let recording = Stage::Recording {
        ruling: ruling.clone(),
    };
    state
        .pending
        .change(key, |waiting| waiting.stage = recording)?;
    batch::becomes(state, key, Phase::Recording);
    Some(Effect::Record(ruling))
}

/// Takes back the selected call's held decision, else the last one, with all that were signed
/// together with it.
pub(super) fn undo(state: &mut State) {
    let held = |waiting: &Waiting| match &waiting.stage {
        Stage::Held { until, .. } => Some(*until),
        Stage::Awaiting | Stage::Recording { .. } => None,
    };
    let last = || state.pending.held().next_back().map(|(until, _)| until);
    let Some(until) = state.selected().and_then(held).or_else(last) else {
        return;
    };
    let together = state.pending.held().filter(|(due, _)| *due == until);
    let keys: Vec<_> = together
        .map(|(_, waiting)| waiting.call.key.clone())
        .collect();
    let together = keys.len() > 1;
    for key in &keys {
        state.pending.change(key, |waiting| {
            waiting.stage = Stage::Awaiting;
            // What was decided together can be decided together again.
            waiting.marked = together;
        });
        batch::becomes(state, key, Phase::Undone);
    }
    notice::note(state, format!("{} open again", calls(keys.len())));
    if let Some(first) = keys.into_iter().next() {
        cursor::place(state, Some(first));
    }
}

/// Stops the run. Every call of it that is still open gets a ruling of its own.
pub(super) fn interrupt(state: &mut State) -> Vec<Effect> {
    let session = state.current.clone();
    let open: Vec<_> = state
        .pending
        .iter()
        .filter(|waiting| waiting.call.key.session == session)
        .filter(|waiting| !matches!(waiting.stage, Stage::Recording { .. }))
        .map(|waiting| waiting.call.key.clone())
        .collect();
    let mut effects = Vec::new();
    for key in open {
        state
            .pending
            .change(&key, |waiting| waiting.stage = Stage::Awaiting);
        let decision = Decision::Reject {
            reason: "the operator interrupted the run".to_owned(),
        };
        let Some(ruling) = ruling(state, &key, decision, How::Interrupt) else {
            continue;
        };
        let ruling = Box::new(ruling);
        let recording = Stage::Recording {
            ruling: ruling.clone(),
        };
        state
            .pending
            .change(&key, |waiting| waiting.stage = recording);
        batch::becomes(state, &key, Phase::Interrupted);
        effects.push(Effect::Record(ruling));
    }
    effects.push(Effect::Interrupt(session));
    state.overlay = None;
    notice::note(state, "interrupted");
    effects
}
