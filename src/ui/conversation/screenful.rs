//! The rows that were on screen in the last frame, kept as long as nothing changes them. Only a cache.
//!
//! Owns what they depend on together. Most keys move a selection elsewhere and leave all of them as they are.

use std::rc::Rc;

use crate::app::state::{Anchor, Scroll, State};
use crate::core::conversation::Conversation;
use crate::core::time::Ticks;
use crate::ui::text::Row;

/// What the rows depend on, but for the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Of {
    conversation: u64,
    pending: u64,
    scroll: Scroll,
    height: usize,
}

impl Of {
    pub(super) const fn new(state: &State, conversation: &Conversation, height: usize) -> Self {
        Self {
            conversation: conversation.changes(),
            pending: state.pending.changes(),
            scroll: state.conversation_scroll,
            height,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Screenful {
    pub(super) of: Of,
    /// When they were laid out, and until when what they say of the time stays as it is.
    pub(super) at: Ticks,
    pub(super) stays: Option<Ticks>,
    pub(super) anchor: Anchor,
    pub(super) rows: Rc<[Row]>,
}

impl Screenful {
    pub(super) fn is(&self, of: Of, now: Ticks) -> bool {
        let is_later = self.stays.is_some_and(|until| now >= until);
        self.of == of && (now == self.at || !is_later)
    }
}
