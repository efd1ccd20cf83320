//! The first row: who is at work, on what, and how much waits. And the tab line of narrow screens.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::layout::shown_pane;
use super::paint;
use super::text::Row;
use super::theme::Theme;
use super::words::{self, Scene};
use crate::app::state::{Pane, State};
use crate::core::name;
use crate::core::session::Session;

pub fn draw(buffer: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let (state, theme) = (scene.state, scene.theme);
    let session = state.current_session();
    let decided: usize = state.sessions.iter().map(Session::decided).sum();
    let waiting = if state.pending.is_empty() {
        theme.dim
    } else {
        theme.warn
    };
    let pending = Row::new()
        .with(state.pending.len(), waiting)
        .with(" pending ", waiting);
    let counts = pending
        .clone()
        .with("· ", theme.dim)
        .with(decided, theme.dim)
        .with(" decided ", theme.dim);
    let room = usize::from(area.width);
    let name = Row::new().with(" countersign  ", theme.heading);
    let blank = Row::new().with(" ", theme.text);
    let (agent, model, doing) = session
        .map(|session| title(session, scene))
        .unwrap_or_default();
    // What the agent does is said to the last; the program's own name is the first to give way.
    let short = blank.clone().then(doing.clone());
    let least = blank.clone().then(agent.clone()).then(doing.clone());
    let forms = [
        (
            name.then(agent.clone())
                .then(model.clone())
                .then(doing.clone()),
            &counts,
        ),
        (blank.then(agent).then(model).then(doing), &counts),
        (least.clone(), &counts),
        (least, &pending),
        (short.clone(), &counts),
    ];
    let fits = |(title, counts): &(Row, &Row)| title.width() + counts.width() < room;
    let (title, counts) = forms.into_iter().find(fits).unwrap_or((short, &pending));
    let counts = counts.clone().fitted(room);
    let left = room.saturating_sub(counts.width() + 1);
    paint::row(buffer, area, 0, &title.fitted(left));
    paint::row_right(buffer, area, 0, &counts);
}

/// The agent, its model, and what it does.
fn title(session: &Session, scene: Scene<'_>) -> (Row, Row, Row) {
    let (state, theme) = (scene.state, scene.theme);
    let (mark, doing, look) = words::doing(session, scene);
    let agent = Row::new()
        .with(&name::shown(&session.agent), theme.strong)
        .then(which(session, state, theme))
        .with(" · ", theme.dim);
    let mut model = Row::new();
    if !session.model.is_empty() {
        model = model
            .with(&name::shown(&session.model), theme.dim)
            .with(" · ", theme.dim);
    }
    let doing = Row::new()
        .with(mark, look)
        .with(" ", look)
        .with(doing, look);
    (agent, model, doing)
}

/// ` 1 of 2`: which of several sessions is shown.
fn which(session: &Session, state: &State, theme: &Theme) -> Row {
    let place = state
        .sessions
        .iter()
        .position(|other| other.id == session.id);
    let Some(place) = place.filter(|_| state.sessions.len() > 1) else {
        return Row::new();
    };
    Row::new()
        .with(" ", theme.dim)
        .with(place + 1, theme.accent)
        .with(" of ", theme.dim)
        .with(state.sessions.len(), theme.accent)
}

/// The three panes by name, with what is in them, for screens that show one at a time.
pub fn tabs(buffer: &mut Buffer, area: Rect, scene: Scene<'_>) {
    let (state, theme) = (scene.state, scene.theme);
    let shown = shown_pane(state);
    let rows = state.shown_output().and_then(|key| {
        let record = state.session(&key.session)?.conversation.call(&key.call)?;
        usize::try_from(record.output.total()).ok()
    });
    let items = state
        .current_session()
        .map(|session| session.conversation.items().len());
    let mut row = Row::new();
    for (pane, name, count) in [
        (Pane::Conversation, "Conversation", items),
        (Pane::Pending, "Pending", Some(state.pending.len())),
        (Pane::Output, "Output", rows),
    ] {
        let look = if pane == shown {
            theme.focused.add_modifier(Modifier::REVERSED)
        } else {
            theme.dim
        };
        row.push(" ", look);
        row.push(name, look);
        if let Some(count) = count.filter(|count| *count > 0) {
            row.push(" ", look);
            row.push(count, look);
        }
        row.push(" ", look);
    }
    paint::row(buffer, area, 0, &row.fitted(usize::from(area.width)));
}
