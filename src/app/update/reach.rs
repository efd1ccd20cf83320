//! How far the decision on a call is to reach. Decides nothing.

use super::{notice, sight};
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
            if waiting.is_open() && reach.is_kept(&waiting.call.answers) {
                waiting.reach = reach;
            }
        });
    }
    // What a key would decide now is another thing than a moment ago.
    sight::lost(state);
    notice::note(state, words(reach));
}

fn after(reach: Reach, answers: &Answers) -> Reach {
    let order = match reach {
        Reach::Once => [Reach::Arguments, Reach::Tool],
        Reach::Arguments => [Reach::Tool, Reach::Once],
        Reach::Tool => [Reach::Once, Reach::Once],
    };
    let next = order.into_iter().find(|reach| reach.is_kept(answers));
    next.unwrap_or_default()
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
