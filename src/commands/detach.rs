//! `run --detach`: the agents run in a background process of their own; this one attaches to it.

use anyhow::Context as _;
use clap::Args;
use countersign::core::call::SessionId;
use countersign::runtime::{Agents, Detached, Host};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::console::Form;
use super::opened::Opened;
use super::run::named;
use super::{Stop, attach, threads};

#[derive(Debug, Default, Args)]
pub(crate) struct HostFlags {
    agents: Vec<String>,
    #[arg(long)]
    prompt: Option<String>,
}

/// Starts the background process and opens a console on it.
pub(crate) fn run(
    config: Option<PathBuf>,
    agents: &[String],
    prompt: Option<&str>,
    form: Form,
) -> Result<(), Stop> {
    let sessions = spawn(config.as_deref(), agents, prompt)?;
    attach::attach_to(config, &sessions, form)
}

fn spawn(
    config: Option<&Path>,
    agents: &[String],
    prompt: Option<&str>,
) -> Result<Vec<SessionId>, Stop> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let mut command = Command::new(program);
    if let Some(config) = config {
        command.arg("--config").arg(config);
    }
    command.arg("host").args(agents);
    if let Some(prompt) = prompt {
        command.arg("--prompt").arg(prompt);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .context("cannot start the background process")?;
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out)
            .read_line(&mut line)
            .context("the background process does not answer")?;
    }
    if let Ok(sessions) = serde_json::from_str(&line) {
        return Ok(sessions);
    }
    // It has said why and ended.
    let mut why = String::new();
    if let Some(mut err) = child.stderr.take() {
        err.read_to_string(&mut why)
            .context("the background process does not answer")?;
    }
    let status = child
        .wait()
        .context("the background process does not end")?;
    let lines = why.lines().map(ToOwned::to_owned).collect();
    if status.code() == Some(i32::from(crate::BAD_INPUT)) {
        return Err(Stop::BadInput(lines));
    }
    Err(Stop::Failed(anyhow::anyhow!(
        "the background process could not start: {}",
        why.trim()
    )))
}

/// The background process itself.
pub(crate) fn host(config: Option<PathBuf>, flags: &HostFlags) -> Result<(), Stop> {
    // Away from the terminal: its end, and ctrl-c in it, are not ours. Fails only for a process that is
    // the first of its group already, which nobody's terminal controls either.
    let _ = rustix::process::setsid();
    let agents = named(&flags.agents);
    let mut opened = Opened::new(config, &agents)?;
    let starts = agents
        .into_iter()
        .map(|agent| opened.begin(agent, flags.prompt.clone()));
    let starts = starts.collect::<Result<Vec<_>, _>>()?;
    opened.keep();
    let Opened {
        config,
        sources,
        journal,
        writer,
        log,
        ..
    } = opened;
    drop(journal);
    let folder = config.data_dir.clone();
    let runtime = threads()?;
    let ended = runtime.block_on(async {
        let host = Host::open(&folder).context("cannot open the socket in the data folder")?;
        let mut agents = Agents::default();
        let ids: Vec<_> = starts
            .iter()
            .map(|start| start.parts.session.clone())
            .collect();
        for start in starts {
            agents.start(start);
        }
        announce(&ids)?;
        Detached::new(agents, host, &config, &sources)
            .run()
            .await
            .context("the background process failed")
    });
    drop(runtime);
    writer.join();
    drop(log);
    ended.map_err(Stop::Failed)
}

/// Tells whoever started us which sessions there are; nothing more is written there.
fn announce(ids: &[SessionId]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, ids)?;
    out.write_all(b"\n")?;
    out.flush()
        .context("whoever started the background process is gone")
}
