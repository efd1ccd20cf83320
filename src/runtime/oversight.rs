//! From the configuration to the reviewers of an agent. Asks none of them.

use std::sync::Arc;

use super::assemble::{self, Ground, Unfit};
use crate::agent::review::{Means, Model, Oversight, Reviewer, TASK, When};
use crate::config::agent::Agent;
use crate::config::provider::{Endpoint as Address, ProviderChoice};
use crate::config::reviewer::{self, Reviewer as Configured};
use crate::config::sources::Sources;
use crate::provider::setup::{Setup, StreamMode};
use crate::tools::consult::Consulted;

/// Who looks at the calls of an agent.
pub(super) fn oversight(ground: Ground<'_>, agent: &Agent) -> Result<Arc<Oversight>, Unfit> {
    let looks = |reviewer: &&Configured| {
        reviewer.agents.is_empty() || reviewer.agents.contains(&agent.name)
    };
    let reviewers = ground.config.reviewers.iter().filter(looks);
    let reviewers: Vec<_> = reviewers
        .map(|configured| reviewer(ground, configured))
        .collect::<Result<_, _>>()?;
    Ok(Arc::new(Oversight::new(reviewers, agent.expires)))
}

fn reviewer(ground: Ground<'_>, configured: &Configured) -> Result<Reviewer, Unfit> {
    if let Some(missing) = configured.missing_key(ground.sources) {
        return Err(Unfit::Mistakes(vec![missing]));
    }
    let means = match &configured.means {
        reviewer::Means::Program { command, directory } => Means::Program(Consulted {
            command: command.clone(),
            directory: directory.clone(),
            hidden: ground.config.key_variables().collect(),
        }),
        reviewer::Means::Model {
            provider,
            model,
            instructions,
            ..
        } => {
            let setup = |address| setup(model, instructions, address, ground.sources);
            Means::Model(Box::new(match provider {
                ProviderChoice::Mistral(address) => Model::Mistral(setup(address)),
                ProviderChoice::OpenAi(address) => Model::OpenAi(setup(address)),
                ProviderChoice::Script(written) => {
                    Model::Script(Arc::new(assemble::scenario(written)?))
                }
            }))
        }
    };
    Ok(Reviewer {
        name: configured.name.clone(),
        means,
        agents: configured.agents.clone(),
        tools: configured.tools.clone(),
        when: match configured.when {
            reviewer::When::Ask => When::Ask,
            reviewer::When::Always => When::Always,
        },
        timeout: configured.timeout,
        may: configured.may.clone(),
    })
}

fn setup(model: &str, instructions: &str, address: &Address, sources: &Sources) -> Setup {
    let told = if instructions.is_empty() {
        TASK.to_owned()
    } else {
        format!("{TASK}\n\n{instructions}")
    };
    Setup {
        model: model.to_owned(),
        instructions: Some(told),
        tools: Vec::new(),
        server_tools: Vec::new(),
        stream: StreamMode::Whole,
        endpoint: assemble::endpoint(address, sources),
    }
}
