//! A call as it would run with the arguments that an operator wrote.
//!
//! Owns what is found in those, and how far it is known what they would change: what was worked out for the
//! model's own arguments says nothing of others. Works out no change and reads no file.

use crate::core::arguments::Arguments;
use crate::core::call::{Call, Preview};
use crate::core::pending::Waiting;
use crate::policy::findings;

/// How far it is known what the arguments would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// The tool changes no file that could be looked at beforehand.
    None,
    /// It is being worked out. Nothing is signed before.
    Asked,
    /// It is the preview of the call.
    Known,
    /// It cannot be worked out here.
    Unknown,
}

/// A waiting call with other arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The call with the arguments that would run, with what was found in them and what they would change.
    pub waiting: Waiting,
    pub change: Change,
}

impl Rewritten {
    pub fn of(waiting: &Waiting, arguments: &Arguments) -> Self {
        let call = Call {
            arguments: arguments.clone(),
            preview: None,
            ..waiting.call.clone()
        };
        let findings = findings::look(&call);
        let change = match (&waiting.call.preview, &waiting.call.workspace) {
            (None, _) => Change::None,
            (Some(_), Some(_)) => Change::Asked,
            (Some(_), None) => Change::Unknown,
        };
        Self {
            waiting: waiting.rewritten(call, findings),
            change,
        }
    }

    /// What the arguments would change has been worked out, or cannot be.
    pub fn foreseen(&mut self, preview: Option<Preview>) {
        self.change = if preview.is_some() {
            Change::Known
        } else {
            Change::Unknown
        };
        self.waiting.call.preview = preview;
    }

    pub fn is_of(&self, arguments: &Arguments) -> bool {
        self.waiting.call.arguments == *arguments
    }
}
