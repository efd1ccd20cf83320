//! `countersign run` and `countersign resume`: agents, new or gone on with, in the console or without.

use clap::Args;
use countersign::core::shown::Shown;
use std::path::PathBuf;

use super::console::{Form, Plainly};
use super::opened::{Opened, find};
use super::{Stop, console, detach, headless};

#[derive(Debug, Default, Args)]
pub(crate) struct RunFlags {
    /// The agents, side by side; the configuration's `default_agent` if none is named.
    agents: Vec<String>,
    /// The first message to the agent.
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    /// Run the agents in a background process that goes on when this console closes; `countersign attach`
    /// comes back to it.
    #[arg(long, conflicts_with = "headless")]
    detach: bool,
    #[command(flatten)]
    plainly: Plainly,
    #[command(flatten)]
    headless: headless::Flags,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeFlags {
    /// The session, or a part of its id; the newest if it is left out.
    session: Option<String>,
    /// What was decided elsewhere, as a JSON file; see the README.
    #[arg(long, value_name = "FILE", requires = "headless")]
    decisions: Option<PathBuf>,
    #[command(flatten)]
    plainly: Plainly,
    #[command(flatten)]
    headless: headless::Flags,
}

pub(crate) fn run(config: Option<PathBuf>, flags: RunFlags) -> Result<(), Stop> {
    if flags.headless.headless {
        let agents = named(&flags.agents);
        let [agent] = &agents[..] else {
            return Err(one_agent("--headless"));
        };
        let opened = Opened::new(config, &agents)?;
        let start = opened.begin(*agent, flags.prompt)?;
        return headless::run(opened, start, None, &flags.headless);
    }
    let form = Form::of(&flags.plainly);
    form.check()?;
    if flags.prompt.is_some() && flags.agents.len() > 1 {
        return Err(one_agent("--prompt"));
    }
    if flags.detach {
        return detach::run(config, &flags.agents, flags.prompt.as_deref(), form);
    }
    let agents = named(&flags.agents);
    let opened = Opened::new(config, &agents)?;
    let starts = agents
        .into_iter()
        .map(|agent| opened.begin(agent, flags.prompt.clone()));
    let starts = starts.collect::<Result<_, _>>()?;
    console::open(opened, starts, &[], form)
}

pub(crate) fn resume(config: Option<PathBuf>, flags: &ResumeFlags) -> Result<(), Stop> {
    let row = find(config.as_deref(), flags.session.as_deref())?;
    if let Some(file) = &row.file {
        return Err(Stop::BadInput(vec![format!(
            "session {} is the deferred state of another program; go on with: countersign decide {}",
            row.id,
            Shown::label(file)
        )]));
    }
    let form = Form::of(&flags.plainly);
    if !flags.headless.headless {
        form.check()?;
    }
    let opened = Opened::of_session(config, &row)?;
    let decisions = flags
        .decisions
        .as_deref()
        .map(headless::decisions)
        .transpose()?;
    let start = opened.resume(&row)?;
    if flags.headless.headless {
        return headless::run(opened, start, decisions, &flags.headless);
    }
    console::open(opened, vec![start], &[], form)
}

/// No name means the default agent.
pub(super) fn named(agents: &[String]) -> Vec<Option<&str>> {
    if agents.is_empty() {
        vec![None]
    } else {
        agents.iter().map(|agent| Some(agent.as_str())).collect()
    }
}

fn one_agent(flag: &str) -> Stop {
    Stop::BadInput(vec![format!(
        "{flag} goes with one agent; run the others apart"
    )])
}
