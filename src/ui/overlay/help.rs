//! All keys by context, from the keymap. Those that mean nothing now are dim.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Showed, centred, scrolled, sheet};
use crate::app::available::{self, Availability};
use crate::app::command::{Command, Context};
use crate::core::shown::Shown;
use crate::ui::border::{Titles, inside};
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::words::Scene;

/// The sheet is not wider than two columns need.
const WIDEST: usize = 124;
/// From this width on there are two columns.
const TWO: usize = 96;
/// The keys of a command take no more columns than this.
const KEYS: usize = 20;

pub fn draw(buffer: &mut Buffer, body: Rect, top: usize, scene: Scene<'_>) -> Showed {
    let area = centred(body, super::width(body, WIDEST), 34);
    let width = usize::from(inside(area).width);
    let rows = if width >= TWO {
        two_columns(width, scene)
    } else {
        one_column(width, scene)
    };
    let area = centred(body, super::width(body, WIDEST), rows.len() + 2);
    let titles = Titles {
        left: Row::new().with("Keys", scene.theme.focused),
        ..Titles::default()
    };
    let inner = sheet(buffer, area, titles, scene);
    let extent = scrolled(buffer, area, inner, &rows, top, scene);
    Showed {
        extent,
        ..Showed::default()
    }
}

fn one_column(width: usize, scene: Scene<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (title, context) in Context::TITLED {
        if !rows.is_empty() {
            rows.push(Row::new());
        }
        rows.extend(section(title, context, width, scene));
    }
    rows
}

/// The long list of decisions at the left, the others at the right.
fn two_columns(width: usize, scene: Scene<'_>) -> Vec<Row> {
    let column = width / 2 - 1;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (title, context) in Context::TITLED {
        let side = match context {
            Context::Pending | Context::Sheet | Context::List | Context::Rules => &mut left,
            Context::Global | Context::Scroll | Context::Text => &mut right,
        };
        if !side.is_empty() {
            side.push(Row::new());
        }
        side.extend(section(title, context, column, scene));
    }
    let rows = left.len().max(right.len());
    left.resize(rows, Row::new());
    right.resize(rows, Row::new());
    left.into_iter()
        .zip(right)
        .map(|(left, right)| left.padded(column + 2).then(right))
        .collect()
}

fn section(title: &'static str, context: Context, width: usize, scene: Scene<'_>) -> Vec<Row> {
    let commands: Vec<Command> = Command::ALL
        .into_iter()
        .filter(|command| command.context() == context)
        .collect();
    let widest = commands
        .iter()
        .map(|command| keys(*command, scene).width())
        .max()
        .unwrap_or(0);
    let column = widest.min(KEYS);
    let lines = commands
        .into_iter()
        .flat_map(|command| line(command, column, width, scene));
    std::iter::once(Row::new().with(title, scene.theme.heading))
        .chain(lines)
        .collect()
}

fn keys(command: Command, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let look = if now(command, scene) {
        theme.focused
    } else {
        theme.dim
    };
    let mut keys = Row::new();
    for (at, key) in scene.state.keymap.keys(command).iter().enumerate() {
        keys = keys
            .with(if at > 0 { " " } else { "" }, look)
            .with(&Shown::label(&key.to_string()), look);
    }
    if keys.is_empty() {
        return Row::new().with("no key", theme.dim);
    }
    keys
}

fn now(command: Command, scene: Scene<'_>) -> bool {
    available::available(scene.state, command) == Availability::Yes
}

/// The keys of a command and what it does, on as many rows as that needs.
fn line(command: Command, column: usize, width: usize, scene: Scene<'_>) -> Vec<Row> {
    let theme = scene.theme;
    let look = if now(command, scene) {
        theme.text
    } else {
        theme.dim
    };
    let help = Shown::label(scene.state.keymap.help(command));
    let mut lead = Row::new()
        .with("  ", look)
        .then(keys(command, scene).fitted(column));
    let words = Row::new().with(&help, look);
    let room = width.saturating_sub(column + 4).max(1);
    let rows = words.wrapped(room, Breaks::Words).into_iter();
    rows.map(|part| std::mem::take(&mut lead).padded(column + 4).then(part))
        .collect()
}
