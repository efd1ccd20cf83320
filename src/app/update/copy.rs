//! Handing a text to the operator's clipboard. Decides nothing.

use super::notice;
use crate::app::effect::Effect;
use crate::app::state::{Overlay, Pane, State};
use crate::core::conversation::Entry;
use crate::core::count;
use crate::core::output::{Output, OutputLine};
use crate::core::shown::Shown;
use std::fmt::Write as _;

/// Bytes that terminals take: more is cut or dropped by one or the other on the way.
const MOST: usize = 74_994;

/// What is in focus: the selected call's arguments, exactly; else the shown output or the agent's last
/// answer, made visible.
pub(super) fn focused(state: &mut State) -> Vec<Effect> {
    let views = matches!(state.overlay, Some(Overlay::View { .. }));
    let (what, text) = match state.focus {
        _ if views => ("the arguments", arguments(state)),
        Pane::Pending => ("the arguments", arguments(state)),
        Pane::Output => ("the output", output(state)),
        Pane::Conversation => ("the agent's last answer", answer(state)),
    };
    copy(state, what, text)
}

/// The selected call's id.
pub(super) fn id(state: &mut State) -> Vec<Effect> {
    let id = state.cursor.as_ref().map(|key| key.call.0.clone());
    copy(state, "the call's id", id)
}

fn copy(state: &mut State, what: &str, text: Option<String>) -> Vec<Effect> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        notice::note(state, format!("{what}: there is nothing to copy"));
        return Vec::new();
    };
    let bytes = text.len();
    let is_too_long = bytes > MOST;
    let (bytes, most) = (count::number(bytes), count::number(MOST));
    if is_too_long {
        let why =
            format!("not copied: {what} are {bytes} bytes, and terminals take no more than {most}");
        notice::warn(state, why);
        return Vec::new();
    }
    notice::note(
        state,
        format!("{what}: {bytes} bytes copied, if this terminal allows it"),
    );
    vec![Effect::Copy(text)]
}

fn arguments(state: &State) -> Option<String> {
    let waiting = state.selected()?;
    Some(waiting.call.arguments.text().to_owned())
}

fn output(state: &State) -> Option<String> {
    let key = state.shown_output()?;
    let record = state.session(&key.session)?.conversation.call(&key.call)?;
    Some(rows(&record.output))
}

fn rows(output: &Output) -> String {
    let mut text = String::new();
    let lines = (0..output.len()).filter_map(|index| output.line(index));
    for line in lines {
        match line {
            OutputLine::Row(row) => text.push_str(row.text.as_str()),
            OutputLine::Gap(rows) => {
                // Writing to a String cannot fail.
                let _ = write!(text, "[{rows} rows are not kept]");
            }
        }
        text.push('\n');
    }
    if let Some(open) = output.open_row() {
        text.push_str(open.text.as_str());
    }
    text
}

fn answer(state: &State) -> Option<String> {
    let items = state.current_session()?.conversation.items();
    let text = items.iter().rev().find_map(|item| match &item.entry {
        Entry::Agent { text, .. } => Some(text),
        Entry::User { .. }
        | Entry::Thinking { .. }
        | Entry::Call(_)
        | Entry::Server { .. }
        | Entry::Unknown { .. }
        | Entry::Note { .. } => None,
    })?;
    Some(Shown::prose(text).to_string())
}
