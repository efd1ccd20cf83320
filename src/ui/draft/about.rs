//! What a text that is being written is for, in words: its title, the calls that it decides, what an empty
//! one says.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::draft::{Draft, Purpose};
use crate::core::call::CallKey;
use crate::core::filter;
use crate::core::pending::Waiting;
use crate::ui::paint;
use crate::ui::pending::script::{self, Known};
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

/// The script that the draft would decide on, if that is what it decides on.
fn script<'a>(purpose: &Purpose, scene: Scene<'a>) -> Option<&'a Waiting> {
    let calls = purpose.calls();
    let [only] = calls.as_slice() else {
        return None;
    };
    let waiting = scene.state.pending.get(only)?;
    waiting.call.is_script().then_some(waiting)
}

pub(super) fn title(purpose: &Purpose, scene: Scene<'_>) -> Row {
    let look = scene.theme.focused;
    let word = match purpose {
        Purpose::Reason { .. } if script(purpose, scene).is_some() => {
            "Drop the script, with a reason"
        }
        Purpose::Reason { .. } => "Reject, with a reason",
        Purpose::Answer { .. } => "Answer in the tool's place",
        Purpose::Retry { .. } => "Send back to the model",
        Purpose::Failure { .. } => "Say that it failed",
        Purpose::Edit { .. } => "Edit, then approve",
        Purpose::Set { .. } => "Set fields, then approve",
        Purpose::Message => "Message to the agent",
        Purpose::Filter | Purpose::Sessions => "List",
    };
    Row::new().with(word, look)
}

/// The calls that the draft will decide, by name.
pub(super) fn about(purpose: &Purpose, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let calls = purpose.calls();
    if let Some(waiting) = script(purpose, scene) {
        let known = Known::of(waiting, scene.state);
        return Row::new()
            .with(&waiting.tool, theme.accent)
            .fitted(40)
            .with(" · ", theme.dim)
            .then(script::drops(&known, theme));
    }
    if let [only] = calls.as_slice() {
        return match scene.state.pending.get(only) {
            Some(waiting) => tool(only, scene)
                .with(" ", theme.text)
                .with(&waiting.summary, theme.dim)
                .fitted(120),
            None => tool(only, scene),
        };
    }
    let mut row = words::count(calls.len(), "call", "calls", theme.strong).with(": ", theme.dim);
    let mut tools: indexmap::IndexMap<Row, usize> = indexmap::IndexMap::new();
    for key in &calls {
        *tools.entry(tool(key, scene)).or_default() += 1;
    }
    let mut named = 0;
    for (at, (tool, of_it)) in tools.into_iter().enumerate() {
        if at == 6 {
            return row
                .with(" and ", theme.dim)
                .with(calls.len() - named, theme.text)
                .with(" more", theme.dim);
        }
        named += of_it;
        if at > 0 {
            row.push(", ", theme.dim);
        }
        row.append(tool);
        if of_it > 1 {
            row = row.with(" ×", theme.dim).with(of_it, theme.dim);
        }
    }
    row
}

pub(super) fn tool(key: &CallKey, scene: Scene<'_>) -> Row {
    match scene.state.pending.get(key) {
        Some(waiting) => Row::new().with(&waiting.tool, scene.theme.accent),
        None => Row::new().with("a call that no longer waits", scene.theme.warn),
    }
}

/// What an empty sheet says.
pub(super) fn placeholder(buffer: &mut Buffer, area: Rect, draft: &Draft, scene: Scene<'_>) {
    if !draft.is_empty() {
        return;
    }
    let words = match draft.purpose {
        Purpose::Message => "What should the agent do?",
        Purpose::Reason { .. } => "Why not? The model reads this. It may stay empty.",
        Purpose::Answer { .. } => "The result that the model is given. The tool does not run.",
        Purpose::Retry { .. } => "What should the model do differently?",
        Purpose::Failure { .. } => "What went wrong? The model is told.",
        Purpose::Edit { .. } => "",
        Purpose::Set { .. } => "cabin = \"economy\"",
        Purpose::Filter => filter::HELP,
        Purpose::Sessions => "agents, models and ids that contain …",
    };
    let row = Row::new()
        .with(words, scene.theme.dim)
        .fitted(usize::from(area.width));
    paint::row(buffer, area, 0, &row);
}
