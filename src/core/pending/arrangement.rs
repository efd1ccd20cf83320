//! How the pending calls are listed: which of them, in which groups, in which order.

use std::cmp::Reverse;
use std::sync::Arc;

use super::{Place, Stand, Waiting};
use crate::core::call::{Call, Claim, Risk, SessionId};
use crate::core::filter::Filter;

/// What the list is divided by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Grouping {
    #[default]
    None,
    Tool,
    Agent,
    Session,
    Risk,
}

impl Grouping {
    pub const fn next(self) -> Self {
        match self {
            Self::None => Self::Tool,
            Self::Tool => Self::Agent,
            Self::Agent => Self::Session,
            Self::Session => Self::Risk,
            Self::Risk => Self::None,
        }
    }

    /// The word for the list's title; empty for one list.
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Tool => "by tool",
            Self::Agent => "by agent",
            Self::Session => "by session",
            Self::Risk => "by risk",
        }
    }
}

/// What comes first, within each group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sorting {
    #[default]
    Oldest,
    Newest,
    /// The gravest, and of these the oldest.
    Gravest,
}

impl Sorting {
    pub const fn next(self) -> Self {
        match self {
            Self::Oldest => Self::Newest,
            Self::Newest => Self::Gravest,
            Self::Gravest => Self::Oldest,
        }
    }

    /// The word for the list's title; empty for the order of arrival.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Oldest => "",
            Self::Newest => "newest first",
            Self::Gravest => "gravest first",
        }
    }
}

/// How grave a call is by what is known of it before it runs, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gravity {
    Destructive,
    OutcomeUnknown,
    OpenWorld,
    Nothing,
    Idempotent,
    ReadOnly,
}

impl Gravity {
    pub fn of(call: &Call) -> Self {
        if call.is_destructive() {
            Self::Destructive
        } else if call.basis.is_unknown() {
            Self::OutcomeUnknown
        } else if open(call) {
            Self::OpenWorld
        } else if call.risks.contains(&Risk::ReadOnly) {
            Self::ReadOnly
        } else if call.risks.contains(&Risk::Idempotent) {
            Self::Idempotent
        } else {
            Self::Nothing
        }
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Destructive => Risk::Destructive.word(),
            Self::OutcomeUnknown => "outcome unknown",
            Self::OpenWorld => Risk::OpenWorld.word(),
            Self::Nothing => "no risk declared",
            Self::Idempotent => Risk::Idempotent.word(),
            Self::ReadOnly => Risk::ReadOnly.word(),
        }
    }
}

/// All that says how the calls are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrangement {
    pub filter: Filter,
    /// Only the calls of this session.
    pub only: Option<SessionId>,
    pub group: Grouping,
    pub sort: Sorting,
}

/// One part of a list that is divided. Its text is untrusted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    All,
    Tool(Arc<str>),
    Agent(Arc<str>),
    Session(SessionId),
    Risk(Gravity),
}

/// Where a call stands in the list. In the order of the list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) group: Group,
    rank: Rank,
    pub(super) stand: Stand,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Oldest,
    Newest(Reverse<Place>),
    Gravest(Gravity),
}

impl Arrangement {
    /// Whether what a script makes stands below it. A list that is divided, or sorted by something that
    /// is each call's own, takes them apart.
    pub(super) fn is_tree(&self) -> bool {
        self.group == Grouping::None && self.sort != Sorting::Gravest
    }

    pub(super) fn slot(&self, stand: Stand, waiting: &Waiting) -> Slot {
        let call = &waiting.call;
        let stand = if self.is_tree() {
            stand
        } else {
            Stand::alone(stand.place)
        };
        let group = match self.group {
            Grouping::None => Group::All,
            Grouping::Tool => Group::Tool(call.tool.as_str().into()),
            Grouping::Agent => Group::Agent(call.agent.as_str().into()),
            Grouping::Session => Group::Session(call.key.session.clone()),
            Grouping::Risk => Group::Risk(Gravity::of(call)),
        };
        let rank = match self.sort {
            Sorting::Oldest => Rank::Oldest,
            Sorting::Newest => Rank::Newest(Reverse(stand.anchor)),
            Sorting::Gravest => Rank::Gravest(Gravity::of(call)),
        };
        Slot { group, rank, stand }
    }
}

/// A claim to reach outside is believed; one to do nothing is not.
fn open(call: &Call) -> bool {
    let open = [Risk::OpenWorld, Risk::Claimed(Claim::OpenWorld)];
    call.risks.iter().any(|risk| open.contains(risk))
}
