//! Editing a call's arguments: opening the editor, checking while one types, and what is signed.

use super::{decide, drafts, notice, sight};
use crate::app::available::targets;
use crate::app::draft::{Draft, EditFault, Purpose};
use crate::app::effect::Effect;
use crate::app::proposal::proposed;
use crate::app::state::State;
use crate::core::arguments::{Arguments, ArgumentsFault};
use crate::core::call::{Call, CallKey};
use crate::core::decision::Decision;
use crate::core::fields;
use crate::core::locate;

/// Opens the editor on the first of the calls; with several marked, the others follow.
pub(super) fn begin(state: &mut State) {
    let mut calls = targets(state).into_iter();
    let Some(first) = calls.next() else { return };
    state.edited.clear();
    open(state, first, calls.collect());
}

/// Opens the editor on the arguments that a reviewer proposes. They are signed as any other edit: on a
/// sheet that shows what they change.
pub(super) fn take(state: &mut State) {
    let Some((call, arguments)) = proposed(state) else {
        return;
    };
    let text = fields::editable(arguments);
    state.edited.clear();
    state.overlay = None;
    let purpose = Purpose::Edit {
        call,
        rest: Vec::new(),
    };
    state.draft = Some(Draft::new(purpose, &text));
    check(state);
}

fn open(state: &mut State, call: CallKey, rest: Vec<CallKey>) {
    let Some(waiting) = state.pending.get(&call) else {
        return;
    };
    let text = fields::editable(&waiting.call.arguments);
    state.overlay = None;
    let purpose = Purpose::Edit { call, rest };
    let draft = drafts::kept(state, &purpose).unwrap_or_else(|| Draft::new(purpose, &text));
    state.draft = Some(draft);
    sight::other_draft(state);
    check(state);
}

/// Checks the text as it stands: JSON first, then the tool's schema.
pub(super) fn check(state: &mut State) {
    let Some(draft) = &state.draft else { return };
    let Purpose::Edit { call, .. } = &draft.purpose else {
        return;
    };
    let text = draft.text();
    let faults = match (Arguments::parse(&text), state.pending.get(call)) {
        (Err(fault), _) => vec![of_parse(fault)],
        (Ok(arguments), Some(waiting)) => of_schema(&text, &arguments, &waiting.call),
        (Ok(_), None) => Vec::new(),
    };
    if let Some(draft) = &mut state.draft {
        draft.faults = faults;
    }
}

fn of_parse(fault: ArgumentsFault) -> EditFault {
    let place = (fault.line > 0).then(|| (fault.line - 1, fault.column.saturating_sub(1)));
    EditFault {
        place,
        what: fault.what,
    }
}

fn of_schema(text: &str, arguments: &Arguments, call: &Call) -> Vec<EditFault> {
    let Some(schema) = &call.schema else {
        return Vec::new();
    };
    let found = schema.check(arguments.value()).into_iter();
    found
        .map(|violation| EditFault {
            place: locate::pointer(text, &violation.path)
                .map(|at| locate::row_and_column(text, at)),
            what: violation.to_string(),
        })
        .collect()
}

/// Takes the edited arguments, goes on to the next marked call, and at last shows all of them, with
/// what changed, on the review sheet.
pub(super) fn accept(
    state: &mut State,
    draft: Draft,
    call: CallKey,
    rest: Vec<CallKey>,
) -> Vec<Effect> {
    let text = draft.text();
    if let Some(fault) = draft.faults.first() {
        let what = format!("not accepted: {}", fault.what);
        state.draft = Some(draft);
        notice::warn(state, what);
        return Vec::new();
    }
    match Arguments::parse(&text) {
        Ok(arguments) => {
            let decision = approval(state, &call, arguments);
            state.edited.push((call, decision));
        }
        Err(fault) => {
            state.draft = Some(draft);
            notice::warn(state, format!("not accepted: {fault}"));
            return Vec::new();
        }
    }
    let mut rest = rest.into_iter();
    if let Some(next) = rest.next() {
        open(state, next, rest.collect());
        return Vec::new();
    }
    // A text is never taken for a decision, not even one that was left as it was.
    let rulings = std::mem::take(&mut state.edited);
    decide::review(state, rulings)
}

/// Arguments that say the same as before, laid out differently, are no edit.
fn approval(state: &State, call: &CallKey, arguments: Arguments) -> Decision {
    let unchanged = state
        .pending
        .get(call)
        .is_some_and(|waiting| fields::editable(&waiting.call.arguments) == arguments.text());
    Decision::Approve {
        arguments: (!unchanged).then_some(arguments),
    }
}
