//! Events as lines at the end of a file.
//!
//! The file is opened for each batch of lines: whoever wants it smaller moves it away, and the next
//! event begins a new one. Several processes can write to the same file.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::inbox::Inbox;

/// Bytes written at once, if so many are there.
const BATCH: usize = 64 * 1024;

pub(super) fn run(path: &Path, mut inbox: Inbox) {
    let mut failing = false;
    while let Some(line) = inbox.wait() {
        let mut batch = format!("{}\n", line.text);
        let mut lines = vec![line];
        while batch.len() < BATCH
            && let Some(line) = inbox.ready()
        {
            batch.push_str(&line.text);
            batch.push('\n');
            lines.push(line);
        }
        match append(path, &batch) {
            Ok(()) => failing = false,
            Err(error) => {
                // Once for each time that it begins to fail.
                if !failing {
                    tracing::warn!(path = %path.display(), %error, "events cannot be written");
                }
                failing = true;
                for line in &lines {
                    inbox.lose(line);
                }
            }
        }
    }
}

/// Only its owner can read it. One write, so that lines of several processes do not mix.
fn append(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options.append(true).create(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}
