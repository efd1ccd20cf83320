//! One record: a ruling, or a verdict of the policy, as it is kept.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::IpAddr;

use crate::core::arguments::Arguments;
use crate::core::call::{CallId, SessionId};
use crate::core::decision::{Decision, How, Reach, Ruling};
use crate::core::digest::Digest;
use crate::core::verdict::{Basis, Verdict};
use crate::policy::grant::{Given, Grant};

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signed {
    Approve,
    /// Approved with other arguments.
    Edit,
    Reject,
    /// Answered in the tool's place.
    Respond,
    /// Sent back to the model.
    Retry,
    /// Answered as failed.
    Fail,
    /// The policy or a reviewer let it run.
    Allow,
    /// The policy or a reviewer denied it.
    Deny,
    /// A reviewer wants a person to be asked.
    Ask,
    /// A reviewer said something for the person who decides.
    Annotate,
    /// Nobody decided it in time.
    Expire,
    /// An operator gave a rule.
    Grant,
    /// An operator took a given rule back.
    Revoke,
    /// A script paused; `digest` is that of what it needs to go on.
    Pause,
}

impl Signed {
    pub const ALL: [Self; 14] = [
        Self::Approve,
        Self::Edit,
        Self::Reject,
        Self::Respond,
        Self::Retry,
        Self::Fail,
        Self::Allow,
        Self::Deny,
        Self::Ask,
        Self::Annotate,
        Self::Expire,
        Self::Grant,
        Self::Revoke,
        Self::Pause,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Edit => "edit",
            Self::Reject => "reject",
            Self::Respond => "respond",
            Self::Retry => "retry",
            Self::Fail => "fail",
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Annotate => "annotate",
            Self::Expire => "expire",
            Self::Grant => "grant",
            Self::Revoke => "revoke",
            Self::Pause => "pause",
        }
    }

    const fn of(decision: &Decision) -> Self {
        match decision {
            Decision::Approve { arguments: None } => Self::Approve,
            Decision::Approve { arguments: Some(_) } => Self::Edit,
            Decision::Reject { .. } => Self::Reject,
            Decision::Respond { .. } => Self::Respond,
            Decision::Retry { .. } => Self::Retry,
            Decision::Fail { .. } => Self::Fail,
        }
    }
}

/// By which path it was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    Key,
    Batch,
    Line,
    Headless,
    Interrupt,
    /// A rule of the policy.
    Rule,
    /// No rule spoke of it: the tool is declared so.
    Default,
    /// A reviewer of the configuration; `user` is its name.
    Reviewer,
    /// The time that it could wait was over.
    Expiry,
    /// A rule that an operator gave.
    Grant,
    /// A script, by itself.
    Script,
}

impl By {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Batch => "batch",
            Self::Line => "line",
            Self::Headless => "headless",
            Self::Interrupt => "interrupt",
            Self::Rule => "rule",
            Self::Default => "default",
            Self::Reviewer => "reviewer",
            Self::Expiry => "expiry",
            Self::Grant => "grant",
            Self::Script => "script",
        }
    }

    const fn of(how: How) -> Self {
        match how {
            How::Key => Self::Key,
            How::Batch { .. } => Self::Batch,
            How::Line => Self::Line,
            How::Headless => Self::Headless,
            How::Interrupt => Self::Interrupt,
        }
    }
}

/// One record. The order of the members is part of the canonical form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub number: i64,
    pub at: Timestamp,
    pub session: SessionId,
    pub agent: String,
    pub call: CallId,
    pub tool: String,
    pub decision: Signed,
    /// For which later calls it holds too, if for any.
    pub reach: Reach,
    pub how: By,
    /// How many calls were signed together, if it was a batch.
    pub batch: Option<usize>,
    /// `None` where the policy decided, or nobody; a reviewer's name where that is who spoke.
    pub user: Option<String>,
    pub host: Option<String>,
    /// Where the SSH connection came from, if there was one.
    pub client: Option<IpAddr>,
    /// Why a person was asked, or what the policy decided by.
    pub basis: String,
    /// Of the tool and the arguments that were signed, as they really were.
    pub digest: Digest,
    /// The exact text of the arguments that the model wrote, but for what is redacted.
    pub proposed: String,
    /// The same of the arguments that were let run; `None` if nothing was.
    pub sent: Option<String>,
    /// The reason, the result or the message.
    pub words: Option<String>,
    /// How long it was on screen, in milliseconds.
    pub shown_for: u64,
}

impl Record {
    /// `ruling` as it is written in clear, and what of it was let run.
    pub(super) fn of_ruling(
        number: i64,
        context: Context,
        ruling: &Ruling,
        sent: Option<&Arguments>,
    ) -> Self {
        let (user, host, client) = who(&ruling.who);
        let batch = match ruling.how {
            How::Batch { size } => Some(size),
            How::Key | How::Line | How::Headless | How::Interrupt => None,
        };
        Self {
            number,
            at: ruling.at,
            session: ruling.key.session.clone(),
            agent: context.agent,
            call: ruling.key.call.clone(),
            tool: ruling.tool.clone(),
            decision: Signed::of(&ruling.decision),
            reach: ruling.reach,
            how: By::of(ruling.how),
            batch,
            user: Some(user),
            host,
            client,
            basis: context.basis,
            digest: ruling.digest.clone(),
            proposed: ruling.proposed.text().to_owned(),
            sent: sent.map(|sent| sent.text().to_owned()),
            words: words(&ruling.decision).map(str::to_owned),
            shown_for: ruling.shown_for,
        }
    }

