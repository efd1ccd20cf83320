//! One call, from its verdict to its answer.
//!
//! Owns the order that rule 6 of the design demands: judged, asked, ruled, *started* written, run,
//! *finished* written, answered. How a person is asked is in `ask`, how a tool is run in `execute`.

use serde_json::Value;

use super::ask::{Asking, Decided};
use super::execute::{Attempt, SameFile};
use super::intake::{Taken, result_of};
use super::script::{self, Foreseen, Within};
use super::work::{Answer, Ended, Place, Work};
use crate::core::arguments::Arguments;
use crate::core::call::{Answers, CallId, Origin};
use crate::core::decision::Ruling;
use crate::core::exchange::Came;
use crate::core::review::{Weighed, weigh};
use crate::core::run::{CallStatus, Outcome};
use crate::core::verdict::{Basis, Verdict};
use crate::policy::Judgement;
use crate::tools::Ran;
use crate::tools::code::{Code, RUN_CODE};

/// What is to be done with a call now that it was judged.
pub(super) enum Opened {
    Ended(Ended),
    /// Policy allows it.
    Allowed,
    /// Reviewers look at it before anything comes of it.
    Judged(Judgement),
    /// It was put before a person, whose ruling is awaited.
    Asked(Box<(Asking, Decided)>),
    /// A person was asked before the script made it.
    Foreseen(Box<Foreseen>),
}

/// One call with what it works with.
pub(super) struct One<'a> {
    pub(super) work: &'a Work,
    pub(super) id: &'a CallId,
    pub(super) tool: &'a str,
    pub(super) arguments: &'a Arguments,
    pub(super) origin: Origin,
    /// The script that made it.
    pub(super) within: Option<&'a Within>,
}

impl<'a> One<'a> {
    fn of(work: &'a Work, taken: &'a Taken, arguments: &'a Arguments) -> Self {
        let origin = if taken.held_by_provider {
            Origin::Provider
        } else {
            Origin::Agent
        };
        Self {
            work,
            id: &taken.id,
            tool: &taken.tool,
            arguments,
            origin,
            within: taken.within.as_ref(),
        }
    }
}

/// Judges a call and, where a person is to be asked, puts it before them. Calls are opened one after
/// the other, so that they arrive in the model's order.
pub(super) async fn open(work: &Work, taken: &Taken) -> Opened {
    match &taken.checked {
        Err(fault) => Opened::Ended(Ended::refused(fault.clone())),
        Ok(arguments) => One::of(work, taken, arguments).open().await,
    }
}

/// Sees an opened call of the model through to its answer.
pub(super) async fn answer(work: Work, taken: Taken, opened: Opened) -> Answer {
    let ended = see_through(&work, &taken, opened).await;
    let Taken {
        original,
        tool,
        held_by_provider,
        ..
    } = taken;
    if held_by_provider {
        ended.confirmation(original, tool)
    } else {
        ended.in_words(original, tool)
    }
}

/// Sees an opened call through to its end, whoever made it.
pub(super) async fn see_through(work: &Work, taken: &Taken, opened: Opened) -> Ended {
    let ended = match (opened, &taken.checked) {
        (Opened::Ended(ended), _) => ended,
        (Opened::Allowed, Ok(arguments)) => {
            One::of(work, taken, arguments)
                .allowed(Attempt::first())
                .await
        }
        (Opened::Judged(judgement), Ok(arguments)) => {
            Box::pin(One::of(work, taken, arguments).judged(judgement)).await
        }
        (Opened::Asked(asked), Ok(arguments)) => {
            let (asking, decided) = *asked;
            One::of(work, taken, arguments).asked(asking, decided).await
        }
        (Opened::Foreseen(foreseen), Ok(arguments)) => {
            One::of(work, taken, arguments).foreseen(*foreseen).await
        }
        (
            Opened::Allowed | Opened::Judged(_) | Opened::Asked(_) | Opened::Foreseen(_),
            Err(fault),
        ) => Ended::refused(fault.clone()),
    };
    match (taken.held_by_provider, &ended.outcome) {
        // Its result comes with the model's next answer.
        (true, Outcome::Result { .. }) => {
            work.reports.status(&taken.id, CallStatus::Confirmed).await;
        }
        (_, outcome) => work.finished(&taken.id, outcome.clone()).await,
    }
    ended
}

