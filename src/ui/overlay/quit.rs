//! The question before quitting: what waits, what is held back, what runs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{centred, sheet};
use crate::app::command::Command;
use crate::app::state::State;
use crate::core::pending::Stage;
use crate::core::run::{CallStatus, RunState};
use crate::core::session::{Home, Session};
use crate::ui::border::Titles;
use crate::ui::paint;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::words::{self, Scene};

pub fn draw(buffer: &mut Buffer, body: Rect, scene: Scene<'_>) {
    let theme = scene.theme;
    let width = super::width(body, 60);
    let room = width.saturating_sub(4).max(1);
    let mut rows: Vec<Row> = reasons(scene)
        .into_iter()
        .flat_map(|row| row.wrapped(room, Breaks::Words))
        .collect();
    rows.push(Row::new());
    let mut keys = Row::new();
    if let Some(key) = words::key(scene.state, Command::Sign) {
        keys = keys.with(&key, theme.focused).with(" quits   ", theme.text);
    }
    if let Some(key) = words::key(scene.state, Command::Close) {
        keys = keys.with(&key, theme.focused).with(" stays", theme.text);
    }
    rows.push(keys);
    let area = centred(body, width, rows.len() + 2);
    let titles = Titles {
        left: Row::new().with("Quit?", theme.focused),
        ..Titles::default()
    };
    let inner = sheet(buffer, area, titles, scene);
    // Where there is little room, the keys are what must be seen.
    let skip = rows.len().saturating_sub(usize::from(inner.height));
    for (y, row) in rows.iter().skip(skip).enumerate() {
        paint::row(buffer, inner, y, row);
    }
}

/// What would be left behind.
#[derive(Default)]
struct Open {
    waiting: usize,
    held: usize,
    recording: usize,
    running: usize,
}

fn open(state: &State) -> Open {
    let mut open = Open {
        waiting: state.pending.len(),
        ..Open::default()
    };
    for waiting in state.pending.decided() {
        open.waiting -= 1;
        match waiting.stage {
            Stage::Awaiting => open.waiting += 1,
            Stage::Held { .. } => open.held += 1,
            Stage::Recording { .. } => open.recording += 1,
        }
    }
    let calls = state
        .sessions
        .iter()
        .filter(|session| session.home == Home::Here)
        .flat_map(|session| session.conversation.calls().values());
    open.running = calls
        .filter(|call| call.status == CallStatus::Running)
        .count();
    open
}

fn reasons(scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let open = open(scene.state);
    let mut rows = Vec::new();
    let mut say = |mark, look, number, one, many, what| {
        if number > 0 {
            let row =
                Row::new()
                    .with(mark, look)
                    .then(words::count(number, one, many, theme.strong));
            rows.push(row.with(what, theme.text));
        }
    };
    say(
        "‖ ",
        theme.warn,
        open.waiting,
        "call",
        "calls",
        " waiting for a decision",
    );
    say(
        "✎ ",
        theme.warn,
        open.held,
        "decision",
        "decisions",
        " held back, not recorded yet",
    );
    say(
        "… ",
        theme.accent,
        open.recording,
        "decision",
        "decisions",
        " being recorded",
    );
    say(
        "▶ ",
        theme.accent,
        open.running,
        "tool",
        "tools",
        " running; quitting stops what runs",
    );
    // One whose process is gone already is of no process.
    let elsewhere =
        |session: &&Session| session.home == Home::Elsewhere && session.run != RunState::Ended;
    let goes_on = scene.state.sessions.iter().filter(elsewhere).count();
    say(
        "→ ",
        theme.good,
        goes_on,
        "session",
        "sessions",
        " of another process: goes on without this console",
    );
    let files = scene.state.sessions.iter();
    let files = files.filter(|session| session.home == Home::File).count();
    say(
        "→ ",
        theme.warn,
        files,
        "deferred state",
        "deferred states",
        ": what is decided is recorded, the rest stays undecided",
    );
    let stops = scene.state.sessions.len() - goes_on - files;
    if rows.is_empty() {
        rows.push(Row::new().with("Nothing waits and nothing runs.", theme.text));
    }
    if stops > 0 {
        let words = if stops == 1 {
            "Nothing is lost: `countersign resume` goes on from here."
        } else {
            "Nothing is lost: `countersign resume` goes on with the newest; its list of sessions \
             opens the others."
        };
        rows.push(Row::new().with(words, theme.dim));
    }
    rows
}
