//! Events on the standard input of a program that lives as long as this one does.
//!
//! It is started with the first event, and again if it ends: at once the first time, then after a pause
//! that grows. Lines that it had taken and not dealt with are its own to lose.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use super::inbox::{Inbox, Line};

/// The pause before it is started again, at first and at most.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(1);
/// One that has lived so long begins with the shortest pause again.
const SETTLED: Duration = Duration::from_mins(1);
/// How long it has to end once nothing more comes.
const GRACE: Duration = Duration::from_millis(1500);

pub(super) struct Program {
    pub(super) command: Vec<String>,
    pub(super) directory: PathBuf,
    pub(super) hidden: Vec<String>,
}

/// What ended one life of the program.
enum Over {
    /// Nothing more comes.
    Closed,
    /// It has ended, or takes no more; this line it has not got.
    Gone(Option<Line>),
}

impl Program {
    pub(super) fn run(self, inbox: Inbox) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        match runtime {
            Ok(runtime) => runtime.block_on(self.live(inbox)),
            Err(error) => tracing::error!(%error, "the program for events cannot be run"),
        }
    }

    async fn live(self, mut inbox: Inbox) {
        let mut pause = PAUSE;
        let mut next = inbox.next().await;
        while let Some(line) = next.take() {
            let since = Instant::now();
            let over = match self.start() {
                Ok(child) => feed(child, line, &mut inbox).await,
                Err(error) => {
                    tracing::warn!(%error, "the program for events cannot be started");
                    Over::Gone(Some(line))
                }
            };
            let unsent = match over {
                Over::Closed => return,
                Over::Gone(unsent) => unsent,
            };
            if since.elapsed() >= SETTLED {
                pause = PAUSE;
            }
            tracing::warn!(
                seconds = pause.as_secs(),
                "the program for events has ended; it is started again after a pause"
            );
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST);
            next = match unsent {
                Some(line) => Some(line),
                None => inbox.next().await,
            };
        }
    }

    fn start(&self) -> std::io::Result<Child> {
        let program = self.command.first().map(String::as_str).unwrap_or_default();
        let mut command = Command::new(program);
        command
            .args(self.command.iter().skip(1))
            .current_dir(&self.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A ctrl-c in the terminal is not for it.
            .process_group(0)
            .kill_on_drop(true);
        for name in &self.hidden {
            command.env_remove(name);
        }
        command.spawn()
    }
}

/// Gives it line after line.
async fn feed(mut child: Child, first: Line, inbox: &mut Inbox) -> Over {
    let Some(mut stdin) = child.stdin.take() else {
        return Over::Gone(Some(first));
    };
    let mut next = Some(first);
    loop {
        let line = if let Some(line) = next.take() {
            line
        } else {
            tokio::select! {
                biased;
                _ = child.wait() => return Over::Gone(None),
                line = inbox.next() => match line {
                    Some(line) => line,
                    None => break,
                },
            }
        };
        let text = format!("{}\n", line.text);
        if stdin.write_all(text.as_bytes()).await.is_err() {
            return Over::Gone(Some(line));
        }
    }
    drop(stdin);
    if timeout(GRACE, child.wait()).await.is_err() {
        tracing::warn!("the program for events did not end by itself and was killed");
    }
    Over::Closed
}
