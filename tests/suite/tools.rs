//! The agents' tools, with real files and real processes in scratch folders.

mod command;
mod fetch;
mod files;
mod interrupt;
mod listing;
mod preview;
mod shell;
mod toolbox;

use countersign::core::arguments::Arguments;
use countersign::core::call::CallId;
use countersign::core::output::Stream;
use countersign::core::schema::Schema;
use countersign::core::verdict::Verdict;
use countersign::tools::{Builtin, CommandTool, Definition, Expected, Job, Ran, Toolbox, Written};
use rustix::process::{Pid, test_kill_process};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A workspace in a scratch folder, with a folder beside it that no tool may reach.
struct Bench {
    outer: TempDir,
    tools: Toolbox,
}

impl Bench {
    fn new() -> Self {
        Self::with(Vec::new())
    }

    /// All built-in tools and these.
    fn with(commands: Vec<CommandTool>) -> Self {
        let outer = TempDir::new().expect("a scratch folder");
        std::fs::create_dir(outer.path().join("ws")).expect("a workspace");
        std::fs::create_dir(outer.path().join("outside")).expect("a folder beside it");
        let builtin = Builtin::ALL.into_iter().map(Definition::Builtin);
        let commands = commands.into_iter().map(Definition::Command);
        let tools = Toolbox::build(&outer.path().join("ws"), builtin.chain(commands).collect());
        Self {
            tools: tools.expect("the tools are sound"),
            outer,
        }
    }

    fn path(&self, place: &str) -> PathBuf {
        self.outer.path().join("ws").join(place)
    }

    fn outside(&self, place: &str) -> PathBuf {
        self.outer.path().join("outside").join(place)
    }

    fn put(&self, place: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(place), content).expect("a file in the workspace");
    }

    fn text(&self, place: &str) -> String {
        std::fs::read_to_string(self.path(place)).expect("a text file in the workspace")
    }

    /// The names in the workspace, sorted.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("")).expect("the workspace");
        let mut names: Vec<_> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    async fn run(&self, tool: &str, arguments: Value) -> Ran {
        self.finish(job(tool, arguments)).await.0
    }

    /// Runs a job to its end, and all it wrote meanwhile.
    async fn finish(&self, job: Job) -> (Ran, Vec<Written>) {
        let (sender, mut receiver) = mpsc::channel(8);
        let run = async {
            let ran = self.tools.run(job, &sender).await;
            drop(sender);
            ran
        };
        let watch = async {
            let mut written = Vec::new();
            while let Some(piece) = receiver.recv().await {
                written.push(piece);
            }
            written
        };
        tokio::join!(run, watch)
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a literal at every call reads better without a borrow"
)]
fn job(tool: &str, arguments: Value) -> Job {
    Job {
        call: CallId("call_1".into()),
        tool: tool.into(),
        arguments: Arguments::from_value(&arguments).expect("an object"),
        approved: None,
        expected: Expected::Anything,
        questions: None,
        cancel: CancellationToken::new(),
    }
}

/// A command tool whose program is in the fixtures.
fn command(name: &str, command: &[&str]) -> CommandTool {
    CommandTool {
        name: name.into(),
        description: "A tool of the tests.".into(),
        command: command.iter().map(|&part| part.to_owned()).collect(),
        schema: Schema::new(json!({ "type": "object" })),
        default: Verdict::Ask,
        risks: Vec::new(),
        timeout: Duration::from_mins(1),
        expires: None,
        directory: Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tools"),
        environment: Vec::new(),
    }
}

fn joined(written: &[Written], stream: Stream) -> String {
    let pieces = written.iter().filter(|piece| piece.stream == stream);
    pieces.map(|piece| piece.text.as_str()).collect()
}

/// Reads one line of output: what a script says when it is ready.
async fn line(receiver: &mut mpsc::Receiver<Written>) -> String {
    let mut text = String::new();
    while !text.ends_with('\n') {
        text += &receiver
            .recv()
            .await
            .expect("the script says something")
            .text;
    }
    text.trim().to_owned()
}

/// Waits until a process has gone. Nothing is left to chance by the time limit: it only ends a test
/// that has failed.
async fn gone(pid: &str) {
    let number = pid.trim().parse().expect("a process number");
    let process = Pid::from_raw(number).expect("not zero");
    let begun = Instant::now();
    while test_kill_process(process).is_ok() && !is_unreaped(number) {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "{pid} still runs"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Dead, and its adoptive parent has not asked how it ended.
fn is_unreaped(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

fn failed(message: &str) -> Ran {
    Ran::Failed(message.into())
}

fn result(text: &str) -> Ran {
    Ran::Result(text.into())
}
