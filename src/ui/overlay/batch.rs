//! What became of each call that was signed in the last batch. Only the rows on screen are laid out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Showed, centred, sheet, unseen};
use crate::app::batch::{Batch, Phase, Signed};
use crate::app::state::Extent;
use crate::ui::border::Titles;
use crate::ui::paint::{self, split_top};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::words::{self, Names, Scene};
use ratatui::style::Style;

const WIDEST: usize = 100;
/// A longer tool's name is shortened; the conversation has it in full.
const LONGEST_TOOL: usize = 24;
/// With fewer columns than this a session is a number.
const ROOMY: usize = 60;
/// Columns of a session's number and its agent's name.
const LONGEST_AGENT: usize = 14;

pub fn draw(buffer: &mut Buffer, body: Rect, top: usize, scene: Scene<'_>) -> Showed {
    let Some(batch) = &scene.state.batch else {
        return Showed::default();
    };
    let width = super::width(body, WIDEST);
    let counts = counts(batch, scene).wrapped(width.saturating_sub(4).max(1), Breaks::Words);
    let calls = batch.calls();
    let area = centred(body, width, calls.len() + counts.len() + 3);
    let titles = Titles {
        left: Row::new()
            .with("The last batch · ", scene.theme.focused)
            .then(words::count(
                calls.len(),
                "call",
                "calls",
                scene.theme.focused,
            )),
        ..Titles::default()
    };
    let inner = sheet(buffer, area, titles, scene);
    let head = u16::try_from(counts.len() + 1).unwrap_or(u16::MAX);
    let (above, list) = split_top(inner, head.min(inner.height / 2));
    for (y, row) in counts.iter().enumerate() {
        paint::row(buffer, above, y, row);
    }
    let height = usize::from(list.height);
    let top = top.min(calls.len().saturating_sub(height));
    let visible = &calls[top..calls.len().min(top + height)];
    let columns = Columns::of(visible, usize::from(list.width), scene);
    for (y, signed) in visible.iter().enumerate() {
        paint::row(buffer, list, y, &row(signed, columns, scene));
    }
    let extent = Extent {
        top,
        height: visible.len(),
        total: calls.len(),
    };
    unseen(buffer, area, extent, scene);
    Showed {
        extent,
        ..Showed::default()
    }
}

/// `2 failed · 40 done · 8 running`
fn counts(batch: &Batch, scene: Scene<'_>) -> Row {
    let mut row = Row::new();
    for (phase, calls) in batch.counts() {
        let (_, look) = mark(phase, scene);
        if !row.is_empty() {
            row.push(" · ", scene.theme.dim);
        }
        row = row
            .with(calls, look)
            .with(" ", look)
            .with(phase.word(), look);
    }
    row
}

fn mark(phase: Phase, scene: Scene<'_>) -> (&'static str, Style) {
    let theme = scene.theme;
    match phase {
        Phase::NotRecorded | Phase::Failed => ("✗", theme.bad),
        Phase::Elsewhere | Phase::Gone | Phase::Interrupted | Phase::Undone => ("!", theme.warn),
        Phase::Held | Phase::Recording | Phase::Untold => ("…", theme.warn),
        Phase::Recorded | Phase::Running => ("▸", theme.accent),
        Phase::Done | Phase::Told => ("✓", theme.good),
    }
}

#[derive(Clone, Copy)]
struct Columns {
    session: usize,
    tool: Names,
    phase: usize,
    room: usize,
}

impl Columns {
    fn of(visible: &[Signed], room: usize, scene: Scene<'_>) -> Self {
        let (mut session, mut tools, mut phase) = (0, Vec::new(), 0);
        for signed in visible {
            session = session.max(of(signed, room, scene).width());
            tools.push(Row::new().with(&signed.tool, scene.theme.text).width());
            phase = phase.max(word(signed, scene).width());
        }
        Self {
            session: session.min(LONGEST_AGENT).min(room / 4),
            tool: Names::of(tools, LONGEST_TOOL.min(room / 3)),
            phase: phase.min(room / 2),
            room,
        }
    }
}

/// The session that the call is of: its number, and its agent where there is room for that.
fn of(signed: &Signed, room: usize, scene: Scene<'_>) -> Row {
    let session = &signed.key.session;
    match scene.state.sessions.len() {
        0 | 1 => Row::new(),
        _ if room < ROOMY => words::place(session, scene),
        _ => words::session(session, scene).with(" ", scene.theme.dim),
    }
}

fn row(signed: &Signed, columns: Columns, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let (mark, look) = mark(signed.phase, scene);
    let tool = Row::new().with(&signed.tool, theme.accent);
    let column = columns.tool.taken(tool.width());
    let session = match columns.session {
        0 => Row::new(),
        column => of(signed, columns.room, scene)
            .fitted(column)
            .padded(column + 1),
    };
    let lead = Row::new()
        .with(mark, look)
        .with(" ", look)
        .with(
            words::decision_mark(signed.answer),
            words::decision_look(signed.answer, theme),
        )
        .with(" ", look)
        .then(session)
        .then(tool.fitted(column).padded(column + 2));
    let left = columns.room.saturating_sub(columns.phase + 2);
    lead.with(&signed.summary, theme.text)
        .fitted(left)
        .padded(left + 2)
        .then(word(signed, scene).fitted(columns.phase))
}

/// `failed: exit code 2`
fn word(signed: &Signed, scene: Scene<'_>) -> Row {
    let (_, look) = mark(signed.phase, scene);
    let row = Row::new().with(signed.phase.word(), look);
    match &signed.why {
        Some(why) => row.with(": ", look).with(why, scene.theme.text),
        None => row,
    }
}
