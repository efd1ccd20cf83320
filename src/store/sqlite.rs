//! The database file: opening, migrating, appending.

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use std::path::Path;
use std::time::Duration;

use super::step::{Row, Step};
use super::{Recorded, StoreError};
use crate::core::decision::Ruling;

/// Append only: a migration that has shipped is never edited.
const MIGRATIONS: [&str; 1] = [include_str!(
    "../../assets/migrations/sqlite/0001_journal.sql"
)];

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let failed = |source| StoreError::Open {
        path: path.to_owned(),
        source,
    };
    let mut connection = Connection::open(path).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
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

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::Open {
        path: path.to_owned(),
        source,
    };
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(failed)?;
    let found: i64 = transaction
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(failed)?;
    if found > known {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known,
        });
    }
    let done = usize::try_from(found).unwrap_or(0);
    for migration in &MIGRATIONS[done..] {
        transaction.execute_batch(migration).map_err(failed)?;
    }
    transaction
        .pragma_update(None, "user_version", known)
        .map_err(failed)?;
    transaction.commit().map_err(failed)
}

/// Appends one step within the transaction that is open on `connection`.
pub(super) fn append(connection: &Connection, step: &Step) -> Result<Recorded, StoreError> {
    let row = step
        .row(Timestamp::now())
        .map_err(|error| StoreError::Write(error.to_string()))?;
    match insert(connection, &row) {
        Ok(()) => Ok(Recorded::Now),
        Err(rusqlite::Error::SqliteFailure(error, _))
            if error.code == ErrorCode::ConstraintViolation =>
        {
            match step {
                Step::Ruling(ruling) => Ok(Recorded::Before {
                    by: decided_by(connection, ruling),
                }),
                Step::Session { .. }
                | Step::Arrived(_)
                | Step::Started { .. }
                | Step::Finished { .. } => Err(StoreError::Twice(step.kind())),
            }
        }
        Err(error) => Err(StoreError::Write(error.to_string())),
    }
}

fn insert(connection: &Connection, row: &Row) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO journal (at, session, call, kind, attempt, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    statement.execute(params![
        row.at,
        row.session,
        row.call,
        row.kind,
        row.attempt,
        row.body
    ])?;
    Ok(())
}

fn decided_by(connection: &Connection, ruling: &Ruling) -> String {
    let body: Result<Option<String>, _> = connection
        .query_row(
            "SELECT body FROM journal WHERE session = ?1 AND call = ?2 AND kind = 'ruling'",
            params![ruling.key.session.0, ruling.key.call.0],
            |row| row.get(0),
        )
        .optional();
    let first = body
        .ok()
        .flatten()
        .and_then(|body| serde_json::from_str::<Ruling>(&body).ok());
    first.map_or_else(
        || "by somebody else".to_owned(),
        |first| format!("{} by {} at {}", first.decision.word(), first.who, first.at),
    )
}
