//! From the configuration to an agent that can be started.
//!
//! Owns the joints between configuration, provider, tools and policy. Starts nothing.

use std::sync::Arc;

use super::agents::Start;
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
use crate::provider::{Provider, ToolSpec};
use crate::store::Journal;
use crate::tools::{CommandTool, Definition, Toolbox};

/// Everything a run of one agent needs, or every mistake that keeps it from starting.
pub fn assemble(
    config: &Config,
    sources: &Sources,
    agent: &Agent,
    journal: Journal,
    prompt: Option<String>,
) -> Result<Start, Vec<Mistake>> {
    if let Some(missing) = agent.missing_key(sources) {
        return Err(vec![missing]);
    }
    let tools = toolbox(config, agent)?;
    let (provider, rehearsed) = provider(agent, &tools, sources)?;
    let parts = Parts {
        session: SessionId(uuid::Uuid::now_v7().to_string()),
        name: agent.name.clone(),
        model: agent.model.clone(),
        provider,
        config: config.file.clone(),
        policy: config.policy.clone(),
        workspace: tools.workspace().to_owned(),
        tools: Arc::new(tools),
        journal,
        limits: Limits {
            rounds: agent.max_rounds,
            parallel: agent.max_parallel,
        },
    };
    Ok(Start {
        parts,
        prompt: prompt.or(rehearsed),
    })
}

/// Reads an agent's scenario, if it has one, for its mistakes alone.
pub fn check_scenario(agent: &Agent) -> Vec<Mistake> {
    match &agent.provider {
        ProviderChoice::Script(path) => scenario(path).err().unwrap_or_default(),
        ProviderChoice::Mistral(_) | ProviderChoice::OpenAi(_) => Vec::new(),
    }
}

fn toolbox(config: &Config, agent: &Agent) -> Result<Toolbox, Vec<Mistake>> {
    let definitions = agent.tools.iter().map(definition).collect();
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
    Ok(toolbox.hide_environment(config.key_variables()))
}

fn definition(choice: &ToolChoice) -> Definition {
    match choice {
        ToolChoice::BuiltIn(tool) => Definition::Builtin(*tool),
        ToolChoice::Command(tool) => Definition::Command(CommandTool::clone(tool)),
    }
}

fn provider(
    agent: &Agent,
    tools: &Toolbox,
    sources: &Sources,
) -> Result<(Provider, Option<String>), Vec<Mistake>> {
    match &agent.provider {
        ProviderChoice::Mistral(address) => Ok((
            Provider::Mistral(Mistral::new(setup(agent, tools, address, sources))),
            None,
        )),
        ProviderChoice::OpenAi(address) => Ok((
            Provider::OpenAi(OpenAi::new(setup(agent, tools, address, sources))),
            None,
        )),
        ProviderChoice::Script(path) => {
            let scenario = scenario(path)?;
            let prompt = scenario.prompt.clone();
            Ok((Provider::Script(Script::new(Arc::new(scenario))), prompt))
        }
    }
}

fn setup(agent: &Agent, tools: &Toolbox, address: &Address, sources: &Sources) -> Setup {
    let key = address
        .api_key_env
        .as_deref()
        .and_then(|name| sources.variable(name));
    let mut endpoint = Endpoint::new(address.base_url.clone(), key.map(Secret::new));
    endpoint.idle = address.read_timeout;
    let spec = |tool: &crate::tools::Tool| ToolSpec {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.schema.value().clone(),
    };
    Setup {
        model: agent.model.clone(),
        instructions: Some(agent.instructions.clone()).filter(|text| !text.is_empty()),
        tools: tools.iter().map(spec).collect(),
        server_tools: agent.server_tools.clone(),
        stream: if agent.stream {
            StreamMode::Streamed
        } else {
            StreamMode::Whole
        },
        endpoint,
    }
}

fn scenario(written: &Written) -> Result<Scenario, Vec<Mistake>> {
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
