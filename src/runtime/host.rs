//! The socket on which other consoles watch and steer the agents of this process.
//!
//! Owns the socket file, mode 0600 in a folder of mode 0700 of the data folder, and the connections. It
//! is advice only: what was decided is in the journal, whatever becomes of a connection.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tokio::io::BufReader;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{broadcast, mpsc, watch};
use tokio::task::JoinSet;

use super::wire::{self, ToAgent, ToConsole};
use crate::agent::Report;

/// Reports that a slow console may be behind; one that is further behind is let go and comes again.
const BEHIND: usize = 4096;
/// Commands of all consoles that may wait.
const COMMANDS: usize = 256;

/// The way to all consoles, from the first one on: it takes room for all that they may be behind.
type Reports = Arc<OnceLock<broadcast::Sender<Report>>>;

/// The open socket. Dropping it closes the connections and removes the file.
#[derive(Debug)]
pub struct Host {
    path: PathBuf,
    reports: Reports,
    commands: mpsc::Receiver<ToAgent>,
    clients: watch::Receiver<usize>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
        // Nobody else uses this name: it is that of this process.
        let _ = fs::remove_file(&self.path);
    }
}

impl Host {
    /// Where this process's socket is, or would be.
    pub fn path(folder: &Path) -> PathBuf {
        folder
            .join("run")
            .join(format!("{}.sock", std::process::id()))
    }

    /// Opens the socket. To be called inside the asynchronous runtime.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let path = Self::path(folder);
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder.join("run"))?;
        if path.exists() {
            // Left by an earlier process of the same number, which cannot live any more.
            fs::remove_file(&path)?;
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        let reports = Reports::default();
        let (command, commands) = mpsc::channel(COMMANDS);
        let (count, clients) = watch::channel(0);
        let task = tokio::spawn(serve(listener, reports.clone(), command, count));
        Ok(Self {
            path,
            reports,
            commands,
            clients,
            task,
        })
    }

    /// Tells the consoles that are connected.
    pub(super) fn publish(&self, report: &Report) {
        let listened = |reports: &&broadcast::Sender<Report>| reports.receiver_count() > 0;
        if let Some(reports) = self.reports.get().filter(listened) {
            // Only fails when nobody listens.
            let _ = reports.send(report.clone());
        }
    }

    /// The next command of another console.
    pub(super) async fn next(&mut self) -> Option<ToAgent> {
        self.commands.recv().await
    }

    /// How many consoles are connected, now and as it changes.
    pub(super) fn clients(&self) -> watch::Receiver<usize> {
        self.clients.clone()
    }
}

async fn serve(
    listener: UnixListener,
    reports: Reports,
    commands: mpsc::Sender<ToAgent>,
    count: watch::Sender<usize>,
) {
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let reports = reports.get_or_init(|| broadcast::channel(BEHIND).0);
                    clients.spawn(client(stream, reports.subscribe(), commands.clone()));
                }
                Err(error) => {
                    tracing::warn!(%error, "a console could not connect");
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                }
            },
            Some(_) = clients.join_next() => {}
        }
        count.send_replace(clients.len());
    }
}

/// One console: reports go out, commands come in, until either side ends.
async fn client(
    stream: UnixStream,
    mut reports: broadcast::Receiver<Report>,
    commands: mpsc::Sender<ToAgent>,
) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let outgoing = async {
        wire::write(&mut writer, &ToConsole::Ready).await?;
        // A console that is too far behind is let go: it reads the journal and comes again.
        while let Ok(report) = reports.recv().await {
            wire::write(&mut writer, &ToConsole::Report(Box::new(report))).await?;
        }
        io::Result::Ok(())
    };
    let incoming = async {
        while let Some(command) = wire::read::<ToAgent>(&mut reader).await? {
            if commands.send(command).await.is_err() {
                break;
            }
        }
        io::Result::Ok(())
    };
    let ended = tokio::select! { ended = outgoing => ended, ended = incoming => ended };
    if let Err(error) = ended {
        tracing::info!(%error, "a console went away");
    }
}
