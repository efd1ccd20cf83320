//! Keys: into a text that is being written, or to a command.

use super::held::Came;
use super::{
    copy, cursor, decide, drafts, edit, held, notice, reach, rule_list, rules, scroll, sessions,
    set, sight,
};
use crate::app::available::{
    Availability, BESIDE_SHEETS, EVERYWHERE, available, contexts, decides_selected,
};
use crate::app::command::{Command, Context};
use crate::app::effect::Effect;
use crate::app::key::{Key, Stroke};
use crate::app::refusal;
use crate::app::state::{Overlay, Pane, State};
use crate::core::time::Ticks;

pub(super) fn pressed(state: &mut State, key: Key, stroke: Stroke) -> Vec<Effect> {
    // Whoever stops the run does not mean what is only about to be decided.
    if command_of(state, key) == Some(Command::Interrupt) {
        held::forget(state);
    }
    let mut effects = held::followed(state, key);
    let came = held::judged(state, key, stroke);
    effects.extend(taken(state, key, came));
    effects
}

fn taken(state: &mut State, key: Key, came: Came) -> Vec<Effect> {
    let Some(asked) = command_of(state, key) else {
        if state.draft.is_some() {
            drafts::typed(state, key);
        } else if came != Came::Held {
            elsewhere(state, key);
        }
        return Vec::new();
    };
    let on_sheet = matches!(asked, Command::Sign | Command::Revoke);
    let decides = on_sheet || decides_selected(state, asked);
    match came {
        Came::Held if !asked.repeats() => Vec::new(),
        Came::AtOnce if decides => Vec::new(),
        Came::Soon(last) if decides && came_since(state, last) => {
            let why = "this call came after you pressed that key last; look at it first";
            notice::warn(state, why);
            Vec::new()
        }
        Came::Soon(_) if decides && is_armed(state, asked) => {
            held::suspect(state, key, asked);
            Vec::new()
        }
        Came::Held | Came::AtOnce | Came::Soon(_) | Came::Pressed => command(state, asked),
    }
}

/// Whether the selected call was not there yet when the key came the last time: who decides one call after
/// the other does not mean one that has only come meanwhile.
fn came_since(state: &State, last: Ticks) -> bool {
    let selected = state.selected().filter(|_| state.overlay.is_none());
    selected.is_some_and(|waiting| waiting.since > last)
}

/// Whether the decision could be made now. What is held back was armed when its key came.
fn is_armed(state: &State, command: Command) -> bool {
    if !matches!(command, Command::Sign | Command::Revoke) {
        return available(state, command) == Availability::Yes;
    }
    let sheet = state.sheet_since.map(|since| state.now.ticks.since(since));
    sheet.is_some_and(|time| time >= state.settings.arming)
}

/// What was asked for, once, if it means something now; else why not.
pub(super) fn command(state: &mut State, command: Command) -> Vec<Effect> {
    let told = state.notice.take().is_some();
    match available(state, command) {
        Availability::Yes => carry_out(state, command),
        Availability::No(why) => {
            match why {
                Some(why) => notice::warn(state, why),
                // Who presses esc to be rid of a notice does not want another.
                None if told && command == Command::Unfilter => {}
                None => notice::note(state, refusal::idle(state, command)),
            }
            Vec::new()
        }
    }
}

/// A key without a meaning here: a word rather than nothing. It takes the place of no other word.
fn elsewhere(state: &mut State, key: Key) {
    let of_pending = state.keymap.resolve(&[Context::Pending], key).is_some();
    if state.overlay.is_none() && of_pending && !state.pending.is_empty() {
        notice::warn(state, "that key acts in the pending pane; go there first");
    } else if state.notice.is_none() {
        notice::note(state, refusal::unbound(state, key));
    }
}

/// The command of a key in what is active now. While a text is written, what is not one of the text's
/// own keys is typed into it.
fn command_of(state: &State, key: Key) -> Option<Command> {
    // A key that only a text of one line takes is typed into a longer one.
    let meant = |command: &Command| {
        *command != Command::AcceptLine || available(state, *command) == Availability::Yes
    };
    let everywhere = || {
        let command = state.keymap.resolve(&[Context::Global], key)?;
        let everywhere = EVERYWHERE.contains(&command) && !key.is_text();
        let beside = BESIDE_SHEETS.contains(&command) && state.draft.is_none();
        (everywhere || beside).then_some(command)
    };
    state
        .keymap
        .resolve(contexts(state), key)
        .filter(meant)
        .or_else(everywhere)
}

