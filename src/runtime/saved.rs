//! A session as the journal holds it, read to be gone on with.

use serde_json::Value;

use crate::agent::Recovered;
use crate::core::call::SessionId;
use crate::store::projection::Projection;
use crate::store::reading::SessionRow;
use crate::store::{Reader, StoreError};

/// What is needed to go on with a session.
#[derive(Debug, Clone)]
pub struct Saved {
    pub session: SessionId,
    /// What the provider kept; `None` if the model never answered.
    pub suspension: Option<Value>,
    pub recovered: Recovered,
    /// What the screen showed.
    pub projection: Projection,
}

impl Saved {
    pub fn read(reader: &Reader, session: &SessionId) -> Result<Self, StoreError> {
        let steps = reader.steps(session, 0)?;
        Ok(Self {
            session: session.clone(),
            suspension: reader.suspension(session)?,
            recovered: Recovered::from_steps(&steps).with_scripts(reader.scripts(session)?),
            projection: Projection::of(&steps),
        })
    }
}

/// The session that a person named by a part of its id, or the newest one.
pub fn find(sessions: &[SessionRow], name: Option<&str>) -> Result<SessionRow, String> {
    let Some(name) = name else {
        return sessions
            .first()
            .cloned()
            .ok_or_else(|| "there is no session yet; start one with `countersign run`".to_owned());
    };
    let mut named = sessions.iter().filter(|row| row.id.0.contains(name));
    match (named.next(), named.next()) {
        (Some(row), None) => Ok(row.clone()),
        (Some(_), Some(_)) => Err(format!(
            "several sessions are called `{name}`; write more of the id, see `countersign sessions`"
        )),
        (None, _) => Err(format!(
            "there is no session `{name}`; `countersign sessions` lists them"
        )),
    }
}
