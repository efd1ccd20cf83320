//! The list of the rules that were given. Owns what is listed and what is chosen of it; reads no journal.

use crate::core::shown::Shown;
use crate::core::time::Ticks;
use crate::policy::grant::{Given, Grant, Lasts};

/// What the journal says of the rules that were given, once it has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rules {
    Reading,
    Read(Vec<Grant>),
    Failed(String),
}

/// The list of given rules as it is on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleList {
    pub rules: Rules,
    /// The id of the rule under the cursor.
    pub chosen: Option<String>,
    /// The id of the rule that denies, of which it was asked whether it really is to count no more.
    pub asked: Option<String>,
    /// When it was read; `None` while it is being read.
    pub read: Option<Ticks>,
}

/// How long a list counts as it was read: rules are given and taken back in other processes too.
pub const FRESH: u64 = 2000;

impl RuleList {
    pub const fn reading() -> Self {
        Self {
            rules: Rules::Reading,
            chosen: None,
            asked: None,
            read: None,
        }
    }

    /// When it is to be read anew.
    pub fn due(&self) -> Option<Ticks> {
        self.read.map(|read| read.plus(FRESH))
    }

    pub fn listed(&self) -> &[Grant] {
        match &self.rules {
            Rules::Read(grants) => grants,
            Rules::Reading | Rules::Failed(_) => &[],
        }
    }

    pub fn selected(&self) -> Option<&Grant> {
        let chosen = self.chosen.as_ref()?;
        self.listed().iter().find(|grant| grant.id == *chosen)
    }
}

/// A given rule in words, for a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub id: Shown,
    /// `allows delete_file`.
    pub does: Shown,
    pub lasts: Shown,
    /// The same where there is little room: `until 11-20 18:12Z`.
    pub briefly: Shown,
    pub who: Shown,
}

pub fn told(grant: &Grant) -> Told {
    let does = Given::read(grant.clone()).map_or_else(
        |_| "cannot be read".to_owned(),
        |given| format!("{} {}", given.verdict().word(), given.tools()),
    );
    Told {
        id: Shown::label(&grant.id),
        does: Shown::label(&does),
        lasts: Shown::label(&grant.lasts.words()),
        briefly: Shown::label(&briefly(grant.lasts)),
        who: Shown::label(&grant.who),
    }
}

fn briefly(lasts: Lasts) -> String {
    match lasts {
        Lasts::Session => "session".to_owned(),
        Lasts::Until(end) => format!("until {}", end.strftime("%m-%d %H:%MZ")),
        Lasts::Always => "until revoked".to_owned(),
    }
}
