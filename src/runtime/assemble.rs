//! From the configuration to an agent that can be started.
//!
//! Owns the joints between configuration, provider, tools and policy. Starts nothing.

use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::agents::Start;
use super::host::Host;
use super::oversight::oversight;
use super::saved::Saved;
use crate::agent::offers::specs;
use crate::agent::{Limits, Parts};
use crate::config::Config;
use crate::config::agent::Agent;
use crate::config::provider::{Endpoint as Address, ProviderChoice, Scenario as Written};
use crate::config::sources::Sources;
use crate::config::tool::ToolChoice;
use crate::core::call::SessionId;
use crate::core::mistake::Mistake;
use crate::provider::endpoint::{Endpoint, Secret};
use crate::provider::mistral::Mistral;
use crate::provider::openai::OpenAi;
use crate::provider::script::Script;
use crate::provider::script::scenario::Scenario;
use crate::provider::setup::{Setup, StreamMode};
use crate::provider::{Fault, Provider};
use crate::store::lease::{Lease, Owner};
use crate::store::{Journal, Reader, StoreError};
use crate::tools::code::CodeTool;
use crate::tools::{CommandTool, Definition, Toolbox};

/// What an agent is assembled from.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    pub config: &'a Config,
    pub sources: &'a Sources,
    pub journal: &'a Journal,
}

/// Why an agent cannot be started.
#[derive(Debug)]
pub enum Unfit {
    /// What is wrong in the configuration, with its places.
    Mistakes(Vec<Mistake>),
    /// The journal cannot be read.
    Store(StoreError),
    /// Anything else, in words.
    Other(String),
}

impl fmt::Display for Unfit {
    /// On one line: what is wrong first, and how much more there is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Other(why) => f.write_str(why),
            Self::Mistakes(mistakes) => {
                if let Some(first) = mistakes.first() {
                    first.fmt(f)?;
                }
                match mistakes.len() {
                    0 | 1 => Ok(()),
                    all => write!(f, " (and {} more; `countersign check` tells all)", all - 1),
                }
            }
        }
    }
}

impl From<StoreError> for Unfit {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Vec<Mistake>> for Unfit {
    fn from(mistakes: Vec<Mistake>) -> Self {
        Self::Mistakes(mistakes)
    }
}

/// What was sealed is secret: it is not to be written in clear because another configuration is used.
const UNDECLARED: &str = "this session has secrets, sealed in the journal, and no configuration that can be read says \
     any more what is secret: going on would write them in clear; resume it with the configuration it was begun with, \
     or declare its secrets with [[redact]] in this one";

/// A new session of an agent, which begins with `prompt` or else with what its scenario says.
pub fn begin(ground: Ground<'_>, agent: &Agent, prompt: Option<String>) -> Result<Start, Unfit> {
    let session = SessionId(uuid::Uuid::now_v7().to_string());
    let lease = take_lease(ground, &session)?;
    let tools = toolbox(ground, agent)?;
    let (provider, rehearsed) = provider(ground, agent, &tools, None)?;
    Ok(Start {
        parts: parts(ground, agent, session, provider, tools)?,
        prompt: prompt.or(rehearsed),
        saved: None,
        lease,
    })
}

/// A session that goes on where the journal says it stood.
pub fn resume(ground: Ground<'_>, agent: &Agent, session: &SessionId) -> Result<Start, Unfit> {
    // Before it is read: from now on nobody else writes to it.
    let lease = take_lease(ground, session)?;
    let reader = Reader::open(&ground.config.data_dir)?.for_journal(ground.journal);
    if reader.has_sealed(session)? && !ground.journal.veil().declares() {
        return Err(Unfit::Other(UNDECLARED.to_owned()));
    }
    let saved = Saved::read(&reader, session)?;
    let tools = toolbox(ground, agent)?;
    let (provider, _) = provider(ground, agent, &tools, saved.suspension.as_ref())?;
    Ok(Start {
        parts: parts(ground, agent, session.clone(), provider, tools)?,
        prompt: None,
        saved: Some(saved),
        lease,
    })
}

fn take_lease(ground: Ground<'_>, session: &SessionId) -> Result<Lease, Unfit> {
    let owner = Owner {
        words: format!(
            "{} (process {})",
            crate::term::who::who(),
            std::process::id()
        ),
        socket: Some(Host::path(&ground.config.data_dir)),
    };
    Lease::take(&ground.config.data_dir, session, &owner)
        .map_err(|error| Unfit::Other(error.to_string()))
}

fn parts(
    ground: Ground<'_>,
    agent: &Agent,
    session: SessionId,
    provider: Provider,
    tools: Toolbox,
) -> Result<Parts, Unfit> {
    Ok(Parts {
        session,
        name: agent.name.clone(),
        model: agent.model.clone(),
        provider,
        config: ground.config.file.clone(),
        policy: ground.config.policy.clone(),
        workspace: tools.workspace().to_owned(),
        tools: Arc::new(tools),
        journal: ground.journal.clone(),
        limits: Limits {
            rounds: agent.max_rounds,
            parallel: agent.max_parallel,
        },
        oversight: oversight(ground, agent)?,
    })
}

/// Reads an agent's scenario, if it has one, for its mistakes alone.
pub fn check_scenario(written: &Written) -> Vec<Mistake> {
    scenario(written).err().unwrap_or_default()
}

fn toolbox(ground: Ground<'_>, agent: &Agent) -> Result<Toolbox, Vec<Mistake>> {
    let config = ground.config;
    let definitions = agent.tools.iter().map(definition);
    let code = match &agent.code {
        None => None,
        Some(code) => Some(code_tool(config, agent, code)?),
    };
    let definitions = definitions.chain(code).collect();
    let built = Toolbox::build(&agent.workspace, definitions);
    let whole = |fault: crate::tools::ToolFault| {
        Mistake::of_the_whole(
            config.file_name(),
            fault.to_string(),
            format!("see agents.{}", agent.name),
        )
    };
    let toolbox = built.map_err(|faults| faults.into_iter().map(whole).collect::<Vec<_>>())?;
    // No tool is to find the keys that this program was given for its models.
    let toolbox = toolbox.hide_environment(config.key_variables());
    if agent.mcp.is_empty() {
        return Ok(toolbox);
    }
    let keeper = own_program(config, ["start MCP servers", "mcp"], agent)?;
    let servers = agent.mcp.iter();
    let specs = servers.map(|server| server.spec(ground.sources, &keeper));
    Ok(toolbox.with_servers(specs.collect()))
}

/// Scripts are run by this very program.
fn code_tool(config: &Config, agent: &Agent, code: &CodeTool) -> Result<Definition, Vec<Mistake>> {
    Ok(Definition::Code(CodeTool {
        program: own_program(config, ["run scripts", "code"], agent)?,
        folder: config.data_dir.clone(),
        ..code.clone()
    }))
}

/// This executable. Else it is said what it is needed for, and which key asks for that.
fn own_program(
    config: &Config,
    [purpose, key]: [&str; 2],
    agent: &Agent,
) -> Result<PathBuf, Vec<Mistake>> {
    this_program().map_err(|error| {
        let what = format!("this program cannot find itself, so it cannot {purpose}: {error}");
        let todo = format!("take {key} out of agents.{}", agent.name);
        vec![Mistake::of_the_whole(config.file_name(), what, todo)]
    })
}

/// By a name that stays while its file is replaced, where the system has one: what paused a script is what
/// goes on with it.
pub fn this_program() -> std::io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        return Ok(own.to_owned());
    }
    std::env::current_exe()
}

