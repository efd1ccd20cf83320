//! The list of pending calls. Only the rows on screen are laid out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::aside;
use super::script::{self, Known};
use super::signed::Signed;
use crate::app::state::State;
use crate::core::name;
use crate::core::pending::{Group, Grouping, Waiting};
use crate::ui::paint;
use crate::ui::rows::keep_visible;
use crate::ui::text::Row;
use crate::ui::words::{self, Names, Scene};

/// A longer tool name is shortened; the arguments' title has it in full.
const LONGEST_TOOL: usize = 24;

/// A longer agent's name is shortened; the full view has it in full.
const LONGEST_AGENT: usize = 14;

/// How many calls are listed, how many of them are marked, and the place of the cursor among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Listed {
    pub calls: usize,
    pub marked: usize,
    /// The calls, and the headings of a list that is divided.
    pub lines: usize,
    pub cursor: Option<usize>,
}

impl Listed {
    pub fn count(scene: Scene<'_>) -> Self {
        let pending = &scene.state.pending;
        let cursor = scene.state.cursor.as_ref();
        let calls = pending.listed_len();
        Self {
            calls,
            marked: pending.marked_tally().calls,
            lines: calls + headings(scene.state),
            cursor: cursor.and_then(|key| pending.rank(key).ok()),
        }
    }
}

fn headings(state: &State) -> usize {
    match state.pending.arrangement().group {
        Grouping::None => 0,
        Grouping::Tool | Grouping::Agent | Grouping::Session | Grouping::Risk => {
            state.pending.groups().count()
        }
    }
}

/// One line of the list.
enum Line<'a> {
    Heading(&'a Group, usize),
    Call(&'a Waiting),
}

/// The lines of the window that begins at `top`.
fn lines(state: &State, top: usize, height: usize) -> Vec<Line<'_>> {
    let pending = &state.pending;
    if headings(state) == 0 {
        let calls = pending.listed_from(top).take(height);
        return calls.map(Line::Call).collect();
    }
    let (mut lines, mut at, mut rank) = (Vec::new(), 0, 0);
    for (group, calls) in pending.groups() {
        let end = at + 1 + calls;
        if end > top && at < top + height {
            if at >= top {
                lines.push(Line::Heading(group, calls));
            }
            let skipped = top.saturating_sub(at + 1);
            let room = height - lines.len();
            let listed = pending.listed_from(rank + skipped);
            lines.extend(listed.take(room.min(calls - skipped)).map(Line::Call));
        }
        (at, rank) = (end, rank + calls);
        if at >= top + height {
            break;
        }
    }
    lines
}

/// The calls of the window that begins at `top`, each with its row in it.
pub fn calls(state: &State, top: usize, height: usize) -> impl Iterator<Item = (usize, &Waiting)> {
    let lines = lines(state, top, height).into_iter().enumerate();
    lines.filter_map(|(row, line)| match line {
        Line::Call(waiting) => Some((row, waiting)),
        Line::Heading(..) => None,
    })
}

/// The line of the call with this place in the list, and whether its heading is just above.
fn line_of(rank: usize, scene: Scene<'_>) -> (usize, bool) {
    if headings(scene.state) == 0 {
        return (rank, false);
    }
    let (mut before, mut first) = (0, 0);
    for (_, calls) in scene.state.pending.groups() {
        before += 1;
        if rank < first + calls {
            break;
        }
        first += calls;
    }
    (rank + before, rank == first)
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
    let cursor = listed.cursor.map(|rank| line_of(rank, scene));
    *top = keep_visible(*top, height, listed.lines, cursor.map(|(line, _)| line));
    if cursor.is_some_and(|(line, headed)| headed && line == *top && height > 1) {
        *top -= 1;
    }
    // One more than fits: whether a branch goes on depends on the call below.
    let lines = lines(scene.state, *top, height + 1);
    let visible = &lines[..lines.len().min(height)];
    let columns = Columns::of(visible, usize::from(area.width), scene);
    for (y, line) in visible.iter().enumerate() {
        let row = match line {
            Line::Heading(group, calls) => heading(group, *calls, columns.room, scene),
            Line::Call(waiting) => {
                let branch = Branch::of(waiting, lines.get(y + 1), scene.state);
                row(waiting, branch, columns, scene)
            }
        };
        paint::row(buffer, area, y, &row);
    }
    cursor.is_some_and(|(line, _)| line >= *top && line < *top + height)
}

/// `── send_mail · 12 ──`
fn heading(group: &Group, calls: usize, room: usize, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let name = match group {
        Group::All => Row::new().with("all", theme.heading),
        Group::Tool(name) | Group::Agent(name) => {
            Row::new().with(&name::shown(name), theme.heading)
        }
        Group::Risk(gravity) => Row::new().with(gravity.word(), theme.heading),
        Group::Session(id) => {
            let row = words::place(id, scene);
            match scene.state.session(id) {
                Some(session) => row.with(&name::shown(&session.agent), theme.heading),
                None => row.with(&name::shown(&id.0), theme.heading),
            }
        }
    };
    let calls = Row::new()
        .with("  ", theme.dim)
        .then(words::count(calls, "call", "calls", theme.dim));
    let space = room.saturating_sub(calls.width() + 2);
    Row::new()
        .with(" ", theme.dim)
        .then(name.fitted(space))
        .then(calls)
        .fitted(room)
}

