//! Arguments that an operator wrote: what they would change is asked for before they are signed.

use super::sight;
use crate::app::effect::Effect;
use crate::app::rewritten::{Change, Rewritten};
use crate::app::state::{Overlay, Seen, State};
use crate::core::arguments::Arguments;
use crate::core::call::{CallKey, Preview};
use crate::core::decision::Decision;

/// Looks at each of the edited calls as it would run, and asks what those would change that change a file.
pub(super) fn prepare(state: &mut State, rulings: &[(CallKey, Decision)]) -> Vec<Effect> {
    let mut effects = Vec::new();
    for (key, decision) in rulings {
        let edited = decision.edited().zip(state.pending.get(key));
        let Some((arguments, waiting)) = edited else {
            continue;
        };
        let rewritten = Rewritten::of(waiting, arguments);
        if let (Change::Asked, Some(workspace)) = (rewritten.change, &waiting.call.workspace) {
            effects.push(Effect::Foresee {
                key: key.clone(),
                workspace: workspace.clone(),
                tool: waiting.call.tool.clone(),
                arguments: arguments.clone(),
            });
        }
        state.rewritten.insert(key.clone(), rewritten);
    }
    effects
}

/// What the arguments of a call would change. The sheet is another one by that.
pub(super) fn foreseen(
    state: &mut State,
    key: &CallKey,
    arguments: &Arguments,
    preview: Option<Preview>,
) {
    let rewritten = state.rewritten.get_mut(key);
    let Some(rewritten) = rewritten.filter(|rewritten| rewritten.is_of(arguments)) else {
        return;
    };
    rewritten.foreseen(preview);
    if let Some(Overlay::Review(review)) = &mut state.overlay
        && review.rulings.iter().any(|(other, _)| other == key)
    {
        // What was seen of it as a whole was not all that it says now.
        review.seen = Seen::default();
        review.asked = false;
        sight::other_sheet(state);
    }
}
