//! The tools of one agent, checked once, and the one place where a call is run.

use indexmap::IndexMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::builtin::Builtin;
use super::code::{Code, CodeTool, RUN_CODE};
use super::command::CommandTool;
use super::environment::PREFIX;
use super::fault::{FileFault, ToolFault};
use super::fetch::Fetcher;
use super::file::{self, Change, Task};
use super::mcp::{Remote, Servers, Spec};
use super::shell::shell;
use super::workspace::Workspace;
use super::{Expected, Job, Ran, Tool, Written};
use crate::core::arguments::Arguments;
use crate::core::call::Preview;
use crate::core::schema::Schema;

/// How long an interrupted file operation may take to come to its next step. Only a file system that
/// has stopped answering takes longer.
const LAST_STEP: Duration = Duration::from_secs(2);
/// The longest name the models' providers accept.
const LONGEST_NAME: usize = 64;

/// A tool an agent is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Definition {
    Builtin(Builtin),
    Command(CommandTool),
    /// Scripts that call the other tools.
    Code(CodeTool),
    /// One that a server offers; not from the configuration.
    Remote(Remote),
}

/// What an agent has at one moment. Where servers are among it, what they offer changes; `renewed` tells.
#[derive(Debug, Clone)]
pub struct Toolbox {
    workspace: Arc<Workspace>,
    tools: IndexMap<String, (Tool, Definition)>,
    code: Option<Code>,
    hidden: Vec<String>,
    fetcher: Arc<Fetcher>,
    servers: Option<Arc<Servers>>,
    /// That of the servers when they were last asked.
    version: u64,
}

