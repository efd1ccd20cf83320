//! `countersign attach`: a console on sessions that other processes run.

use clap::Args;
use countersign::core::call::SessionId;
use countersign::store::lease::Lease;
use countersign::store::reading::SessionRow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::console::{self, Elsewhere, Form, Plainly};
use super::opened::{Opened, sessions};
use super::{Stop, sources};

#[derive(Debug, Default, Args)]
pub(crate) struct AttachFlags {
    /// The session, or a part of its id; all that run elsewhere if it is left out.
    session: Option<String>,
    #[command(flatten)]
    plainly: Plainly,
}

pub(crate) fn attach(config: Option<PathBuf>, flags: &AttachFlags) -> Result<(), Stop> {
    let form = Form::of(&flags.plainly);
    form.check()?;
    let folder = sources(config.clone())?.data_dir();
    let wanted = |row: &SessionRow| match flags.session.as_deref() {
        None => true,
        Some(name) => row.id.0.contains(name),
    };
    open_on(config, &running(&folder, wanted)?, form)
}

/// How long a process that was just started may take to write its sessions into the journal.
const PATIENCE: Duration = Duration::from_secs(5);

/// A console on just these sessions, which a process that was just started runs.
pub(crate) fn attach_to(
    config: Option<PathBuf>,
    ids: &[SessionId],
    form: Form,
) -> Result<(), Stop> {
    let folder = sources(config.clone())?.data_dir();
    let begun = Instant::now();
    loop {
        let found = running(&folder, |row| ids.contains(&row.id))?;
        if found.len() == ids.len() || begun.elapsed() > PATIENCE {
            return open_on(config, &found, form);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn open_on(config: Option<PathBuf>, elsewhere: &[Elsewhere], form: Form) -> Result<(), Stop> {
    let Some(first) = elsewhere.first() else {
        let why = "no such session runs in another process; `countersign sessions` lists what can be resumed";
        return Err(Stop::BadInput(vec![why.to_owned()]));
    };
    let of_each = config.is_none();
    let opened = Opened::of_session(config, &first.row)?;
    if of_each {
        // What is decided here is written here: what is secret to one of the sessions must be so.
        for Elsewhere { row, .. } in elsewhere {
            opened.declare_of(row)?;
        }
    }
    console::open(opened, Vec::new(), elsewhere, form)
}

fn running(folder: &Path, wanted: impl Fn(&SessionRow) -> bool) -> Result<Vec<Elsewhere>, Stop> {
    let rows = sessions(folder)?.into_iter().filter(|row| wanted(row));
    let reachable = rows.filter_map(|row| {
        let socket = Lease::owner(folder, &row.id)?.socket?;
        Some(Elsewhere { row, socket })
    });
    Ok(reachable.collect())
}
