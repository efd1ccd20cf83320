//! What goes over the socket between a console and the process that runs an agent: one JSON value a
//! line. Owns the form and its limits.

use serde::{Deserialize, Serialize};
use std::io;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
};

use crate::agent::Report;
use crate::core::call::SessionId;
use crate::core::run::RunCommand;

/// A line may be this long; a call's arguments are below a megabyte.
const LONGEST: u64 = 64 * 1024 * 1024;

/// From a console.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ToAgent {
    pub(super) session: SessionId,
    pub(super) command: RunCommand,
}

/// To a console.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToConsole {
    /// From here on nothing is missed; what was before is in the journal.
    Ready,
    Report(Box<Report>),
}

pub(super) async fn write<T: Serialize>(
    to: &mut (impl AsyncWrite + Unpin),
    value: &T,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line).await
}

/// The next value, or nothing at the end.
pub(super) async fn read<T: for<'de> Deserialize<'de>>(
    from: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    let read = from.take(LONGEST).read_until(b'\n', &mut line).await?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a line on the socket is too long or cut",
        ));
    }
    Ok(Some(serde_json::from_slice(&line)?))
}
