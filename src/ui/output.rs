//! The pane of a tool's output. Only the rows on screen are wrapped, however many there are.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::rc::Rc;

use super::border::{self, Focus, Titles, Top};
use super::conversation::{Showed, title_look};
use super::paint;
use super::rows::{Place, window};
use super::text::Row;
use super::text::wrap::Breaks;
use super::words::{self, Scene};
use crate::app::command::Command;
use crate::app::state::{Anchor, Pane, Scroll};
use crate::core::call::CallKey;
use crate::core::conversation::CallRecord;
use crate::core::name;
use crate::core::output::{Output, OutputLine, OutputRow, Stream};
use crate::core::run::{CallStatus, Outcome};

/// What the pane has laid out, kept as long as nothing changes it. Only a cache.
#[derive(Debug, Default)]
pub struct Layouts {
    needed: Option<(Of, usize)>,
    screenful: Option<(Of, Screenful)>,
}

/// The rows on screen, and the place of the first.
type Screenful = (Anchor, Rc<[Row]>);

/// What the rows depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Of {
    call: CallKey,
    replaced: u64,
    conversation: u64,
    scroll: Scroll,
    width: usize,
    height: usize,
}

/// The call whose output is shown.
#[derive(Clone, Copy)]
struct Told<'a> {
    key: &'a CallKey,
    conversation: u64,
    record: &'a CallRecord,
}

impl<'a> Told<'a> {
    fn find(scene: Scene<'a>) -> Option<Self> {
        let key = scene.state.shown_output()?;
        let conversation = &scene.state.session(&key.session)?.conversation;
        Some(Self {
            key,
            conversation: conversation.changes(),
            record: conversation.call(&key.call)?,
        })
    }

    fn of(self, width: usize, height: usize, scene: Scene<'_>) -> Of {
        Of {
            call: self.key.clone(),
            replaced: scene.state.replaced,
            conversation: self.conversation,
            scroll: scene.state.output_scroll,
            width,
            height,
        }
    }
}

impl Layouts {
    fn screenful(
        &mut self,
        told: Told<'_>,
        height: usize,
        width: usize,
        scene: Scene<'_>,
    ) -> Screenful {
        let of = told.of(width, height, scene);
        if let Some((kept, screenful)) = &self.screenful
            && *kept == of
        {
            return screenful.clone();
        }
        let (anchor, rows) = visible(&told.record.output, height, width, scene);
        let screenful = (anchor, rows.into());
        self.screenful = Some((of, Screenful::clone(&screenful)));
        screenful
    }
}

pub fn draw(buffer: &mut Buffer, area: Rect, scene: Scene<'_>, layouts: &mut Layouts) -> Showed {
    let state = scene.state;
    let focus = Focus::of(Pane::Output, state);
    let inner = border::inside(area);
    let mut showed = Showed {
        anchor: state.output_scroll.anchor,
        height: usize::from(inner.height),
    };
    let told = Told::find(scene);
    let record = told.map(|told| told.record);
    let mut titles = Titles {
        left: title(record, focus, scene),
        ..Titles::default()
    };
    let mut rows: Rc<[Row]> = Rc::new([]);
    if let Some(told) = told {
        let width = usize::from(inner.width);
        (showed.anchor, rows) = layouts.screenful(told, showed.height, width, scene);
        titles.right = counts(&told.record.output, scene);
    }
    if showed.anchor != Anchor::End && record.is_some() {
        titles.below_right = more(focus, scene);
    }
    if rows.is_empty() {
        let words = empty(record, scene).wrapped(usize::from(inner.width).max(1), Breaks::Words);
        let indent = |row| Row::new().with(" ", scene.theme.text).then(row);
        rows = words.into_iter().map(indent).collect();
    }
    border::pane(buffer, area, focus, Top::Corner, titles, scene.theme);
    // The marks stand in the free column beside the border.
    let inner = Rect {
        x: inner.x.saturating_sub(1),
        width: inner.width.saturating_add(1),
        ..inner
    };
    for (y, row) in rows.iter().enumerate() {
        paint::row(buffer, inner, y, row);
    }
    showed
}

/// The rows of output in a pane of this many columns, counted up to `most`.
pub fn rows_needed(columns: u16, most: usize, scene: Scene<'_>, layouts: &mut Layouts) -> usize {
    let width = usize::from(border::inside(Rect::new(0, 0, columns, 0)).width);
    let Some(told) = Told::find(scene) else {
        return 1;
    };
    let of = told.of(width, most, scene);
    if let Some((kept, rows)) = &layouts.needed
        && *kept == of
    {
        return *rows;
    }
    let output = &told.record.output;
    let mut rows = 0;
    for at in 0..output.len() {
        if rows >= most {
            break;
        }
        rows += lay(output, at, width, scene).len();
    }
    let rows = rows.min(most);
    layouts.needed = Some((of, rows));
    rows
}

fn visible(output: &Output, height: usize, width: usize, scene: Scene<'_>) -> (Anchor, Vec<Row>) {
    let scroll = scene.state.output_scroll;
    let from = match scroll.anchor {
        Anchor::End => None,
        Anchor::At { item, row } => Some(Place {
            item: output.index(item),
            row,
        }),
    };
    let mut rows_of = |at: usize| lay(output, at, width, scene).len();
    let found = window(output.len(), height, from, scroll.by, &mut rows_of);
    let anchor = if found.ends {
        Anchor::End
    } else {
        Anchor::At {
            item: output.number(found.first.item),
            row: found.first.row,
        }
    };
    let mut rows = Vec::with_capacity(height);
    let mut skip = found.first.row;
    for at in found.first.item..output.len() {
        let laid = lay(output, at, width, scene);
        rows.extend(laid.into_iter().skip(skip).take(height - rows.len()));
        skip = 0;
        if rows.len() >= height {
            break;
        }
    }
    (anchor, rows)
}

