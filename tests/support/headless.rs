//! The whole program without a screen, in a scratch home: its configuration, its decisions, its lines.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Who the tests' decisions are by must not depend on who runs them.
const OWN_SETTINGS: [&str; 3] = ["NO_COLOR", "SSH_CONNECTION", "RUST_BACKTRACE"];

/// A folder with a configuration, a scenario and a data folder.
pub struct Place(TempDir);

/// How a run of the program ended.
#[derive(Debug)]
pub struct Ran {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub lines: Vec<Value>,
    pub stderr: String,
}

impl Place {
    /// `tools` are tables of the configuration, `turns` those of the scenario.
    pub fn new(tools: &[(&str, &str)], settings: &str, turns: &str) -> Self {
        let folder = TempDir::new().expect("a scratch folder");
        let place = Self(folder);
        for name in ["data", "home", "workspace"] {
            fs::create_dir(place.path(name)).expect("a folder");
        }
        place.configure(tools, settings);
        place.write("scenario.toml", &format!("title = 'test'\n{turns}"));
        place
    }

    /// Writes the configuration anew.
    pub fn configure(&self, tools: &[(&str, &str)], settings: &str) {
        let names: Vec<_> = tools.iter().map(|(name, _)| name).collect();
        let mut text = format!(
            "default_policy = false\n[providers.script]\nkind = 'script'\nscenario = 'scenario.toml'\n\
             [agents.test]\nprovider = 'script'\nmodel = 'script'\nworkspace = 'workspace'\ntools = {names:?}\n"
        );
        for (name, table) in tools {
            text.extend([
                "[tools.",
                name,
                "]\ndescription = 'A tool of the tests.'\n",
                table,
                "\n",
            ]);
        }
        text += settings;
        self.write("countersign.toml", &text);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file can be written");
    }

    /// Empty if it is not there.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A file of decisions.
    pub fn decide(&self, decisions: &[Value]) {
        let file = json!({
            "format": "countersign.decisions", "version": 1, "decisions": decisions,
        });
        self.write("decisions.json", &file.to_string());
    }

    /// The calls that wait, as the last run that was deferred wrote them.
    pub fn deferred(&self) -> Vec<Value> {
        let file: Value =
            serde_json::from_str(&self.read("deferred.json")).expect("it was written");
        file["calls"].as_array().expect("a list of calls").clone()
    }

    /// The program with these arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let program = std::env::var_os("COUNTERSIGN_BIN").map_or_else(
            || PathBuf::from(env!("CARGO_BIN_EXE_countersign")),
            PathBuf::from,
        );
        let program = program.canonicalize().expect("the program is built");
        let mut command = Command::new(program);
        command
            .arg("--config")
            .arg(self.path("countersign.toml"))
            .args(arguments)
            .current_dir(self.0.path())
            .env("COUNTERSIGN_DATA_DIR", self.data())
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("home"))
            .stdin(Stdio::null());
        for name in OWN_SETTINGS {
            command.env_remove(name);
        }
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().expect("the program runs");
        Ran {
            code: output.status.code(),
            lines: lines(&String::from_utf8_lossy(&output.stdout)),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// What the program prints that is no JSON.
    pub fn print(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = self.command(arguments).output().expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    }

    pub fn begin(&self) -> Ran {
        let deferred = self.path("deferred.json").display().to_string();
        self.run(&[
            "run",
            "--prompt",
            "go",
            "--headless",
            "--defer-to",
            &deferred,
        ])
    }

    /// Goes on with the newest session.
    pub fn resume(&self, decisions: &[Value]) -> Ran {
        self.decide(decisions);
        let deferred = self.path("deferred.json").display().to_string();
        let decisions = self.path("decisions.json").display().to_string();
        self.run(&[
            "resume",
            "--headless",
            "--decisions",
            &decisions,
            "--defer-to",
            &deferred,
        ])
    }

    /// The journal's file.
    pub fn journal(&self) -> PathBuf {
        self.data().join("journal.db")
    }
}

/// The JSON lines of a text. A last line that was cut by the end of the program counts for nothing.
pub fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Whether a process is about that was given this data folder, such as a tool of a program that is gone.
pub fn somebody_works_for(data: &Path) -> bool {
    let wanted = format!("COUNTERSIGN_DATA_DIR={}", data.display());
    let processes = fs::read_dir("/proc").expect("the system lists its processes");
    processes.filter_map(Result::ok).any(|process| {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == wanted.as_bytes())
    })
}
