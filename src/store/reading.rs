//! Reading the journal back: the sessions there are, and the steps of one.

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::step::{Step, Stored};
use super::vault::Vault;
use super::veil::Veil;
use super::{FILE, Journal, StoreError, place, row, sqlite};
use crate::core::call::{CallId, CallKey, SessionId};
use crate::core::decision::Ruling;

/// How long to wait for a process that is writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// The sessions, newest first, each with how many of its calls wait for a person, and how many were begun
/// and did not end: no answer to them was sent, and nobody was asked about them yet (which would count as
/// waiting). Nobody waits for a state whose results were handed over, and a script's own row needs no
/// answer. That a call is named lets `journal_once` find its steps.
const SESSIONS: &str = "
    SELECT s.session, s.body, s.at,
           (SELECT at FROM journal WHERE session = s.session ORDER BY seq DESC LIMIT 1),
           CASE WHEN EXISTS (SELECT 1 FROM journal h WHERE h.session = s.session AND h.kind = 'handed_over')
           THEN 0 ELSE (SELECT count(*) FROM journal a
             WHERE a.session = s.session AND a.call IS NOT NULL AND a.kind = 'arrived'
               AND a.call NOT LIKE '%+script%'
               AND NOT EXISTS (SELECT 1 FROM journal r WHERE r.session = a.session
                                AND r.call = a.call AND r.kind = 'ruling')) END,
           (SELECT count(*) FROM journal b
             WHERE b.session = s.session AND b.call IS NOT NULL AND b.kind = 'started'
               AND NOT EXISTS (SELECT 1 FROM journal f WHERE f.session = b.session AND f.call = b.call
                                AND f.kind = 'finished' AND f.attempt = b.attempt)
               AND NOT EXISTS (SELECT 1 FROM journal e WHERE e.session = b.session AND e.call = b.call
                                AND e.kind = 'ended')
               AND NOT EXISTS (SELECT 1 FROM journal p WHERE p.session = b.session AND p.call = b.call
                                AND p.kind = 'paused')
               AND NOT EXISTS (SELECT 1 FROM journal u WHERE u.session = b.session
                                AND u.call = b.call || '+unknown-' || b.attempt AND u.kind = 'arrived')
               AND NOT EXISTS (SELECT 1 FROM journal t WHERE t.session = b.session
                                AND t.seq > b.seq AND t.kind = 'sent'))
      FROM journal s WHERE s.kind = 'session' ORDER BY s.seq DESC";

/// A reader of the journal. It sees what was committed when it asks. Steps and rulings come as they
/// were before anything was redacted; lists and the audit log as they are written.
pub struct Reader {
    connection: Connection,
    path: PathBuf,
    vault: Vault,
    /// Is told of the secrets that are read.
    veil: Option<Arc<Veil>>,
}

/// In which form steps are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As they were before anything was redacted.
    Real,
    /// As they are written in clear.
    Written,
}

/// A step's body, and what of it is sealed.
type Body = (String, Option<Vec<u8>>);

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// One session, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    pub id: SessionId,
    pub agent: String,
    pub model: String,
    pub config: Option<PathBuf>,
    /// The file whose deferred state it is; `None` for an agent of ours.
    pub file: Option<String>,
    pub began: Timestamp,
    /// When its last step was written.
    pub last: Timestamp,
    /// Calls that wait for a person.
    pub pending: usize,
    /// Calls that were begun, and of which nothing says that they ended. While a process runs the
    /// session they run; afterwards nobody knows what they did.
    pub begun: usize,
}

