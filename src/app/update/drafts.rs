//! Texts that the operator writes: opening, typing, accepting, leaving.

use super::{cursor, decide, edit, notice, sessions, set, sight};
use crate::app::available::{listed_taking, takes_reason, targets};
use crate::app::draft::{Draft, Purpose};
use crate::app::effect::Effect;
use crate::app::key::Key;
use crate::app::state::{Pane, Scroll, State};
use crate::core::call::{Answer, CallKey};
use crate::core::count;
use crate::core::decision::Decision;
use crate::core::pending::Waiting;

/// Sent messages that are remembered.
const HISTORY: usize = 100;

pub(super) fn message(state: &mut State) {
    state.overlay = None;
    state.focus_before = std::mem::replace(&mut state.focus, Pane::Conversation);
    state.draft = Some(Draft::new(Purpose::Message, &state.unsent));
}

pub(super) fn reject(state: &mut State) -> Vec<Effect> {
    let calls = targets(state);
    ask_reason(state, calls)
}

pub(super) fn reject_all(state: &mut State) -> Vec<Effect> {
    let calls = listed_taking(state, Answer::Reject);
    ask_reason(state, calls)
}

/// Asks for a reason, unless none of the calls comes from where it would be told to anybody.
fn ask_reason(state: &mut State, calls: Vec<CallKey>) -> Vec<Effect> {
    let deaf = calls.iter().filter(|key| !takes_reason(state, key)).count();
    if deaf == calls.len() {
        let bare = |key| {
            let reason = String::new();
            (key, Decision::Reject { reason })
        };
        return decide::propose(state, calls.into_iter().map(bare).collect());
    }
    if deaf > 0 {
        let text = format!(
            "{} of these calls take no reason; theirs are rejected without",
            count::number(deaf)
        );
        notice::warn(state, text);
    }
    open(state, Purpose::Reason { calls });
    Vec::new()
}

pub(super) fn answer(state: &mut State) {
    open(
        state,
        Purpose::Answer {
            calls: targets(state),
        },
    );
}

pub(super) fn retry(state: &mut State) {
    open(
        state,
        Purpose::Retry {
            calls: targets(state),
        },
    );
}

pub(super) fn fail(state: &mut State) {
    open(
        state,
        Purpose::Failure {
            calls: targets(state),
        },
    );
}

pub(super) fn filter(state: &mut State) {
    state.overlay = None;
    state.focus = Pane::Pending;
    state.cursor_before = state.cursor.clone();
    state.filter_before = state.filter().text().to_owned();
    state.draft = Some(Draft::new(Purpose::Filter, &state.filter_before));
}

/// Lists all calls again. The cursor stays on its call.
pub(super) fn unfilter(state: &mut State) {
    state.cursor_before = state.cursor.clone().or(state.cursor_before.take());
    cursor::filter(state, "");
}

pub(super) fn open(state: &mut State, purpose: Purpose) {
    if purpose.calls().is_empty() {
        return;
    }
    state.overlay = None;
    let draft = kept(state, &purpose).unwrap_or_else(|| Draft::new(purpose, ""));
    state.draft = Some(draft);
    sight::other_draft(state);
}

/// The text that was left when the same was asked for before.
pub(super) fn kept(state: &mut State, purpose: &Purpose) -> Option<Draft> {
    let kept = state.left.take().filter(|left| left.purpose == *purpose)?;
    notice::note(state, "the text you had left is here again");
    Some(kept)
}

pub(super) fn typed(state: &mut State, key: Key) {
    let Some(draft) = &mut state.draft else {
        return;
    };
    if draft.key(key) {
        changed(state);
    }
}

/// A paste is only ever text. Without a text to go to, it does nothing but say so.
pub(super) fn pasted(state: &mut State, text: &str) -> Vec<Effect> {
    match &mut state.draft {
        Some(draft) => {
            draft.paste(text);
            changed(state);
        }
        None => notice::warn(state, "a paste decides nothing; open a text first"),
    }
    Vec::new()
}

/// What follows from a changed text while it is being written.
fn changed(state: &mut State) {
    match state.draft.as_ref().map(|draft| &draft.purpose) {
        Some(Purpose::Edit { .. }) => edit::check(state),
        Some(Purpose::Set { .. }) => set::check(state),
        Some(Purpose::Filter) => {
            let text = state.draft.as_ref().map(Draft::text).unwrap_or_default();
            cursor::filter(state, &text);
        }
        Some(Purpose::Sessions) => {
            let text = state.draft.as_ref().map(Draft::text).unwrap_or_default();
            sessions::filter(state, text);
        }
        Some(
            Purpose::Message
            | Purpose::Reason { .. }
            | Purpose::Answer { .. }
            | Purpose::Retry { .. }
            | Purpose::Failure { .. },
        )
        | None => {}
    }
}

/// Closes the text without accepting it. It is kept for the next time; a filter is as it was before.
pub(super) fn leave(state: &mut State) {
    let Some(draft) = state.draft.take() else {
        return;
    };
    match draft.purpose {
        Purpose::Message => {
            state.unsent = draft.text();
            state.focus = state.focus_before;
        }
        Purpose::Filter => {
            let before = std::mem::take(&mut state.filter_before);
            cursor::filter(state, &before);
        }
        Purpose::Sessions => sessions::filter(state, String::new()),
        Purpose::Reason { .. }
        | Purpose::Edit { .. }
        | Purpose::Set { .. }
        | Purpose::Answer { .. }
        | Purpose::Retry { .. }
        | Purpose::Failure { .. } => state.left = Some(draft),
    }
}

