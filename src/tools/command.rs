//! Command tools: programs declared in the configuration.
//!
//! # The protocol
//!
//! The program runs in the agent's workspace, in a process group of its own. It gets:
//!
//! - on stdin, the exact text of the call's arguments, a JSON object; whole before it starts;
//! - in its environment, ours without the providers' API keys, and
//!   - `COUNTERSIGN_CALL_ID`, `COUNTERSIGN_TOOL`: which call this is;
//!   - `COUNTERSIGN_WORKSPACE`: the workspace, absolute;
//!   - `COUNTERSIGN_APPROVED=1` and `COUNTERSIGN_METADATA`: set only if a person approved the call,
//!     because policy or the program itself had asked. The metadata is the JSON that the program
//!     sent along when it asked (`null` if it did not).
//!
//! It answers by its exit status:
//!
//! | status | meaning | stdout |
//! | --- | --- | --- |
//! | 0 | done | the result the model is given |
//! | 80 | approval required: ask a person, then run me again | `{"reason": "…", "metadata": …}` |
//! | 81 | deferred: the result will come from outside | `{"reason": "…", "metadata": …}` |
//! | other | failed | used if stderr is empty |
//!
//! `reason` (a string) and `metadata` (an object) may be left out, and nothing else may be in that
//! object. Metadata is at most 64 KiB. A program must do nothing that needs the approval before it
//! asks for it. Asking again although approved is a failure: nobody would ever get past it.
//!
//! Both outputs are shown to the operator while the program runs. On failure the model is given the
//! end of stderr. When the call is interrupted or its time is over the whole group gets SIGTERM, and
//! SIGKILL two seconds later; what is left of the group after the program has exited ends likewise.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::mpsc;

use super::process::{Ended, Leader, Program, Sink, run};
use super::shell::{RESULT, exit_words, timeout_words, with_line};
use super::text::Bounded;
use super::{Job, Ran, Tool, Written, environment};
use crate::core::call::Risk;
use crate::core::output::Stream;
use crate::core::schema::Schema;
use crate::core::verdict::Verdict;

/// Exit status of a program that wants a person's approval first.
pub const APPROVAL_REQUIRED: i32 = 80;
/// Exit status of a program whose result will come from outside.
pub const DEFERRED: i32 = 81;
/// The most bytes of stderr the model is given of a failure.
const FAILURE: usize = 32 * 1024;
/// The metadata comes back in an environment variable, and systems limit those.
const METADATA: usize = 64 * 1024;

/// A tool declared in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandTool {
    pub name: String,
    pub description: String,
    /// The program and its arguments. A program with a `/` in it is looked for from `directory`, one
    /// without on `PATH`.
    pub command: Vec<String>,
    pub schema: Schema,
    /// What happens to a call that no rule speaks of: `Ask` where confirmation is required.
    pub default: Verdict,
    pub risks: Vec<Risk>,
    pub timeout: Duration,
    /// How long a call of it may wait for a person; `None`: as long as the agent says.
    pub expires: Option<Duration>,
    /// The folder of the configuration file.
    pub directory: PathBuf,
    /// Set for the program on top of what it inherits.
    pub environment: Vec<(String, String)>,
}

/// What stdout holds when a program asks or defers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Handover {
    #[serde(default)]
    reason: String,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

/// The two outputs apart: one is the result, the other explains a failure.
struct Apart {
    out: Bounded,
    err: Bounded,
}

impl Sink for Apart {
    fn take(&mut self, stream: Stream, text: &str) {
        match stream {
            Stream::Out => self.out.push(text),
            Stream::Err => self.err.push(text),
        }
    }
}

impl CommandTool {
    pub(super) fn tool(&self) -> Tool {
        Tool {
            name: self.name.clone(),
            description: self.description.clone(),
            schema: self.schema.clone(),
            risks: self.risks.clone(),
            default: self.default,
            command_line: None,
            expires: self.expires,
        }
    }

