//! Programs that are asked about a call: JSON on stdin, an answer on stdout.
//!
//! Owns how such a program is run, and that nothing of it outlives the question. Does not know what the
//! answer means.

use std::path::PathBuf;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::environment;
use super::process::{Ended, Leader, Program, Sink, run};
use super::shell::exit_words;
use super::text::Bounded;
use crate::core::output::Stream;

/// The most bytes of an answer.
pub const ANSWER: usize = 64 * 1024;
/// The most bytes that are told of what went wrong.
const FAILURE: usize = 1024;
/// Whoever asks has a shorter patience; this only ends what nobody waits for.
const LONGEST: Duration = Duration::from_hours(1);

/// A program that can be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consulted {
    /// The program, by its path, and its arguments.
    pub command: Vec<String>,
    /// Where it runs: not in the workspace, which is the agent's.
    pub directory: PathBuf,
    /// Variables that it is not to see: the keys of models.
    pub hidden: Vec<String>,
}

struct Answer {
    out: Bounded,
    err: Bounded,
}

impl Sink for Answer {
    fn take(&mut self, stream: Stream, text: &str) {
        match stream {
            Stream::Out => self.out.push(text),
            Stream::Err => self.err.push(text),
        }
    }
}

impl Consulted {
    /// Asks, and gives what was written to stdout. `Err` says in a few words why there is no answer.
    /// Dropping the future kills the program and all it started.
    pub async fn ask(&self, question: &str) -> Result<String, String> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err("it has no command".to_owned());
        };
        let mut command = Command::new(PathBuf::from(program));
        command.args(arguments).current_dir(&self.directory);
        environment::hide(&mut command, &self.hidden);
        let program = Program {
            command,
            leader: Leader::MadeHere,
            input: Some(question.into()),
            timeout: LONGEST,
        };
        let mut answer = Answer {
            out: Bounded::new(ANSWER),
            err: Bounded::new(FAILURE),
        };
        // Nobody watches; the sink has it all.
        let (output, _) = mpsc::channel(1);
        let ended = run(program, &mut answer, &output, &CancellationToken::new()).await;
        match ended {
            Err(error) => Err(format!("it could not be started: {error}")),
            Ok(Ended::TimedOut | Ended::Interrupted) => Err("it was stopped".to_owned()),
            Ok(Ended::Exited(status)) if !status.success() => {
                let said = answer.err.finish();
                let said = said.trim();
                let how = exit_words(status);
                Err(if said.is_empty() {
                    how
                } else {
                    format!("{how}: {said}")
                })
            }
            Ok(Ended::Exited(_)) => answer
                .out
                .whole()
                .ok_or_else(|| format!("its answer is longer than {} KiB", ANSWER / 1024)),
        }
    }
}
