//! Decisions without a screen: from a file, or the same for every call.
//!
//! Owns their check, which comes before anything is recorded.

use countersign::core::call::{Answer, CallId, CallKey};
use countersign::core::decision::{Decision, How, Reach, Ruling};
use countersign::core::shown::Shown;
use countersign::deferred::{Decided, ImportedCall};
use countersign::runtime::deferred::Entered;
use countersign::store::{Journal, Recorded};
use countersign::term::who;
use std::collections::{HashMap, HashSet};

use super::super::opened::failed;
use super::super::{Stop, headless, tell};
use super::ReadyFlags;
use super::given::Given;

/// Rulings on their way to the journal at the same time.
const TOGETHER: usize = 512;

/// What is decided without a screen.
pub(super) enum Ready {
    File(HashMap<CallId, Decided>),
    All(Decision),
}

impl ReadyFlags {
    /// `None`: a person decides on the screen.
    pub(super) fn read(&self) -> Result<Option<Ready>, Stop> {
        if let Some(file) = &self.decisions {
            let decided = headless::decisions(file)?;
            let by_call = decided.into_iter().map(|one| (one.call.clone(), one));
            return Ok(Some(Ready::File(by_call.collect())));
        }
        if self.approve_all {
            let decision = Decision::Approve { arguments: None };
            return Ok(Some(Ready::All(decision)));
        }
        let all = self
            .reject_all
            .clone()
            .map(|reason| Ready::All(Decision::Reject { reason }));
        Ok(all)
    }
}

impl Ready {
    /// The decision on a call, if there is one. The same for every call is none on a script itself: with its
    /// calls rejected it goes on, and can do something about it.
    fn on(&self, call: &ImportedCall) -> Option<Decided> {
        match self {
            Self::File(decided) => decided.get(&call.id).cloned(),
            Self::All(_) if call.is_script() => None,
            Self::All(decision) => Some(Decided {
                call: call.id.clone(),
                digest: None,
                decision: fitting(decision, call),
                reach: Reach::Once,
                who: None,
            }),
        }
    }

    /// Every decision fits the call that it names, and every one names a call.
    pub(super) fn check(&self, given: &[Given]) -> Result<(), Stop> {
        let mut wrong = Vec::new();
        let mut named = HashSet::new();
        for Given { name, imported } in given {
            for call in &imported.calls {
                let Some(decided) = self.on(call) else {
                    continue;
                };
                if matches!(self, Self::File(_)) && !named.insert(call.id.clone()) {
                    wrong.push(format!(
                        "{name}: several states have a call `{}`; decide them one by one",
                        Shown::label(&call.id.0)
                    ));
                }
                wrong.extend(unfit(call, &decided).map(|why| format!("{name}: {why}")));
            }
        }
        if let Self::File(decided) = self {
            let strange = decided.keys().filter(|id| !named.contains(*id));
            wrong.extend(strange.map(|id| {
                let id = Shown::label(&id.0);
                format!("the decision on `{id}` names no call that waits; see the ids in the state")
            }));
        }
        wrong.sort();
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(Stop::BadInput(wrong))
        }
    }

    /// Records the decisions. A call that was decided before keeps its decision.
    pub(super) async fn record(&self, journal: &Journal, states: &[Entered]) -> Result<(), Stop> {
        let who = who::who().to_string();
        for state in states {
            let open = state.open();
            let still = |call: &&ImportedCall| open.contains(&call.key());
            let calls = state.imported.calls.iter().filter(still);
            let rulings = calls.filter_map(|call| Some(ruling(state, call, self.on(call)?, &who)));
            let rulings: Vec<_> = rulings.collect();
            for some in rulings.chunks(TOGETHER) {
                let recorded = journal.record_all(some.iter().cloned()).await;
                for (ruling, recorded) in some.iter().zip(recorded.map_err(failed)?) {
                    match recorded {
                        Recorded::Now => {}
                        Recorded::Before { by } => tell(&format!(
                            "{}: `{}` was decided before: {by}",
                            state.file,
                            Shown::label(&ruling.key.call.0)
                        )),
                    }
                }
            }
        }
        Ok(())
    }
}

/// The same decision for every call: where no reason is told to anybody, a rejection is bare.
fn fitting(decision: &Decision, call: &ImportedCall) -> Decision {
    match decision {
        Decision::Reject { .. } if !call.answers.take(Answer::Reason) => Decision::Reject {
            reason: String::new(),
        },
        decision => decision.clone(),
    }
}

/// Why a decision cannot be made on this call.
fn unfit(call: &ImportedCall, decided: &Decided) -> Option<String> {
    let id = Shown::label(&call.id.0);
    let digest = call.arguments.digest(&call.tool);
    if decided
        .digest
        .as_ref()
        .is_some_and(|shown| *shown != digest)
    {
        return Some(format!(
            "the decision on `{id}` is for other arguments than the call has now; look at it again"
        ));
    }
    let takes = |answer: &Answer| call.answers.take(*answer);
    let asks = decided.decision.asks(decided.reach);
    if let Some(answer) = asks.iter().find(|answer| !takes(answer)) {
        let odd = call
            .warnings
            .first()
            .map(|odd| format!(" ({})", Shown::label(odd)));
        return Some(format!(
            "the call `{id}` cannot be {}: its framework would not act on it{}",
            answer.done(),
            odd.unwrap_or_default()
        ));
    }
    let edited = decided.decision.edited()?;
    let schema = call.schema.as_ref()?;
    let violation = schema.check(edited.value()).into_iter().next()?;
    Some(format!(
        "the decision on `{id}` does not fit the tool's schema: {violation}"
    ))
}

fn ruling(state: &Entered, call: &ImportedCall, decided: Decided, who: &str) -> Ruling {
    let signed = decided.decision.edited().unwrap_or(&call.arguments);
    Ruling {
        file: None,
        key: CallKey {
            session: state.session.clone(),
            call: call.key(),
        },
        tool: call.tool.clone(),
        digest: signed.digest(&call.tool),
        reach: decided.reach,
        decision: decided.decision,
        proposed: call.arguments.clone(),
        who: who.to_owned(),
        at: jiff::Timestamp::now(),
        how: How::Headless,
        shown_for: 0,
    }
}
