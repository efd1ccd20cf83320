//! Records of paused scripts: that what a script went on from is what it had stopped with.
//!
//! Owns their form and their check. What is recorded is the digest of what is kept, never a word of it.

use jiff::Timestamp;

use super::chain::Broken;
use super::record::{By, Record, Signed};
use super::writing::agent;
use crate::core::call::{CallId, SessionId};
use crate::core::decision::Reach;
use crate::core::digest::Digest;
use crate::store::{Reader, Step, StoreError};

/// What runs scripts, as its calls name it.
const RUN_CODE: &str = "run_code";

/// A pause as its step says it.
pub(in crate::store) struct Pause<'a> {
    pub(in crate::store) session: &'a SessionId,
    pub(in crate::store) call: &'a CallId,
    pub(in crate::store) number: u32,
    pub(in crate::store) digest: &'a Digest,
}

impl Record {
    pub(super) fn of_pause(number: i64, agent: String, at: Timestamp, pause: &Pause<'_>) -> Self {
        Self {
            number,
            at,
            session: pause.session.clone(),
            agent,
            call: pause.call.clone(),
            tool: RUN_CODE.to_owned(),
            decision: Signed::Pause,
            reach: Reach::Once,
            how: By::Script,
            batch: None,
            user: None,
            host: None,
            client: None,
            basis: format!("pause {}", pause.number),
            digest: pause.digest.clone(),
            proposed: String::new(),
            sent: None,
            words: None,
            shown_for: 0,
        }
    }
}

impl Reader {
    /// The first record of a pause that is not what its step says; `next` would be the number of one more.
    pub(super) fn compare_pauses(
        &self,
        records: Vec<Record>,
        next: i64,
    ) -> Result<Option<Broken>, StoreError> {
        let query = "SELECT session, body FROM journal WHERE kind = 'paused' ORDER BY seq";
        let steps = self.collect(query, |row| Ok((SessionId(row.get(0)?), row.get(1)?)))?;
        let mut records = records.into_iter();
        for (session, body) in steps {
            let body: String = body;
            let Step::Paused {
                call,
                number,
                digest,
                ..
            } = self.step(&body)?
            else {
                continue;
            };
            let Some(record) = records.next() else {
                let call = call.to_string();
                return Ok(Some(Broken::Missing { number: next, call }));
            };
            let agent =
                agent(self.connection(), &session).map_err(|error| self.unreadable(&error))?;
            let pause = Pause {
                session: &session,
                call: &call,
                number,
                digest: &digest,
            };
            if Record::of_pause(record.number, agent, record.at, &pause) != record {
                return Ok(Some(Broken::Journal {
                    number: record.number,
                }));
            }
        }
        Ok(records.next().map(|record| Broken::Journal {
            number: record.number,
        }))
    }
}
