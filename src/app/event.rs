//! Everything that can happen to the console.

use super::key::{Key, Stroke};
use super::mouse::Mouse;
use super::state::Drawn;
use crate::core::arguments::Arguments;
use crate::core::call::{Call, CallKey, Preview, SessionId};
use crate::core::decision::{Decision, Ruling};
use crate::core::run::RunEvent;
use crate::core::session::{SavedSession, Session};
use crate::core::time::Now;
use crate::policy::grant::Grant;

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The time. Comes before the other events of a batch, and when something is due.
    Clock(Now),
    Key(Key, Stroke),
    /// A bracketed paste. Only ever text.
    Paste(String),
    /// A paste has begun whose end does not come.
    PasteOpen,
    Mouse(Mouse),
    FocusGained,
    FocusLost,
    /// What was read line by line, where there is no screen.
    Line(Line),
    Resized {
        columns: u16,
        rows: u16,
    },
    /// What the frame shows that is on its way to the terminal. Never makes another frame by itself.
    Drawn(Box<Drawn>),
    /// The terminal has taken in that frame: what it shows is on screen from now on.
    OnScreen(Box<Drawn>),
    Run(SessionId, Box<RunEvent>),
    Store(StoreEvent),
    /// The sessions of the journal, or why they cannot be told.
    Listed(Result<Vec<SavedSession>, String>),
    /// A session is open here from now on, or why it is not.
    Opened(Result<Box<Opened>, String>),
    /// What a call would change with these arguments; `None`: that cannot be told here.
    Foreseen {
        key: CallKey,
        arguments: Arguments,
        preview: Option<Box<Preview>>,
    },
    /// The operator's editor was closed: its text, or why there is none.
    Edited(Result<String, String>),
    /// Nobody outside could be told that calls wait, and why.
    OutsideFailed(String),
    /// The program was stopped and goes on. Comes before the time does, which would find that all is due.
    Continued(Now),
    /// The program is asked to end (SIGTERM, SIGHUP).
    Terminate,
}

/// What an operator says who works line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Nothing yet: all of this call was printed, and an answer is asked for.
    Asked(CallKey),
    Decided(CallKey, Decision),
    Undo,
    Interrupt(SessionId),
    Message {
        session: SessionId,
        text: String,
    },
    Resend(SessionId),
    Quit,
}

/// A session that was opened, with all that was said in it before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub session: Session,
    /// Its calls that wait for a person.
    pub calls: Vec<Call>,
    /// What the operator should know of how it was opened.
    pub note: Option<String>,
}

/// What became of a ruling that was to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreEvent {
    Recorded(CallKey),
    /// Somebody else decided first; who, when and what, in words.
    DecidedElsewhere {
        key: CallKey,
        by: String,
        /// The ruling that was first. Its console may be gone, so it is delivered from here too.
        ruling: Option<Box<Ruling>>,
    },
    /// It is not recorded, so it does not count.
    RecordFailed {
        key: CallKey,
        why: String,
    },
    /// A rule is recorded and counts from now on; the one with this id, which it stands for, no more.
    Given {
        grant: Box<Grant>,
        replaces: Option<String>,
    },
    /// A given rule counts no more.
    Revoked(String),
    /// Nothing was to be taken back: somebody else has done so before, or its time is over.
    RevokedBefore(String),
    /// A rule could not be given or taken back, and why.
    RuleFailed(String),
    /// The rules that were given, or why they cannot be told.
    Rules(Result<Vec<Grant>, String>),
}
