//! Records on their way into the database, within the transaction of their step.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;

use super::basis::in_words;
use super::chain::{Link, START};
pub(in crate::store) use super::pause::Pause;
use super::record::{Context, Giving, Judged, Record, Signed};
use crate::core::arguments::Arguments;
use crate::core::call::{CallId, CallKey, SessionId};
use crate::core::decision::{Expiry, How, Ruling};
use crate::core::digest::Digest;
use crate::core::exchange::Wanted;
use crate::core::review::{Review, Weighed, Word, weigh};
use crate::core::run::RunEvent;
use crate::core::verdict::{Basis, Verdict};
use crate::policy::grant::Grant;
use crate::store::vault::Vault;
use crate::store::{Step, StoreError, row};

/// The number of the next record, and the hash it follows on.
fn next(connection: &Connection) -> rusqlite::Result<(i64, String)> {
    let query = "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1";
    let last = connection
        .prepare_cached(query)?
        .query_row([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))
        .optional()?;
    Ok(last.map_or_else(
        || (1, START.to_owned()),
        |(number, hash)| (number + 1, hash),
    ))
}

/// Records a ruling as it is written in clear, and what it let run.
pub(in crate::store) fn ruling(
    connection: &Connection,
    ruling: &Ruling,
    sent: Option<&Arguments>,
) -> rusqlite::Result<()> {
    let (number, prev) = next(connection)?;
    let context = asked(connection, &ruling.key)?;
    put(
        connection,
        prev,
        &Record::of_ruling(number, context, ruling, sent),
    )
}

/// What the journal says of a call that a person was asked about.
pub(super) fn asked(connection: &Connection, key: &CallKey) -> rusqlite::Result<Context> {
    let query = "SELECT body FROM journal WHERE session = ?1 AND call = ?2 AND kind = 'arrived' AND attempt = 0";
    let body: Option<String> = connection
        .prepare_cached(query)?
        .query_row(params![key.session.0, key.call.0], |row| row.get(0))
        .optional()?;
    let asked = body.and_then(|body| serde_json::from_str::<Asked>(&body).ok());
    Ok(
        asked.map_or_else(Context::default, |Asked { arrived }| Context {
            basis: in_words(&arrived.basis),
            agent: arrived.agent,
        }),
    )
}

/// What is read of the step of a call that arrived. The rest of it may be long.
#[derive(Deserialize)]
struct Asked {
    arrived: AskedCall,
}

#[derive(Deserialize)]
struct AskedCall {
    agent: String,
    basis: Basis,
}

/// Records a verdict that lets a call run or denies it. One on a call that the model did not ask for has
/// nothing to record.
pub(in crate::store) fn verdict(
    connection: &Connection,
    vault: &Vault,
    session: &SessionId,
    call: &CallId,
    (verdict, basis): (Verdict, &Basis),
) -> Result<(), StoreError> {
    if verdict == Verdict::Ask {
        return Ok(());
    }
    let Some((written, digest)) = wanted(connection, vault, session, call)? else {
        return Ok(());
    };
    let record = || {
        let (number, prev) = next(connection)?;
        let context = Context {
            agent: agent(connection, session)?,
            basis: in_words(basis),
        };
        let judged = Judged {
            at: Timestamp::now(),
            session,
            call,
            digest,
            tool: written.tool,
            arguments: written.arguments,
        };
        match Record::of_verdict(number, context, judged, (verdict, basis)) {
            Some(record) => put(connection, prev, &record),
            None => Ok(()),
        }
    };
    record().map_err(|error| StoreError::writing(&error))
}

/// Records that nobody decided a call, as it is written in clear.
pub(in crate::store) fn expiry(connection: &Connection, expiry: &Expiry) -> rusqlite::Result<()> {
    let (number, prev) = next(connection)?;
    let context = asked(connection, &expiry.key)?;
    put(
        connection,
        prev,
        &Record::of_expiry(number, context, expiry),
    )
}

/// Records what each reviewer said, as it is written in clear.
pub(in crate::store) fn reviewed(
    connection: &Connection,
    vault: &Vault,
    session: &SessionId,
    step: &Step,
) -> Result<(), StoreError> {
    let Step::Reviewed {
        call,
        digest,
        reviews,
        ..
    } = step
    else {
        return Ok(());
    };
    let Some((written, _)) = wanted(connection, vault, session, call)? else {
        return Ok(());
    };
    let runs = matches!(weigh(Verdict::Ask, reviews), Weighed::Allow(_));
    let record = |review: &Review| {
        let (number, prev) = next(connection)?;
        let context = Context {
            agent: agent(connection, session)?,
            basis: format!("reviewer {}", review.reviewer),
        };
        let judged = Judged {
            at: Timestamp::now(),
            session,
            call,
            digest: digest.clone(),
            tool: written.tool.clone(),
            arguments: written.arguments.clone(),
        };
        let sent = review.arguments.as_ref().map(Arguments::text);
        let sent = sent.unwrap_or(&written.arguments);
        let sent = (runs && review.counts == Word::Allow).then_some(sent);
        let record = Record::of_review(number, context, judged, (review, sent));
        put(connection, prev, &record)
    };
    reviews
        .iter()
        .try_for_each(record)
        .map_err(|error| StoreError::writing(&error))
}

