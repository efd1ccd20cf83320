//! Records of what no person and no rule decided: what a reviewer said, and that nobody decided in time.

use super::record::{By, Context, Judged, Record, Signed};
use crate::core::decision::{Expiry, Reach};
use crate::core::review::{Review, Word};

impl Record {
    /// What a reviewer said of a call.
    pub(super) fn of_review(
        number: i64,
        context: Context,
        judged: Judged<'_>,
        (review, sent): (&Review, Option<&str>),
    ) -> Self {
        let words = [
            review.fault.as_deref().unwrap_or(""),
            &review.reason,
            &review.note,
        ];
        let words: Vec<_> = words
            .into_iter()
            .filter(|words| !words.is_empty())
            .collect();
        Self {
            number,
            at: judged.at,
            session: judged.session.clone(),
            agent: context.agent,
            call: judged.call.clone(),
            tool: judged.tool,
            decision: match review.counts {
                Word::Allow => Signed::Allow,
                Word::Annotate => Signed::Annotate,
                Word::Ask => Signed::Ask,
                Word::Deny => Signed::Deny,
            },
            reach: Reach::Once,
            how: By::Reviewer,
            batch: None,
            user: Some(review.reviewer.clone()),
            host: None,
            client: None,
            basis: context.basis,
            digest: judged.digest,
            proposed: judged.arguments,
            sent: sent.map(str::to_owned),
            words: (!words.is_empty()).then(|| words.join("; ")),
            shown_for: 0,
        }
    }

    /// That nobody decided a call.
    pub(super) fn of_expiry(number: i64, context: Context, expiry: &Expiry) -> Self {
        Self {
            number,
            at: expiry.due,
            session: expiry.key.session.clone(),
            agent: context.agent,
            call: expiry.key.call.clone(),
            tool: expiry.tool.clone(),
            decision: Signed::Expire,
            reach: Reach::Once,
            how: By::Expiry,
            batch: None,
            user: None,
            host: None,
            client: None,
            basis: context.basis,
            digest: expiry.digest.clone(),
            proposed: expiry.proposed.text().to_owned(),
            sent: None,
            words: None,
            shown_for: 0,
        }
    }
}
