//! The database file: opening, migrating, appending.

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

use super::audit::writing as audit;
use super::row::{self, Row};
use super::step::Step;
use super::veil::Veil;
use super::{Recorded, StoreError, fresh, place};
use crate::core::call::{CallId, CallKey, SessionId};
use crate::core::decision::Ruling;

/// Append only: a migration that has shipped is never edited.
const MIGRATIONS: [&str; 2] = [
    include_str!("../../assets/migrations/sqlite/0001_journal.sql"),
    include_str!("../../assets/migrations/sqlite/0002_scripts.sql"),
];
/// The version of the schema that this program writes.
#[expect(clippy::cast_possible_wrap, reason = "there are few migrations")]
const KNOWN: i64 = MIGRATIONS.len() as i64;

/// Tells our databases from those of other programs: `csgn`.
const APPLICATION: i64 = 0x6373_676e;

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the journal for writing, and brings its form up to date.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let failed = |source| StoreError::opening(path, source);
    fresh::make(path);
    place::prepare(path);
    let mut connection = Connection::open(path).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // Before anything is changed.
    identify(&connection, path)?;
    // A ruling that was acknowledged on screen must survive a power cut: FULL, not NORMAL.
    connection
        .pragma_update(None, "journal_mode", "wal")
        .map_err(failed)?;
    connection
        .pragma_update(None, "synchronous", "full")
        .map_err(failed)?;
    migrate(&mut connection, path)?;
    Ok(connection)
}

/// The version of the database. Refuses one that is not ours, or is of a version that we do not know. An empty
/// file may become ours.
pub(super) fn identify(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let failed = |source| StoreError::opening(path, source);
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let application = number("application_id").map_err(failed)?;
    let found = number("user_version").map_err(failed)?;
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(failed)?;
    let is_empty = (application, found, tables) == (0, 0, 0);
    if application != APPLICATION && !is_empty {
        return Err(StoreError::Foreign {
            path: path.to_owned(),
        });
    }
    if found > KNOWN {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known: KNOWN,
        });
    }
    Ok(found)
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::opening(path, source);
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    // Another process may have been here meanwhile, even a newer version.
    let found = identify(&transaction, path)?;
    if found == KNOWN {
        // That it can be written is known now. To write nothing waits for no disk.
        return transaction.rollback().map_err(failed);
    }
    bring_up(&transaction, found).map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Runs what is missing in a database of version `found`.
pub(super) fn bring_up(connection: &Connection, found: i64) -> rusqlite::Result<()> {
    let done = usize::try_from(found).unwrap_or(0);
    for migration in &MIGRATIONS[done..] {
        connection.execute_batch(migration)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", KNOWN)
}

/// What became of a step.
pub(super) struct Appended {
    pub(super) recorded: Recorded,
    /// Its place; of no meaning for a ruling that was not the first.
    pub(super) seq: i64,
    pub(super) at: Timestamp,
    /// The step without the secrets in it, if it has any.
    pub(super) veiled: Option<Step>,
}

/// Appends one step, with all that belongs to it, within the transaction that is open on `connection`.
/// If a part of it fails, nothing of it is there.
pub(super) fn append(
    connection: &Connection,
    veil: &Veil,
    session: &SessionId,
    step: &Step,
) -> Result<Appended, StoreError> {
    let failed = |error| StoreError::writing(&error);
    run(connection, "SAVEPOINT step").map_err(failed)?;
    let at = Timestamp::now();
    let mut seq = 0;
    let appended = Row::of(connection, veil, session, step).and_then(|row| {
        let recorded = match insert(connection, at, (session, step), &row) {
            Ok(()) => {
                seq = connection.last_insert_rowid();
                aside(connection, veil, session, &row).map(|()| Recorded::Now)
            }
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                twice(connection, session, step, &error)
            }
            Err(error) => Err(failed(error)),
        };
        Ok(Appended {
            recorded: recorded?,
            seq,
            at,
            veiled: row.into_veiled(),
        })
    });
    // A full disk may have undone the whole transaction, and the savepoint with it.
    if appended.is_err() && !connection.is_autocommit() {
        run(connection, "ROLLBACK TO step").map_err(failed)?;
    }
    if !connection.is_autocommit() {
        run(connection, "RELEASE step").map_err(failed)?;
    }
    appended
}

/// Each step comes by here: what it takes is read once.
fn run(connection: &Connection, words: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(words)?;
    statement.execute([]).map(drop)
}

/// What is written beside the step itself.
fn aside(
    connection: &Connection,
    veil: &Veil,
    session: &SessionId,
    row: &Row<'_>,
) -> Result<(), StoreError> {
    let failed = |error| StoreError::writing(&error);
    match row.written() {
        Step::Replied { suspension, .. } => suspend(connection, veil, session, suspension),
        Step::Paused {
            call,
            number,
            digest,
            sealed,
        } => {
            keep(connection, session, call, (*number, sealed))?;
            let pause = audit::Pause {
                session,
                call,
                number: *number,
                digest,
            };
            audit::paused(connection, &pause).map_err(failed)
        }
        Step::Ended { call, .. } => leave(connection, session, call),
        Step::Ruling(ruling) => audit::ruling(connection, ruling, row.sent()).map_err(failed),
        Step::Expired(expiry) => audit::expiry(connection, expiry).map_err(failed),
        Step::Reviewed { .. } => audit::reviewed(connection, &veil.vault, session, row.written()),
        Step::Verdict {
            call,
            verdict,
            basis,
        } => audit::verdict(connection, &veil.vault, session, call, (*verdict, basis)),
        Step::Granted(_) | Step::Revoked(_) => {
            audit::given(connection, row.real(), row.written()).map_err(failed)
        }
        Step::Session { .. }
        | Step::Event(_)
        | Step::Sent { .. }
        | Step::Arrived(_)
        | Step::Started { .. }
        | Step::Finished { .. }
        | Step::Withdrawn(_)
        | Step::HandedOver { .. } => Ok(()),
    }
}