type Work = fn(&Task<'_>) -> Result<String, FileFault>;

impl Toolbox {
    /// Opens the workspace and checks every definition. Blocks for as long as opening a folder takes.
    ///
    /// A built-in tool may be named twice (by itself and by `files`); that is the same tool.
    pub fn build(workspace: &Path, tools: Vec<Definition>) -> Result<Self, Vec<ToolFault>> {
        let mut faults = Vec::new();
        let opened = Workspace::open(workspace).map_err(|error| ToolFault::Workspace {
            path: workspace.to_owned(),
            why: error.to_string(),
        });
        let mut checked: IndexMap<String, (Tool, Definition)> = IndexMap::new();
        let mut code = None;
        for definition in tools {
            let tool = match &definition {
                Definition::Builtin(builtin) => builtin.tool(),
                Definition::Command(command) => {
                    faults.extend(check(command));
                    command.tool()
                }
                // It is told of what the others are.
                Definition::Code(tool) => {
                    code = Some(tool.clone());
                    continue;
                }
                // Servers are asked once they run.
                Definition::Remote(_) => continue,
            };
            let same_builtin =
                |held: &Definition| matches!(held, Definition::Builtin(_)) && *held == definition;
            match checked.get(&tool.name) {
                Some((_, held)) if same_builtin(held) => {}
                Some(_) => faults.push(ToolFault::Twice { name: tool.name }),
                None => {
                    checked.insert(tool.name.clone(), (tool, definition));
                }
            }
        }
        let code = code.map(|tool| Code::of(tool, checked.values().map(|(tool, _)| tool)));
        if let Some(code) = &code {
            let tool = code.tool();
            let definition = Definition::Code(code.tool.clone());
            if checked.contains_key(&tool.name) {
                faults.push(ToolFault::Twice { name: tool.name });
            } else {
                checked.insert(tool.name.clone(), (tool, definition));
            }
        }
        match opened {
            Ok(opened) if faults.is_empty() => Ok(Self {
                workspace: Arc::new(opened),
                tools: checked,
                code,
                hidden: Vec::new(),
                fetcher: Arc::default(),
                servers: None,
                version: 0,
            }),
            Ok(_) => Err(faults),
            Err(fault) => Err([vec![fault], faults].concat()),
        }
    }

    /// Keeps these variables, the providers' keys, out of every tool's environment.
    #[must_use]
    pub fn hide_environment(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.hidden.extend(names);
        self
    }

    /// Gives the agent these servers too. They are started by whoever runs it.
    #[must_use]
    pub fn with_servers(mut self, specs: Vec<Spec>) -> Self {
        if !specs.is_empty() {
            let taken = self.tools.keys().cloned();
            let servers = Servers::new(specs, self.workspace.root(), taken);
            self.servers = Some(Arc::new(servers));
        }
        self
    }

    pub const fn servers(&self) -> Option<&Arc<Servers>> {
        self.servers.as_ref()
    }

    /// Whether no server has been asked yet.
    pub const fn is_without_servers(&self) -> bool {
        self.version == 0
    }

    /// The same with what the servers offer now, if that has changed.
    pub fn renewed(&self) -> Option<Self> {
        let servers = self.servers.as_ref()?;
        let version = servers.version();
        if version == self.version {
            return None;
        }
        let mut renewed = self.clone();
        renewed.version = version;
        let own = |definition: &Definition| !matches!(definition, Definition::Remote(_));
        renewed.tools.retain(|_, (_, definition)| own(definition));
        for (tool, remote) in servers.offered() {
            let definition = Definition::Remote(remote);
            renewed.tools.insert(tool.name.clone(), (tool, definition));
        }
        renewed.tell_scripts();
        Some(renewed)
    }

    /// Scripts can call what there is now. What runs them stays the last of the tools.
    fn tell_scripts(&mut self) {
        let Some(code) = self.code.take() else { return };
        self.tools.shift_remove(RUN_CODE);
        let code = Code::of(code.tool, self.iter());
        let (tool, definition) = (code.tool(), Definition::Code(code.tool.clone()));
        self.tools.insert(RUN_CODE.to_owned(), (tool, definition));
        self.code = Some(code);
    }

    /// The tools in the order they were defined, with the name that a model is given of each.
    pub fn for_model(&self) -> impl Iterator<Item = (String, &Tool)> {
        self.tools.values().map(|(tool, definition)| {
            let name = match (definition, &self.servers) {
                (Definition::Remote(remote), Some(servers)) => servers.for_model(remote),
                (Definition::Remote(_), None)
                | (Definition::Builtin(_) | Definition::Command(_) | Definition::Code(_), _) => {
                    tool.name.clone()
                }
            };
            (name, tool)
        })
    }

    /// The agent's folder, absolute.
    pub fn workspace(&self) -> &Path {
        self.workspace.root()
    }

    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name).map(|(tool, _)| tool)
    }

    /// What runs scripts, if the agent has that.
    pub const fn code(&self) -> Option<&Code> {
        self.code.as_ref()
    }

    /// The tools in the order they were defined, what runs scripts last.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.tools.values().map(|(tool, _)| tool)
    }

    /// What a call would change, for the tools that change a file; `None` for all others.
    pub async fn preview(&self, tool: &str, arguments: &Arguments) -> Option<Preview> {
        let change = match self.tools.get(tool)?.1 {
            Definition::Builtin(Builtin::WriteFile) => Change::Write,
            Definition::Builtin(Builtin::EditFile) => Change::Edit,
            Definition::Builtin(Builtin::DeleteFile) => Change::Delete,
            Definition::Builtin(
                Builtin::Shell | Builtin::ReadFile | Builtin::ListFiles | Builtin::Fetch,
            )
            | Definition::Command(_)
            | Definition::Code(_)
            | Definition::Remote(_) => return None,
        };
        let (workspace, arguments) = (Arc::clone(&self.workspace), arguments.clone());
        let looked = spawn_blocking(move || {
            let task = Task {
                workspace: &workspace,
                arguments: arguments.value(),
                expected: &Expected::Anything,
                stop: &CancellationToken::new(),
            };
            file::preview(&task, change)
        });
        looked.await.ok()
    }

    /// Runs one call to its end. Dropping the future stops it, and kills every process it started.
    pub async fn run(&self, job: Job, output: &mpsc::Sender<Written>) -> Ran {
        let Some((_, definition)) = self.tools.get(&job.tool) else {
            return Ran::Failed(format!("there is no tool named {}", job.tool));
        };
        if job.cancel.is_cancelled() {
            return Ran::Interrupted;
        }
        let (root, hidden) = (self.workspace.root(), self.hidden.as_slice());
        match definition {
            Definition::Command(command) => command.run(&job, root, hidden, output).await,
            Definition::Code(_) => Ran::Failed("a script can only be run by an agent".to_owned()),
            Definition::Remote(remote) => match &self.servers {
                Some(servers) => servers.run(remote, &job, output).await,
                None => Ran::Failed(format!("there is no server for {}", job.tool)),
            },
            Definition::Builtin(builtin) => match builtin {
                Builtin::Shell => shell(&job, root, hidden, output).await,
                Builtin::Fetch => self.fetcher.run(&job).await,
                Builtin::ReadFile => self.work(job, file::read).await,
                Builtin::ListFiles => self.work(job, file::list).await,
                Builtin::WriteFile => self.work(job, file::write).await,
                Builtin::EditFile => self.work(job, file::edit).await,
                Builtin::DeleteFile => self.work(job, file::delete).await,
            },
        }
    }

    /// Does file work off the event loop. Interrupting stops it before its next step, and is then
    /// waited for: what has been done is reported as done.
    async fn work(&self, job: Job, work: Work) -> Ran {
        let stop = job.cancel.child_token();
        let _stopped_if_dropped = stop.clone().drop_guard();
        let workspace = Arc::clone(&self.workspace);
        let Job {
            arguments,
            expected,
            cancel,
            ..
        } = job;
        let mut doing = spawn_blocking(move || {
            work(&Task {
                workspace: &workspace,
                arguments: arguments.value(),
                expected: &expected,
                stop: &stop,
            })
        });
        let done = tokio::select! {
            done = &mut doing => done,
            () = cancel.cancelled() => match timeout(LAST_STEP, doing).await {
                Ok(done) => done,
                Err(_) => return Ran::Interrupted,
            },
        };
        match done {
            Ok(Ok(text)) => Ran::Result(text),
            Ok(Err(FileFault::Interrupted)) => Ran::Interrupted,
            Ok(Err(fault)) => Ran::Failed(fault.to_string()),
            Err(error) => Ran::Failed(format!("the work on files broke off: {error}")),
        }
    }
}

