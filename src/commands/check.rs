//! `countersign check`: every mistake in configuration, policy, keymap and scenarios, in one go.

use countersign::{config, runtime};
use std::path::PathBuf;

use super::{Stop, keymap, print, sources};

pub(crate) fn check(file: Option<PathBuf>) -> Result<(), Stop> {
    let sources = sources(file)?;
    let mut mistakes = Vec::new();
    let mut checked = "the built-in rehearsal".to_owned();
    match config::load(&sources) {
        Ok(config) => {
            mistakes.extend(config.agents.values().flat_map(runtime::check_scenario));
            if let Some(file) = &config.file {
                checked = file.display().to_string();
            }
        }
        Err(found) => mistakes.extend(found),
    }
    mistakes.extend(keymap(&sources.keymap()).err().unwrap_or_default());
    if mistakes.is_empty() {
        return print(&format!(
            "no mistake in {checked}, its rules, its scenarios and the keymap\n"
        ));
    }
    Err(Stop::mistakes(&mistakes))
}
