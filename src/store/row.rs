//! A step as the row that is written: in clear what may be, sealed what holds a secret; and back.

use rusqlite::Connection;
use serde_json::Value;

use super::StoreError;
use super::step::Step;
use super::vault::Vault;
use super::veil::Veil;
use crate::core::arguments::Arguments;
use crate::core::call::SessionId;

/// A step with what is written of it.
pub(super) struct Row<'a> {
    step: &'a Step,
    /// The step without the secrets in it, if it has any.
    veiled: Option<Step>,
    pub(super) body: String,
    pub(super) sealed: Option<Vec<u8>>,
}

impl<'a> Row<'a> {
    pub(super) fn of(
        connection: &Connection,
        veil: &Veil,
        session: &SessionId,
        step: &'a Step,
    ) -> Result<Self, StoreError> {
        let veiled = veil.step(step);
        let (body, sealed) = match &veiled {
            None => (json(step)?, None),
            Some(veiled) => {
                veil.vault.ready(connection)?;
                let body = json(veiled)?;
                let sealed = veil.vault.seal(&about_step(session, &body), json(step)?)?;
                (body, Some(sealed))
            }
        };
        Ok(Self {
            step,
            veiled,
            body,
            sealed,
        })
    }

    /// The step as it is.
    pub(super) const fn real(&self) -> &Step {
        self.step
    }

    /// The step as it is written in clear.
    pub(super) fn written(&self) -> &Step {
        self.veiled.as_ref().unwrap_or(self.step)
    }

    /// The arguments that a ruling lets run, as they are written in clear. Whether its digest fits them
    /// only the real ones tell.
    pub(super) fn sent(&self) -> Option<&Arguments> {
        let (Step::Ruling(real), Step::Ruling(written)) = (self.step, self.written()) else {
            return None;
        };
        real.permits().and(written.arguments())
    }
}

fn json(step: &Step) -> Result<String, StoreError> {
    serde_json::to_string(step).map_err(|error| StoreError::Write(error.to_string()))
}

/// The JSON of a step as it was before it was written.
pub(super) fn step_of(
    vault: &Vault,
    session: &SessionId,
    body: String,
    sealed: Option<&[u8]>,
) -> Result<String, StoreError> {
    match sealed {
        None => Ok(body),
        Some(sealed) => vault.open(&about_step(session, &body), sealed),
    }
}

/// What is written of a provider's state with step `seq`: all of it in clear or all of it sealed, since nobody but
/// the provider has a use for it.
pub(super) fn suspension(
    connection: &Connection,
    veil: &Veil,
    (session, seq): (&SessionId, i64),
    suspension: &Value,
) -> Result<(String, Option<Vec<u8>>), StoreError> {
    let text = suspension.to_string();
    if !veil.is_secret(suspension) {
        return Ok((text, None));
    }
    veil.vault.ready(connection)?;
    let about = about_suspension(session, seq);
    let sealed = veil
        .vault
        .seal(&about.each_ref().map(String::as_str), text)?;
    Ok(("null".to_owned(), Some(sealed)))
}

/// The JSON of a provider's state as it was before it was written with step `seq`.
pub(super) fn suspension_of(
    vault: &Vault,
    session: &SessionId,
    seq: i64,
    body: String,
    sealed: Option<&[u8]>,
) -> Result<String, StoreError> {
    match sealed {
        None => Ok(body),
        Some(sealed) => {
            let about = about_suspension(session, seq);
            vault.open(&about.each_ref().map(String::as_str), sealed)
        }
    }
}

/// What is in clear says of which call it is, and of which step.
const fn about_step<'a>(session: &'a SessionId, body: &'a str) -> [&'a str; 3] {
    ["step", session.0.as_str(), body]
}

fn about_suspension(session: &SessionId, seq: i64) -> [String; 3] {
    ["suspension".to_owned(), session.0.clone(), seq.to_string()]
}