/// What is wrong with one declared tool: all of it.
fn check(tool: &CommandTool) -> Vec<ToolFault> {
    let name = || tool.name.clone();
    let mut faults = Vec::new();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !(1..=LONGEST_NAME).contains(&tool.name.len()) || !tool.name.chars().all(plain) {
        faults.push(ToolFault::Name { name: name() });
    }
    if tool.command.first().is_none_or(String::is_empty) {
        faults.push(ToolFault::NoCommand { name: name() });
    }
    if let Err(why) = check_schema(&tool.schema) {
        faults.push(ToolFault::Schema { name: name(), why });
    }
    if tool.timeout.is_zero() {
        faults.push(ToolFault::NoTime { name: name() });
    }
    let unfit = |variable: &str| {
        variable.is_empty() || variable.contains(['=', '\0']) || variable.starts_with(PREFIX)
    };
    let variables = tool.environment.iter().map(|(variable, _)| variable);
    faults.extend(
        variables
            .filter(|variable| unfit(variable))
            .map(|variable| ToolFault::Variable {
                name: name(),
                variable: variable.clone(),
            }),
    );
    faults
}

fn check_schema(schema: &Schema) -> Result<(), String> {
    let kind = schema.value().get("type").and_then(|kind| kind.as_str());
    if kind != Some("object") {
        return Err("it must say `type = \"object\"`, since arguments are an object".into());
    }
    Schema::compile(schema.value().clone()).map(drop)
}
