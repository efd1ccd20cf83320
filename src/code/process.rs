//! The child process of a script: started bare, spoken with, and killed when it is dropped.
//!
//! Owns the process and its clock. Knows why it ended, as far as that can be seen from outside.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::wire::{HEAD, Order, Room, Said, frame};
use super::{Fault, Limits, child};

/// What a process may take over the script's own time: to start, to be read and written out.
const GRACE: Duration = Duration::from_secs(5);
/// How long a process that has closed its output may take to end.
const ENDING: Duration = Duration::from_secs(2);
/// Bytes of its last words that are looked at.
const LAST_WORDS: u64 = 4096;
/// How often a program that is just being written is tried again, and how long after.
const TRIES: u32 = 50;
const AGAIN: Duration = Duration::from_millis(10);

/// A process that runs a script.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Option<Pid>,
    to: ChildStdin,
    from: ChildStdout,
    errors: ChildStderr,
    room: Room,
    limits: Limits,
    /// It was asked something and has not answered yet.
    asked: bool,
    /// What the script printed before its answer.
    printed: String,
    /// All that it printed, for whoever looks on.
    live: Option<watch::Sender<String>>,
}

impl Process {
    pub async fn start(
        program: &Path,
        limits: &Limits,
        live: Option<watch::Sender<String>>,
    ) -> Result<Self, Fault> {
        let mut command = Command::new(program);
        command
            .arg(child::ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = spawn(&mut command).await.map_err(Fault::NotStarted)?;
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(to), Some(from), Some(errors)) = pipes else {
            return Err(Fault::NotStarted(io::Error::other("it has no pipes")));
        };
        Ok(Self {
            child,
            group,
            to,
            from,
            errors,
            room: Room::within(limits),
            limits: limits.clone(),
            asked: false,
            printed: String::new(),
            live,
        })
    }

    /// What the script printed before its last answer.
    pub fn printed(&mut self) -> String {
        std::mem::take(&mut self.printed)
    }

    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Tells it something and waits for what it says, no longer than `left` and some.
    pub async fn ask(
        &mut self,
        order: &Order,
        bytes: &[u8],
        left: Duration,
    ) -> Result<(Said, Vec<u8>), Fault> {
        if self.asked {
            // Whoever asked has gone away: the next answer would not be to the next question.
            self.kill();
        }
        self.asked = true;
        let asked = frame(order, bytes).map_err(|error| Fault::Unreadable {
            why: error.to_string(),
        })?;
        match timeout(left.saturating_add(GRACE), self.exchange(&asked)).await {
            Err(_) => {
                self.kill();
                Err(Fault::TimeUp {
                    limit: self.limits.time,
                })
            }
            Ok(Ok(said)) => {
                self.asked = false;
                Ok(said)
            }
            Ok(Err(fault)) => Err(match fault {
                Broken::Off => self.why().await,
                Broken::Said(what) => {
                    self.kill();
                    Fault::Unexpected {
                        what: what.to_owned(),
                    }
                }
            }),
        }
    }

    async fn exchange(&mut self, asked: &[u8]) -> Result<(Said, Vec<u8>), Broken> {
        self.to.write_all(asked).await.map_err(|_| Broken::Off)?;
        self.to.flush().await.map_err(|_| Broken::Off)?;
        loop {
            match self.next().await? {
                (Said::Printed(text), bytes) if bytes.is_empty() => self.hear(&text)?,
                said => return Ok(said),
            }
        }
    }

    fn hear(&mut self, text: &str) -> Result<(), Broken> {
        if text.is_empty() || self.printed.len() + text.len() > self.limits.printed {
            return Err(Broken::Said("more than it may print"));
        }
        self.printed.push_str(text);
        if let Some(live) = &self.live {
            live.send_modify(|all| all.push_str(text));
        }
        Ok(())
    }

    async fn next(&mut self) -> Result<(Said, Vec<u8>), Broken> {
        let mut head = [0; HEAD];
        self.from
            .read_exact(&mut head)
            .await
            .map_err(|_| Broken::Off)?;
        let (words, bytes) = self
            .room
            .lengths(head)
            .ok_or(Broken::Said("more than it may say"))?;
        let mut all = vec![0; words + bytes];
        self.from
            .read_exact(&mut all)
            .await
            .map_err(|_| Broken::Off)?;
        let bytes = all.split_off(words);
        let said = serde_json::from_slice(&all).map_err(|_| Broken::Said("words that are none"))?;
        Ok((said, bytes))
    }

    /// Why it ended.
    async fn why(&mut self) -> Fault {
        let status = match timeout(ENDING, self.child.wait()).await {
            Ok(Ok(status)) => status,
            Ok(Err(error)) => {
                return Fault::Crashed {
                    how: error.to_string(),
                };
            }
            // It closed its output and lives on.
            Err(_) => {
                self.kill();
                return Fault::Unexpected {
                    what: "nothing more".to_owned(),
                };
            }
        };
        let mut words = Vec::new();
        let mut errors = (&mut self.errors).take(LAST_WORDS);
        // What it wrote is in the pipe. A child of its own, which it may not have, could hold it open.
        let _ = timeout(ENDING, errors.read_to_end(&mut words)).await;
        self.fault(status, &String::from_utf8_lossy(&words))
    }

    fn fault(&self, status: ExitStatus, words: &str) -> Fault {
        let cpu = Signal::XCPU.as_raw();
        if words.contains("memory allocation of") || words.contains("capacity overflow") {
            Fault::MemoryFull {
                limit: self.limits.memory,
            }
        } else if words.contains("has overflowed its stack") {
            Fault::TooDeep
        } else if status.signal() == Some(cpu) {
            Fault::TimeUp {
                limit: self.limits.time,
            }
        } else {
            Fault::Crashed {
                how: status.to_string(),
            }
        }
    }

    /// Ends it and all that it may have started.
    fn kill(&mut self) {
        // Without a number it was waited for already, and its number may be somebody else's.
        if let Some(group) = self.group.filter(|_| self.child.id().is_some()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Why there is no answer.
enum Broken {
    /// It is gone.
    Off,
    /// It said something that it may not.
    Said(&'static str),
}

async fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut tries = TRIES;
    loop {
        match command.spawn() {
            // Another thread's new process holds the program open for writing until it is itself started.
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries > 0 => {
                tries -= 1;
                sleep(AGAIN).await;
            }
            spawned => return spawned,
        }
    }
}
