//! The one line for the operator.

use crate::app::state::{Notice, State};
use crate::core::run::Level;

pub(super) fn note(state: &mut State, text: impl Into<String>) {
    state.notice = Some(Notice {
        level: Level::Note,
        text: text.into(),
    });
}

pub(super) fn warn(state: &mut State, text: impl Into<String>) {
    state.notice = Some(Notice {
        level: Level::Warning,
        text: text.into(),
    });
}

pub(super) fn error(state: &mut State, text: impl Into<String>) {
    state.notice = Some(Notice {
        level: Level::Error,
        text: text.into(),
    });
}