/// One line of output; the one past the last is the row that has not ended yet.
fn lay(output: &Output, at: usize, width: usize, scene: Scene<'_>) -> Vec<Row> {
    match output.line(at) {
        Some(OutputLine::Row(row)) => line(row, width, scene),
        Some(OutputLine::Gap(rows)) => gap(rows, width, scene),
        None => output
            .open_row()
            .map(|row| line(&row, width, scene))
            .unwrap_or_default(),
    }
}

/// `!` marks what the tool wrote to its error stream, `┆` what goes on from the row above.
fn line(row: &OutputRow, width: usize, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let (mark, look) = match row.stream {
        Stream::Out => ("  ", theme.text),
        Stream::Err => ("! ", theme.bad),
    };
    let parts = Row::new()
        .with(&row.text, theme.text)
        .wrapped(width.saturating_sub(1).max(1), Breaks::Anywhere);
    parts
        .into_iter()
        .enumerate()
        .map(|(at, part)| match at {
            0 => Row::new().with(mark, look).then(part),
            _ => Row::new()
                .with(
                    "┆ ",
                    if row.stream == Stream::Err {
                        look
                    } else {
                        theme.dim
                    },
                )
                .then(part),
        })
        .collect()
}

fn gap(rows: u64, width: usize, scene: Scene<'_>) -> Vec<Row> {
    let dim = scene.theme.dim;
    let rows = usize::try_from(rows).unwrap_or(usize::MAX);
    let words = words::count(rows, "row", "rows", dim);
    vec![
        Row::new()
            .with("… ", dim)
            .then(words)
            .with(" not kept …", dim)
            .fitted(width),
    ]
}

/// `Tool output · get_weather · running 0:03`.
fn title(record: Option<&CallRecord>, focus: Focus, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let row = Row::new().with("Tool output", title_look(focus, scene));
    let Some(record) = record else {
        return row;
    };
    let row = row
        .with(" · ", theme.dim)
        .with(&name::shown(&record.tool), theme.strong);
    let state = state(record, scene);
    if state.is_empty() {
        row
    } else {
        row.with(" · ", theme.dim).then(state)
    }
}

fn state(record: &CallRecord, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let took = || {
        record
            .took
            .filter(|millis| *millis >= 1000)
            .map(words::running)
    };
    let ended = |word, look| {
        let row = Row::new().with(word, look);
        match took() {
            Some(took) => row.with(" after ", theme.dim).with(&took, theme.dim),
            None => row,
        }
    };
    match &record.status {
        CallStatus::Proposed => Row::new(),
        CallStatus::Reviewing { .. } => Row::new().with("in review", theme.accent),
        CallStatus::Waiting => Row::new().with("waiting", theme.warn),
        CallStatus::Decided { answer, .. } => Row::new().with(answer.done(), theme.text),
        CallStatus::Confirmed => Row::new().with("run by the provider", theme.accent),
        CallStatus::Running => Row::new().with("running ", theme.accent).with(
            &words::running(scene.state.now.ticks.since(record.since)),
            theme.accent,
        ),
        CallStatus::Finished { outcome } => match outcome {
            Outcome::Result { .. } => ended("done", theme.good),
            Outcome::Failed { .. } => ended("failed", theme.bad),
            Outcome::Denied { .. } => ended("denied", theme.bad),
            Outcome::Rejected { .. } => ended("rejected", theme.bad),
            Outcome::Responded { .. } => ended("answered", theme.accent),
            Outcome::SentBack { .. } => ended("sent back", theme.warn),
            Outcome::Refused { .. } => ended("not run", theme.bad),
            Outcome::Withdrawn { .. } => ended("withdrawn", theme.dim),
            Outcome::Interrupted => ended("interrupted", theme.warn),
            Outcome::Expired { .. } => ended("expired", theme.warn),
        },
    }
}

fn counts(output: &Output, scene: Scene<'_>) -> Row {
    let rows = usize::try_from(output.total()).unwrap_or(usize::MAX);
    if rows < 2 {
        return Row::new();
    }
    words::count(rows, "row", "rows", scene.theme.dim)
}

fn more(focus: Focus, scene: Scene<'_>) -> Row {
    let row = Row::new().with("↓ more", scene.theme.accent);
    match words::key(scene.state, Command::ScrollBottom) {
        Some(key) if focus == Focus::Here => row
            .with(" · ", scene.theme.dim)
            .with(&key, scene.theme.focused),
        Some(_) | None => row,
    }
}

fn empty(record: Option<&CallRecord>, scene: Scene<'_>) -> Row {
    let words = match record.map(|record| &record.status) {
        None => "What tools write appears here.",
        Some(CallStatus::Running) => "Nothing written yet.",
        Some(CallStatus::Finished { .. }) => "It wrote nothing.",
        Some(
            CallStatus::Proposed
            | CallStatus::Reviewing { .. }
            | CallStatus::Waiting
            | CallStatus::Confirmed
            | CallStatus::Decided { .. },
        ) => "Nothing of it is here.",
    };
    Row::new().with(words, scene.theme.dim)
}