pub(super) fn accept(state: &mut State) -> Vec<Effect> {
    let Some(draft) = state.draft.take() else {
        return Vec::new();
    };
    if let Some(why) = not_yet(state, &draft) {
        state.draft = Some(draft);
        notice::warn(state, why);
        return Vec::new();
    }
    let text = draft.text();
    match draft.purpose.clone() {
        Purpose::Message => send(state, &text),
        Purpose::Filter | Purpose::Sessions => Vec::new(),
        Purpose::Edit { call, rest } => edit::accept(state, draft, call, rest),
        Purpose::Set { calls } => set::accept(state, draft, &calls),
        Purpose::Reason { calls } => {
            let (told, deaf): (Vec<_>, Vec<_>) =
                calls.into_iter().partition(|key| takes_reason(state, key));
            let reject = |key, reason: &str| {
                let reason = reason.to_owned();
                (key, Decision::Reject { reason })
            };
            let told = told.into_iter().map(|key| reject(key, text.trim()));
            let rulings = told.chain(deaf.into_iter().map(|key| reject(key, "")));
            all(state, rulings.collect())
        }
        Purpose::Answer { calls } => each(state, calls, &|| Decision::Respond {
            result: text.clone(),
        }),
        Purpose::Retry { calls } => {
            let message = text.trim().to_owned();
            each(state, calls, &|| Decision::Retry {
                message: message.clone(),
            })
        }
        Purpose::Failure { calls } => {
            let message = text.trim().to_owned();
            each(state, calls, &|| Decision::Fail {
                message: message.clone(),
            })
        }
    }
}

/// Whether the text has been on screen for long enough, without a break, for a key to accept what it decides.
fn is_armed(state: &State) -> bool {
    let on_screen = state.draft_since.map(|since| state.now.ticks.since(since));
    on_screen.is_some_and(|time| time >= state.settings.arming)
}

/// Why a text cannot be accepted as it stands.
fn not_yet(state: &State, draft: &Draft) -> Option<String> {
    if let (Purpose::Filter, Some(fault)) = (&draft.purpose, state.filter().faults().first()) {
        return Some(format!("this lists nothing: {fault}"));
    }
    too_soon_or_empty(state, draft).map(ToOwned::to_owned)
}

fn too_soon_or_empty(state: &State, draft: &Draft) -> Option<&'static str> {
    let new = !is_armed(state);
    match &draft.purpose {
        Purpose::Reason { .. }
        | Purpose::Answer { .. }
        | Purpose::Retry { .. }
        | Purpose::Failure { .. }
            if new =>
        {
            Some("this text has only just been opened; look at what it decides first")
        }
        Purpose::Retry { .. } if draft.text().trim().is_empty() => {
            Some("say what the model should do differently")
        }
        Purpose::Failure { .. } if draft.text().trim().is_empty() => Some("say what went wrong"),
        Purpose::Message
        | Purpose::Filter
        | Purpose::Sessions
        | Purpose::Edit { .. }
        | Purpose::Set { .. }
        | Purpose::Reason { .. }
        | Purpose::Answer { .. }
        | Purpose::Retry { .. }
        | Purpose::Failure { .. } => None,
    }
}

fn each(state: &mut State, calls: Vec<CallKey>, decision: &dyn Fn() -> Decision) -> Vec<Effect> {
    all(
        state,
        calls.into_iter().map(|key| (key, decision())).collect(),
    )
}

fn all(state: &mut State, mut rulings: Vec<(CallKey, Decision)>) -> Vec<Effect> {
    rulings.retain(|(key, _)| state.pending.get(key).is_some_and(Waiting::is_open));
    if rulings.is_empty() {
        notice::warn(state, "the call is no longer open; nothing was decided");
    }
    decide::propose(state, rulings)
}

fn send(state: &mut State, text: &str) -> Vec<Effect> {
    if text.trim().is_empty() {
        state.unsent.clear();
        state.focus = state.focus_before;
        return Vec::new();
    }
    state.unsent.clear();
    state.history.push(text.to_owned());
    if state.history.len() > HISTORY {
        state.history.remove(0);
    }
    state.focus = state.focus_before;
    state.conversation_scroll = Scroll::default();
    vec![Effect::Message {
        session: state.current.clone(),
        text: text.to_owned(),
    }]
}

/// Walks through the sent messages; 0 is the one that is not sent yet.
pub(super) fn history(state: &mut State, by: isize) {
    let Some(draft) = &mut state.draft else {
        return;
    };
    if draft.history == 0 {
        state.unsent = draft.text();
    }
    draft.history = draft
        .history
        .saturating_add_signed(by)
        .min(state.history.len());
    let text = match draft.history {
        0 => &state.unsent,
        back => &state.history[state.history.len() - back],
    };
    draft.replace(text);
}

pub(super) fn open_editor(state: &mut State) -> Vec<Effect> {
    let Some(draft) = &state.draft else {
        return Vec::new();
    };
    let extension = match draft.purpose {
        Purpose::Edit { .. } => "json",
        Purpose::Message
        | Purpose::Reason { .. }
        | Purpose::Answer { .. }
        | Purpose::Retry { .. }
        | Purpose::Failure { .. }
        | Purpose::Set { .. }
        | Purpose::Filter
        | Purpose::Sessions => "txt",
    };
    vec![Effect::OpenEditor {
        text: draft.text(),
        extension,
    }]
}

/// The operator's editor was closed. Its text replaces the draft; nothing is accepted by that, nor by keys that were
/// meant for the editor.
pub(super) fn edited_outside(state: &mut State, text: Result<String, String>) -> Vec<Effect> {
    sight::lost(state);
    match text {
        Ok(text) => {
            if let Some(draft) = &mut state.draft {
                draft.replace(text.strip_suffix('\n').unwrap_or(&text));
                changed(state);
            }
        }
        Err(why) => notice::error(state, why),
    }
    Vec::new()
}
