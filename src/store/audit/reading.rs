//! Reading the audit log of a database, and checking it against the journal.

use std::collections::HashSet;

use super::chain::{Broken, Chain, Checked, Link};
use super::record::{By, Context, Record};
use super::writing::{agent, asked, giving};
use crate::core::call::{CallId, CallKey, SessionId};
use crate::core::decision::Ruling;
use crate::store::{Reader, Step, StoreError};

impl Reader {
    /// All records, in their order.
    pub fn audit(&self) -> Result<Vec<Link>, StoreError> {
        let query = "SELECT prev, record, hash FROM audit ORDER BY number";
        self.collect(query, |row| {
            Ok(Link {
                prev: row.get(0)?,
                record: row.get(1)?,
                hash: row.get(2)?,
            })
        })
    }

    /// What was decided before a script made it, and the script never made it.
    pub fn not_made(&self) -> Result<HashSet<CallKey>, StoreError> {
        let query = "SELECT session, call FROM journal WHERE kind = 'ended'";
        let ended = self.collect(query, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let named = ended.into_iter().map(|(session, call)| CallKey {
            session: SessionId(session),
            call: CallId(call),
        });
        // Any other call has its end under its own name.
        Ok(named.filter(|key| key.call.question().is_some()).collect())
    }

    /// Checks the chain, that `head` is in it if one was kept, and that it says what the journal says.
    pub fn check_audit(&self, head: Option<&str>) -> Result<Result<Checked, Broken>, StoreError> {
        let mut chain = Chain::new(head);
        let (mut signed, mut pauses) = (Vec::new(), Vec::new());
        for link in self.audit()? {
            match chain.take(&link) {
                Ok(record)
                    if matches!(
                        record.how,
                        By::Rule | By::Default | By::Grant | By::Reviewer
                    ) => {}
                Ok(record) if record.how == By::Script => pauses.push(record),
                Ok(record) => signed.push(record),
                Err(broken) => return Ok(Err(broken)),
            }
        }
        // What is broken before the end is named before what is missing at it.
        let next = chain.next();
        let mut compared = self.compare(signed, next)?;
        if compared.is_none() {
            compared = self.compare_pauses(pauses, next)?;
        }
        let checked = chain.end();
        Ok(match (compared, checked) {
            (None, checked) => checked,
            (Some(Broken::Missing { .. }), Err(head)) => Err(head),
            (Some(broken), _) => Err(broken),
        })
    }

    /// The first record that is not what its step says; `next` would be the number of one more.
    fn compare(&self, signed: Vec<Record>, next: i64) -> Result<Option<Broken>, StoreError> {
        let query = "SELECT body, sealed IS NOT NULL FROM journal
                      WHERE kind IN ('ruling', 'granted', 'revoked') ORDER BY seq";
        let steps = self.collect(query, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut signed = signed.into_iter();
        for (body, is_sealed) in steps {
            let (body, is_sealed): (String, bool) = (body, is_sealed);
            let step = self.step(&body)?;
            // Nobody decided anything.
            if matches!(step, Step::Withdrawn(_)) {
                continue;
            }
            let Some(record) = signed.next() else {
                let call = named(&step);
                return Ok(Some(Broken::Missing { number: next, call }));
            };
            let again = match &step {
                Step::Ruling(ruling) => Some(self.again(&record, ruling)?),
                Step::Expired(expiry) => {
                    let context = self.context(&expiry.key)?;
                    Some(Record::of_expiry(record.number, context, expiry))
                }
                step => {
                    // Of what is redacted, only the record itself tells the real digest.
                    let digest = is_sealed.then_some(&record.digest);
                    let again = giving(step, digest).map(|giving| {
                        let agent = agent(self.connection(), &giving.grant.session)?;
                        Ok(Record::of_grant(record.number, agent, &giving))
                    });
                    again.transpose().map_err(|error| self.unreadable(&error))?
                }
            };
            if again.as_ref() != Some(&record) {
                return Ok(Some(Broken::Journal {
                    number: record.number,
                }));
            }
        }
        Ok(signed.next().map(|record| Broken::Journal {
            number: record.number,
        }))
    }

    /// The record that a ruling comes to. Of one with something redacted, only the record itself tells
    /// whether it let anything run: that depends on the real arguments.
    fn again(&self, record: &Record, ruling: &Ruling) -> Result<Record, StoreError> {
        let context = self.context(&ruling.key)?;
        let said = record.sent.as_ref().and(ruling.arguments());
        let sent = if self.is_sealed(&ruling.key)? {
            said
        } else {
            ruling.permits()
        };
        Ok(Record::of_ruling(record.number, context, ruling, sent))
    }

    fn context(&self, key: &CallKey) -> Result<Context, StoreError> {
        asked(self.connection(), key).map_err(|error| self.unreadable(&error))
    }
}

/// The call or the rule that a step is about.
fn named(step: &Step) -> String {
    match step {
        Step::Granted(grant) => grant.id.clone(),
        Step::Revoked(revoked) => revoked.grant.id.clone(),
        step => step.call().map(ToString::to_string).unwrap_or_default(),
    }
}