/// Records that a script paused.
pub(in crate::store) fn paused(connection: &Connection, pause: &Pause<'_>) -> rusqlite::Result<()> {
    let (number, prev) = next(connection)?;
    let agent = agent(connection, pause.session)?;
    put(
        connection,
        prev,
        &Record::of_pause(number, agent, Timestamp::now(), pause),
    )
}

/// Records that an operator gave a rule, or took one back.
pub(in crate::store) fn given(
    connection: &Connection,
    real: &Step,
    written: &Step,
) -> rusqlite::Result<()> {
    let digest = giving(real, None).map(|giving| giving.digest);
    let Some(giving) = giving(written, digest.as_ref()) else {
        return Ok(());
    };
    let (number, prev) = next(connection)?;
    let agent = agent(connection, &giving.grant.session)?;
    put(connection, prev, &Record::of_grant(number, agent, &giving))
}

/// What is to be recorded of a step in which a rule is given or taken back; `None` for any other. Without
/// a digest it is that of the text in the step.
pub(super) fn giving<'a>(step: &'a Step, digest: Option<&Digest>) -> Option<Giving<'a>> {
    let of = |grant: &Grant| {
        digest
            .cloned()
            .unwrap_or_else(|| Digest::of_bytes(grant.text.as_bytes()))
    };
    match step {
        Step::Granted(grant) => Some(Giving {
            grant,
            decision: Signed::Grant,
            how: How::Key,
            by: &grant.who,
            at: grant.at,
            digest: of(grant),
        }),
        Step::Revoked(revoked) => Some(Giving {
            grant: &revoked.grant,
            decision: Signed::Revoke,
            how: revoked.how,
            by: &revoked.who,
            at: revoked.at,
            digest: of(&revoked.grant),
        }),
        _ => None,
    }
}

/// A call as it is written of the model's last response, which is where a call is judged, or of the script
/// that made it; and the digest of what was really written.
fn wanted(
    connection: &Connection,
    vault: &Vault,
    session: &SessionId,
    call: &CallId,
) -> Result<Option<(Wanted, Digest)>, StoreError> {
    let failed = |error| StoreError::writing(&error);
    let query = "SELECT body, sealed FROM journal WHERE session = ?1 AND kind = 'replied' ORDER BY seq DESC LIMIT 1";
    let replied = row_of(connection, query, params![session.0]).map_err(failed)?;
    let found = found(vault, session, replied, call)?;
    if found.is_some() {
        return Ok(found);
    }
    let query = "SELECT body, sealed FROM journal WHERE session = ?1 AND call = ?2 AND kind = 'event' AND attempt = 0";
    let called = row_of(connection, query, params![session.0, call.0]).map_err(failed)?;
    self::found(vault, session, called, call)
}

/// A step's body, and what of it is sealed.
type Body = (String, Option<Vec<u8>>);

fn row_of(
    connection: &Connection,
    query: &str,
    named: impl rusqlite::Params,
) -> rusqlite::Result<Option<Body>> {
    let mut statement = connection.prepare_cached(query)?;
    statement
        .query_row(named, |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

/// The call in a step, as it is written and with the digest of what it really is.
fn found(
    vault: &Vault,
    session: &SessionId,
    row: Option<Body>,
    call: &CallId,
) -> Result<Option<(Wanted, Digest)>, StoreError> {
    let Some((body, sealed)) = row else {
        return Ok(None);
    };
    let written = named(&body, call);
    let real = match sealed {
        None => written.clone(),
        Some(sealed) => named(&row::step_of(vault, session, body, Some(&sealed))?, call),
    };
    let digest = real.map(|real| Digest::of_call(&real.tool, &real.arguments));
    Ok(written.zip(digest))
}

/// A call among those of a response, or the one that a script made.
fn named(body: &str, call: &CallId) -> Option<Wanted> {
    match serde_json::from_str::<Step>(body) {
        Ok(Step::Replied { calls, .. }) => {
            let found = calls.into_iter().find(|named| named.id == *call);
            found.map(|named| named.wanted)
        }
        Ok(Step::Event(RunEvent::Called {
            call: id,
            tool,
            arguments,
            ..
        })) if id == *call => Some(Wanted {
            id,
            tool,
            arguments,
            held_by_provider: false,
        }),
        _ => None,
    }
}

pub(super) fn agent(connection: &Connection, session: &SessionId) -> rusqlite::Result<String> {
    let query =
        "SELECT body FROM journal WHERE session = ?1 AND kind = 'session' ORDER BY seq LIMIT 1";
    let body: Option<String> = connection
        .prepare_cached(query)?
        .query_row(params![session.0], |row| row.get(0))
        .optional()?;
    Ok(
        match body.and_then(|body| serde_json::from_str::<Step>(&body).ok()) {
            Some(Step::Session { agent, .. }) => agent,
            _ => String::new(),
        },
    )
}

fn put(connection: &Connection, prev: String, record: &Record) -> rusqlite::Result<()> {
    let text = serde_json::to_string(record)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    let link = Link::new(prev, text);
    let query = "INSERT INTO audit (number, prev, record, hash) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(query)?.execute(params![
        record.number,
        link.prev,
        link.record,
        link.hash
    ])?;
    Ok(())
}
