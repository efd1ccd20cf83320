//! Records on their way into the database, within the transaction of their step.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::chain::{Link, START};
use super::record::{Context, Judged, Record, in_words};
use crate::core::call::{CallId, CallKey, SessionId};
use crate::core::decision::Ruling;
use crate::core::verdict::{Basis, Verdict};
use crate::store::Step;

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

pub(in crate::store) fn ruling(connection: &Connection, ruling: &Ruling) -> rusqlite::Result<()> {
    let (number, prev) = next(connection)?;
    let context = asked(connection, &ruling.key)?;
    put(
        connection,
        prev,
        &Record::of_ruling(number, context, ruling),
    )
}

/// What the journal says of a call that a person was asked about.
pub(super) fn asked(connection: &Connection, key: &CallKey) -> rusqlite::Result<Context> {
    let query = "SELECT body FROM journal WHERE session = ?1 AND call = ?2 AND kind = 'arrived' AND attempt = 0";
    let body: Option<String> = connection
        .prepare_cached(query)?
        .query_row(params![key.session.0, key.call.0], |row| row.get(0))
        .optional()?;
    Ok(
        match body.and_then(|body| serde_json::from_str::<Step>(&body).ok()) {
            Some(Step::Arrived(call)) => Context {
                basis: in_words(&call.basis),
                agent: call.agent,
            },
            _ => Context::default(),
        },
    )
}

/// Records a verdict that lets a call run or denies it. One on a call that the model did not ask for has
/// nothing to record.
pub(in crate::store) fn verdict(
    connection: &Connection,
    session: &SessionId,
    call: &CallId,
    verdict: Verdict,
    basis: &Basis,
) -> rusqlite::Result<()> {
    if verdict == Verdict::Ask {
        return Ok(());
    }
    let Some((tool, arguments)) = wanted(connection, session, call)? else {
        return Ok(());
    };
    let (number, prev) = next(connection)?;
    let context = Context {
        agent: agent(connection, session)?,
        basis: in_words(basis),
    };
    let judged = Judged {
        at: Timestamp::now(),
        session,
        call,
        verdict,
        basis,
        tool,
        arguments,
    };
    match Record::of_verdict(number, context, judged) {
        Some(record) => put(connection, prev, &record),
        None => Ok(()),
    }
}

/// A call as the model wrote it, from its last response: that is where a call is judged.
fn wanted(
    connection: &Connection,
    session: &SessionId,
    call: &CallId,
) -> rusqlite::Result<Option<(String, String)>> {
    let query = "SELECT body FROM journal WHERE session = ?1 AND kind = 'replied' ORDER BY seq DESC LIMIT 1";
    let body: Option<String> = connection
        .prepare_cached(query)?
        .query_row(params![session.0], |row| row.get(0))
        .optional()?;
    let calls = match body.and_then(|body| serde_json::from_str::<Step>(&body).ok()) {
        Some(Step::Replied { calls, .. }) => calls,
        _ => Vec::new(),
    };
    let found = calls.into_iter().find(|named| named.id == *call);
    Ok(found.map(|named| (named.wanted.tool, named.wanted.arguments)))
}

fn agent(connection: &Connection, session: &SessionId) -> rusqlite::Result<String> {
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
