//! `countersign check`: every mistake in configuration, policy, keymap and scenarios, in one go.

use anyhow::Context as _;
use countersign::config::agent::Agent;
use countersign::config::mcp::{Means, Server};
use countersign::config::sources::Sources;
use countersign::config::unmatched::{Offered, unmatched};
use countersign::config::{self, Config};
use countersign::core::name;
use countersign::core::shown::Shown;
use countersign::runtime;
use countersign::store::standing;
use countersign::tools::mcp::{Servers, Spec};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc::Receiver;

use super::{Stop, keymap, print, sources};

#[derive(Debug, clap::Args)]
pub(crate) struct CheckFlags {
    /// Start the MCP servers too, and say what they offer.
    #[arg(long)]
    servers: bool,
}

pub(crate) fn check(file: Option<PathBuf>, flags: &CheckFlags) -> Result<(), Stop> {
    let sources = sources(file)?;
    let checked = config::examine(&sources);
    let mut mistakes = checked.config.as_ref().err().cloned().unwrap_or_default();
    mistakes.extend(checked.scenarios.iter().flat_map(runtime::check_scenario));
    mistakes.extend(keymap(&sources.keymap()).err().unwrap_or_default());
    mistakes.extend(
        standing::read(&sources.data_dir())
            .err()
            .unwrap_or_default(),
    );
    match checked.config {
        Ok(config) if mistakes.is_empty() => {
            let asked = if flags.servers {
                ask(&config, &sources)?
            } else {
                Asked::default()
            };
            print(&sound(&config, &sources, &asked))
        }
        _ => Err(Stop::mistakes(&mistakes)),
    }
}

/// A line for each MCP server: who gets its tools, and what it would have to do without.
fn servers(config: &Config, sources: &Sources) -> Vec<String> {
    let line = |server: &Arc<Server>| {
        let name = &server.name;
        let given = |agent: &&Agent| agent.mcp.iter().any(|one| one.name == *name);
        let agents: Vec<_> = config.agents.values().filter(given).collect();
        let agents: Vec<_> = agents.iter().map(|agent| agent.name.as_str()).collect();
        let whom = if agents.is_empty() {
            "no agent has it; name it in an agent's \"mcp\"".to_owned()
        } else {
            format!("for {}", agents.join(", "))
        };
        let how = match &server.means {
            Means::Program { program, .. } => program.display().to_string(),
            Means::Address { url, .. } => url.clone(),
        };
        let unset = match server.unset(sources).join(", ") {
            none if none.is_empty() => none,
            unset => format!("; not set: {unset}"),
        };
        format!("note: mcp.{name}: {how}, {whom}{unset}\n")
    };
    config.mcp.iter().map(line).collect()
}

/// What servers said that were started to be asked.
#[derive(Default)]
struct Asked {
    offered: Offered,
    told: Vec<String>,
}

/// Starts every server for as long as it takes to hear what it offers.
fn ask(config: &Config, sources: &Sources) -> Result<Asked, Stop> {
    let keeper = runtime::this_program().context("this program cannot find itself")?;
    let threads = super::threads()?;
    let mut asked = Asked::default();
    for agent in config.agents.values() {
        let known = |name: &String| asked.offered.iter().any(|(other, _)| other == name);
        let new = agent.mcp.iter().filter(|server| !known(&server.name));
        let specs = new.map(|server| server.spec(sources, &keeper)).collect();
        threads.block_on(asked.ask(specs, &agent.workspace));
    }
    Ok(asked)
}

impl Asked {
    async fn ask(&mut self, specs: Vec<Spec>, workspace: &Path) {
        let servers = Servers::new(specs, workspace, []);
        let mut notices = servers.start();
        servers.settled().await;
        while let Some(Ok(notice)) = notices.as_mut().map(Receiver::try_recv) {
            // Here nothing is started a second time.
            let text = notice.text.trim_end_matches("; it is tried again");
            self.say(text);
        }
        for (server, tools) in servers.names() {
            if !tools.is_empty() {
                self.say(&format!(
                    "mcp.{server} offers {}",
                    name::listed(tools.iter().map(String::as_str), ", ")
                ));
            }
            self.offered.push((server, tools));
        }
    }

    /// What a server says of itself is somebody else's text.
    fn say(&mut self, text: &str) {
        let shown = Shown::label(text);
        self.told.push(format!("note: {}\n", shown.as_str()));
    }
}

/// What is said of a configuration without a mistake. A key that is not set is none: it may be set
/// where the agent runs.
fn sound(config: &Config, sources: &Sources, asked: &Asked) -> String {
    let checked = config.file.as_ref().map_or_else(
        || "the built-in rehearsal".to_owned(),
        |file| file.display().to_string(),
    );
    let missing = config
        .agents
        .values()
        .filter_map(|agent| agent.missing_key(sources));
    let reviewers = config
        .reviewers
        .iter()
        .filter_map(|reviewer| reviewer.missing_key(sources));
    let mut told: Vec<String> = missing
        .chain(reviewers)
        .map(|missing| format!("note: {missing}\n"))
        .collect();
    told.extend(servers(config, sources));
    told.extend(asked.told.iter().cloned());
    let unmatched = unmatched(config, sources, &asked.offered);
    told.extend(unmatched.iter().map(|one| format!("note: {one}\n")));
    told.push(format!(
        "no mistake in {checked}, its rules, its scenarios, the keymap and the given rules\n"
    ));
    told.concat()
}