/// How a call hangs on the script that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Branch {
    /// It is made by no script.
    Free,
    /// It stands below the script's row, and another one of its calls follows.
    Middle,
    Last,
    /// The script's row is not above it.
    Apart,
}

impl Branch {
    fn of(waiting: &Waiting, below: Option<&Line<'_>>, state: &State) -> Self {
        let (pending, call) = (&state.pending, &waiting.call);
        if call.maker().is_none() {
            return Self::Free;
        }
        let is_listed = |outer: &Waiting| pending.rank(&outer.call.key).is_ok();
        if !pending.is_tree() || !pending.outer(call).is_some_and(is_listed) {
            return Self::Apart;
        }
        match below {
            Some(Line::Call(next)) if next.call.outer_key() == call.outer_key() => Self::Middle,
            Some(Line::Call(_) | Line::Heading(..)) | None => Self::Last,
        }
    }

    const fn mark(self) -> &'static str {
        match self {
            Self::Middle => "├ ",
            Self::Last => "└ ",
            Self::Free | Self::Apart => "",
        }
    }
}

/// What is said of a call beside its tool: its arguments, or where the script stands that it is; before
/// that the script, where the list does not show it.
fn summary(waiting: &Waiting, branch: Branch, look: Style, scene: Scene<'_>) -> Row {
    let (call, theme) = (&waiting.call, scene.theme);
    if call.is_script() {
        return script::summary(call, &Known::of(waiting, scene.state), theme);
    }
    let row = match branch {
        Branch::Apart => Row::new()
            .with("of ", theme.dim)
            .then(Known::of(waiting, scene.state).name(call, theme))
            .with(" · ", theme.dim),
        Branch::Free | Branch::Middle | Branch::Last => Row::new(),
    };
    row.with(&Signed::now(waiting, scene.state).runs.summary, look)
}

/// The columns of the list: of the agents' names, none where there is one agent, and of the tools'.
#[derive(Clone, Copy)]
struct Columns {
    agent: usize,
    tool: Names,
    room: usize,
}

impl Columns {
    fn of(lines: &[Line<'_>], room: usize, scene: Scene<'_>) -> Self {
        let calls = lines.iter().filter_map(|line| match line {
            Line::Call(waiting) => Some(*waiting),
            Line::Heading(..) => None,
        });
        let (mut agents, mut tools) = (0, Vec::new());
        for waiting in calls {
            agents = agents.max(words::agent(waiting, scene).width());
            tools.push(tool(waiting, scene).width() + indent(waiting, scene));
        }
        Self {
            agent: agents.min(LONGEST_AGENT).min(room / 4),
            tool: Names::of(tools, LONGEST_TOOL.min(room / 3)),
            room,
        }
    }
}

fn row(waiting: &Waiting, branch: Branch, columns: Columns, scene: Scene<'_>) -> Row {
    let indent = indent(waiting, scene);
    let name = tool(waiting, scene);
    let (column, room) = (columns.tool.taken(name.width() + indent), columns.room);
    let theme = scene.theme;
    let selected = scene.state.cursor.as_ref() == Some(&waiting.call.key);
    // Of the row's words only one: the mark says it too, and every word that changes its look is sent again.
    let look = if selected { theme.strong } else { theme.text };
    let mut lead = Row::new()
        .with(if selected { "▌" } else { " " }, theme.focused)
        .with(if waiting.marked { "✓" } else { " " }, theme.focused)
        .then(words::stage_mark(waiting, theme))
        .with(" ", theme.text);
    if columns.agent > 0 {
        let agent = words::agent(waiting, scene).fitted(columns.agent);
        lead = lead.then(agent.padded(columns.agent + 1));
    }
    let lead_width = lead.width();
    let spare = room.saturating_sub(lead_width + column + 2);
    let summary = summary(waiting, branch, theme.text, scene);
    let state = aside::words(waiting, spare, summary.width(), scene);
    let summary_room = spare.saturating_sub(state.width() + if state.is_empty() { 0 } else { 2 });
    let summary = summary.fitted(summary_room);
    let left = lead
        .with(branch.mark(), theme.dim)
        .then(name.styled(look).fitted(column.saturating_sub(indent)))
        .padded(lead_width + column)
        .with("  ", theme.text)
        .then(summary);
    left.padded(room.saturating_sub(state.width()))
        .then(state)
        .fitted(room)
}

/// Columns of a branch's mark.
fn indent(waiting: &Waiting, scene: Scene<'_>) -> usize {
    let hangs = scene.state.pending.is_tree() && waiting.call.maker().is_some();
    if hangs { 2 } else { 0 }
}

fn tool(waiting: &Waiting, scene: Scene<'_>) -> Row {
    Row::new().with(&waiting.tool, scene.theme.text)
}
