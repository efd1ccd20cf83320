//! The database file: opening, migrating, appending.

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use std::path::Path;
use std::time::Duration;

use super::step::Step;
use super::{Recorded, StoreError};
use crate::core::call::{CallKey, SessionId};
use crate::core::decision::Ruling;

/// Append only: a migration that has shipped is never edited.
const MIGRATIONS: [&str; 1] = [include_str!(
    "../../assets/migrations/sqlite/0001_journal.sql"
)];

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the journal for writing, and brings its form up to date.
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
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    let version = |row: &rusqlite::Row<'_>| row.get(0);
    let found: i64 = transaction
        .pragma_query_value(None, "user_version", version)
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
pub(super) fn append(
    connection: &Connection,
    session: &SessionId,
    step: &Step,
) -> Result<Recorded, StoreError> {
    let body = serde_json::to_string(step).map_err(|error| StoreError::Write(error.to_string()))?;
    let inserted = insert(connection, session, step, &body);
    match inserted {
        Ok(()) => {}
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            return twice(connection, session, step, &error);
        }
        Err(error) => return Err(StoreError::Write(error.to_string())),
    }
    if let Step::Replied { suspension, .. } = step {
        suspend(connection, session, &suspension.to_string())
            .map_err(|error| StoreError::Write(error.to_string()))?;
    }
    Ok(Recorded::Now)
}

fn insert(
    connection: &Connection,
    session: &SessionId,
    step: &Step,
    body: &str,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO journal (at, session, call, kind, attempt, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let call = step.call().map(|call| call.0.as_str());
    let at = Timestamp::now().to_string();
    statement.execute(params![
        at,
        session.0,
        call,
        step.kind(),
        step.attempt(),
        body
    ])?;
    Ok(())
}

fn suspend(connection: &Connection, session: &SessionId, body: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO suspension (session, seq, body) VALUES (?1, ?2, ?3)
         ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, body = excluded.body",
    )?;
    statement.execute(params![session.0, connection.last_insert_rowid(), body])?;
    Ok(())
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
        return Err(StoreError::Write(error.to_string()));
    }
    match step {
        Step::Ruling(ruling) => Ok(Recorded::Before {
            by: decided_by(connection, &ruling.key),
        }),
        Step::Session { .. }
        | Step::Event(_)
        | Step::Sent { .. }
        | Step::Replied { .. }
        | Step::Verdict { .. }
        | Step::Arrived(_)
        | Step::Started { .. }
        | Step::Finished { .. }
        | Step::Ended { .. } => Err(StoreError::Twice(step.kind())),
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
        _ => "by somebody else".to_owned(),
    }
}

fn in_words(first: &Ruling) -> String {
    format!("{} by {} at {}", first.decision.word(), first.who, first.at)
}
