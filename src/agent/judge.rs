//! What is said of a call before anything comes of it: by policy, and by the rules that operators gave.

use jiff::Timestamp;

use super::call::One;
use crate::core::call::Origin;
use crate::core::digest::Digest;
use crate::core::verdict::{Basis, Verdict};
use crate::policy::grant::{self, Moment};
use crate::policy::{Judgement, Subject};
use crate::store::Step;
use crate::tools::Tool;

impl One<'_> {
    /// What policy says, once and for all: a changed policy does not reopen a verdict.
    pub(super) async fn judge(&self) -> Judgement {
        if let Some(judgement) = self.work.past.verdicts.get(self.id) {
            return judgement.clone();
        }
        let judgement = self.weighed().await;
        let (call, basis) = (self.id.clone(), judgement.basis.clone());
        let step = Step::Verdict {
            call,
            verdict: judgement.verdict,
            basis,
        };
        // Durable with the first step that depends on it: steps are written in their order.
        self.work.journal.note(&self.work.session, step).await;
        judgement
    }

    /// What policy and the rules that operators gave say of the call as it stands here.
    pub(super) async fn weighed(&self) -> Judgement {
        let digest = self.arguments.digest(self.tool);
        let subject = self.subject(self.own_tool(), &digest);
        let moment = Moment {
            session: &self.work.session,
            at: Timestamp::now(),
        };
        match self.work.journal.given().await {
            Ok(given) => grant::judge(&self.work.policy, &subject, &given, moment),
            Err(why) => at_least_ask(self.work.policy.evaluate(&subject), why),
        }
    }

    pub(super) fn subject<'a>(&'a self, tool: Option<&'a Tool>, digest: &'a Digest) -> Subject<'a> {
        Subject {
            agent: &self.work.agent,
            tool: self.tool,
            arguments: self.arguments.value(),
            default: tool.map_or(Verdict::Ask, |tool| tool.default),
            command_line: tool.and_then(|tool| tool.command_line),
            workspace: &self.work.workspace,
            digest: Some(digest),
        }
    }

    /// Our own tool of this name, if the call is ours to run.
    pub(super) fn own_tool(&self) -> Option<&Tool> {
        self.work
            .tools
            .get(self.tool)
            .filter(|_| self.origin == Origin::Agent)
    }
}

/// One of the given rules that cannot be read might deny.
fn at_least_ask(judged: Judgement, why: String) -> Judgement {
    match judged.verdict {
        Verdict::Deny => judged,
        Verdict::Allow | Verdict::Ask => Judgement {
            verdict: Verdict::Ask,
            basis: Basis::GrantsUnread { why },
        },
    }
}
