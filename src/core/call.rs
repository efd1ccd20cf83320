//! One tool call an agent wants, and what its origin can take back as an answer.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::arguments::Arguments;
use super::digest::Digest;
use super::name;
pub use super::preview::{Preview, ShownFile};
use super::review::Review;
use super::schema::Schema;
use super::script::Script;
use super::verdict::{Basis, Question};

/// Names one conversation with an agent. Ids of later sessions sort after those of earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

/// Names one call within its session. Chosen by the model's provider, so its text is untrusted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub String);

/// Names one call among all sessions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallKey {
    pub session: SessionId,
    pub call: CallId,
}

/// Separates a call's id from the name of what else is asked about it. No id of a call holds it.
const ASIDE: char = '+';
/// Stands between the id of the call that runs a script and the number of a call that the script makes.
const INNER: &str = "__";

/// Begins the name of a question that is asked while a call runs.
const QUESTION: &str = "asks-";

impl CallId {
    /// The name of a further question about this call, such as its deferred result.
    pub fn aside(&self, what: &str) -> Self {
        Self(format!("{self}{ASIDE}{what}"))
    }

    /// The name of the call that the script of this one makes as its `number`th.
    pub fn inner(&self, number: u32) -> Self {
        Self(format!("{self}{INNER}{number}"))
    }

    /// Which call of the script of `outer` this is, if it is one.
    pub fn number_within(&self, outer: &Self) -> Option<u32> {
        let rest = self.0.strip_prefix(&outer.0)?.strip_prefix(INNER)?;
        rest.parse().ok()
    }

    /// The name of a question that is asked while this call runs.
    pub fn asks(&self, attempt: u32, number: u32) -> Self {
        self.aside(&format!("{QUESTION}{attempt}-{number}"))
    }

    /// Whether this names such a question: what is decided of it is not decided of the call.
    pub fn is_question(&self) -> bool {
        let aside = self.0.split_once(ASIDE);
        aside.is_some_and(|(_, what)| what.starts_with(QUESTION))
    }

    /// The call that this id is about: itself, or the one it asks something further about.
    pub fn base(&self) -> Self {
        Self(self.0.split(ASIDE).next().unwrap_or_default().to_owned())
    }

    /// The part of a further question's id that names the question; `None` for a call's own id.
    pub fn question(&self) -> Option<&str> {
        self.0.split_once(ASIDE).map(|(_, what)| what)
    }

    /// An id that another program chose, as an id of ours: no two of theirs become the same one.
    pub fn foreign(&self) -> Self {
        Self(self.0.replace('%', "%25").replace(ASIDE, "%2B"))
    }

    /// The text as an id that cannot be taken for a further question, nor for a call of a script.
    pub fn plain(text: &str) -> Self {
        let text = text.replace(ASIDE, "-");
        let named = text.rsplit_once(INNER);
        let is_number =
            |end: &&str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
        match named.filter(|(_, end)| is_number(end)) {
            Some((start, end)) => Self(format!("{start}_-{end}")),
            None => Self(text),
        }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a call came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Our own agent runs the tool.
    Agent,
    /// The model's provider runs the tool once it is confirmed (a connector).
    Provider,
    /// A program written with another framework, which wrote its deferred state to a file.
    File,
}

/// One kind of answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Approve,
    /// Approve with other arguments.
    Edit,
    Reject,
    /// A rejection's reason reaches the model.
    Reason,
    /// A result in the tool's place.
    Respond,
    /// Ask the model to try again, with a message.
    Retry,
    /// Tell the model that the call failed, and why.
    Fail,
    /// An approval can be kept for later calls of the tool with the same arguments.
    AlwaysArguments,
    /// An approval can be kept for all later calls of the tool.
    AlwaysTool,
    /// A rejection can be kept for later calls of the tool with the same arguments.
    NeverArguments,
    /// A rejection can be kept for all later calls of the tool.
    NeverTool,
}

impl Answer {
    /// The word for a call that was answered so.
    pub const fn done(self) -> &'static str {
        match self {
            Self::Approve => "approved",
            Self::Edit => "approved with edits",
            Self::Reject => "rejected",
            Self::Reason => "rejected with a reason",
            Self::Respond => "answered",
            Self::Retry => "sent back",
            Self::Fail => "answered as failed",
            Self::AlwaysArguments | Self::AlwaysTool => "approved for later calls too",
            Self::NeverArguments | Self::NeverTool => "rejected for later calls too",
        }
    }
}

/// The answers an origin can take back. What is not in here is not offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answers(Vec<Answer>);

impl Answers {
    pub fn of(answers: impl Into<Vec<Answer>>) -> Self {
        Self(answers.into())
    }

    /// What our own agent takes: everything.
    pub fn all() -> Self {
        Self::of([
            Answer::Approve,
            Answer::Edit,
            Answer::Reject,
            Answer::Reason,
            Answer::Respond,
            Answer::Retry,
            Answer::Fail,
        ])
    }

    /// What a provider takes for a call it runs itself: yes or no. No arguments, no result; the reason
    /// travels beside it as a message.
    pub fn confirmation() -> Self {
        Self::of([Answer::Approve, Answer::Reject, Answer::Reason])
    }

    /// What a deferred call takes, whose result comes from outside: there is nothing left to approve.
    pub fn external() -> Self {
        Self::of([
            Answer::Reject,
            Answer::Reason,
            Answer::Respond,
            Answer::Retry,
            Answer::Fail,
        ])
    }

