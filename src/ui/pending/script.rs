//! The script that a waiting call is part of: what stands beside what is signed.
//!
//! Owns its words and its rows: which call runs it, the line it stands on, what it has done, what it has
//! printed. In the panes a part of each, and how much is not shown; in the full view all of it. None of it
//! is signed.

mod code;

use super::strip::Strip;
use super::values::block;
use crate::app::state::State;
use crate::core::call::Call;
use crate::core::name;
use crate::core::pending::Waiting;
use crate::core::script::{Done, Script};
use crate::core::shown::Shown;
use crate::ui::text::Row;
use crate::ui::text::wrap::Breaks;
use crate::ui::theme::Theme;
use crate::ui::words;
use std::sync::Arc;

/// Calls that the script has made, where they have to share the room.
const DONE: usize = 3;
/// Rows of what it has printed, there.
const PRINTED: usize = 3;
/// Characters of the arguments and of the result of a call that it has made, there.
const GLIMPSE: usize = 160;

/// What the console knows of a call's script beside what the call itself says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// The tool that runs the script.
    tool: Option<Shown>,
    /// How many of its calls wait.
    waiting: usize,
    /// Where the script stands by now: a call knows only how it was when it came.
    now: Option<Arc<Script>>,
}

impl Known {
    pub fn of(waiting: &Waiting, state: &State) -> Self {
        let call = &waiting.call;
        let now = state.pending.script(call).cloned();
        if call.is_script() {
            return Self {
                tool: Some(waiting.tool.clone()),
                waiting: state.pending.inner(call),
                now,
            };
        }
        let Some(parent) = call.maker() else {
            return Self::default();
        };
        let outer = state.pending.outer(call).map(|outer| outer.tool.clone());
        let told = || {
            let session = state.session(&call.key.session)?;
            let record = session.conversation.call(parent)?;
            Some(name::shown(&record.tool))
        };
        Self {
            tool: outer.or_else(told),
            waiting: state.pending.inner(call),
            now,
        }
    }

    /// The tool that runs the script, else the call's own name.
    pub fn name(&self, call: &Call, theme: &Theme) -> Row {
        match (&self.tool, &call.parent) {
            (Some(tool), _) => Row::new().with(tool, theme.accent),
            (None, Some(parent)) => Row::new().with(&name::shown(&parent.0), theme.accent),
            (None, None) => Row::new(),
        }
    }
}

/// `line 4 of 12 of the script of run_code c1`: which script a call is part of; `None` for a call of the
/// model. What is not ours comes last.
pub fn of(call: &Call, known: &Known, theme: &Theme) -> Option<Row> {
    let outer = call.outer_key()?.call;
    let made = call.script.as_ref();
    let line = made.and_then(|script| line(script, theme));
    let row = match line {
        Some(line) => line
            .then(elsewhere(call, known, theme))
            .with(" of the script of ", theme.dim),
        None => Row::new().with("in the script of ", theme.dim),
    };
    let row = match &known.tool {
        Some(tool) => row.with(tool, theme.accent).with(" ", theme.dim),
        None => row,
    };
    Some(row.with(&name::shown(&outer.0), theme.dim))
}

/// ` (it stands on line 9)`: a call may be made on one line and waited for on another.
fn elsewhere(call: &Call, known: &Known, theme: &Theme) -> Row {
    let stands = stands(call, known).and_then(|line| usize::try_from(line).ok());
    let row = |line: usize| {
        Row::new()
            .with(" (it stands on line ", theme.dim)
            .with(line, theme.text)
            .with(")", theme.dim)
    };
    stands.map(row).unwrap_or_default()
}

/// The line that the script stands on, where that is not the one on which it makes the call.
fn stands(call: &Call, known: &Known) -> Option<u32> {
    let made = call.script.as_ref()?.line;
    let line = known.now.as_ref()?.line;
    line.filter(|_| line != made)
}

/// `line 4 of 12`.
fn line(script: &Script, theme: &Theme) -> Option<Row> {
    let line = usize::try_from(script.line?).ok()?;
    let row = Row::new().with("line ", theme.warn).with(line, theme.warn);
    if script.code.is_empty() {
        return Some(row);
    }
    let lines = code::lines(script).count();
    let row = row.with(" of ", theme.dim).with(lines, theme.dim);
    Some(if line > lines {
        row.with(" (it has no such line)", theme.bad)
    } else {
        row
    })
}

/// What stands in place of its arguments in the list: `line 4 · 2 done · 3 wait`.
pub fn summary(call: &Call, known: &Known, theme: &Theme) -> Row {
    let Some(script) = &call.script else {
        return Row::new();
    };
    let mut row = Row::new();
    if let Some(line) = script.line.and_then(|line| usize::try_from(line).ok()) {
        row = row
            .with("line ", theme.text)
            .with(line, theme.text)
            .with(" · ", theme.dim);
    }
    row.with(script.done.len(), theme.text)
        .with(" done", theme.text)
        .with(" · ", theme.dim)
        .with(known.waiting, theme.text)
        .with(
            if known.waiting == 1 {
                " waits"
            } else {
                " wait"
            },
            theme.text,
        )
}

