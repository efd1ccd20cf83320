//! The last row: the keys that mean something now, or the notice of the moment.

mod keys;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::overlay;
use super::paint;
use super::text::Row;
use super::text::wrap::Breaks;
use super::theme::Theme;
use super::words::{self, Scene};
use crate::app::available::{self, Availability};
use crate::app::command::Command;
use crate::app::draft::Purpose;
use crate::app::mouse::{Region, Spot};
use crate::app::offered;
use crate::app::state::{Overlay, State};
use crate::core::pending::Waiting;
use crate::core::run::Level;
use crate::core::shown::Shown;

/// Rows that a notice may take where there is room.
const NOTICE_ROWS: usize = 3;
/// From this height on there is room for a notice of several rows.
const ROOMY: u16 = 18;

/// The rows the footer wants on a screen of this size.
pub fn height(scene: Scene<'_>, area: Rect) -> u16 {
    let most = if area.height >= ROOMY { NOTICE_ROWS } else { 1 };
    // Where the keys stand on two rows, what lies above does not jump with each notice.
    let rows = notice(scene, area.width, most).len();
    let rows = rows.max(keys::rows(scene, area));
    u16::try_from(rows).unwrap_or(1).max(1)
}

/// Draws it and says where each key stands.
pub fn draw(buffer: &mut Buffer, area: Rect, scene: Scene<'_>) -> Vec<Region> {
    let mut rows = notice(scene, area.width, usize::from(area.height));
    let mut regions = Vec::new();
    if rows.is_empty() {
        for (y, hints) in (area.y..).zip(keys::kept(scene, area)) {
            rows.push(named(hints, (area.x, y), scene, &mut regions));
        }
    }
    for (y, row) in rows.iter().enumerate() {
        paint::row(buffer, area, y, row);
    }
    regions
}

/// One row of keys, and where each of them stands.
fn named(
    hints: Vec<(Command, Row)>,
    (x, y): (u16, u16),
    scene: Scene<'_>,
    regions: &mut Vec<Region>,
) -> Row {
    let mut row = Row::new().with(" ", scene.theme.text);
    for (at, (command, hint)) in hints.into_iter().enumerate() {
        if at > 0 {
            row.push(keys::BETWEEN, scene.theme.text);
        }
        let column = |width| u16::try_from(width).unwrap_or(u16::MAX);
        regions.push(Region {
            from: (x.saturating_add(column(row.width())), y),
            size: (column(hint.width()), 1),
            spot: Spot::Key(command),
        });
        row.append(hint);
    }
    row
}

/// The notice on at most `most` rows, the last of which says with an ellipsis that it goes on.
fn notice(scene: Scene<'_>, width: u16, most: usize) -> Vec<Row> {
    let Some(notice) = &scene.state.notice else {
        return Vec::new();
    };
    let (mark, look) = match notice.level {
        Level::Note => (" · ", scene.theme.accent),
        Level::Warning => (" ! ", scene.theme.warn),
        Level::Error => (" ✗ ", scene.theme.bad),
    };
    let room = usize::from(width).saturating_sub(4).max(1);
    let text = Row::new().with(&Shown::label(&notice.text), look);
    let mut rows = text.wrapped(room, Breaks::Words);
    let most = most.max(1);
    if rows.len() > most {
        let join = |row: Row, next| row.with(" ", look).then(next);
        let rest = rows.drain(most - 1..).reduce(join);
        rows.extend(rest.map(|row| row.fitted(room)));
    }
    for (at, row) in rows.iter_mut().enumerate() {
        let lead = Row::new().with(if at == 0 { mark } else { "   " }, look);
        *row = lead.then(std::mem::take(row));
    }
    // The time to undo runs out while the notice stands where the keys do.
    if let (Some(last), Some(undo)) = (rows.last_mut(), undo(scene))
        && last.width() + undo.width() + 4 <= usize::from(width)
    {
        *last = std::mem::take(last).with("   ", look).then(undo);
    }
    rows
}

/// `u undo`, while there is something to undo.
fn undo(scene: Scene<'_>) -> Option<Row> {
    let offered = offered::offered(scene.state);
    offered
        .contains(&Command::Undo)
        .then(|| hint(scene, Command::Undo))
        .flatten()
}

fn hint(scene: Scene<'_>, command: Command) -> Option<Row> {
    let (state, theme) = (scene.state, scene.theme);
    let key = words::key(state, command)?;
    let ready = available::available(state, command) == Availability::Yes;
    let (key_look, word_look) = if ready {
        (theme.focused, theme.text)
    } else {
        (theme.dim, theme.dim)
    };
    let mut row = Row::new()
        .with(&key, key_look)
        .with(" ", theme.text)
        .with(meant(state, command), word_look);
    if let Some(marked) = marked(state, command) {
        row.push(" ", word_look);
        row.push(marked, word_look);
    } else if acts_on_one(state, command) {
        row.push(" only this", word_look);
    }
    Some(row)
}

/// How many calls a decision key would act on, if that is not just the selected one.
fn marked(state: &State, command: Command) -> Option<usize> {
    Some(available::marked(state)).filter(|marked| acts_on_marked(command) && *marked > 0)
}