fn insert(
    connection: &Connection,
    at: Timestamp,
    (session, step): (&SessionId, &Step),
    row: &Row<'_>,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO journal (at, session, call, kind, attempt, body, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let call = step.call().map(|call| call.0.as_str());
    statement.execute(params![
        at.to_string(),
        session.0,
        call,
        step.kind(),
        step.attempt(),
        row.body,
        row.sealed
    ])?;
    Ok(())
}

fn suspend(
    connection: &Connection,
    veil: &Veil,
    session: &SessionId,
    suspension: &Value,
) -> Result<(), StoreError> {
    let seq = connection.last_insert_rowid();
    let (body, sealed) = row::suspension(connection, veil, (session, seq), suspension)?;
    let written = connection
        .prepare_cached(
            "INSERT INTO suspension (session, seq, body, sealed) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session)
             DO UPDATE SET seq = excluded.seq, body = excluded.body, sealed = excluded.sealed",
        )
        .and_then(|mut statement| statement.execute(params![session.0, seq, body, sealed]));
    written
        .map(|_| ())
        .map_err(|error| StoreError::writing(&error))
}

/// Keeps what a paused script needs to go on, in the place of what it needed before.
fn keep(
    connection: &Connection,
    session: &SessionId,
    call: &CallId,
    (number, sealed): (u32, &str),
) -> Result<(), StoreError> {
    let written = connection
        .prepare_cached(
            "INSERT INTO script (session, call, number, sealed) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session, call)
             DO UPDATE SET number = excluded.number, sealed = excluded.sealed",
        )
        .and_then(|mut statement| statement.execute(params![session.0, call.0, number, sealed]));
    written
        .map(|_| ())
        .map_err(|error| StoreError::writing(&error))
}

/// A script that has ended goes on nowhere.
fn leave(connection: &Connection, session: &SessionId, call: &CallId) -> Result<(), StoreError> {
    let removed = connection
        .prepare_cached("DELETE FROM script WHERE session = ?1 AND call = ?2")
        .and_then(|mut statement| statement.execute(params![session.0, call.0]));
    removed
        .map(|_| ())
        .map_err(|error| StoreError::writing(&error))
}

/// A step that was refused: because it is there already, which for a ruling means that somebody was
/// first, or for a reason that nobody foresaw.
fn twice(
    connection: &Connection,
    session: &SessionId,
    step: &Step,
    error: &rusqlite::Error,
) -> Result<Recorded, StoreError> {
    if !is_there(connection, session, step) {
        return Err(StoreError::writing(error));
    }
    match step {
        Step::Ruling(ruling) => Ok(Recorded::Before {
            by: decided_by(connection, &ruling.key),
        }),
        Step::Expired(expiry) => Ok(Recorded::Before {
            by: decided_by(connection, &expiry.key),
        }),
        Step::Withdrawn(withdrawal) => Ok(Recorded::Before {
            by: decided_by(connection, &withdrawal.key),
        }),
        Step::Session { .. }
        | Step::Event(_)
        | Step::Sent { .. }
        | Step::Replied { .. }
        | Step::Verdict { .. }
        | Step::Reviewed { .. }
        | Step::Arrived(_)
        | Step::Started { .. }
        | Step::Finished { .. }
        | Step::Ended { .. }
        | Step::Paused { .. }
        | Step::HandedOver { .. }
        | Step::Granted(_)
        | Step::Revoked(_) => Err(StoreError::Twice(step.kind())),
    }
}

fn is_there(connection: &Connection, session: &SessionId, step: &Step) -> bool {
    let call = step.call().map(|call| call.0.as_str());
    let query =
        "SELECT 1 FROM journal WHERE session = ?1 AND call = ?2 AND kind = ?3 AND attempt = ?4";
    let found = connection
        .query_row(
            query,
            params![session.0, call, step.kind(), step.attempt()],
            |_| Ok(()),
        )
        .optional();
    matches!(found, Ok(Some(())))
}

fn decided_by(connection: &Connection, key: &CallKey) -> String {
    let body: Result<Option<String>, _> = connection
        .query_row(
            "SELECT body FROM journal WHERE session = ?1 AND call = ?2 AND kind = 'ruling'",
            params![key.session.0, key.call.0],
            |row| row.get(0),
        )
        .optional();
    let first = body
        .ok()
        .flatten()
        .and_then(|body| serde_json::from_str::<Step>(&body).ok());
    match first {
        Some(Step::Ruling(first)) => in_words(&first),
        Some(Step::Expired(first)) => format!("expired at {:.0}", first.due),
        Some(Step::Withdrawn(first)) => first.in_words(),
        _ => "by somebody else".to_owned(),
    }
}

fn in_words(first: &Ruling) -> String {
    format!(
        "{} by {} at {:.0}",
        first.decision.word(),
        first.who,
        first.at
    )
}
