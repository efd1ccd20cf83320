//! The list of sessions: those that are open here, the agents to start, the sessions of the journal.
//! Only the rows on screen are laid out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Showed, centred, sheet};
use crate::app::draft::Purpose;
use crate::app::sessions::{Choice, Item, Saved, SessionList};
use crate::app::state::Extent;
use crate::core::call::SessionId;
use crate::core::name;
use crate::core::session::{Home, SavedSession, Session};
use crate::core::shown::Shown;
use crate::core::time::age;
use crate::ui::border::Titles;
use crate::ui::paint::{self, split_top};
use crate::ui::rows::keep_visible;
use crate::ui::text::Row;
use crate::ui::words::{self, Scene};

const WIDEST: usize = 100;
/// A longer agent's name is shortened; it can be searched for in full.
const LONGEST_AGENT: usize = 24;
/// From this width on there is room for ids.
const ROOMY: usize = 64;
/// The end of an id: enough to name it, and ids of the same minute begin alike.
const SHORT: usize = 8;

/// One row of the list.
enum Line<'a> {
    Heading(&'static str),
    Item(Item<'a>),
    Reading,
    Failed(&'a str),
    NothingFound,
}

pub fn draw(
    buffer: &mut Buffer,
    body: Rect,
    list: &SessionList,
    scene: Scene<'_>,
    top: &mut usize,
) -> Showed {
    let lines = lines(list, scene);
    let searches = list.filter.is_empty() && !is_searched(scene);
    let filter = usize::from(!searches);
    let area = centred(body, super::width(body, WIDEST), lines.len() + filter + 2);
    let titles = Titles {
        left: Row::new().with("Sessions", scene.theme.focused),
        right: counts(list, scene),
        ..Titles::default()
    };
    let inner = sheet(buffer, area, titles, scene);
    let filter = u16::try_from(filter).unwrap_or(1);
    let (rows, below) = split_top(inner, inner.height.saturating_sub(filter));
    let height = usize::from(rows.height);
    *top = first_row(&lines, list, height, *top);
    let visible = &lines[*top..lines.len().min(*top + height)];
    let columns = Columns::of(visible, usize::from(rows.width), scene);
    for (y, line) in visible.iter().enumerate() {
        paint::row(buffer, rows, y, &row(line, list, columns, scene));
    }
    let extent = Extent {
        top: *top,
        height: visible.len(),
        total: lines.len(),
    };
    super::unseen(buffer, area, extent, scene);
    if filter > 0 && !is_searched(scene) {
        paint::row(buffer, below, 0, &filtered(list, scene));
    }
    Showed {
        extent,
        filter: is_searched(scene).then_some(below),
        ..Showed::default()
    }
}

fn is_searched(scene: Scene<'_>) -> bool {
    let draft = scene.state.draft.as_ref();
    draft.is_some_and(|draft| draft.purpose == Purpose::Sessions)
}

fn filtered(list: &SessionList, scene: Scene<'_>) -> Row {
    Row::new()
        .with("list: ", scene.theme.focused)
        .with(&Shown::label(&list.filter), scene.theme.text)
}

fn counts(list: &SessionList, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let open = Row::new()
        .with(scene.state.sessions.len(), theme.dim)
        .with(" open", theme.dim);
    match &list.saved {
        Saved::Read(rows) => {
            let closed = |row: &&SavedSession| scene.state.session(&row.id).is_none();
            open.with(" · ", theme.dim)
                .with(rows.iter().filter(closed).count(), theme.dim)
                .with(" to open", theme.dim)
        }
        Saved::Reading | Saved::Failed(_) => open,
    }
}

fn lines<'a>(list: &'a SessionList, scene: Scene<'a>) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    let mut heading = "";
    for item in list.items(scene.state) {
        let title = match item {
            Item::Open(..) => "Open here",
            Item::Start(_) => "Start another",
            Item::Saved(_) => "In the journal",
        };
        if title != heading {
            lines.push(Line::Heading(title));
            heading = title;
        }
        lines.push(Line::Item(item));
    }
    match &list.saved {
        Saved::Reading => lines.push(Line::Reading),
        Saved::Failed(why) => lines.push(Line::Failed(why)),
        Saved::Read(_) if lines.is_empty() => lines.push(Line::NothingFound),
        Saved::Read(_) => {}
    }
    lines
}

/// The window holds the cursor's row, with its heading if that is just above.
fn first_row(lines: &[Line<'_>], list: &SessionList, height: usize, top: usize) -> usize {
    let chosen = |line: &Line<'_>| matches!(line, Line::Item(item) if item.is(&list.chosen));
    let at = lines.iter().position(chosen);
    let top = keep_visible(top, height, lines.len(), at);
    let headed = at.is_some_and(|at| {
        at == top && at > 0 && height > 1 && matches!(lines[at - 1], Line::Heading(_))
    });
    top - usize::from(headed)
}

#[derive(Clone, Copy)]
struct Columns {
    agent: usize,
    room: usize,
}

impl Columns {
    fn of(visible: &[Line<'_>], room: usize, scene: Scene<'_>) -> Self {
        let widths = visible.iter().filter_map(|line| match line {
            Line::Item(item) => Some(agent(*item, scene).width()),
            Line::Heading(_) | Line::Reading | Line::Failed(_) | Line::NothingFound => None,
        });
        let agent = widths.max().unwrap_or(0).min(LONGEST_AGENT).min(room / 3);
        Self { agent, room }
    }
}

fn row(line: &Line<'_>, list: &SessionList, columns: Columns, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let row = match line {
        Line::Heading(title) => Row::new().with(*title, theme.heading),
        Line::Reading => Row::new().with("   reading the journal …", theme.dim),
        Line::Failed(why) => Row::new()
            .with(" ✗ ", theme.bad)
            .with(&Shown::label(why), theme.bad),
        Line::NothingFound => Row::new().with("   nothing contains this text", theme.dim),
        Line::Item(item) => return item_row(*item, item.is(&list.chosen), columns, scene),
    };
    row.fitted(columns.room)
}

fn item_row(item: Item<'_>, chosen: bool, columns: Columns, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let look = if chosen { theme.strong } else { theme.text };
    let opening = scene.state.opening.as_ref();
    let words = if opening.is_some_and(|choice| item.is(choice)) {
        vec![Row::new().with("opening …", theme.accent)]
    } else {
        said(item, scene)
    };
    let mut left = Row::new()
        .with(if chosen { "▌" } else { " " }, theme.focused)
        .then(mark(item, scene))
        .with(" ", look)
        .then(agent(item, scene).styled(look).fitted(columns.agent))
        .padded(columns.agent + 3);
    for (at, word) in words.into_iter().enumerate() {
        left.push(if at == 0 { "  " } else { " · " }, theme.dim);
        left.append(word);
    }
    let id = id(item).filter(|_| columns.room >= ROOMY);
    let id = id.map_or_else(Row::new, |id| Row::new().with(&short(id), theme.dim));
    let room = columns.room.saturating_sub(id.width() + 2);
    if id.is_empty() {
        return left.fitted(columns.room);
    }
    left.fitted(room).padded(room + 2).then(id)
}

fn id(item: Item<'_>) -> Option<&SessionId> {
    match item {
        Item::Open(_, session) => Some(&session.id),
        Item::Saved(row) => Some(&row.id),
        Item::Start(_) => None,
    }
}

fn short(id: &SessionId) -> Shown {
    let from = id.0.len().saturating_sub(SHORT);
    Shown::label(&id.0[id.0.floor_char_boundary(from)..])
}

fn mark(item: Item<'_>, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    match item {
        Item::Open(_, session) => {
            let (mark, _, look) = words::doing(session, scene);
            Row::new().with(mark, look)
        }
        Item::Start(_) => Row::new().with("+", theme.accent),
        Item::Saved(row) if row.pending + row.unknown > 0 => Row::new().with("‖", theme.warn),
        Item::Saved(_) => Row::new().with(" ", theme.text),
    }
}

fn agent(item: Item<'_>, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    match item {
        Item::Open(place, session) => Row::new()
            .with(place, theme.text)
            .with(" ", theme.text)
            .with(&name::shown(&session.agent), theme.text),
        Item::Start(configured) => Row::new().with(&name::shown(&configured.agent), theme.text),
        Item::Saved(row) => Row::new().with(&name::shown(&row.agent), theme.text),
    }
}

