//! The list of pending calls. Only the rows on screen are laid out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::core::pending::Waiting;
use crate::ui::paint;
use crate::ui::rows::keep_visible;
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

/// A longer tool name is shortened; the arguments' title has it in full.
const LONGEST_TOOL: usize = 24;

/// A longer agent's name is shortened; the full view has it in full.
const LONGEST_AGENT: usize = 14;

/// How many calls are listed, how many of them are marked, and the place of the cursor among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Listed {
    pub calls: usize,
    pub marked: usize,
    pub cursor: Option<usize>,
}

impl Listed {
    pub fn count(scene: Scene<'_>) -> Self {
        let mut listed = Self::default();
        for waiting in scene.state.listed() {
            if scene.state.cursor.as_ref() == Some(&waiting.call.key) {
                listed.cursor = Some(listed.calls);
            }
            listed.calls += 1;
            listed.marked += usize::from(waiting.marked);
        }
        listed
    }
}

/// Draws the window of the list that holds the cursor and says whether the cursor's row is in it.
/// `top` is where the window was in the last frame, so that it moves no more than it must.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    listed: Listed,
    top: &mut usize,
    scene: Scene<'_>,
) -> bool {
    let height = usize::from(area.height);
    *top = keep_visible(*top, height, listed.calls, listed.cursor);
    let visible: Vec<&Waiting> = scene.state.listed().skip(*top).take(height).collect();
    let widest = visible
        .iter()
        .map(|waiting| tool(waiting, scene).width())
        .max()
        .unwrap_or(0);
    let room = usize::from(area.width);
    let column = widest.min(LONGEST_TOOL).min(room / 3);
    let agents = visible.iter().map(|waiting| words::agent(waiting, scene));
    let agents = agents.map(|agent| agent.width()).max().unwrap_or(0);
    let columns = Columns {
        agent: agents.min(LONGEST_AGENT).min(room / 4),
        tool: column,
        room,
    };
    for (y, waiting) in visible.iter().enumerate() {
        paint::row(buffer, area, y, &row(waiting, columns, scene));
    }
    listed
        .cursor
        .is_some_and(|cursor| cursor >= *top && cursor < *top + height)
}

/// The columns of the list: of the agents' names, none where there is one agent, and of the tools'.
#[derive(Clone, Copy)]
struct Columns {
    agent: usize,
    tool: usize,
    room: usize,
}

fn row(waiting: &Waiting, columns: Columns, scene: Scene<'_>) -> Row {
    let (column, room) = (columns.tool, columns.room);
    let theme = scene.theme;
    let selected = scene.state.cursor.as_ref() == Some(&waiting.call.key);
    let look = if selected { theme.strong } else { theme.text };
    let mut lead = Row::new()
        .with(if selected { "▌" } else { " " }, theme.focused)
        .with(if waiting.marked { "✓" } else { " " }, theme.focused)
        .then(words::stage_mark(waiting, theme))
        .with(" ", look);
    if columns.agent > 0 {
        let agent = words::agent(waiting, scene).fitted(columns.agent);
        lead = lead.then(agent.padded(columns.agent + 1));
    }
    let spare = room.saturating_sub(lead.width() + column + 2);
    let state = state(waiting, spare / 2, scene);
    let state = timed(state, waiting, spare / 2, scene);
    let summary_room = spare.saturating_sub(state.width() + if state.is_empty() { 0 } else { 2 });
    let summary = Row::new().with(&waiting.summary, look).fitted(summary_room);
    let left = lead
        .then(
            tool(waiting, scene)
                .styled(look)
                .fitted(column)
                .padded(column),
        )
        .with("  ", look)
        .then(summary);
    left.padded(room.saturating_sub(state.width()))
        .then(state)
        .fitted(room)
}

fn tool(waiting: &Waiting, scene: Scene<'_>) -> Row {
    Row::new().with(&waiting.tool, scene.theme.text)
}

/// The same, with how long it has waited and can still wait, as far as there is room.
fn timed(state: Row, waiting: &Waiting, room: usize, scene: Scene<'_>) -> Row {
    if !waiting.is_open() {
        return state;
    }
    let join = |row: Row, next: Row| match (row.is_empty(), next.is_empty()) {
        (true, _) => next,
        (_, true) => row,
        (false, false) => row.with(" · ", scene.theme.dim).then(next),
    };
    let (age, left) = (words::age(waiting, scene), words::left(waiting, scene));
    let all = join(join(state.clone(), age), left.clone());
    if all.width() <= room {
        return all;
    }
    // When it is too late matters more than how long it has been.
    let urgent = join(state.clone(), left.clone());
    if left.is_empty() || urgent.width() <= room {
        return urgent;
    }
    left
}

/// The words at the right: how far the decision is, else why it waits, as many as fit.
fn state(waiting: &Waiting, room: usize, scene: Scene<'_>) -> Row {
    let stage = words::stage(waiting, scene);
    if !stage.is_empty() {
        return stage.fitted(room.max(8));
    }
    let mut row = Row::new();
    for word in words::risks(waiting, scene.theme) {
        if row.is_empty() {
            row = word;
        } else if row.width() + 3 + word.width() <= room {
            row = row.with(" · ", scene.theme.dim).then(word);
        }
    }
    row
}