/// What any decision on a script means: `drops the script: 3 waiting calls leave with it`.
pub fn drops(known: &Known, theme: &Theme) -> Row {
    let row = Row::new().with("drops the script", theme.bad);
    if known.waiting == 0 {
        return row;
    }
    let leave = if known.waiting == 1 {
        " leaves with it"
    } else {
        " leave with it"
    };
    row.with(": ", theme.bad)
        .then(words::count(
            known.waiting,
            "waiting call",
            "waiting calls",
            theme.bad,
        ))
        .with(leave, theme.bad)
}

/// All there is to read of the script; nothing for a call of the model.
pub fn rows(call: &Call, known: &Known, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    let Some(head) = of(call, known, theme) else {
        return Vec::new();
    };
    // The names in it are not ours.
    let mut rows = code::behind(head, ["", "┆ "], width, theme);
    if let Some(script) = call.script.as_ref().filter(|script| is_sent(script)) {
        rows.extend(code::rows(
            script,
            stands(call, known),
            (strip, width),
            theme,
        ));
        let now = known.now.as_ref().unwrap_or(script);
        rows.extend(done(now, strip, width, theme));
        rows.extend(printed(now, strip, width, theme));
    } else {
        let words = "its text does not come with each of its calls; see the script itself";
        let row = Row::new().with(words, theme.dim);
        rows.extend(row.wrapped(width, Breaks::Words));
    }
    rows
}

/// A long script does not come with each of its calls.
fn is_sent(script: &Script) -> bool {
    !script.code.is_empty() || !script.done.is_empty() || !script.printed.is_empty()
}

/// `… 5 more lines below`.
fn more(count: usize, one: &'static str, many: &'static str, theme: &Theme) -> Row {
    Row::new()
        .with("… ", theme.dim)
        .then(words::count(count, one, many, theme.dim))
}

/// The calls that it has made, the last of them where there is little room.
fn done(script: &Script, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    let all = script.done.len();
    let skipped = match strip {
        Strip::Short | Strip::Named => all.saturating_sub(DONE),
        Strip::Whole => 0,
    };
    let head = Row::new().with("done before: ", theme.dim);
    if all == 0 {
        return vec![head.with("nothing", theme.dim)];
    }
    let mut rows = vec![head.then(words::count(all, "call", "calls", theme.text))];
    if skipped > 0 {
        rows.push(more(skipped, "earlier call", "earlier calls", theme));
    }
    for one in &script.done[skipped..] {
        rows.extend(made(one, strip, width, theme));
    }
    rows
}

/// A call that it has made: what it was, how it came out, and what the script was given.
fn made(done: &Done, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    let row = Row::new().with(&name::shown(&done.tool), theme.accent);
    let row = if done.arguments.is_empty() {
        row
    } else {
        row.with(" ", theme.text)
            .then(glimpse(&done.arguments, strip, theme))
    };
    let row = row
        .with(" · ", theme.dim)
        .with(&Shown::label(&done.came), theme.strong);
    let mut rows = code::behind(row, ["▪ ", "┆ "], width, theme);
    if done.result.is_empty() {
        return rows;
    }
    match strip {
        Strip::Short | Strip::Named => {
            let row = glimpse(&done.result, strip, theme);
            rows.extend(code::behind(row, code::GUTTER, width, theme));
        }
        Strip::Whole => rows.extend(block(&Shown::strict(&done.result), width, theme)),
    }
    rows
}

/// A text on one row; where there is little room its beginning, and how much more there is.
fn glimpse(text: &str, strip: Strip, theme: &Theme) -> Row {
    let end = match strip {
        Strip::Short | Strip::Named => text.char_indices().nth(GLIMPSE),
        Strip::Whole => None,
    };
    let Some((end, _)) = end else {
        return Row::new().with(&Shown::label(text), theme.text);
    };
    let left = text[end..].chars().count();
    Row::new()
        .with(&Shown::label(&text[..end]), theme.text)
        .with(" ", theme.dim)
        .then(more(left, "more character", "more characters", theme))
}

/// What it has printed, the end of it where there is little room.
fn printed(script: &Script, strip: Strip, width: usize, theme: &Theme) -> Vec<Row> {
    let head = Row::new().with("printed: ", theme.dim);
    if script.printed.is_empty() {
        return vec![head.with("nothing", theme.dim)];
    }
    let text = script.printed.strip_suffix('\n').unwrap_or(&script.printed);
    let lines = text.split('\n').count();
    let mut rows = vec![head.then(words::count(lines, "line", "lines", theme.text))];
    let skipped = match strip {
        Strip::Short | Strip::Named => lines.saturating_sub(PRINTED),
        Strip::Whole => 0,
    };
    if skipped > 0 {
        rows.push(more(skipped, "earlier line", "earlier lines", theme));
    }
    for line in text.split('\n').skip(skipped) {
        let row = glimpse(line, strip, theme);
        rows.extend(code::behind(row, code::GUTTER, width, theme));
    }
    rows
}
