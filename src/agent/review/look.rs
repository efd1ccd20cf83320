//! A call before its reviewers: asked side by side, recorded, weighed.
//!
//! Owns that a reviewer's word takes effect only once it is in the journal, and that the journal's word
//! counts when a session is gone on with.

use futures::future::join_all;

use crate::agent::ask::Asking;
use crate::agent::call::One;
use crate::agent::work::Ended;
use crate::core::arguments::Arguments;
use crate::core::call::{Answer, Call};
use crate::core::review::{Review, Word};
use crate::core::run::{CallStatus, RunEvent};
use crate::core::verdict::Verdict;
use crate::policy::Judgement;
use crate::store::Step;

impl One<'_> {
    /// Whether reviewers look at it, or have looked already.
    pub(in crate::agent) fn is_reviewed(&self, verdict: Verdict) -> bool {
        self.reviewed_before().is_some() || !self.concerned(verdict).is_empty()
    }

    fn concerned(&self, verdict: Verdict) -> Vec<&super::Reviewer> {
        let work = self.work;
        work.oversight.concerned(&work.agent, self.tool, verdict)
    }

    /// What was said of just this call before the program stopped.
    fn reviewed_before(&self) -> Option<&Vec<Review>> {
        let (digest, reviews) = self.work.past.reviewed.get(self.id)?;
        (*digest == self.arguments.digest(self.tool)).then_some(reviews)
    }

    /// Asks the reviewers, all of them at once, and records what they say.
    pub(in crate::agent) async fn look(
        &self,
        judgement: &Judgement,
        asking: &Asking,
    ) -> Result<Vec<Review>, Ended> {
        if let Some(reviews) = self.reviewed_before() {
            return Ok(reviews.clone());
        }
        let reviewers = self.concerned(judgement.verdict);
        let by = reviewers.iter().map(|reviewer| reviewer.name.clone());
        let by = by.collect();
        self.work
            .reports
            .status(self.id, CallStatus::Reviewing { by })
            .await;
        let call = self.pending(self.id, asking);
        let asked = reviewers
            .iter()
            .map(|reviewer| reviewer.review(self, &call, judgement.verdict));
        let reviews = tokio::select! {
            biased;
            () = self.work.cancel.cancelled() => return Err(Ended::interrupted()),
            reviews = join_all(asked) => reviews,
        };
        let reviews = reviews.into_iter();
        let checked = reviews.map(|review| self.with_sound_arguments(review, &call));
        let reviews = join_all(checked).await;
        let step = Step::Reviewed {
            call: self.id.clone(),
            tool: self.tool.to_owned(),
            digest: call.digest(),
            reviews: reviews.clone(),
        };
        let recorded = self.work.journal.append(&self.work.session, step).await;
        recorded.map_err(|error| Ended::unrecorded(&error.to_string()))?;
        let event = RunEvent::Reviewed {
            call: self.id.clone(),
            reviews: reviews.clone(),
        };
        self.work.reports.send(event).await;
        Ok(reviews)
    }

    /// Other arguments go through all that the model's own have been through.
    async fn with_sound_arguments(&self, review: Review, call: &Call) -> Review {
        let Some(arguments) = &review.arguments else {
            return review;
        };
        let Some(fault) = self.unsound(arguments, review.counts, call).await else {
            return review;
        };
        let without = Review {
            arguments: None,
            ..review
        };
        if without.counts == Word::Allow {
            return without.asking(fault);
        }
        Review {
            fault: Some(fault),
            ..without
        }
    }

    async fn unsound(&self, arguments: &Arguments, counts: Word, call: &Call) -> Option<String> {
        if !call.answers.take(Answer::Edit) {
            return Some("it gave other arguments, which this call does not take".to_owned());
        }
        let schema = call.schema.as_ref();
        let found = schema.map(|schema| schema.check(arguments.value()));
        if let Some(violation) = found.unwrap_or_default().first() {
            return Some(format!(
                "the arguments that it gave do not fit the tool's schema: {violation}"
            ));
        }
        if counts != Word::Allow {
            return None;
        }
        let judgement = One { arguments, ..*self }.weighed().await;
        (judgement.verdict == Verdict::Deny)
            .then(|| "policy denies the arguments that it gave".to_owned())
    }
}
