//! `countersign check`: every mistake in configuration, policy, keymap and scenarios, in one go.

use countersign::config::agent::Agent;
use countersign::config::mcp::{Means, Server};
use countersign::config::sources::Sources;
use countersign::config::{self, Config};
use countersign::runtime;
use countersign::store::standing;
use std::path::PathBuf;
use std::sync::Arc;

use super::{Stop, keymap, print, sources};

pub(crate) fn check(file: Option<PathBuf>) -> Result<(), Stop> {
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
        Ok(config) if mistakes.is_empty() => print(&sound(&config, &sources)),
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

/// What is said of a configuration without a mistake. A key that is not set is none: it may be set
/// where the agent runs.
fn sound(config: &Config, sources: &Sources) -> String {
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
    told.push(format!(
        "no mistake in {checked}, its rules, its scenarios, the keymap and the given rules\n"
    ));
    told.concat()
}
