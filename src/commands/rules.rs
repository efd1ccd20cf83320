//! `countersign rules`: the rules that operators gave while the program ran; shown, and taken back.

use anyhow::Context as _;
use clap::{Args, Subcommand};
use countersign::core::decision::How;
use countersign::core::shown::Shown;
use countersign::policy::grant::{Given, Grant};
use countersign::store::reading::Form;
use countersign::store::{Journal, Reader, is_begun, standing};
use countersign::term::who;
use jiff::Timestamp;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::opened::failed;
use super::{Stop, print, sources};

#[derive(Debug, Args)]
pub(crate) struct RulesFlags {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Take a given rule back: it counts for no call that is judged from now on, in any process.
    Revoke {
        /// As the list names it.
        #[arg(value_name = "ID")]
        id: String,
    },
}

pub(crate) fn rules(config: Option<PathBuf>, flags: RulesFlags) -> Result<(), Stop> {
    let folder = sources(config)?.data_dir();
    match flags.action {
        None => list(&folder),
        Some(Action::Revoke { id }) => revoke(&folder, &id),
    }
}

fn list(folder: &Path) -> Result<(), Stop> {
    let now = Timestamp::now();
    let live: Vec<Grant> = read(folder)?
        .into_iter()
        .filter(|grant| grant.is_live(now))
        .collect();
    if live.is_empty() {
        return print("no rule was given that counts now\n");
    }
    let mut out = String::new();
    for grant in &live {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{}  {} by {} at {:.0}\n  in {} (session {})",
            Shown::label(&grant.id).as_str(),
            grant.lasts.words(),
            Shown::label(&grant.who).as_str(),
            grant.at,
            Shown::label(&grant.workspace).as_str(),
            Shown::label(&grant.session.0).as_str(),
        );
        for row in Shown::laid_out(grant.text.trim_end()).rows() {
            let _ = writeln!(out, "    {row}");
        }
    }
    print(&out)
}

/// The rules that were given and not taken back, as they are written.
fn read(folder: &Path) -> Result<Vec<Grant>, Stop> {
    if !is_begun(folder).map_err(failed)? {
        let standing = standing::read(folder);
        return standing.map_err(|mistakes| Stop::mistakes(&mistakes));
    }
    let reader = Reader::open(folder).map_err(failed)?;
    reader
        .grants(Form::Written)
        .map_err(|why| Stop::BadInput(vec![why]))
}

fn revoke(folder: &Path, id: &str) -> Result<(), Stop> {
    let grants = read(folder)?;
    let Some(grant) = grants.into_iter().find(|grant| grant.id == id) else {
        let why = format!("there is no rule `{id}` that counts; `countersign rules` lists them");
        return Err(Stop::BadInput(vec![why]));
    };
    let does = Given::read(grant.clone()).map_or("", |given| given.verdict().word());
    let (journal, writer) = Journal::open(folder).map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .context("cannot start the program's threads")?;
    let who = who::who().to_string();
    let revoked = journal.revoke(grant, who, Timestamp::now(), How::Headless);
    let revoked = runtime.block_on(revoked);
    drop(journal);
    writer.join();
    revoked.map_err(failed)?;
    print(&format!("rule {id} ({does}) counts no more\n"))
}
