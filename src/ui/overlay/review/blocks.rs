//! Which calls of a batch are shown together on the review sheet.
//!
//! Owns the grouping. Calls stand together only if all that is shown of them, but for their arguments
//! and their session, is the same: whatever is odd about one of them keeps it apart.

use indexmap::IndexMap;
use serde_json::Value;

use super::{found, sheet};
use crate::app::state::Review;
use crate::core::alike::{self, Alike, Changed};
use crate::core::decision::Decision;
use crate::core::pending::Waiting;
use crate::ui::pending::arguments;
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

/// Some of the rulings.
pub enum Block<'a> {
    /// A call that no longer waits.
    Gone(&'a Decision),
    /// Calls that are equal; often one.
    Equal(Vec<&'a Waiting>, &'a Decision),
    /// Calls of one tool that differ in their arguments, and in nothing that an edit changed.
    Similar(Vec<&'a Waiting>, &'a Decision, Alike),
}

impl Block<'_> {
    pub const fn decision(&self) -> &Decision {
        match self {
            Self::Gone(decision) | Self::Equal(_, decision) | Self::Similar(_, decision, _) => {
                decision
            }
        }
    }

    /// Whether it is an approval of what was read before. How an edit changes many calls was not.
    pub fn is_read(&self, scene: Scene<'_>) -> bool {
        match self {
            Self::Gone(_) => false,
            Self::Equal(calls, decision) => {
                !is_refusal(decision) && !is_full(calls, decision, scene)
            }
            Self::Similar(calls, decision, _) => {
                matches!(decision, Decision::Approve { arguments: None })
                    && !is_full(calls, decision, scene)
            }
        }
    }
}

/// All that has to be the same of calls that stand together.
#[derive(PartialEq, Eq, Hash)]
struct Look {
    tool: String,
    verb: &'static str,
    risks: Vec<Row>,
    script: Vec<Row>,
    rows: Vec<Row>,
    /// What an edit changed, or what is told instead of running the call.
    said: String,
    /// The arguments and the decision, where only equal calls may stand together.
    exact: Option<String>,
}

/// Calls of one look, and the arguments that are signed with each.
struct Together<'a> {
    calls: Vec<&'a Waiting>,
    decision: &'a Decision,
    values: Vec<&'a Value>,
}

/// The rulings in blocks, each where its first call stands.
pub fn blocks<'a>(review: &'a Review, width: usize, scene: Scene<'a>) -> Vec<Block<'a>> {
    let mut found: IndexMap<Look, Together<'a>> = IndexMap::new();
    let mut gone = Vec::new();
    for (key, decision) in &review.rulings {
        let Some(waiting) = scene.state.pending.get(key) else {
            gone.push(Block::Gone(decision));
            continue;
        };
        let look = look(waiting, decision, width, scene);
        let together = found.entry(look).or_insert_with(|| Together {
            calls: Vec::new(),
            decision,
            values: Vec::new(),
        });
        let signed = decision.edited().unwrap_or(&waiting.call.arguments);
        together.calls.push(waiting);
        together.values.push(signed.value());
    }
    let blocks = found.into_iter().map(|(look, together)| {
        let Together {
            calls,
            decision,
            values,
        } = together;
        if look.exact.is_some() || calls.len() == 1 {
            return Block::Equal(calls, decision);
        }
        let mut alike = alike::compare(&values);
        if !is_refusal(decision) {
            alike.variants = found::told_apart(alike.variants, &calls);
        }
        if alike.variants.len() == 1 {
            Block::Equal(calls, decision)
        } else {
            Block::Similar(calls, decision, alike)
        }
    });
    blocks.chain(gone).collect()
}

fn look(waiting: &Waiting, decision: &Decision, width: usize, scene: Scene<'_>) -> Look {
    let theme = scene.theme;
    let changes = changes(waiting, decision);
    let (may_differ, said) = match decision {
        Decision::Approve { arguments: None } => (true, String::new()),
        // The change that a call would have made is not the one it makes with other arguments.
        Decision::Approve { arguments: Some(_) } => (
            !changes.is_empty() && waiting.call.preview.is_none(),
            format!("{changes:?}"),
        ),
        Decision::Reject { .. }
        | Decision::Respond { .. }
        | Decision::Retry { .. }
        | Decision::Fail { .. } => (true, serde_json::to_string(decision).unwrap_or_default()),
    };
    // Calls of one script stand together, and apart from those of another.
    let script = sheet::script(waiting, width, scene);
    let mut rows = Vec::new();
    if !is_refusal(decision) {
        rows = arguments::above(waiting, width, theme);
        rows.extend(arguments::below(waiting, width, theme));
    }
    let exact = || {
        let decided = serde_json::to_string(decision).unwrap_or_default();
        format!("{decided} {}", waiting.call.arguments.text())
    };
    Look {
        tool: waiting.call.tool.clone(),
        verb: words::verb(decision, Some(waiting)),
        risks: words::risks(waiting, theme),
        script,
        rows,
        said,
        exact: (!may_differ).then(exact),
    }
}

/// Whether it lets nothing run, so that its calls need not be read.
pub const fn is_refusal(decision: &Decision) -> bool {
    !matches!(decision, Decision::Approve { .. })
}

/// What the edit changes of the call's arguments; empty for anything else.
pub fn changes(waiting: &Waiting, decision: &Decision) -> Vec<Changed> {
    let proposed = waiting.call.arguments.value();
    let edited = decision.edited();
    edited.map_or_else(Vec::new, |edited| alike::changes(proposed, edited.value()))
}

/// Whether it is to be read on this sheet: an approval of what has not been on screen as a whole. The sheet can
/// be all that is read.
pub fn is_full(calls: &[&Waiting], decision: &Decision, scene: Scene<'_>) -> bool {
    let is_unread = |waiting: &&Waiting| !scene.state.is_read(&waiting.call.key);
    !is_refusal(decision) && calls.iter().any(is_unread)
}
