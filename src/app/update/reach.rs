//! How far the decision on a call is to reach. Decides nothing.

use super::notice;
use crate::app::available::targets;
use crate::app::state::State;
use crate::core::call::Answers;
use crate::core::decision::Reach;

/// Goes on to the next reach that the origin of each target keeps. All targets get the one of the first.
pub(super) fn next(state: &mut State) {
    let targets = targets(state);
    let open = |key| state.pending.get(key).filter(|waiting| waiting.is_open());
    let Some(first) = targets.iter().find_map(open) else {
        return;
    };
    let reach = after(first.reach, &first.call.answers);
    for key in &targets {
        state.pending.change(key, |waiting| {
            if waiting.is_open() && kept(reach, &waiting.call.answers) {
                waiting.reach = reach;
            }
        });
    }
    notice::note(state, words(reach));
}

fn after(reach: Reach, answers: &Answers) -> Reach {
    let order = match reach {
        Reach::Once => [Reach::Arguments, Reach::Tool],
        Reach::Arguments => [Reach::Tool, Reach::Once],
        Reach::Tool => [Reach::Once, Reach::Once],
    };
    let next = order.into_iter().find(|reach| kept(*reach, answers));
    next.unwrap_or_default()
}

fn kept(reach: Reach, answers: &Answers) -> bool {
    reach.answer().is_none_or(|answer| answers.take(answer))
}

const fn words(reach: Reach) -> &'static str {
    match reach {
        Reach::Once => "decides this call only",
        Reach::Arguments => {
            "decides later calls with the same arguments too; nothing is decided yet"
        }
        Reach::Tool => "decides all later calls of this tool too; nothing is decided yet",
    }
}
