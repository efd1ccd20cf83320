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
use crate::ui::pending::arguments;
use crate::ui::pending::signed::{self, Signed};
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

/// Some of the rulings.
pub enum Block<'a> {
    /// A call that no longer waits.
    Gone(&'a Decision),
    /// Calls that are equal; often one.
    Equal(Vec<Signed<'a>>, &'a Decision),
    /// Calls of one tool that differ in their arguments, and in nothing that an edit changed.
    Similar(Vec<Signed<'a>>, &'a Decision, Alike),
}

impl Block<'_> {
    pub const fn decision(&self) -> &Decision {
        match self {
            Self::Gone(decision) | Self::Equal(_, decision) | Self::Similar(_, decision, _) => {
                decision
            }
        }
    }

    /// Whether it is an approval of what was read before. Equal calls are read with any of them. How an edit
    /// changes many calls was not read.
    pub fn is_read(&self, scene: Scene<'_>) -> bool {
        let is_read = |signed: &Signed<'_>| scene.state.is_read(signed.key());
        match self {
            Self::Gone(_) => false,
            Self::Equal(calls, decision) => !is_refusal(decision) && calls.iter().any(is_read),
            Self::Similar(calls, decision, _) => {
                matches!(decision, Decision::Approve { arguments: None })
                    && calls.iter().all(is_read)
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
    /// How far it is known what other arguments would change.
    change: signed::Look,
    /// What an edit changed, or what is told instead of running the call.
    said: String,
    /// The arguments and the decision, where only equal calls may stand together.
    exact: Option<String>,
}

/// Calls of one look, and the arguments that are signed with each.
struct Together<'a> {
    calls: Vec<Signed<'a>>,
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
        let signed = Signed::with(waiting, decision, scene.state);
        let look = look(signed, decision, width, scene);
        let together = found.entry(look).or_insert_with(|| Together {
            calls: Vec::new(),
            decision,
            values: Vec::new(),
        });
        together.calls.push(signed);
        together.values.push(signed.arguments().value());
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

fn look(signed: Signed<'_>, decision: &Decision, width: usize, scene: Scene<'_>) -> Look {
    let theme = scene.theme;
    let waiting = signed.call;
    let (may_differ, said) = match decision {
        Decision::Approve { arguments: None } => (true, String::new()),
        Decision::Approve { arguments: Some(_) } => {
            let changes = changes(signed);
            (!changes.is_empty(), format!("{changes:?}"))
        }
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
        rows.extend(arguments::below(signed.runs, width, theme));
    }
    let exact = || {
        let decided = serde_json::to_string(decision).unwrap_or_default();
        format!("{decided} {}", waiting.call.arguments.text())
    };
    Look {
        tool: waiting.call.tool.clone(),
        verb: words::verb(decision, Some(waiting)),
        risks: words::risks(signed.runs, theme),
        script,
        rows,
        change: signed.look(),
        said,
        exact: (!may_differ).then(exact),
    }
}

/// Whether it lets nothing run, so that its calls need not be read.
pub const fn is_refusal(decision: &Decision) -> bool {
    !matches!(decision, Decision::Approve { .. })
}

/// What the edit changes of the call's arguments; empty for anything else.
pub fn changes(signed: Signed<'_>) -> Vec<Changed> {
    if !signed.is_edited() {
        return Vec::new();
    }
    let proposed = signed.call.call.arguments.value();
    alike::changes(proposed, signed.arguments().value())
}