/// What is to be known of it, the most wanted first.
fn said(item: Item<'_>, scene: Scene<'_>) -> Vec<Row> {
    match item {
        Item::Open(_, session) => of_open(session, scene),
        Item::Start(configured) => {
            let model = name::shown(&configured.model);
            vec![Row::new().with(&model, scene.theme.dim)]
        }
        Item::Saved(row) => of_saved(row, scene),
    }
}

fn of_open(session: &Session, scene: Scene<'_>) -> Vec<Row> {
    let (state, theme) = (scene.state, scene.theme);
    let (_, doing, look) = words::doing(session, scene);
    let mut said = vec![Row::new().with(doing, look)];
    said.extend(waiting(state.pending.of_session(&session.id), scene));
    match session.home {
        Home::Here => {}
        Home::Elsewhere => said.push(Row::new().with("in another process", theme.dim)),
        Home::File => said.push(Row::new().with("deferred state", theme.dim)),
    }
    if session.id == state.current {
        said.push(Row::new().with("shown now", theme.dim));
    }
    said
}

fn of_saved(row: &SavedSession, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let mut said: Vec<Row> = waiting(row.pending, scene).into_iter().collect();
    if row.unknown > 0 {
        let unknown = words::count(row.unknown, "outcome", "outcomes", theme.warn);
        said.push(unknown.with(" unknown", theme.warn));
    }
    let age = Shown::label(&age(row.last, scene.state.now.wall));
    said.push(Row::new().with(&age, theme.text).with(" ago", theme.text));
    if let Some(owner) = &row.owner {
        let owner = Shown::label(owner);
        said.push(
            Row::new()
                .with("run by ", theme.accent)
                .with(&owner, theme.accent),
        );
    }
    said
}

fn waiting(pending: usize, scene: Scene<'_>) -> Option<Row> {
    let row = || Row::new().with(pending, scene.theme.warn);
    (pending > 0).then(|| row().with(" pending", scene.theme.warn))
}

/// What is under the cursor, in the word for what enter does with it.
pub fn does(choice: &Choice) -> &'static str {
    match choice {
        Choice::Open(_) => "show",
        Choice::Start(_) => "start",
        Choice::Saved(_) => "open",
    }
}
