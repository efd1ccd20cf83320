//! The words, marks and looks in which the console says what something is.
//!
//! State is said three ways: a mark, a word, a colour. Owns the mapping from the core's values to
//! them. Does not lay out.

use ratatui::style::Style;

use super::pending::strip;
use super::text::Row;
use super::theme::Theme;
use crate::app::command::Command;
use crate::app::state::State;
use crate::core::call::{Answer, Claim, Origin, Risk, SessionId};
use crate::core::decision::{Decision, Reach};
use crate::core::name;
use crate::core::pending::{Stage, Waiting};
use crate::core::run::RunState;
use crate::core::session::Session;
use crate::core::shown::Shown;
use crate::core::time::{self, Ticks, elapsed};
use crate::core::verdict::Basis;

/// The columns of names that stand one below the other. A name that is longer than `most` is shortened, and
/// moves what stands beside it in its own row only: it takes no room from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names {
    column: usize,
    most: usize,
}

impl Names {
    /// Of names of these widths, where none may take more than `most` columns.
    pub fn of(widths: impl IntoIterator<Item = usize>, most: usize) -> Self {
        let (fit, long): (Vec<usize>, Vec<usize>) =
            widths.into_iter().partition(|width| *width <= most);
        let none = if long.is_empty() { 0 } else { most };
        let column = fit.into_iter().max().unwrap_or(none);
        Self { column, most }
    }

    /// The columns that a name of this width takes.
    pub const fn taken(self, width: usize) -> usize {
        if width <= self.column {
            self.column
        } else {
            self.most
        }
    }
}

/// What every pane draws from.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub state: &'a State,
    pub theme: &'a Theme,
}

/// The session that wants a call, where there are several: its number and its agent. Else nothing.
pub fn agent(waiting: &Waiting, scene: Scene<'_>) -> Row {
    if scene.state.sessions.len() < 2 {
        return Row::new();
    }
    place(&waiting.call.key.session, scene).with(&name::shown(&waiting.call.agent), scene.theme.dim)
}

/// A session by its number and its agent, where there are several. Else nothing.
pub fn session(id: &SessionId, scene: Scene<'_>) -> Row {
    if scene.state.sessions.len() < 2 {
        return Row::new();
    }
    let row = place(id, scene);
    match scene.state.session(id) {
        Some(session) => row.with(&name::shown(&session.agent), scene.theme.dim),
        None => row,
    }
}

/// The number by which the console names a session, if it is open here.
pub fn place(session: &SessionId, scene: Scene<'_>) -> Row {
    let mut sessions = scene.state.sessions.iter();
    match sessions.position(|open| open.id == *session) {
        Some(place) => Row::new()
            .with(place + 1, scene.theme.dim)
            .with(" ", scene.theme.dim),
        None => Row::new(),
    }
}

/// What the agent does now: a mark, a word, a colour.
pub fn doing(session: &Session, scene: Scene<'_>) -> (&'static str, &'static str, Style) {
    let theme = scene.theme;
    let waits = scene.state.pending.of_session(&session.id) > 0;
    match &session.run {
        RunState::Failed { .. } => ("✗", "failed", theme.bad),
        RunState::Ended => ("■", "ended", theme.dim),
        RunState::Waiting => ("‖", "waiting for you", theme.warn),
        RunState::Idle | RunState::Thinking | RunState::Working if waits => {
            ("‖", "waiting for you", theme.warn)
        }
        RunState::Idle => ("●", "your turn", theme.good),
        RunState::Thinking => ("…", "thinking", theme.accent),
        RunState::Working => ("▸", "working", theme.accent),
    }
}

/// A wait: seconds in the first minute and whole minutes after, since the screen is not drawn more
/// often than that for a wait.
pub fn wait(millis: u64) -> Shown {
    let minutes = millis / 60_000;
    Shown::label(&match minutes {
        0 => elapsed(millis),
        1..60 => format!("{minutes} min"),
        60.. => format!("{} h {:02} min", minutes / 60, minutes % 60),
    })
}

/// How long something runs, or ran.
pub fn running(millis: u64) -> Shown {
    Shown::label(&elapsed(millis))
}