fn carry_out(state: &mut State, command: Command) -> Vec<Effect> {
    match command {
        Command::Approve => return decide::approve(state),
        Command::Reject => return drafts::reject(state),
        Command::Edit => edit::begin(state),
        Command::Take => edit::take(state),
        Command::Answer => drafts::answer(state),
        Command::Retry => drafts::retry(state),
        Command::Fail => drafts::fail(state),
        Command::Always => reach::next(state),
        Command::Propose => rules::propose(state),
        Command::Rules => return rule_list::open_list(state),
        Command::Wider => rules::wider(state),
        Command::Narrower => rules::narrower(state),
        Command::AllowOrDeny => rules::allow_or_deny(state),
        Command::Lasts => rules::lasts(state),
        Command::Change => return rules::edit(state),
        Command::Revoke => return rule_list::revoke(state),
        Command::ApproveAll => return decide::approve_all(state),
        Command::RejectAll => return drafts::reject_all(state),
        Command::Undo => decide::undo(state),
        Command::Mark => cursor::mark(state),
        Command::MarkAll => cursor::mark_all(state),
        Command::Set => set::begin(state),
        Command::Group => cursor::group(state),
        Command::Sort => cursor::sort(state),
        Command::View => state.overlay = Some(Overlay::View { top: 0 }),
        Command::Filter => drafts::filter(state),
        Command::Unfilter => drafts::unfilter(state),
        Command::Next => cursor::step(state, 1),
        Command::Previous => cursor::step(state, -1),
        Command::First => cursor::step(state, isize::MIN),
        Command::Last => cursor::step(state, isize::MAX),
        Command::NextPage => cursor::step(state, page(state.drawn.list_height)),
        Command::PreviousPage => cursor::step(state, -page(state.drawn.list_height)),
        Command::ArgumentsDown => scroll::arguments(state, page(state.drawn.arguments.height)),
        Command::ArgumentsUp => scroll::arguments(state, -page(state.drawn.arguments.height)),
        Command::Message => drafts::message(state),
        Command::FocusNext => state.focus = next_pane(state.focus),
        Command::FocusPrevious => state.focus = next_pane(next_pane(state.focus)),
        Command::OutputNext => scroll::output_of(state, 1),
        Command::OutputPrevious => scroll::output_of(state, -1),
        Command::NextSession => cursor::next_session(state),
        Command::Narrow => cursor::narrow(state),
        Command::Sessions => return sessions::open_list(state),
        Command::Batch => state.overlay = Some(Overlay::Batch { top: 0 }),
        Command::Interrupt => return decide::interrupt(state),
        Command::Resend => return vec![Effect::Resend(state.current.clone())],
        Command::Copy => return copy::focused(state),
        Command::CopyId => return copy::id(state),
        Command::Help => state.overlay = Some(Overlay::Help { top: 0 }),
        Command::Redraw => return vec![Effect::Redraw],
        Command::Suspend => {
            sight::lost(state);
            return vec![Effect::Suspend];
        }
        Command::Quit => return quit(state),
        Command::ScrollDown => scroll::by(state, 1),
        Command::ScrollUp => scroll::by(state, -1),
        Command::ScrollPageDown => scroll::page(state, 1),
        Command::ScrollPageUp => scroll::page(state, -1),
        Command::ScrollTop => scroll::by(state, isize::MIN),
        Command::ScrollBottom => scroll::by(state, isize::MAX),
        Command::Accept | Command::AcceptLine => return drafts::accept(state),
        Command::Leave => drafts::leave(state),
        Command::Editor => return drafts::open_editor(state),
        Command::Older => drafts::history(state, 1),
        Command::Newer => drafts::history(state, -1),
        Command::Sign => return sign(state),
        Command::Close => state.overlay = None,
        Command::Choose => return sessions::choose(state),
        Command::Search => sessions::search(state),
    }
    Vec::new()
}

/// One row less than what fits, so that the eye keeps its place. At least one.
fn page(height: usize) -> isize {
    isize::try_from(height.saturating_sub(1).max(1)).unwrap_or(isize::MAX)
}

const fn next_pane(pane: Pane) -> Pane {
    match pane {
        Pane::Conversation => Pane::Pending,
        Pane::Pending => Pane::Output,
        Pane::Output => Pane::Conversation,
    }
}

fn sign(state: &mut State) -> Vec<Effect> {
    match &state.overlay {
        Some(Overlay::Review(_)) => decide::sign(state),
        Some(Overlay::Rule(_)) => rules::sign(state),
        Some(Overlay::Quit) => vec![Effect::Quit],
        Some(
            Overlay::View { .. }
            | Overlay::Help { .. }
            | Overlay::Batch { .. }
            | Overlay::Sessions(_)
            | Overlay::Rules(_),
        )
        | None => Vec::new(),
    }
}

/// Quits at once when nothing waits and nothing runs; asks otherwise.
fn quit(state: &mut State) -> Vec<Effect> {
    let runs = state.sessions.iter().any(|session| session.run.is_busy());
    if runs || !state.pending.is_empty() {
        state.overlay = Some(Overlay::Quit);
        return Vec::new();
    }
    vec![Effect::Quit]
}
