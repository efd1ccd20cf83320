//! A session that another process runs, over that process's socket.

use std::io;
use std::path::Path;
use std::time::Duration;
use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::sync::mpsc;

use super::wire::{self, ToAgent, ToConsole};
use crate::agent::Report;
use crate::core::call::SessionId;
use crate::core::run::{RunCommand, RunEvent, RunState};

/// How long the other process may take to answer: it may be stopped.
const PATIENCE: Duration = Duration::from_secs(2);

/// Connects, and returns once nothing more can be missed.
pub async fn connect(socket: &Path) -> io::Result<UnixStream> {
    match tokio::time::timeout(PATIENCE, answered(socket)).await {
        Ok(connected) => connected,
        Err(_) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "it does not answer; it may be stopped",
        )),
    }
}

async fn answered(socket: &Path) -> io::Result<UnixStream> {
    let mut stream = UnixStream::connect(socket).await?;
    // One small line, read byte by byte so that nothing of what follows is taken with it.
    let ready = {
        let mut reader = BufReader::with_capacity(1, &mut stream);
        wire::read::<ToConsole>(&mut reader).await?
    };
    match ready {
        Some(ToConsole::Ready) => Ok(stream),
        Some(ToConsole::Report(_)) | None => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the other process does not answer as a console's host",
        )),
    }
}

/// Carries one session's reports here and its commands there, until the other process is gone.
pub(super) async fn carry(
    stream: UnixStream,
    session: SessionId,
    mut commands: mpsc::Receiver<RunCommand>,
    reports: mpsc::Sender<Report>,
) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let incoming = async {
        while let Some(line) = wire::read::<ToConsole>(&mut reader).await? {
            match line {
                ToConsole::Report(report) if report.session == session => {
                    if reports.send(*report).await.is_err() {
                        break;
                    }
                }
                // Of another session of the same process, which has a connection of its own.
                ToConsole::Report(_) | ToConsole::Ready => {}
            }
        }
        io::Result::Ok(())
    };
    let outgoing = async {
        while let Some(command) = commands.recv().await {
            let session = session.clone();
            wire::write(&mut writer, &ToAgent { session, command }).await?;
        }
        // This console is closing; the other process goes on.
        std::future::pending::<io::Result<()>>().await
    };
    let ended = tokio::select! { ended = incoming => ended, ended = outgoing => ended };
    if let Err(error) = ended {
        tracing::info!(%error, %session, "the connection to the session's process ended");
    }
    let event = RunEvent::State(RunState::Ended);
    // A console that is closing does not need to know.
    let _ = reports.send(Report { session, event }).await;
}