impl Reader {
    /// Opens the journal in the data folder, which must have one.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(FILE);
        if !place::is_begun(folder)? {
            return Err(StoreError::None { path });
        }
        let failed = |source| StoreError::opening(&path, source);
        // Not read-only: reading a journal in WAL mode needs its shared memory, which may have to be made.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&path, flags).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        sqlite::identify(&connection, &path)?;
        Ok(Self {
            connection,
            path,
            vault: Vault::of(folder),
            veil: None,
        })
    }

    /// For steps that are gone on with: what was secret in them stays so in what `journal` writes.
    pub fn for_journal(self, journal: &Journal) -> Self {
        Self {
            veil: Some(journal.veil().clone()),
            ..self
        }
    }

    pub(super) const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The rows that a query without parameters gives.
    pub(super) fn collect<T>(
        &self,
        query: &str,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self
            .connection
            .prepare_cached(query)
            .and_then(|mut statement| {
                let rows = statement.query_map([], read)?;
                rows.collect()
            });
        rows.map_err(|error| self.unreadable(&error))
    }

    /// The sessions, newest first.
    pub fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        let mut statement = self
            .connection
            .prepare(SESSIONS)
            .map_err(|error| self.unreadable(&error))?;
        let rows = statement
            .query_map([], |row| {
                let texts: (String, String, String, String) =
                    (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                Ok((texts, (row.get::<_, i64>(4)?, row.get::<_, i64>(5)?)))
            })
            .map_err(|error| self.unreadable(&error))?;
        let mut sessions = Vec::new();
        for row in rows {
            let ((id, body, began, last), (pending, started)) =
                row.map_err(|error| self.unreadable(&error))?;
            let Step::Session {
                agent,
                model,
                config,
                file,
            } = self.step(&body)?
            else {
                continue;
            };
            sessions.push(SessionRow {
                id: SessionId(id),
                agent,
                model,
                config,
                file,
                began: self.time(&began)?,
                last: self.time(&last)?,
                pending: usize::try_from(pending).unwrap_or(0),
                begun: usize::try_from(started).unwrap_or(0),
            });
        }
        Ok(sessions)
    }

    /// The steps of one session with a higher number than `after`, in order.
    pub fn steps(&self, session: &SessionId, after: i64) -> Result<Vec<Stored>, StoreError> {
        let query = "SELECT seq, at, body, sealed FROM journal WHERE session = ?1 AND seq > ?2 ORDER BY seq";
        self.stored(query, session, after)
    }

    /// The steps of one session that a call is decided by: its ruling, or what stands in its place.
    pub fn rulings(&self, session: &SessionId) -> Result<Vec<Stored>, StoreError> {
        let query = "SELECT seq, at, body, sealed FROM journal
                      WHERE session = ?1 AND seq > ?2 AND kind = 'ruling' ORDER BY seq";
        self.stored(query, session, 0)
    }

    /// What a query for steps of a session after another gives.
    fn stored(
        &self,
        query: &str,
        session: &SessionId,
        after: i64,
    ) -> Result<Vec<Stored>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(query)
            .map_err(|error| self.unreadable(&error))?;
        let columns = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, (row.get(2)?, row.get(3)?)));
        let rows = statement
            .query_map(params![session.0, after], columns)
            .map_err(|error| self.unreadable(&error))?;
        let mut steps = Vec::new();
        for row in rows {
            let (seq, at, body): (i64, String, Body) =
                row.map_err(|error| self.unreadable(&error))?;
            let (at, step) = (self.time(&at)?, self.real(session, body)?);
            steps.push(Stored {
                seq,
                at,
                session: session.clone(),
                step,
            });
        }
        Ok(steps)
    }

    /// What was given and taken back of rules, in order.
    pub(super) fn giving(&self, form: Form) -> Result<Vec<Step>, StoreError> {
        let query = "SELECT session, body, sealed FROM journal
                      WHERE kind IN ('granted', 'revoked') ORDER BY seq";
        let rows = self.collect(query, |row| {
            Ok((SessionId(row.get(0)?), (row.get(1)?, row.get(2)?)))
        })?;
        rows.into_iter()
            .map(|(session, body)| match form {
                Form::Real => self.real(&session, body),
                Form::Written => self.step(&body.0),
            })
            .collect()
    }

    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// The ruling on a call, if there is one.
    pub fn ruling(&self, key: &CallKey) -> Result<Option<Ruling>, StoreError> {
        match self.written(key)?.map(|body| self.real(&key.session, body)) {
            Some(Ok(Step::Ruling(ruling))) => Ok(Some(*ruling)),
            Some(Err(error)) => Err(error),
            _ => Ok(None),
        }
    }

    /// Whether something of a session is redacted.
    pub fn has_sealed(&self, session: &SessionId) -> Result<bool, StoreError> {
        let query = "
            SELECT EXISTS (SELECT 1 FROM journal WHERE session = ?1 AND sealed IS NOT NULL)
                OR EXISTS (SELECT 1 FROM suspension WHERE session = ?1 AND sealed IS NOT NULL)";
        let found = self
            .connection
            .query_row(query, params![session.0], |row| row.get(0));
        found.map_err(|error| self.unreadable(&error))
    }

    /// Whether something of the ruling on a call is redacted.
    pub(super) fn is_sealed(&self, key: &CallKey) -> Result<bool, StoreError> {
        let written = self.written(key)?;
        Ok(written.is_some_and(|(_, sealed)| sealed.is_some()))
    }

    /// The row of the ruling on a call.
    fn written(&self, key: &CallKey) -> Result<Option<Body>, StoreError> {
        let query =
            "SELECT body, sealed FROM journal WHERE session = ?1 AND call = ?2 AND kind = 'ruling'";
        let row = self
            .connection
            .prepare_cached(query)
            .and_then(|mut statement| {
                let row = statement.query_row(params![key.session.0, key.call.0], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                });
                row.optional()
            });
        row.map_err(|error| self.unreadable(&error))
    }

    /// What the provider of a session needs to go on, if the model has answered at all.
    pub fn suspension(&self, session: &SessionId) -> Result<Option<Value>, StoreError> {
        let query = "SELECT seq, body, sealed FROM suspension WHERE session = ?1";
        let row: Option<(i64, String, Option<Vec<u8>>)> = self
            .connection
            .query_row(query, params![session.0], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()
            .map_err(|error| self.unreadable(&error))?;
        let Some((seq, body, sealed)) = row else {
            return Ok(None);
        };
        let text = row::suspension_of(&self.vault, session, seq, body, sealed.as_deref())?;
        let value = serde_json::from_str(&text).map_err(|error| self.damaged(&error.to_string()));
        value.map(Some)
    }

    /// What the paused scripts of a session need to go on, by the calls that run them: the number of the
    /// pause, and what is sealed.
    pub fn scripts(
        &self,
        session: &SessionId,
    ) -> Result<HashMap<CallId, (u32, String)>, StoreError> {
        let rows = self
            .connection
            .prepare_cached("SELECT call, number, sealed FROM script WHERE session = ?1")
            .and_then(|mut statement| {
                let rows = statement.query_map(params![session.0], |row| {
                    Ok((CallId(row.get(0)?), (row.get(1)?, row.get(2)?)))
                })?;
                rows.collect()
            });
        rows.map_err(|error| self.unreadable(&error))
    }

    /// A step as it was before it was written.
    fn real(&self, session: &SessionId, (body, sealed): Body) -> Result<Step, StoreError> {
        let text = row::step_of(&self.vault, session, body, sealed.as_deref())?;
        let step = self.step(&text)?;
        if let Some(veil) = &self.veil {
            veil.heed_step(&step);
        }
        Ok(step)
    }

    /// A step as it is written in clear.
    pub(super) fn step(&self, body: &str) -> Result<Step, StoreError> {
        serde_json::from_str(body).map_err(|error| self.damaged(&error.to_string()))
    }

    fn time(&self, text: &str) -> Result<Timestamp, StoreError> {
        text.parse()
            .map_err(|error: jiff::Error| self.damaged(&error.to_string()))
    }

    pub(super) fn unreadable(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::Read {
            path: self.path.clone(),
            why: error.to_string(),
        }
    }

    fn damaged(&self, why: &str) -> StoreError {
        StoreError::Read {
            path: self.path.clone(),
            why: format!("a step is damaged ({why})"),
        }
    }
}