/// Whether a decision key acts on the selected call although others are marked: they are not listed.
fn acts_on_one(state: &State, command: Command) -> bool {
    // The two that decide; more words would leave no room for the other keys.
    let decides = matches!(command, Command::Approve | Command::Reject);
    decides && available::marked(state) == 0 && state.pending.marked_aside() > 0
}

const fn acts_on_marked(command: Command) -> bool {
    matches!(
        command,
        Command::Approve
            | Command::Reject
            | Command::Edit
            | Command::Take
            | Command::Set
            | Command::Answer
            | Command::Retry
            | Command::Fail
    )
}

/// What a command does at this moment, in a word.
fn meant(state: &State, command: Command) -> &'static str {
    if command == Command::Sign && state.overlay == Some(Overlay::Quit) {
        return "quit";
    }
    if let (Command::Choose, Some(Overlay::Sessions(list))) = (command, &state.overlay) {
        return overlay::choosing(&list.chosen);
    }
    if command == Command::Approve && runs_again(state) {
        return "run again";
    }
    if command == Command::Reject && drops(state) {
        return "drop script";
    }
    match state.draft.as_ref().map(|draft| &draft.purpose) {
        Some(purpose) if matches!(command, Command::Accept | Command::AcceptLine) => {
            accept(purpose)
        }
        Some(_) | None => word(command),
    }
}

/// Whether each call that an approval would act on has been running once already.
fn runs_again(state: &State) -> bool {
    match available::marked(state) {
        0 => state.selected().is_some_and(words::is_unknown),
        marked => state.pending.marked_tally().unknown == marked,
    }
}

/// Whether a rejection would act on a script itself.
fn drops(state: &State) -> bool {
    let script = |waiting: &Waiting| waiting.call.is_script();
    available::marked(state) == 0 && state.selected().is_some_and(script)
}

const fn accept(purpose: &Purpose) -> &'static str {
    match purpose {
        Purpose::Message => "send",
        Purpose::Reason { .. } => "reject",
        Purpose::Edit { .. } | Purpose::Set { .. } => "review",
        Purpose::Answer { .. } => "answer",
        Purpose::Retry { .. } => "send back",
        Purpose::Failure { .. } => "say it failed",
        Purpose::Filter | Purpose::Sessions => "keep",
    }
}

/// One short word for a command; the keymap's help has the sentence.
const fn word(command: Command) -> &'static str {
    match command {
        Command::Approve => "approve",
        Command::Reject => "reject",
        Command::Edit => "edit",
        Command::Take => "take proposal",
        Command::Set => "set fields",
        Command::Answer => "answer",
        Command::Retry => "retry",
        Command::Fail => "fail",
        Command::Always => "always",
        Command::Propose => "rule",
        Command::Rules => "rules",
        Command::Wider => "wider",
        Command::Narrower => "narrower",
        Command::AllowOrDeny => "allow or deny",
        Command::Lasts => "how long",
        Command::Change => "change",
        Command::Revoke => "revoke",
        Command::Mark => "mark",
        Command::MarkAll => "mark all",
        Command::ApproveAll => "approve all",
        Command::RejectAll => "reject all",
        Command::Undo => "undo",
        Command::View => "view",
        Command::Filter => "filter",
        Command::Unfilter => "list all",
        Command::Group => "group",
        Command::Sort => "sort",
        Command::Next => "next",
        Command::Previous => "previous",
        Command::First | Command::ScrollTop => "start",
        Command::Last | Command::ScrollBottom => "end",
        Command::NextPage | Command::ScrollPageDown => "page down",
        Command::PreviousPage | Command::ScrollPageUp => "page up",
        Command::ArgumentsDown | Command::ScrollDown => "down",
        Command::ArgumentsUp | Command::ScrollUp => "up",
        Command::Message => "message",
        Command::FocusNext => "pane",
        Command::FocusPrevious => "pane back",
        Command::OutputNext => "next output",
        Command::OutputPrevious => "previous output",
        Command::NextSession => "session",
        Command::Narrow => "only this",
        Command::Sessions => "sessions",
        Command::Batch => "last batch",
        Command::Choose => "open",
        Command::Search => "search",
        Command::Interrupt => "interrupt",
        Command::Resend => "send again",
        Command::Help => "help",
        Command::Redraw => "redraw",
        Command::Suspend => "suspend",
        Command::Quit => "quit",
        Command::Accept | Command::AcceptLine => "accept",
        Command::Leave => "leave",
        Command::Copy => "copy",
        Command::CopyId => "copy id",
        Command::Editor => "editor",
        Command::Older => "older",
        Command::Newer => "newer",
        Command::Sign => "sign",
        Command::Close => "close",
    }
}

/// What a text row says where nothing else fits.
pub fn too_small(buffer: &mut Buffer, area: Rect, theme: &Theme) {
    paint::clear(buffer, area);
    paint::row(
        buffer,
        area,
        0,
        &Row::new()
            .with("too small", theme.warn)
            .fitted(usize::from(area.width)),
    );
}
