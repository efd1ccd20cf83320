//! `countersign check`: every mistake in configuration, policy, keymap and scenarios, in one go.

use countersign::config::sources::Sources;
use countersign::config::{self, Config};
use countersign::runtime;
use countersign::store::standing;
use std::path::PathBuf;

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
    let mut told: Vec<String> = missing
        .map(|missing| format!("note: {missing}\n"))
        .collect();
    told.push(format!(
        "no mistake in {checked}, its rules, its scenarios, the keymap and the given rules\n"
    ));
    told.concat()
}
