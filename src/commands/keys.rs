//! `countersign keys`: the key table as Markdown, with the operator's own keys.

use std::path::PathBuf;

use super::{Stop, keymap, print, sources};

pub(crate) fn keys(config: Option<PathBuf>) -> Result<(), Stop> {
    let sources = sources(config)?;
    let keymap = keymap(&sources.keymap()).map_err(|mistakes| Stop::mistakes(&mistakes))?;
    print(&keymap.markdown())
}