fn definition(choice: &ToolChoice) -> Definition {
    match choice {
        ToolChoice::BuiltIn(tool) => Definition::Builtin(*tool),
        ToolChoice::Command(tool) => Definition::Command(CommandTool::clone(tool)),
    }
}

/// The model, and the first message that its scenario suggests.
fn provider(
    ground: Ground<'_>,
    agent: &Agent,
    tools: &Toolbox,
    suspension: Option<&Value>,
) -> Result<(Provider, Option<String>), Unfit> {
    if let Some(missing) = agent.missing_key(ground.sources) {
        return Err(Unfit::Mistakes(vec![missing]));
    }
    let setup = |address| setup(agent, tools, address, ground.sources);
    let stuck = |fault: Fault| Unfit::Other(fault.what);
    match &agent.provider {
        ProviderChoice::Mistral(address) => {
            let mistral = match suspension {
                None => Mistral::new(setup(address)),
                Some(suspension) => Mistral::restore(setup(address), suspension).map_err(stuck)?,
            };
            Ok((Provider::Mistral(mistral), None))
        }
        ProviderChoice::OpenAi(address) => {
            let openai = match suspension {
                None => OpenAi::new(setup(address)),
                Some(suspension) => OpenAi::restore(setup(address), suspension).map_err(stuck)?,
            };
            Ok((Provider::OpenAi(openai), None))
        }
        ProviderChoice::Script(written) => {
            let scenario = Arc::new(scenario(written)?);
            let prompt = scenario.prompt.clone();
            let script = match suspension {
                None => Script::new(scenario),
                Some(suspension) => Script::restore(scenario, suspension).map_err(stuck)?,
            };
            Ok((Provider::Script(script), prompt))
        }
    }
}

fn setup(agent: &Agent, tools: &Toolbox, address: &Address, sources: &Sources) -> Setup {
    Setup {
        model: agent.model.clone(),
        instructions: Some(agent.instructions.clone()).filter(|text| !text.is_empty()),
        tools: specs(tools),
        server_tools: agent.server_tools.clone(),
        stream: if agent.stream {
            StreamMode::Streamed
        } else {
            StreamMode::Whole
        },
        endpoint: endpoint(address, sources),
    }
}

/// Where a model is, with the key that is sent there.
pub(super) fn endpoint(address: &Address, sources: &Sources) -> Endpoint {
    let key = address
        .api_key_env
        .as_deref()
        .and_then(|name| sources.variable(name));
    let mut endpoint = Endpoint::new(address.base_url.clone(), key.map(Secret::new));
    endpoint.idle = address.read_timeout;
    endpoint
}

pub(super) fn scenario(written: &Written) -> Result<Scenario, Vec<Mistake>> {
    let file = match written {
        Written::BuiltIn => {
            return Scenario::parse("the built-in scenario", super::offline::SCENARIO);
        }
        Written::File(file) => file,
    };
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| {
        let what = format!("the scenario cannot be read: {error}");
        vec![Mistake::of_the_whole(&name, what, "name a file that can")]
    })?;
    Scenario::parse(&name, &text)
}