    pub(super) async fn run(
        &self,
        job: &Job,
        workspace: &Path,
        hidden: &[String],
        output: &mpsc::Sender<Written>,
    ) -> Ran {
        let Some((program, arguments)) = self.command.split_first() else {
            return Ran::Failed(format!("the tool {} has no command", self.name));
        };
        let program = self.program(program);
        let mut command = Command::new(&program);
        command.args(arguments).current_dir(workspace);
        environment::prepare(&mut command, job, workspace, hidden);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let run_it = Program {
            command,
            leader: Leader::MadeHere,
            input: Some(job.arguments.text().into()),
            timeout: self.timeout,
        };
        let mut apart = Apart {
            out: Bounded::new(RESULT),
            err: Bounded::new(FAILURE),
        };
        match run(run_it, &mut apart, output, &job.cancel).await {
            Ok(Ended::Interrupted) => Ran::Interrupted,
            Ok(Ended::TimedOut) => Ran::Failed(apart.failure(&timeout_words(self.timeout))),
            Ok(Ended::Exited(status)) => answer(status, apart, job),
            Err(error) => Ran::Failed(self.not_started(&program, workspace, &error)),
        }
    }

    fn program(&self, named: &str) -> PathBuf {
        if named.contains('/') {
            let program = self.directory.join(named);
            // The child is in another folder when it looks for it.
            std::path::absolute(&program).unwrap_or(program)
        } else {
            named.into()
        }
    }

    fn not_started(&self, program: &Path, workspace: &Path, error: &io::Error) -> String {
        let program = program.display();
        let why = match error.kind() {
            io::ErrorKind::NotFound if !workspace.is_dir() => {
                format!("the workspace {} is gone", workspace.display())
            }
            io::ErrorKind::NotFound => {
                "there is no such program, or the interpreter in its first line is missing".into()
            }
            io::ErrorKind::PermissionDenied => "it is not executable; chmod +x makes it so".into(),
            _ => error.to_string(),
        };
        let name = &self.name;
        format!("{program} could not be started: {why} (see the command of the tool {name})")
    }
}

fn answer(status: ExitStatus, apart: Apart, job: &Job) -> Ran {
    match status.code() {
        Some(0) => Ran::Result(apart.out.finish()),
        Some(APPROVAL_REQUIRED) if job.approved.is_some() => {
            Ran::Failed(apart.failure("the tool asked for approval again although it was approved"))
        }
        Some(APPROVAL_REQUIRED) => match handover(&apart.out) {
            Ok((reason, metadata)) => Ran::ApprovalRequired { reason, metadata },
            Err(why) => {
                let words = format!("the tool asked for approval (exit status 80), but {why}");
                Ran::Failed(apart.failure(&words))
            }
        },
        Some(DEFERRED) => match handover(&apart.out) {
            Ok((reason, metadata)) => Ran::Deferred { reason, metadata },
            Err(why) => {
                let words = format!("the tool deferred the call (exit status 81), but {why}");
                Ran::Failed(apart.failure(&words))
            }
        },
        Some(_) | None => Ran::Failed(apart.failure(&exit_words(status))),
    }
}

fn handover(out: &Bounded) -> Result<(String, Value), String> {
    let text = out
        .whole()
        .ok_or("its stdout is too long to be an answer")?;
    let read = serde_json::from_str::<Handover>(&text).map_err(|error| {
        format!("its stdout is not an object of `reason` and `metadata`: {error}")
    })?;
    let metadata = read.metadata.map_or(Value::Null, Value::Object);
    if metadata.to_string().len() > METADATA {
        return Err(format!("its metadata is more than {} KiB", METADATA / 1024));
    }
    Ok((read.reason, metadata))
}

impl Apart {
    /// What the model is told: stderr, or stdout where that is empty, and how it ended.
    fn failure(self, how: &str) -> String {
        let err = self.err.finish();
        let said = if err.trim().is_empty() {
            self.out.finish()
        } else {
            err
        };
        with_line(said, how)
    }
}
