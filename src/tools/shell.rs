//! The `shell` tool: one command line, run by `sh` in the workspace.

use serde::Deserialize;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::sync::mpsc;

use super::process::{Ended, Program, Sink, apart, run};
use super::text::Bounded;
use super::{Job, Ran, Written, environment};
use crate::core::output::Stream;

pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);
pub(super) const LONGEST_TIMEOUT: Duration = Duration::from_hours(1);
/// The most bytes of output the model is given.
pub(super) const RESULT: usize = 256 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellArguments {
    command: String,
    timeout_seconds: Option<u64>,
}

/// Both outputs in the order they came.
struct Combined(Bounded);

impl Sink for Combined {
    fn take(&mut self, _: Stream, text: &str) {
        self.0.push(text);
    }
}

pub(super) async fn shell(
    job: &Job,
    workspace: &Path,
    hidden: &[String],
    output: &mpsc::Sender<Written>,
) -> Ran {
    let wanted = match ShellArguments::deserialize(job.arguments.value()) {
        Ok(wanted) => wanted,
        Err(error) => return Ran::Failed(format!("the arguments do not fit this tool: {error}")),
    };
    let timeout = wanted
        .timeout_seconds
        .map_or(DEFAULT_TIMEOUT, Duration::from_secs);
    if timeout.is_zero() || timeout > LONGEST_TIMEOUT {
        let most = LONGEST_TIMEOUT.as_secs();
        return Ran::Failed(format!(
            "timeout_seconds must be from 1 to {most}; nothing was run"
        ));
    }
    if wanted.command.contains('\0') {
        return Ran::Failed("the command line holds a NUL character; nothing was run".into());
    }
    let (mut command, leader) = apart("sh");
    command
        .arg("-c")
        .arg(&wanted.command)
        .current_dir(workspace);
    environment::prepare(&mut command, job, workspace, hidden);
    let program = Program {
        command,
        leader,
        input: None,
        timeout,
    };
    let mut combined = Combined(Bounded::new(RESULT));
    match run(program, &mut combined, output, &job.cancel).await {
        Ok(ended) => ran(ended, timeout, combined.0.finish()),
        Err(error) => Ran::Failed(not_started(&error)),
    }
}

fn ran(ended: Ended, timeout: Duration, text: String) -> Ran {
    match ended {
        Ended::Interrupted => Ran::Interrupted,
        Ended::Exited(status) if status.success() => Ran::Result(text),
        Ended::Exited(status) => Ran::Failed(with_line(text, &exit_words(status))),
        Ended::TimedOut => Ran::Failed(with_line(text, &timeout_words(timeout))),
    }
}

fn not_started(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ArgumentListTooLong => {
            "the command line is too long for the system; write it to a file and run that".into()
        }
        _ => format!("sh could not be started: {error}"),
    }
}

/// How a program ended that did not end well.
pub(super) fn exit_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "ended without an exit status".into(),
    }
}

pub(super) fn timeout_words(timeout: Duration) -> String {
    format!(
        "stopped after {} s: it had not finished",
        timeout.as_secs_f64()
    )
}

/// `text` and then `line` on a row of its own, in brackets.
pub(super) fn with_line(mut text: String, line: &str) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text + "[" + line + "]"
}
