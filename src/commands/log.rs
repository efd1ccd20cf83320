//! The log file: where it is, and that no secret gets into it.

use anyhow::Context as _;
use countersign::runtime::Veiled;
use countersign::store::Veil;
use std::path::Path;
use std::sync::Arc;
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

use super::Stop;

/// Log files kept, one a day.
const LOGS: usize = 7;
/// Lines that may wait to be written; more are left out. Room for each is taken at the start.
const WAITING: usize = 1024;

/// Logs go to a file: the screen belongs to the console.
pub(super) fn to(folder: &Path, veil: &Arc<Veil>) -> Result<WorkerGuard, Stop> {
    let logs = folder.join("logs");
    // The appender complains on stderr of a folder that is not there yet.
    std::fs::create_dir_all(&logs).context("cannot create the folder of the log files")?;
    let file = tracing_appender::rolling::Builder::new()
        .rotation(tracing_appender::rolling::Rotation::DAILY)
        .filename_prefix("countersign")
        .filename_suffix("log")
        .max_log_files(LOGS)
        .build(logs)
        .context("cannot open the log file")?;
    // Written by a thread of its own, so a panic that is logged cannot wait for itself there.
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(WAITING)
        .finish(Veiled::new(file, veil.clone()));
    // That crate logs whole messages of servers, as long as they are and with all that is in them.
    let targets = Targets::new()
        .with_default(Level::INFO)
        .with_target("rmcp", LevelFilter::OFF);
    let lines = tracing_subscriber::fmt::layer().json().with_writer(writer);
    tracing_subscriber::registry()
        .with(lines.with_filter(targets))
        .init();
    Ok(guard)
}