    /// What the policy said. `None` if it left the call to a person, whose ruling follows.
    pub(super) fn of_verdict(
        number: i64,
        context: Context,
        judged: Judged<'_>,
        (verdict, basis): (Verdict, &Basis),
    ) -> Option<Self> {
        let decision = match verdict {
            Verdict::Allow => Signed::Allow,
            Verdict::Deny => Signed::Deny,
            Verdict::Ask => return None,
        };
        let how = match basis {
            Basis::Rule { .. } | Basis::NotUnderstood { .. } => By::Rule,
            Basis::ToolDefault
            | Basis::Provider
            | Basis::Tool { .. }
            | Basis::Framework { .. }
            | Basis::OutcomeUnknown
            | Basis::Script
            | Basis::Lost { .. }
            | Basis::Question { .. }
            | Basis::External { .. }
            | Basis::GrantsUnread { .. } => By::Default,
            Basis::Grant { .. } => By::Grant,
            Basis::Reviewer { .. } => By::Reviewer,
        };
        let (user, host, client) = if let Basis::Grant { by, .. } = basis {
            given_by(by)
        } else {
            (None, None, None)
        };
        let arguments = judged.arguments;
        Some(Self {
            number,
            at: judged.at,
            session: judged.session.clone(),
            agent: context.agent,
            call: judged.call.clone(),
            digest: judged.digest,
            tool: judged.tool,
            decision,
            reach: Reach::Once,
            how,
            batch: None,
            user,
            host,
            client,
            basis: context.basis,
            sent: (decision == Signed::Allow).then(|| arguments.clone()),
            proposed: arguments,
            words: basis.reason().map(str::to_owned),
            shown_for: 0,
        })
    }

    /// A rule that was given or taken back: its text stands where a call has its arguments.
    pub(super) fn of_grant(number: i64, agent: String, given: &Giving<'_>) -> Self {
        let Giving {
            grant,
            decision,
            how,
            by,
            at,
            digest,
        } = given;
        let (user, host, client) = given_by(by);
        let read = Given::read(Grant::clone(grant));
        Self {
            number,
            at: *at,
            session: grant.session.clone(),
            agent,
            call: CallId(
                grant
                    .from
                    .first()
                    .map(|call| call.0.clone())
                    .unwrap_or_default(),
            ),
            tool: read.map(|given| given.tools()).unwrap_or_default(),
            decision: *decision,
            reach: Reach::Once,
            how: By::of(*how),
            batch: None,
            user,
            host,
            client,
            basis: format!("given rule {}", grant.id),
            digest: digest.clone(),
            proposed: grant.text.clone(),
            sent: None,
            words: Some(format!("{}, in {}", grant.lasts.words(), grant.workspace)),
            shown_for: 0,
        }
    }

    /// Who decided, in words.
    pub fn who(&self) -> String {
        match (&self.user, &self.host, &self.client) {
            (None, ..) if self.how == By::Expiry => "nobody".to_owned(),
            (None, ..) if self.how == By::Script => "the script".to_owned(),
            (None, ..) => "policy".to_owned(),
            (Some(name), ..) if self.how == By::Reviewer => format!("reviewer {name}"),
            (Some(user), None, _) => user.clone(),
            (Some(user), Some(host), None) => format!("{user}@{host}"),
            (Some(user), Some(host), Some(client)) => format!("{user}@{host} from {client}"),
        }
    }
}

/// What a record says beside the ruling or verdict itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Context {
    pub(super) agent: String,
    pub(super) basis: String,
}

/// A rule that an operator gave or took back.
pub(super) struct Giving<'a> {
    /// As it is written in clear.
    pub(super) grant: &'a Grant,
    pub(super) decision: Signed,
    pub(super) how: How,
    pub(super) by: &'a str,
    pub(super) at: Timestamp,
    /// Of the rule's text, as it really is.
    pub(super) digest: Digest,
}

/// A call that the policy judged.
pub(super) struct Judged<'a> {
    pub(super) at: Timestamp,
    pub(super) session: &'a SessionId,
    pub(super) call: &'a CallId,
    /// Of the call as it really is; what follows is what is written of it.
    pub(super) digest: Digest,
    pub(super) tool: String,
    pub(super) arguments: String,
}

fn words(decision: &Decision) -> Option<&str> {
    match decision {
        Decision::Approve { .. } => None,
        Decision::Reject { reason } => Some(reason),
        Decision::Respond { result } => Some(result),
        Decision::Retry { message } | Decision::Fail { message } => Some(message),
    }
}

/// As `who`, for a record that a person need not have made.
fn given_by(text: &str) -> (Option<String>, Option<String>, Option<IpAddr>) {
    let (user, host, client) = who(text);
    (Some(user), host, client)
}

/// `user@host from address`, taken apart. A user's name may hold an `@`, a host's cannot.
fn who(text: &str) -> (String, Option<String>, Option<IpAddr>) {
    let (account, client) = match text.rsplit_once(" from ") {
        Some((account, client)) => match client.parse() {
            Ok(client) => (account, Some(client)),
            Err(_) => (text, None),
        },
        None => (text, None),
    };
    match account.rsplit_once('@') {
        Some((user, host)) => (user.to_owned(), Some(host.to_owned()), client),
        None => (account.to_owned(), None, client),
    }
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
