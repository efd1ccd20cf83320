//! What a person (or a rule) answered, and the record of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::call::{Answer, Answers, Call, CallKey, ShownFile};
use super::digest::Digest;
use super::verdict::Basis;

/// What was answered to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Run it: as proposed, or with these arguments instead.
    Approve { arguments: Option<Arguments> },
    /// Do not run it. The reason goes to the model; it may be empty.
    Reject { reason: String },
    /// Do not run it: this is its result.
    Respond { result: String },
    /// Do not run it: the model is to try again, and this tells it how.
    Retry { message: String },
    /// Do not run it: the model is told that it failed, and this is why.
    Fail { message: String },
}

/// How far a decision reaches, where its origin keeps more than the one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    #[default]
    Once,
    /// Every later call of the tool with the same arguments, as long as the origin's own state lives.
    Arguments,
    /// Every later call of the tool, as long as the origin's own state lives.
    Tool,
}

impl Reach {
    pub const LASTING: [Self; 2] = [Self::Arguments, Self::Tool];

    /// Whether a yes or a no can reach so far with these answers.
    pub fn is_kept(self, answers: &Answers) -> bool {
        match self {
            Self::Once => true,
            Self::Arguments => {
                answers.take(Answer::AlwaysArguments) || answers.take(Answer::NeverArguments)
            }
            Self::Tool => answers.take(Answer::AlwaysTool) || answers.take(Answer::NeverTool),
        }
    }
}

impl Decision {
    /// The kind of answer this is, to be compared with what the call's origin takes.
    pub const fn answer(&self) -> Answer {
        match self {
            Self::Approve { arguments: None } => Answer::Approve,
            Self::Approve { arguments: Some(_) } => Answer::Edit,
            Self::Reject { .. } => Answer::Reject,
            Self::Respond { .. } => Answer::Respond,
            Self::Retry { .. } => Answer::Retry,
            Self::Fail { .. } => Answer::Fail,
        }
    }

    /// All that the call's origin must take for this to be done, and to reach this far.
    pub fn asks(&self, reach: Reach) -> Vec<Answer> {
        let mut asks = vec![self.answer()];
        match self {
            Self::Reject { reason } if !reason.is_empty() => asks.push(Answer::Reason),
            Self::Approve { .. }
            | Self::Reject { .. }
            | Self::Respond { .. }
            | Self::Retry { .. }
            | Self::Fail { .. } => {}
        }
        asks.extend(self.lasts(reach));
        asks
    }

    /// What the origin must take for the decision to reach so far. Only a plain yes or no ever does.
    pub const fn lasts(&self, reach: Reach) -> Option<Answer> {
        match (self, reach) {
            (_, Reach::Once) => None,
            (Self::Reject { .. }, Reach::Arguments) => Some(Answer::NeverArguments),
            (Self::Reject { .. }, Reach::Tool) => Some(Answer::NeverTool),
            (_, Reach::Arguments) => Some(Answer::AlwaysArguments),
            (_, Reach::Tool) => Some(Answer::AlwaysTool),
        }
    }

    /// The arguments that are to run in place of the model's own.
    pub const fn edited(&self) -> Option<&Arguments> {
        match self {
            Self::Approve { arguments } => arguments.as_ref(),
            Self::Reject { .. } | Self::Respond { .. } | Self::Retry { .. } | Self::Fail { .. } => {
                None
            }
        }
    }

    /// One word for rows and the record.
    pub const fn word(&self) -> &'static str {
        self.answer().done()
    }
}

/// By which path a decision was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// A key on the selected call.
    Key,
    /// Signed on the review sheet, together with `size - 1` others.
    Batch { size: usize },
    /// Typed as an answer, line by line, without a screen.
    Line,
    /// From a file of decisions or a flag, without a screen.
    Headless,
    /// The operator interrupted the run, which rejects what was open.
    Interrupt,
}