impl One<'_> {
    async fn open(&self) -> Opened {
        match self.work.past.ended.get(self.id) {
            Some(Outcome::Interrupted) => return Opened::Ended(Ended::interrupted()),
            // What a script was told of a call, it is told again.
            Some(outcome) if self.within.is_some() => {
                return Opened::Ended(Ended::recorded(outcome.clone()));
            }
            Some(_) | None => {}
        }
        let judgement = self.judge().await;
        match judgement.verdict {
            Verdict::Deny => Opened::Ended(Ended::denied(judgement.basis)),
            verdict @ (Verdict::Allow | Verdict::Ask) if self.is_reviewed(verdict) => {
                Opened::Judged(judgement)
            }
            Verdict::Allow => Opened::Allowed,
            Verdict::Ask => {
                if let Some(foreseen) = self.within.and_then(Within::foreseen) {
                    self.work.reports.status(self.id, CallStatus::Waiting).await;
                    return Opened::Foreseen(Box::new(foreseen));
                }
                let asking = match self.asking(judgement.basis).await {
                    Ok(asking) => asking,
                    Err(ended) => return Opened::Ended(ended),
                };
                match self.put_before_person(self.id, &asking).await {
                    Ok(decided) => Opened::Asked(Box::new((asking, decided))),
                    Err(ended) => Opened::Ended(ended),
                }
            }
        }
    }

    /// Nobody is asked about a call that is known to fail: a signature on it would mean nothing.
    /// One that was asked about before is asked about in the same way.
    pub(super) async fn asking(&self, basis: Basis) -> Result<Asking, Ended> {
        if let Some(asking) = self.asked_before(self.id) {
            return Ok(asking);
        }
        if self.origin == Origin::Provider {
            return Ok(Asking::plain(held(basis), Answers::confirmation()));
        }
        let preview = self.work.tools.preview(self.tool, self.arguments).await;
        if let Some(why) = preview.as_ref().and_then(|preview| preview.fails.clone()) {
            return Err(Ended::failing(why));
        }
        Ok(Asking {
            preview,
            ..Asking::plain(basis, Answers::all())
        })
    }

    /// Reviewers look at the call first; then it runs, or a person is asked, or neither.
    async fn judged(&self, judgement: Judgement) -> Ended {
        let asking = match self.asking(judgement.basis.clone()).await {
            Ok(asking) => asking,
            Err(ended) => return ended,
        };
        let reviews = match self.look(&judgement, &asking).await {
            Ok(reviews) => reviews,
            Err(ended) => return ended,
        };
        match weigh(judgement.verdict, &reviews) {
            Weighed::Deny(review) => Ended::denied(review.basis()),
            Weighed::Allow(None) => {
                self.allowed(Attempt::reviewed(&asking, SameFile::Yes))
                    .await
            }
            Weighed::Allow(Some((review, arguments))) => {
                let attempt = Attempt::reviewed(&asking, self.same_file(arguments));
                let ended = One { arguments, ..*self }.allowed(attempt).await;
                let who = Some(review.reviewer.clone());
                Ended {
                    edited: ended.edited.or_else(|| Some((arguments.clone(), who))),
                    ..ended
                }
            }
            Weighed::Ask(review) => {
                let basis = match (judgement.verdict, review) {
                    (Verdict::Allow, Some(review)) => review.basis(),
                    (Verdict::Allow | Verdict::Ask | Verdict::Deny, _) => asking.basis.clone(),
                };
                let asking = Asking {
                    basis,
                    reviews: reviews.clone(),
                    ..asking
                };
                match self.put_before_person(self.id, &asking).await {
                    Ok(decided) => self.asked(asking, decided).await,
                    Err(ended) => ended,
                }
            }
        }
    }

    /// Policy allows the call, or reviewers do. The tool itself may still want a person.
    async fn allowed(&self, attempt: Attempt) -> Ended {
        if self.origin == Origin::Provider {
            return Ended::plain(Place::Confirmed, Came::Executed, left_to_provider());
        }
        if let Some(code) = self.code() {
            let how = (Place::Executed, Came::Executed);
            return script::run(self, code, attempt.number(), how).await;
        }
        match self.run(self.arguments, attempt).await {
            Ran::ApprovalRequired { reason, metadata } => {
                let asking = Asking::plain(Basis::Tool { reason }, Answers::all()).with(metadata);
                match self.put_before_person(self.id, &asking).await {
                    Ok(decided) => self.asked(asking, decided).await,
                    Err(ended) => ended,
                }
            }
            Ran::Deferred { reason, metadata } => {
                self.await_result(reason, metadata, Place::Executed).await
            }
            ran => Ended::ran(&ran, Place::Executed, Came::Executed),
        }
    }

    /// A person was asked: waits for the ruling and does what it says.
    async fn asked(&self, asking: Asking, decided: Decided) -> Ended {
        let ruling = match self.ruling(self.id, decided).await {
            Ok(ruling) => ruling,
            Err(ended) => return ended,
        };
        self.obey(asking, &ruling).await
    }

    /// A person was asked about this very call before the script made it.
    async fn foreseen(&self, foreseen: Foreseen) -> Ended {
        foreseen.made();
        let Foreseen {
            asking,
            ruling,
            left,
            ..
        } = foreseen;
        let ruled = tokio::select! {
            biased;
            ruled = ruling => match ruled {
                Ok(ruled) => ruled,
                Err(_) => return Ended::interrupted(),
            },
            why = self.left() => {
                left.leave(&why);
                return Ended::withdrawn(why);
            }
        };
        match ruled {
            Ok(ruling) => {
                let status = CallStatus::of_ruling(&ruling);
                self.work.reports.status(self.id, status).await;
                self.obey(asking, &ruling).await
            }
            Err(ended) => ended,
        }
    }

    /// Does what a ruling on the call says.
    async fn obey(&self, asking: Asking, ruling: &Ruling) -> Ended {
        let Some(arguments) = self.permitted(ruling) else {
            return Ended::not_run(ruling);
        };
        if self.origin == Origin::Provider {
            return Ended::plain(Place::Confirmed, Came::Approved, left_to_provider());
        }
        let edited = ruling.decision.edited().cloned();
        let came = if edited.is_some() {
            Came::Edited
        } else {
            Came::Approved
        };
        // What runs, and is waited for, is what was approved, edited or not.
        let approved = One {
            arguments: &arguments,
            ..*self
        };
        let attempt = Attempt::approved(asking, self.same_file(&arguments), ruling);
        let ended = approved.run_approved(attempt, came).await;
        let edited = edited.map(|edited| (edited, None));
        Ended { edited, ..ended }
    }

    /// Runs what a person approved.
    async fn run_approved(&self, attempt: Attempt, came: Came) -> Ended {
        let place = Place::Approved;
        if let Some(code) = self.code() {
            return script::run(self, code, attempt.number(), (place, came)).await;
        }
        match self.run(self.arguments, attempt).await {
            Ran::Deferred { reason, metadata } => self.await_result(reason, metadata, place).await,
            ran => Ended::ran(&ran, place, came),
        }
    }

    /// What runs the call's script, if it has one. A script itself makes no such call.
    fn code(&self) -> Option<&Code> {
        let ours = self.origin == Origin::Agent && self.within.is_none();
        let code = self.work.tools.code().filter(|_| ours);
        code.filter(|_| self.tool == RUN_CODE)
    }

    /// A deferred call: the operator hands in the result that came from outside.
    async fn await_result(&self, reason: String, metadata: Value, place: Place) -> Ended {
        let asking = Asking::plain(Basis::External { reason }, Answers::external()).with(metadata);
        let id = result_of(self.id);
        let ruling = match self.put_before_person(&id, &asking).await {
            Ok(decided) => self.ruling(&id, decided).await,
            Err(ended) => return ended,
        };
        match ruling {
            Ok(ruling) => Ended {
                place,
                ..Ended::not_run(&ruling)
            },
            Err(ended) => ended,
        }
    }

    /// Whether other arguments mean the file that the shown diff was made from.
    fn same_file(&self, arguments: &Arguments) -> SameFile {
        let path = |arguments: &Arguments| arguments.value().get("path").cloned();
        if path(arguments) == path(self.arguments) {
            SameFile::Yes
        } else {
            SameFile::No
        }
    }

    /// The arguments a ruling lets run: it must be about this very call, its digest must fit, and what
    /// an operator wrote must fit the schema too.
    fn permitted(&self, ruling: &Ruling) -> Option<Arguments> {
        let arguments = ruling.permits()?;
        let same = ruling.tool == self.tool && ruling.proposed == *self.arguments;
        let sound = match self.own_tool() {
            Some(tool) => tool.schema.check(arguments.value()).is_empty(),
            // The provider runs what it proposed; it takes no other arguments.
            None => arguments == self.arguments,
        };
        (same && sound).then(|| arguments.clone())
    }
}

/// Why a call of the provider is asked about, where no rule says so.
fn held(basis: Basis) -> Basis {
    match basis {
        Basis::ToolDefault => Basis::Provider,
        basis => basis,
    }
}

fn left_to_provider() -> Outcome {
    Outcome::Result {
        text: "allowed; the provider runs it".to_owned(),
    }
}
