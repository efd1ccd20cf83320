//! The question before quitting: what waits, what is held back, what runs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{centred, sheet};
use crate::app::command::Command;
use crate::app::draft::Purpose;
use crate::app::state::State;
use crate::core::pending::Stage;
use crate::core::run::{CallStatus, RunState};
use crate::core::session::{Home, Session};
use crate::ui::border::Titles;
use crate::ui::paint;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
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
    /// Agents that wait for the model.
    thinking: usize,
    /// Messages that were written and not sent.
    unsent: usize,
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
    let here = |session: &&Session| session.home == Home::Here;
    for session in state.sessions.iter().filter(here) {
        let calls = session.conversation.calls().values();
        open.running += calls
            .filter(|call| call.status == CallStatus::Running)
            .count();
        open.thinking += usize::from(session.run == RunState::Thinking);
    }
    open.unsent = usize::from(is_unsent(state));
    open
}

/// A message that is being written, or was when the composer was left.
fn is_unsent(state: &State) -> bool {
    let written = match &state.draft {
        Some(draft) if draft.purpose == Purpose::Message => draft.text(),
        _ => state.unsent.clone(),
    };
    !written.trim().is_empty()
}

/// A kind of thing that is left behind: its mark and look, how many, one and many of it, and what becomes
/// of it.
type Left = (
    &'static str,
    Style,
    usize,
    (&'static str, &'static str),
    &'static str,
);

fn left(open: &Open, theme: &Theme) -> [Left; 6] {
    let (call, decision) = (("call", "calls"), ("decision", "decisions"));
    [
        (
            "‖ ",
            theme.warn,
            open.waiting,
            call,
            " waiting for a decision",
        ),
        (
            "✎ ",
            theme.warn,
            open.held,
            decision,
            " held back: will not count if you quit now",
        ),
        (
            "… ",
            theme.accent,
            open.recording,
            decision,
            " being recorded",
        ),
        (
            "▶ ",
            theme.accent,
            open.running,
            ("tool", "tools"),
            " running; quitting stops what runs: its outcome will be unknown",
        ),
        (
            "… ",
            theme.accent,
            open.thinking,
            ("agent", "agents"),
            " waiting for the model, whose answer does not count then",
        ),
        (
            "✎ ",
            theme.warn,
            open.unsent,
            ("unsent message", "unsent messages"),
            " is lost",
        ),
    ]
}

/// The sessions that do not stop with this console, and how many of all do.
fn others(state: &State, theme: &Theme) -> ([Left; 2], usize) {
    // One whose process is gone already is of no process.
    let elsewhere =
        |session: &&Session| session.home == Home::Elsewhere && session.run != RunState::Ended;
    let goes_on = state.sessions.iter().filter(elsewhere).count();
    let files = state.sessions.iter();
    let files = files.filter(|session| session.home == Home::File).count();
    let left = [
        (
            "→ ",
            theme.good,
            goes_on,
            ("session", "sessions"),
            " of another process: goes on without this console",
        ),
        (
            "→ ",
            theme.warn,
            files,
            ("deferred state", "deferred states"),
            ": what is decided is recorded, the rest stays undecided",
        ),
    ];
    (left, state.sessions.len() - goes_on - files)
}

fn reasons(scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let open = open(scene.state);
    let (others, stops) = others(scene.state, theme);
    let mut rows = Vec::new();
    for (mark, look, number, (one, many), what) in left(&open, theme).into_iter().chain(others) {
        if number > 0 {
            let count = words::count(number, one, many, theme.strong);
            rows.push(
                Row::new()
                    .with(mark, look)
                    .then(count)
                    .with(what, theme.text),
            );
        }
    }
    if rows.is_empty() {
        rows.push(Row::new().with("Nothing waits and nothing runs.", theme.text));
    }
    if stops > 0 {
        let lost = if open.unsent + open.running + open.held == 0 {
            "Nothing is lost: "
        } else {
            "Nothing else is lost: "
        };
        let words = if stops == 1 {
            "`countersign resume` goes on from here."
        } else {
            "`countersign resume` goes on with the newest; its list of sessions opens the others."
        };
        rows.push(Row::new().with(lost, theme.dim).with(words, theme.dim));
    }
    rows
}