/// A decision with all that makes it a record: the audit entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    pub key: CallKey,
    pub tool: String,
    pub decision: Decision,
    #[serde(default)]
    pub reach: Reach,
    /// The arguments that were shown, before any edit.
    pub proposed: Arguments,
    /// Digest of what was shown and signed: the tool and the arguments that may run.
    pub digest: Digest,
    /// What edited arguments were shown to change; `None`: what was shown when the call came, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<ShownFile>,
    /// User name and host of the operator.
    pub who: String,
    pub at: Timestamp,
    pub how: How,
    /// Milliseconds the call was on screen before it was decided.
    pub shown_for: u64,
}

impl Ruling {
    /// The digest that a decision on `call` signs: the edited arguments where there are any.
    pub fn digest_of(call: &Call, decision: &Decision) -> Digest {
        match decision {
            Decision::Approve {
                arguments: Some(edited),
            } => edited.digest(&call.tool),
            Decision::Approve { arguments: None }
            | Decision::Reject { .. }
            | Decision::Respond { .. }
            | Decision::Retry { .. }
            | Decision::Fail { .. } => call.digest(),
        }
    }

    /// The arguments this ruling allows to run, if the digest still fits them.
    ///
    /// `None` for anything but an approval, and for an approval whose digest is not that of the
    /// arguments it would run: such a call must not run.
    pub fn permits(&self) -> Option<&Arguments> {
        self.arguments()
            .filter(|arguments| arguments.digest(&self.tool) == self.digest)
    }

    /// The arguments of an approval, whatever the digest says.
    pub fn arguments(&self) -> Option<&Arguments> {
        match &self.decision {
            Decision::Approve { arguments } => Some(arguments.as_ref().unwrap_or(&self.proposed)),
            Decision::Reject { .. }
            | Decision::Respond { .. }
            | Decision::Retry { .. }
            | Decision::Fail { .. } => None,
        }
    }
}

/// What a call waited for in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Awaited {
    Decision,
    /// The result of a call that its tool handed over.
    Result,
}

/// The record that a call is no longer wanted, and nobody has decided it. A ruling can no longer follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawal {
    pub key: CallKey,
    pub why: String,
}

/// Before the reason of a withdrawal, where it stands in the place of who decided.
const WITHDRAWN: &str = "withdrawn: ";

impl Withdrawal {
    /// Why what waits leaves if the operator stops the run.
    pub const INTERRUPTED: &str = "the run was interrupted";

    /// What is told to whoever comes too late with a ruling.
    pub fn in_words(&self) -> String {
        format!("{WITHDRAWN}{}", self.why)
    }

    /// Whether words about what was first are those.
    pub fn is_told_by(words: &str) -> bool {
        words.starts_with(WITHDRAWN)
    }
}

/// The record that nobody decided a call in time. Nobody's decision: a ruling can no longer follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expiry {
    pub key: CallKey,
    pub tool: String,
    /// The arguments that were shown.
    pub proposed: Arguments,
    pub digest: Digest,
    pub awaited: Awaited,
    pub arrived: Timestamp,
    /// When its time was over.
    pub due: Timestamp,
}

impl Expiry {
    /// That of a waiting call; `None` if it may wait for ever.
    pub fn of(call: &Call) -> Option<Self> {
        let awaited = match &call.basis {
            Basis::External { .. } => Awaited::Result,
            Basis::Rule { .. }
            | Basis::ToolDefault
            | Basis::NotUnderstood { .. }
            | Basis::Provider
            | Basis::Tool { .. }
            | Basis::OutcomeUnknown
            | Basis::Script
            | Basis::Lost { .. }
            | Basis::Question { .. }
            | Basis::Framework { .. }
            | Basis::Grant { .. }
            | Basis::GrantsUnread { .. }
            | Basis::Reviewer { .. } => Awaited::Decision,
        };
        Some(Self {
            key: call.key.clone(),
            tool: call.tool.clone(),
            proposed: call.arguments.clone(),
            digest: call.digest(),
            awaited,
            arrived: call.arrived,
            due: call.expires?,
        })
    }

    /// How long it could have been decided, in seconds.
    pub fn waited(&self) -> u64 {
        u64::try_from(self.due.duration_since(self.arrived).as_secs()).unwrap_or(0)
    }
}
