//! Reviewers: programs and models that look at a call before a person does.
//!
//! Owns who is asked about which call, how long, and how many at a time. What their words come to is in
//! `core::review`; what becomes of the call is in `look`.

mod brief;
mod look;
mod model;

use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

use super::call::One;
use crate::core::call::Call;
use crate::core::redact::Tools;
use crate::core::review::{self, Answer, May, Review};
use crate::core::verdict::Verdict;
use crate::tools::consult::Consulted;
use brief::Brief;
pub use model::{Model, TASK};

/// Reviewers that are asked at the same time.
const TOGETHER: usize = 8;

/// Whether a reviewer looks at what policy would let run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Only at what a person would be asked about.
    Ask,
    Always,
}

/// What a reviewer is.
#[derive(Debug, Clone)]
pub enum Means {
    Program(Consulted),
    Model(Box<Model>),
}

/// One reviewer.
#[derive(Debug, Clone)]
pub struct Reviewer {
    pub name: String,
    pub means: Means,
    /// Whose calls; everybody's, if empty.
    pub agents: Vec<String>,
    /// Of which tools; of all, if empty.
    pub tools: Vec<Tools>,
    pub when: When,
    pub timeout: Duration,
    pub may: Vec<May>,
}

/// Who looks at an agent's calls, and how long they may wait.
#[derive(Debug, Clone)]
pub struct Oversight {
    /// In the order of the configuration.
    pub reviewers: Vec<Reviewer>,
    /// How long a call may wait for a person, where its tool does not say; `None`: for ever.
    pub expires: Option<Duration>,
    slots: Arc<Semaphore>,
}

impl Default for Oversight {
    fn default() -> Self {
        Self::new(Vec::new(), None)
    }
}

impl Oversight {
    pub fn new(reviewers: Vec<Reviewer>, expires: Option<Duration>) -> Self {
        Self {
            reviewers,
            expires,
            slots: Arc::new(Semaphore::new(TOGETHER)),
        }
    }

    /// Those who look at a call of which policy says so.
    pub(super) fn concerned(&self, agent: &str, tool: &str, verdict: Verdict) -> Vec<&Reviewer> {
        let concerned = self.reviewers.iter();
        concerned
            .filter(|reviewer| reviewer.looks_at(agent, tool, verdict))
            .collect()
    }
}

impl Reviewer {
    fn looks_at(&self, agent: &str, tool: &str, verdict: Verdict) -> bool {
        let agent = self.agents.is_empty() || self.agents.iter().any(|name| name == agent);
        let tool = self.tools.is_empty() || self.tools.iter().any(|tools| tools.have(tool));
        let when = match verdict {
            Verdict::Ask => true,
            Verdict::Allow => self.when == When::Always,
            // Nobody overrides that, so nobody is asked.
            Verdict::Deny => false,
        };
        agent && tool && when
    }

    /// Asks it about a call. Whatever goes wrong comes to asking a person.
    async fn review(&self, one: &One<'_>, call: &Call, verdict: Verdict) -> Review {
        // Cannot fail: nobody closes it.
        let _slot = one.work.oversight.slots.acquire().await;
        let answer = tokio::time::timeout(self.timeout, self.ask(one, call, verdict)).await;
        let answer = answer.unwrap_or_else(|_| {
            let seconds = self.timeout.as_secs_f64();
            Err(format!("it gave no answer within {seconds} s"))
        });
        match answer {
            Ok(answer) => Review::of(&self.name, answer, &self.may, &call.arguments),
            Err(why) => Review::failed(&self.name, why),
        }
    }

    async fn ask(&self, one: &One<'_>, call: &Call, verdict: Verdict) -> Result<Answer, String> {
        let veil = one.work.journal.veil();
        let brief = |call, asked| Brief {
            reviewer: &self.name,
            call,
            verdict,
            workspace: &one.work.workspace,
            asked,
        };
        match &self.means {
            Means::Program(program) => {
                let text = program.ask(&brief(call, &one.work.asked).text()).await?;
                review::read(&text)
            }
            Means::Model(model) => {
                // Where the call goes from here is not for its secrets.
                let (clear, secrets) = veil.call(call);
                let asked = veil.text(&one.work.asked);
                let text = model.ask(&brief(&clear, &asked).text()).await?;
                let mut answer = review::read(model::bare(&text))?;
                if secrets > 0 && answer.arguments.take().is_some() {
                    return Err(
                        "it gave other arguments without knowing the secrets in them".to_owned(),
                    );
                }
                Ok(answer)
            }
        }
    }
}