/// How long a call can still be decided: `42s left`, `expired`; empty for one that may wait for ever.
pub fn left(waiting: &Waiting, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    let Some(due) = waiting.due else {
        return Row::new();
    };
    if waiting.late {
        return Row::new().with("expired", theme.bad);
    }
    let left = due.since(scene.state.now.ticks);
    let look = if left <= 60_000 {
        theme.bad
    } else {
        theme.warn
    };
    Row::new()
        .with(&Shown::label(&time::left(left)), look)
        .with(" left", look)
}

/// How long a call has waited: `42s`, `3m`; nothing in its first second.
pub fn age(waiting: &Waiting, scene: Scene<'_>) -> Row {
    let waited = scene.state.now.ticks.since(waiting.since);
    if waited < 1000 {
        return Row::new();
    }
    Row::new().with(&Shown::label(&time::short(waited)), scene.theme.dim)
}

/// `2s`, rounded up, so that it never says zero while something is held.
pub fn seconds_left(until: Ticks, now: Ticks) -> Row {
    let seconds = until.since(now).div_ceil(1000);
    Row::new()
        .with(usize::try_from(seconds).unwrap_or(usize::MAX), Style::new())
        .with("s", Style::new())
}

/// The first key of a command, as the keymap names it.
pub fn key(state: &State, command: Command) -> Option<Shown> {
    let key = state.keymap.keys(command).first()?;
    Some(Shown::label(&key.to_string()))
}

/// The mark of a decision.
pub const fn decision_mark(answer: Answer) -> &'static str {
    match answer {
        Answer::Approve => "✓",
        Answer::Edit => "✎",
        Answer::Reject | Answer::Reason => "⊘",
        Answer::Respond => "↳",
        Answer::Retry => "↺",
        Answer::Fail => "✗",
        Answer::AlwaysArguments
        | Answer::AlwaysTool
        | Answer::NeverArguments
        | Answer::NeverTool => "∞",
    }
}

pub const fn decision_look(answer: Answer, theme: &Theme) -> Style {
    match answer {
        Answer::Approve => theme.good,
        Answer::Edit
        | Answer::Retry
        | Answer::AlwaysArguments
        | Answer::AlwaysTool
        | Answer::NeverArguments
        | Answer::NeverTool => theme.warn,
        Answer::Reject | Answer::Reason | Answer::Fail => theme.bad,
        Answer::Respond => theme.accent,
    }
}

/// How far a waiting call is: `held 2s`, `recording`, `failed`; empty for one nobody has decided.
pub fn stage(waiting: &Waiting, scene: Scene<'_>) -> Row {
    let theme = scene.theme;
    match &waiting.stage {
        Stage::Awaiting if waiting.failure.is_some() => Row::new().with("not recorded", theme.bad),
        Stage::Awaiting if waiting.late => Row::new().with("expired", theme.bad),
        Stage::Awaiting => Row::new(),
        Stage::Held { ruling, until } => Row::new()
            .with(
                short(&ruling.decision),
                decision_look(ruling.decision.answer(), theme),
            )
            .with(" · held ", theme.warn)
            .then(seconds_left(*until, scene.state.now.ticks).styled(theme.warn)),
        Stage::Recording { ruling } => Row::new()
            .with(
                short(&ruling.decision),
                decision_look(ruling.decision.answer(), theme),
            )
            .with(" · recording", theme.dim),
    }
}

/// How far a decision on the call would reach; empty where it is about the call alone.
pub const fn reach(reach: Reach) -> &'static str {
    match reach {
        Reach::Once => "",
        Reach::Arguments => "∞ same arguments",
        Reach::Tool => "∞ this tool",
    }
}

/// A decision in the word for a narrow row.
pub const fn short(decision: &Decision) -> &'static str {
    match decision {
        Decision::Approve { arguments: Some(_) } => "edited",
        Decision::Approve { arguments: None }
        | Decision::Reject { .. }
        | Decision::Respond { .. }
        | Decision::Retry { .. } => decision.word(),
        Decision::Fail { .. } => "failed",
    }
}

/// The mark of a waiting call: what was decided, or that recording it failed.
pub fn stage_mark(waiting: &Waiting, theme: &Theme) -> Row {
    match &waiting.stage {
        Stage::Awaiting if waiting.failure.is_some() => Row::new().with("✗", theme.bad),
        Stage::Awaiting => Row::new().with(" ", theme.text),
        Stage::Held { ruling, .. } | Stage::Recording { ruling } => Row::new().with(
            decision_mark(ruling.decision.answer()),
            decision_look(ruling.decision.answer(), theme),
        ),
    }
}

