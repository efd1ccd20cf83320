//! The same fields set in many calls: checking while one types, and what is signed.

use indexmap::IndexMap;

use super::{decide, drafts, notice};
use crate::app::available::targets;
use crate::app::draft::{Draft, EditFault, Purpose};
use crate::app::effect::Effect;
use crate::app::state::State;
use crate::core::arguments::Arguments;
use crate::core::assign::{self, Assignment, Unset};
use crate::core::call::CallKey;
use crate::core::count;
use crate::core::decision::Decision;

/// Calls that are tried at each key; all of them are when the text is accepted.
const TRIED: usize = 1000;
/// Different faults that are told.
const TOLD: usize = 20;

pub(super) fn begin(state: &mut State) {
    let calls = targets(state);
    drafts::open(state, Purpose::Set { calls });
    check(state);
}

/// What a text would do to some calls.
#[derive(Default)]
struct Tried {
    calls: usize,
    set: Vec<(CallKey, Option<Arguments>)>,
    /// Why it cannot be done, and to how many of them.
    unset: IndexMap<String, (Option<usize>, usize)>,
}

fn tried(state: &State, assignments: &[Assignment], calls: &[CallKey]) -> Tried {
    let mut tried = Tried::default();
    for key in calls {
        let Some(waiting) = state.pending.get(key).filter(|waiting| waiting.is_open()) else {
            continue;
        };
        tried.calls += 1;
        match assign::apply(assignments, &waiting.call) {
            Ok(arguments) => tried.set.push((key.clone(), arguments)),
            Err(unset) => tried.refuse(&unset),
        }
    }
    tried
}

impl Tried {
    fn refuse(&mut self, unset: &Unset) {
        let what = unset.to_string();
        if self.unset.len() < TOLD || self.unset.contains_key(&what) {
            self.unset.entry(what).or_insert((unset.row(), 0)).1 += 1;
        }
    }

    fn faults(&self) -> Vec<EditFault> {
        let fault = |(what, (row, calls)): (&String, &(Option<usize>, usize))| EditFault {
            place: row.map(|row| (row, 0)),
            what: format!("{}: {what}", of(*calls, self.calls)),
        };
        self.unset.iter().map(fault).collect()
    }

    fn changed(&self) -> usize {
        let changes = |(_, arguments): &&(CallKey, Option<Arguments>)| arguments.is_some();
        self.set.iter().filter(changes).count()
    }

    /// `changes 47 of 50 calls, 3 have it so already`
    fn note(&self, left: usize) -> String {
        let changed = self.changed();
        let mut note = format!("changes {}", of(changed, self.calls));
        let same = self.set.len() - changed;
        if same > 0 {
            note = format!(
                "{note}; {} would be approved as they are",
                count::number(same)
            );
        }
        if left > 0 {
            note = format!(
                "{note}; {} more are checked when it is accepted",
                count::number(left)
            );
        }
        note
    }
}

fn of(some: usize, all: usize) -> String {
    match (some, all) {
        (1, 1) => "the call".to_owned(),
        (some, all) if some == all => format!("all {} calls", count::number(all)),
        (some, all) => format!("{} of {} calls", count::number(some), count::number(all)),
    }
}

/// Checks the text as it stands: its rows first, then each call's schema.
pub(super) fn check(state: &mut State) {
    let Some(draft) = &state.draft else { return };
    let Purpose::Set { calls } = &draft.purpose else {
        return;
    };
    let (faults, note) = match assign::parse(&draft.text()) {
        Err(faults) => (faults.into_iter().map(of_row).collect(), String::new()),
        Ok(rows) if rows.is_empty() => (Vec::new(), String::new()),
        Ok(rows) => {
            let now = &calls[..calls.len().min(TRIED)];
            let tried = tried(state, &rows, now);
            (tried.faults(), tried.note(calls.len() - now.len()))
        }
    };
    if let Some(draft) = &mut state.draft {
        draft.faults = faults;
        draft.note = note;
    }
}

fn of_row(fault: assign::AssignFault) -> EditFault {
    EditFault {
        place: Some((fault.row, fault.column)),
        what: fault.what,
    }
}

/// Puts each call on the review sheet, with its own arguments, if all of them can be set.
pub(super) fn accept(state: &mut State, mut draft: Draft, calls: &[CallKey]) -> Vec<Effect> {
    let rows = match assign::parse(&draft.text()) {
        Ok(rows) if rows.is_empty() => {
            state.draft = Some(draft);
            notice::warn(state, "nothing is set yet; write a field = value");
            return Vec::new();
        }
        Ok(rows) => rows,
        Err(faults) => {
            draft.faults = faults.into_iter().map(of_row).collect();
            return refuse(state, draft);
        }
    };
    let tried = tried(state, &rows, calls);
    draft.faults = tried.faults();
    if !draft.faults.is_empty() {
        return refuse(state, draft);
    }
    if tried.set.is_empty() {
        notice::warn(state, "the calls are no longer open; nothing was decided");
        return Vec::new();
    }
    let approval = |(key, arguments)| (key, Decision::Approve { arguments });
    // A text never signs by itself, not even one that changes nothing.
    decide::review(state, tried.set.into_iter().map(approval).collect())
}

fn refuse(state: &mut State, draft: Draft) -> Vec<Effect> {
    let first = draft.faults.first();
    let what = first.map(|fault| format!("not accepted: {}", fault.what));
    state.draft = Some(draft);
    notice::warn(state, what.unwrap_or_default());
    Vec::new()
}
