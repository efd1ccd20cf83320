//! What a tool's process finds in its environment.

use std::path::Path;
use tokio::process::Command;

use super::Job;

/// Variables of this program's own; a configuration cannot set them.
pub(super) const PREFIX: &str = "COUNTERSIGN_";
const APPROVED: &str = "COUNTERSIGN_APPROVED";
const METADATA: &str = "COUNTERSIGN_METADATA";

/// Keeps these variables from a process.
pub(super) fn hide(command: &mut Command, hidden: &[String]) {
    for name in hidden {
        command.env_remove(name);
    }
}

/// Inherits our own environment without `hidden`, and adds what tells the process of its call.
pub(super) fn prepare(command: &mut Command, job: &Job, workspace: &Path, hidden: &[String]) {
    hide(command, hidden);
    command
        .env("COUNTERSIGN_CALL_ID", &job.call.0)
        .env("COUNTERSIGN_TOOL", &job.tool)
        .env("COUNTERSIGN_WORKSPACE", workspace);
    match &job.approved {
        Some(metadata) => command
            .env(APPROVED, "1")
            .env(METADATA, metadata.to_string()),
        // We may have been started by a tool ourselves.
        None => command.env_remove(APPROVED).env_remove(METADATA),
    };
}