/// Why a call waits and what it risks, the gravest first.
pub fn risks(waiting: &Waiting, theme: &Theme) -> Vec<Row> {
    let call = &waiting.call;
    // It risks nothing: what it makes does.
    if call.is_script() {
        return Vec::new();
    }
    let mut words = Vec::new();
    if waiting.reach != Reach::Once {
        words.push(Row::new().with(reach(waiting.reach), theme.warn));
    }
    for risk in &call.risks {
        match risk {
            Risk::Destructive => words.insert(0, Row::new().with(risk.word(), theme.bad)),
            Risk::OpenWorld => words.push(Row::new().with(risk.word(), theme.warn)),
            Risk::Claimed(Claim::Destructive) => {
                words.insert(0, Row::new().with(risk.word(), theme.bad));
            }
            Risk::Claimed(Claim::OpenWorld) => {
                words.push(Row::new().with(risk.word(), theme.warn));
            }
            Risk::Claimed(Claim::ReadOnly) => words.push(Row::new().with(risk.word(), theme.dim)),
            Risk::Idempotent | Risk::ReadOnly | Risk::Claimed(Claim::Idempotent) => {}
        }
    }
    if let Some(kind) = waiting.findings.gravest() {
        let word = Row::new().with(kind.word(), strip::look(kind, theme));
        let at = if kind.is_grave() { 0 } else { words.len() };
        words.insert(at, word);
    }
    match (&call.basis, call.origin) {
        (Basis::External { .. }, _) => words.push(Row::new().with("external result", theme.accent)),
        (Basis::Question { .. }, _) => {
            words.insert(0, Row::new().with("a question", theme.accent));
        }
        (Basis::OutcomeUnknown | Basis::Lost { .. }, _) => {
            words.insert(0, Row::new().with("outcome unknown", theme.bad));
        }
        (Basis::Script, _) => words.push(Row::new().with("script", theme.accent)),
        (Basis::Provider, _) | (_, Origin::Provider) => {
            words.push(Row::new().with("from the provider", theme.accent));
        }
        (Basis::GrantsUnread { .. }, _) => {
            words.push(Row::new().with("given rules unread", theme.bad));
        }
        (Basis::NotUnderstood { .. }, _) => {
            words.push(Row::new().with("not understood", theme.warn));
        }
        (
            Basis::Rule { .. }
            | Basis::ToolDefault
            | Basis::Tool { .. }
            | Basis::Framework { .. }
            | Basis::Reviewer { .. }
            | Basis::Grant { .. },
            Origin::Agent | Origin::File,
        ) => {
            if words.is_empty() {
                words.push(Row::new().with("ask", theme.warn));
            }
        }
    }
    words
}

/// Whether the call was begun and nobody knows what came of it.
pub fn is_unknown(waiting: &Waiting) -> bool {
    waiting.call.basis.is_unknown()
}

/// `1 call`, `3 calls`.
pub fn count(number: usize, one: &'static str, many: &'static str, style: Style) -> Row {
    Row::new()
        .with(number, style)
        .with(" ", style)
        .with(if number == 1 { one } else { many }, style)
}

/// The start of a long text with the number of characters left out, so that nothing is cut silently.
pub fn excerpt(text: &str, characters: usize) -> (Shown, usize) {
    let end = text
        .char_indices()
        .nth(characters)
        .map_or(text.len(), |(at, _)| at);
    let rest = text[end..].chars().count();
    (Shown::prose(&text[..end]), rest)
}

/// What signing a decision on a call does, as a verb.
pub fn verb(decision: &Decision, waiting: Option<&Waiting>) -> &'static str {
    match decision {
        Decision::Approve { arguments: None } if waiting.is_some_and(is_unknown) => "run again",
        Decision::Approve { arguments: None } => "approve",
        Decision::Approve { arguments: Some(_) } => "approve with edits",
        Decision::Reject { .. } => "reject",
        Decision::Respond { .. } => "answer",
        Decision::Retry { .. } => "send back",
        Decision::Fail { .. } => "say it failed",
    }
}
