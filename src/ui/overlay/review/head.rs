//! The first row of what stands together on the review sheet: what is decided, on how many calls of which tool.
//!
//! Owns the columns of these rows, and what goes onto rows of its own where they are narrow.

use super::blocks::Block;
use super::sheet;
use crate::core::decision::Decision;
use crate::core::pending::Waiting;
use crate::ui::pending::signed::Signed;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::words::{self, Scene};

/// Longer tool names do not set the column of the summaries.
const LONGEST_TOOL: usize = 24;
/// What stands below a call's own row.
pub const INDENT: usize = 2;

/// The columns of the calls' own rows.
#[derive(Clone, Copy)]
pub struct Columns {
    verb: usize,
    count: usize,
    agent: usize,
    tool: usize,
    pub width: usize,
}

impl Columns {
    pub fn of(blocks: &[Block<'_>], width: usize, scene: Scene<'_>) -> Self {
        let mut columns = Self {
            verb: 0,
            count: 0,
            agent: 0,
            tool: 0,
            width,
        };
        for block in blocks {
            let (calls, decision) = match block {
                Block::Gone(decision) => (&[][..], decision),
                Block::Equal(calls, decision) | Block::Similar(calls, decision, _) => {
                    (calls.as_slice(), decision)
                }
            };
            let first = calls.first().map(|signed| signed.call);
            columns.verb = columns.verb.max(words::verb(decision, first).len());
            columns.count = columns.count.max(count(calls, scene).width());
            if let Some(waiting) = first {
                let tool = Row::new().with(&waiting.tool, scene.theme.text);
                columns.tool = columns.tool.max(tool.width().min(LONGEST_TOOL));
                columns.agent = columns.agent.max(agent(calls, scene).width());
            }
        }
        columns.agent = columns.agent.min(width / 5);
        columns
    }
}

/// `×12`; nothing for one call.
fn count(calls: &[Signed<'_>], scene: Scene<'_>) -> Row {
    if calls.len() < 2 {
        return Row::new();
    }
    let look = scene.theme.strong;
    Row::new().with("×", look).with(calls.len(), look)
}

/// The session that all of the calls are of.
fn agent(calls: &[Signed<'_>], scene: Scene<'_>) -> Row {
    let Some((first, others)) = calls.split_first() else {
        return Row::new();
    };
    if others.is_empty() || !sheet::are_of_several(calls) {
        return words::agent(first.call, scene);
    }
    Row::new().with("several", scene.theme.dim)
}

fn lead(decision: &Decision, waiting: Option<&Waiting>, columns: Columns, scene: Scene<'_>) -> Row {
    let look = words::decision_look(decision.answer(), scene.theme);
    Row::new()
        .with(words::decision_mark(decision.answer()), look)
        .with(" ", look)
        .with(words::verb(decision, waiting), look)
        .padded(columns.verb + 4)
}

pub fn gone(decision: &Decision, columns: Columns, scene: Scene<'_>) -> Row {
    lead(decision, None, columns, scene)
        .with("a call that no longer waits", scene.theme.warn)
        .fitted(columns.width)
}

/// What is decided, on how many calls of which tool: on one row, or where there is no room for that on several.
pub fn head(
    calls: &[Signed<'_>],
    decision: &Decision,
    words: Row,
    columns: Columns,
    scene: Scene<'_>,
) -> Vec<Row> {
    let theme = scene.theme;
    let first = calls.first().copied();
    let mut row = lead(decision, first.map(|first| first.call), columns, scene);
    let Some(first) = first else {
        return vec![row];
    };
    let waiting = first.runs;
    if columns.count > 0 {
        row = row.then(count(calls, scene).padded(columns.count + 2));
    }
    if columns.agent > 0 {
        let agent = agent(calls, scene).fitted(columns.agent);
        row = row.then(agent.padded(columns.agent + 2));
    }
    let mut risk = Row::new();
    let found = !waiting.findings.is_empty();
    if found || waiting.call.is_destructive() || words::is_unknown(waiting) {
        risk = words::risks(waiting, theme)
            .into_iter()
            .next()
            .unwrap_or_default();
    }
    let width = columns.width;
    let room = width.saturating_sub(risk.width() + 2);
    let tool = Row::new().with(&waiting.tool, theme.accent);
    if row.width() + tool.width().min(LONGEST_TOOL) <= room {
        let row = row.then(tool.padded(columns.tool + 2)).then(words);
        return vec![row.fitted(room).padded(room + 2).then(risk)];
    }
    let below = Row::new().padded(INDENT);
    let mut rows = row.wrapped(width, Breaks::Words);
    let tool = tool.with("  ", theme.text).then(words);
    rows.push(below.clone().then(tool).fitted(width));
    if !risk.is_empty() {
        rows.push(below.then(risk).fitted(width));
    }
    rows
}
