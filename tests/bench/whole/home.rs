//! A scratch home for the program: nothing of the person who measures is read or written.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use super::program::Start;

const CONFIGURATION: &str = "
default_policy = false
[providers.script]
kind = 'script'
scenario = 'scenario.toml'
[agents.bench]
provider = 'script'
model = 'script'
workspace = '.'
tools = ['send_mail', 'lines', 'flood']
[tools.send_mail]
description = 'Send a mail.'
command = ['true']
requires_confirmation = true
[tools.send_mail.parameters]
type = 'object'
[tools.lines]
description = 'Writes lines.'
command = ['sh', '-c', 'seq -f \"line %.0f of what a long build has to tell\" \"$0\"', '1000000']
timeout = '600s'
[tools.flood]
description = 'Writes without end.'
command = ['sh', '-c', 'yes \"a line of what a long build has to tell, again and again\"']
timeout = '600s'
";

pub struct Home(TempDir);

impl Home {
    pub fn new() -> Self {
        // On a disk: what is durable is to cost what it costs.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a scratch folder");
        for name in ["home", "config", "data", "cwd"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path("cwd").join(name), text).expect("a file can be written");
    }

    /// An agent that calls these tools at once and asks for so many mails to be sent.
    pub fn with_calls(tools: &[&str], mails: usize) -> Self {
        let mut calls = String::new();
        for tool in tools {
            let _ = writeln!(calls, "  {{ id = '{tool}', tool = '{tool}' }},");
        }
        for at in 0..mails {
            let _ = writeln!(
                calls,
                "  {{ id = 'mail-{at}', tool = 'send_mail', arguments = {{ to = 'a{at}@example.org', \
                 subject = 'Away on Friday', body = 'I am away.' }} }},"
            );
        }
        Self::with_turn(&format!("calls = [\n{calls}]\nthen = [{{ turn = 'end' }}]"))
    }

    /// An agent whose model does this in its first turn.
    pub fn with_turn(turn: &str) -> Self {
        let home = Self::new();
        home.write("countersign.toml", CONFIGURATION);
        let scenario = format!(
            "title = 'bench'\nprompt = 'go'\npace = '10ms'\n[[turns]]\nname = 'go'\non = ''\n{turn}\n\
             [[turns]]\nname = 'end'\non = '^end$'\ntext = 'done'\n"
        );
        home.write("scenario.toml", &scenario);
        home
    }

    pub fn start(&self) -> Start {
        self.settle(Start::countersign())
    }

    pub fn settle(&self, start: Start) -> Start {
        start
            .cwd(&self.path("cwd"))
            .env("COUNTERSIGN_DATA_DIR", self.path("data"))
            .env("HOME", self.path("home"))
            .env("XDG_CONFIG_HOME", self.path("config"))
    }

    pub fn folder(&self) -> &Path {
        self.0.path()
    }
}
