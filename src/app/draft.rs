//! A text being written by the operator: a reason, a message, a result, arguments as JSON.
//!
//! Owns the text, its cursor and what is being written for. The text area is used as an editing
//! model only: it touches no terminal, and the interface draws the text itself, made visible,
//! because a text area shows control and direction characters as nothing.

use std::fmt;
use tui_textarea::{CursorMove, Input, TextArea};

use super::key::{Code, Key};
use crate::core::call::CallKey;

/// What a draft is for, and so what accepting it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// A message to the agent.
    Message,
    /// The reason of a rejection of these calls.
    Reason { calls: Vec<CallKey> },
    /// The arguments of the first of these calls; the others follow, one by one.
    Edit { call: CallKey, rest: Vec<CallKey> },
    /// Fields to be set in each of these calls.
    Set { calls: Vec<CallKey> },
    /// The result that stands in for these calls.
    Answer { calls: Vec<CallKey> },
    /// What the model is to do differently.
    Retry { calls: Vec<CallKey> },
    /// Why these calls failed.
    Failure { calls: Vec<CallKey> },
    /// Which pending calls are listed.
    Filter,
    /// Which sessions are listed.
    Sessions,
}

impl Purpose {
    /// Whether the text is one line.
    pub const fn is_line(&self) -> bool {
        matches!(self, Self::Filter | Self::Sessions)
    }

    /// The calls this draft will decide; empty for a message and a filter.
    pub fn calls(&self) -> Vec<&CallKey> {
        match self {
            Self::Message | Self::Filter | Self::Sessions => Vec::new(),
            Self::Reason { calls }
            | Self::Set { calls }
            | Self::Answer { calls }
            | Self::Retry { calls }
            | Self::Failure { calls } => calls.iter().collect(),
            Self::Edit { call, rest } => std::iter::once(call).chain(rest).collect(),
        }
    }
}

impl Purpose {
    /// Leaves out a call that has left. A call that comes later under the same key is another one.
    pub fn forget(&mut self, key: &CallKey) {
        match self {
            Self::Reason { calls }
            | Self::Answer { calls }
            | Self::Retry { calls }
            | Self::Failure { calls }
            | Self::Set { calls }
            | Self::Edit { rest: calls, .. } => calls.retain(|call| call != key),
            Self::Message | Self::Filter | Self::Sessions => {}
        }
    }
}

/// What is wrong with arguments as they stand in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditFault {
    /// Row and column in the draft, both counted from 0, where it is known.
    pub place: Option<(usize, usize)>,
    pub what: String,
}

/// Deletes to the start of the line, as in a shell. The text area would undo.
const KILL: Key = Key::ctrl('u');
/// Undoes, as in a shell: `ctrl-_`, which terminals send as `ctrl-7`.
const TAKE_BACK: Key = Key::ctrl('7');

#[derive(Clone)]
pub struct Draft {
    pub purpose: Purpose,
    area: TextArea<'static>,
    /// For arguments: what is wrong with them now. Empty if they may be signed.
    pub faults: Vec<EditFault>,
    /// What accepting it would do, in a few words, where that is not plain. Untrusted.
    pub note: String,
    /// How far back in the history of messages the draft is; 0 is the newest, unsent one.
    pub history: usize,
}

impl Draft {
    pub fn new(purpose: Purpose, text: &str) -> Self {
        let mut draft = Self {
            purpose,
            area: area(text),
            faults: Vec::new(),
            note: String::new(),
            history: 0,
        };
        draft.area.move_cursor(match draft.purpose {
            Purpose::Edit { .. } => CursorMove::Top,
            Purpose::Message
            | Purpose::Reason { .. }
            | Purpose::Answer { .. }
            | Purpose::Retry { .. }
            | Purpose::Failure { .. }
            | Purpose::Set { .. }
            | Purpose::Filter
            | Purpose::Sessions => CursorMove::Bottom,
        });
        if !matches!(draft.purpose, Purpose::Edit { .. }) {
            draft.area.move_cursor(CursorMove::End);
        }
        draft
    }

    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// The lines as typed. Raw: to be made visible before they are drawn.
    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// Row and column of the cursor, in lines and characters, both counted from 0.
    pub fn cursor(&self) -> (usize, usize) {
        let cursor = self.area.cursor();
        (cursor.0, cursor.1)
    }

    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    pub fn replace(&mut self, text: &str) {
        self.area = area(text);
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// Takes in a key. `true` if the text changed.
    pub fn key(&mut self, key: Key) -> bool {
        if key.code == Code::Enter && self.purpose.is_line() {
            return false;
        }
        if key == KILL {
            return self.area.delete_line_by_head();
        }
        if key == TAKE_BACK {
            return self.area.undo();
        }
        self.area.input(input(key))
    }

    /// Takes in a paste as one step, whatever its size.
    pub fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if self.purpose.is_line() {
            self.area.insert_str(text.replace('\n', " "));
        } else {
            self.area.insert_str(text);
        }
    }
}

fn area(text: &str) -> TextArea<'static> {
    TextArea::new(text.split('\n').map(ToOwned::to_owned).collect())
}

fn input(key: Key) -> Input {
    use tui_textarea::Key as Area;
    let area = match key.code {
        Code::Char(c) => Area::Char(c),
        Code::Enter => Area::Enter,
        Code::Esc => Area::Esc,
        Code::Tab => Area::Tab,
        Code::Backspace => Area::Backspace,
        Code::Delete => Area::Delete,
        Code::Insert => Area::Null,
        Code::Left => Area::Left,
        Code::Right => Area::Right,
        Code::Up => Area::Up,
        Code::Down => Area::Down,
        Code::Home => Area::Home,
        Code::End => Area::End,
        Code::PageUp => Area::PageUp,
        Code::PageDown => Area::PageDown,
        Code::F(n) => Area::F(n),
    };
    Input {
        key: area,
        ctrl: key.ctrl,
        alt: key.alt,
        shift: key.shift,
    }
}

impl PartialEq for Draft {
    fn eq(&self, other: &Self) -> bool {
        self.purpose == other.purpose
            && self.lines() == other.lines()
            && self.cursor() == other.cursor()
            && self.faults == other.faults
            && self.note == other.note
    }
}

impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft")
            .field("purpose", &self.purpose)
            .field("text", &self.text())
            .field("cursor", &self.cursor())
            .field("faults", &self.faults)
            .finish_non_exhaustive()
    }
}
