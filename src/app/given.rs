//! The list of the rules that were given. Owns what is listed and what is chosen of it; reads no journal.

use crate::core::shown::Shown;
use crate::policy::grant::{Given, Grant};

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
}

impl RuleList {
    pub const fn reading() -> Self {
        Self {
            rules: Rules::Reading,
            chosen: None,
            asked: None,
        }
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
        who: Shown::label(&grant.who),
    }
}