    /// What a question takes that a server asks while a call runs: content as it stands or written
    /// anew, a no, or nothing at all.
    pub fn question() -> Self {
        Self::of([Answer::Approve, Answer::Edit, Answer::Reject, Answer::Fail])
    }

    /// As `question`, where the content must be written first.
    pub fn open_question() -> Self {
        Self::of([Answer::Edit, Answer::Reject, Answer::Fail])
    }

    /// As `question`, where there is no content to write.
    pub fn closed_question() -> Self {
        Self::of([Answer::Approve, Answer::Reject, Answer::Fail])
    }

    /// What a call takes that was running when the program stopped: run it again, give its result, or
    /// tell the model that its outcome is not known.
    pub fn unknown_outcome() -> Self {
        Self::of([
            Answer::Approve,
            Answer::Reject,
            Answer::Reason,
            Answer::Respond,
        ])
    }

    /// What a script takes that waits for its calls: its end, with a reason or with a result in its place.
    pub fn script() -> Self {
        Self::of([Answer::Reject, Answer::Reason, Answer::Respond])
    }

    pub fn take(&self, answer: Answer) -> bool {
        self.0.contains(&answer)
    }
}

/// What a tool says of itself, as words on the row. For a tool we did not write it is only a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Destructive,
    OpenWorld,
    Idempotent,
    ReadOnly,
    /// What somebody else's server says of its own tool. Nobody has checked it: it makes nothing laxer.
    Claimed(Claim),
}

/// What a server may say of its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    Destructive,
    OpenWorld,
    Idempotent,
    ReadOnly,
}

impl Risk {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Destructive => "destructive",
            Self::OpenWorld => "open world",
            Self::Idempotent => "idempotent",
            Self::ReadOnly => "read-only",
            Self::Claimed(Claim::Destructive) => "claims destructive",
            Self::Claimed(Claim::OpenWorld) => "claims open world",
            Self::Claimed(Claim::Idempotent) => "claims idempotent",
            Self::Claimed(Claim::ReadOnly) => "claims read-only",
        }
    }

    /// A claim to do harm is believed.
    pub const fn is_destructive(self) -> bool {
        matches!(self, Self::Destructive | Self::Claimed(Claim::Destructive))
    }
}

/// What a rule that is made from a call has to know of where the call was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grounds {
    /// The agent's workspace, absolute: relative paths count from there.
    pub workspace: String,
    /// JSON pointer to the argument that is a shell command line, where the tool has one.
    pub command_line: Option<String>,
    /// All that asked.
    pub questions: Vec<Question>,
}

/// One call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub key: CallKey,
    pub agent: String,
    pub tool: String,
    pub arguments: Arguments,
    pub origin: Origin,
    /// The call that this one was made from, in a script.
    pub parent: Option<CallId>,
    pub answers: Answers,
    pub basis: Basis,
    pub risks: Vec<Risk>,
    pub schema: Option<Schema>,
    pub preview: Option<Preview>,
    /// Where the script stands that this call belongs to: one that it made, or the script itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Arc<Script>>,
    /// What the tool sent along when it asked for approval or deferred.
    pub metadata: Option<Value>,
    /// What a person should know of this call before deciding, such as fields that contradict each other.
    /// Untrusted text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What reviewers said of it before a person was asked, in the order of the configuration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Review>,
    /// The folder that the tool works in, where it is known: absolute. Relative paths count from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// When an answer comes too late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// `None` where the policy is not what asks, so that no rule could answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Grounds>,
    pub arrived: Timestamp,
}

impl Call {
    /// The digest an approval of this call as it stands is bound to.
    pub fn digest(&self) -> Digest {
        self.arguments.digest(&self.tool)
    }

    /// Its tool's name as it stands in a sentence. Not yet visible text.
    pub fn name(&self) -> Cow<'_, str> {
        name::of_call(&self.key.call, &self.tool)
    }

    /// Whether this is the row of a script itself, which waits at calls that it made. Those are decided;
    /// of the script there is only left to say that it is to go no further.
    pub fn is_script(&self) -> bool {
        let runs = |script: &Arc<Script>| script.outer == self.key.call.base();
        self.parent.is_none() && self.script.as_ref().is_some_and(runs)
    }

    /// The call whose script made this one. A further question about a call is made by no script because of
    /// that.
    pub fn maker(&self) -> Option<&CallId> {
        let base = self.key.call.base();
        self.parent.as_ref().filter(|parent| **parent != base)
    }

    /// The call that runs the script which this one is part of, or is.
    pub fn outer_key(&self) -> Option<CallKey> {
        let call = match self.maker() {
            Some(parent) => parent.clone(),
            None => self.is_script().then(|| self.key.call.base())?,
        };
        Some(CallKey {
            session: self.key.session.clone(),
            call,
        })
    }

    /// Whether it can be approved with other arguments. The content of a question is written by whoever
    /// answers it, also where there is nothing yet to approve.
    pub fn is_editable(&self) -> bool {
        let approved = self.answers.take(Answer::Approve);
        let asked = matches!(self.basis, Basis::Question { .. });
        self.answers.take(Answer::Edit) && (approved || asked)
    }

    pub fn is_destructive(&self) -> bool {
        self.risks.iter().any(|risk| risk.is_destructive())
    }
}
