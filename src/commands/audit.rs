//! `countersign audit`: who let what run; shown, exported and checked.

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use countersign::core::call::CallKey;
use countersign::core::count;
use countersign::core::name::{self, quoted};
use countersign::core::shown::Shown;
use countersign::store::audit::{Broken, Chain, Checked, Link, Record, Signed, write_csv};
use countersign::store::{Reader, StoreError, is_begun};
use globset::{Glob, GlobMatcher};
use jiff::{SignedDuration, Timestamp, civil};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use super::opened::{failed, sessions};
use super::{Stop, print, sources};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AuditFlags {
    #[command(flatten)]
    filter: Filter,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write the whole log, and print the hash of its last record. Keep that hash elsewhere: with it, a
    /// log that was cut or written anew shows.
    Export {
        #[arg(long, value_enum, default_value = "jsonl")]
        format: Format,
        /// Without it, the log goes to standard output and the hash to standard error.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Check the log, or an export of it; name the first broken record and exit with 1.
    Verify {
        /// A hash that an earlier export printed: the log must still have that record.
        #[arg(long, value_name = "HASH", value_parser = head)]
        head: Option<String>,
        /// An export as JSON lines; the log itself if it is left out.
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// One record a line, exactly as it was hashed; `verify` reads it.
    Jsonl,
    /// For a spreadsheet: what is unusual is written out, and nothing is taken for a formula.
    Csv,
}

/// Which records are shown. All conditions must hold.
#[derive(Debug, Default, Args)]
struct Filter {
    /// The session, or the start or end of its id.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The tool's name; `*` stands for any part of it, as in `write_*`.
    #[arg(long, value_name = "NAME", value_parser = tools)]
    tool: Option<GlobMatcher>,
    /// A part of user, host and address, such as `ada@` or `192.0.2.7`; `policy` for what no person decided.
    #[arg(long, value_name = "TEXT")]
    who: Option<String>,
    /// approve, edit, reject, respond, retry, fail, allow, deny, ask, annotate, expire, grant, revoke or pause.
    #[arg(long, value_name = "DECISION", value_parser = signed)]
    decision: Option<Signed>,
    /// Not older than this (`8h`, `7d`), or not before this date or time (`2026-11-20`).
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Timestamp>,
}

pub(crate) fn audit(config: Option<PathBuf>, flags: AuditFlags) -> Result<(), Stop> {
    let folder = sources(config)?.data_dir();
    match flags.action {
        None => list(&folder, &flags.filter),
        Some(Action::Export { format, out }) => export(&folder, format, out.as_deref()),
        Some(Action::Verify { head, file }) => verify(&folder, head.as_deref(), file.as_deref()),
    }
}

fn list(folder: &Path, filter: &Filter) -> Result<(), Stop> {
    if !is_begun(folder).map_err(failed)? {
        return print("there is no journal yet; `countersign run` begins one\n");
    }
    let records = links(folder)?;
    let records = records.iter().map(record).collect::<Result<Vec<_>, _>>()?;
    if let Some(name) = &filter.session {
        known(folder, name, &records)?;
    }
    let not_made = reader(folder)?.not_made().map_err(failed)?;
    let mut out = String::new();
    for record in records.iter().filter(|record| filter.takes(record)) {
        let key = CallKey {
            session: record.session.clone(),
            call: record.call.clone(),
        };
        let after = not_made.contains(&key).then_some(NOT_MADE);
        line(&mut out, record, after.unwrap_or_default());
    }
    if out.is_empty() {
        out.push_str("no such decision is recorded\n");
    }
    print(&out)
}

/// What stands behind a decision on a call that was never made.
const NOT_MADE: &str = " (its script never made this call)";

/// One decision on one line, and what is known of it beside its record.
fn line(out: &mut String, record: &Record, after: &str) {
    let words = record.words.as_deref().unwrap_or_default();
    let arguments = record.sent.as_ref().unwrap_or(&record.proposed);
    let words = if words.is_empty() {
        String::new()
    } else {
        format!("  — {words}")
    };
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "{:>5}  {:.0}  {:<8} {:<9} {}  {}{after}",
        record.number,
        record.at,
        record.decision,
        record.how,
        Shown::label(&record.who()),
        Shown::label(&format!(
            "{} {} {arguments}{words}",
            quoted(&record.agent),
            name::of_call(&record.call, &record.tool)
        )),
    );
}

impl Filter {
    fn takes(&self, record: &Record) -> bool {
        let id = &record.session.0;
        let is = |wanted: &Option<String>, holds: &dyn Fn(&str) -> bool| {
            wanted.as_deref().is_none_or(holds)
        };
        is(&self.session, &|name| is_called(id, name))
            && self
                .tool
                .as_ref()
                .is_none_or(|tool| tool.is_match(&record.tool))
            && is(&self.who, &|who| record.who().contains(who))
            && self
                .decision
                .is_none_or(|decision| record.decision == decision)
            && self.since.is_none_or(|since| record.at >= since)
    }
}

/// The session, or the start or end of its id.
fn is_called(id: &str, name: &str) -> bool {
    id.starts_with(name) || id.ends_with(name)
}

/// A session that the journal does not have is a slip of the one who asks.
fn known(folder: &Path, name: &str, records: &[Record]) -> Result<(), Stop> {
    let rows = sessions(folder)?;
    let mut recorded = records.iter();
    if recorded.any(|record| is_called(&record.session.0, name))
        || rows.iter().any(|row| is_called(&row.id.0, name))
    {
        return Ok(());
    }
    Err(Stop::BadInput(vec![format!(
        "there is no session `{}`; `countersign sessions` lists them",
        Shown::label(name)
    )]))
}

fn tools(text: &str) -> Result<GlobMatcher, String> {
    let glob = Glob::new(text).map_err(|error| error.to_string())?;
    Ok(glob.compile_matcher())
}

fn head(text: &str) -> Result<String, String> {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash {
        return Ok(text.to_ascii_lowercase());
    }
    Err(
        "write the 64 hexadecimal digits that `countersign audit export` printed as the head"
            .to_owned(),
    )
}

fn signed(text: &str) -> Result<Signed, String> {
    let found = Signed::ALL.into_iter().find(|signed| signed.word() == text);
    found.ok_or_else(|| {
        let words: Vec<_> = Signed::ALL.iter().map(|signed| signed.word()).collect();
        format!("write one of {}", words.join(", "))
    })
}

fn since(text: &str) -> Result<Timestamp, String> {
    let todo = "write how long ago (8h, 90m, 7d) or when (2026-11-20, 2026-11-20T08:00:00Z)";
    if let Ok(when) = text.parse::<Timestamp>() {
        return Ok(when);
    }
    if let Ok(date) = text.parse::<civil::Date>() {
        let zone = jiff::tz::TimeZone::system();
        let start = date.to_zoned(zone).map_err(|error| error.to_string())?;
        return Ok(start.timestamp());
    }
    // A day is 24 hours here: what counts is how long ago.
    let ago = match text.strip_suffix('d').map(str::parse::<i32>) {
        Some(Ok(days)) => SignedDuration::from_hours(24 * i64::from(days)),
        _ => text.parse().map_err(|_| todo.to_owned())?,
    };
    Timestamp::now()
        .checked_sub(ago.abs())
        .map_err(|_| todo.to_owned())
}

fn export(folder: &Path, format: Format, out: Option<&Path>) -> Result<(), Stop> {
    let mut chain = Chain::new(None);
    let mut records = Vec::new();
    for link in links(folder)? {
        let record = chain.take(&link).map_err(broken)?;
        records.push((link, record));
    }
    let Checked {
        records: links,
        head,
    } = chain.end().map_err(broken)?;
    let text = laid_out(format, &records)?;
    let told = format!("{} records, head {head}\n", count::number(links));
    match out {
        None => {
            print(&text)?;
            // Nobody is left to be told if this fails.
            let _ = std::io::stderr().lock().write_all(told.as_bytes());
            Ok(())
        }
        Some(file) => {
            super::write_whole(file, text.as_bytes())
                .with_context(|| format!("cannot write the log to {}", file.display()))?;
            print(&told)
        }
    }
}

fn laid_out(format: Format, records: &[(Link, Record)]) -> Result<String, Stop> {
    match format {
        Format::Jsonl => {
            let lines = records.iter().map(|(link, _)| link.line() + "\n");
            Ok(lines.collect())
        }
        Format::Csv => {
            let mut table = Vec::new();
            write_csv(&mut table, records).context("cannot lay out the table")?;
            Ok(String::from_utf8(table).context("cannot lay out the table")?)
        }
    }
}

fn verify(folder: &Path, head: Option<&str>, file: Option<&Path>) -> Result<(), Stop> {
    let checked = if let Some(file) = file {
        of_file(file, head)?
    } else {
        let checked = reader(folder)?.check_audit(head).map_err(failed)?;
        checked.map_err(broken)?
    };
    let Checked { records, head } = checked;
    print(&format!(
        "{} records hold, head {head}\n",
        count::number(records)
    ))
}

fn of_file(file: &Path, head: Option<&str>) -> Result<Checked, Stop> {
    let cannot = || format!("cannot read {}", file.display());
    let opened = std::fs::File::open(file).with_context(cannot)?;
    let mut chain = Chain::new(head);
    for line in BufReader::new(opened).split(b'\n') {
        let line = line.with_context(cannot)?;
        let number = chain.next();
        let unreadable = |why: String| broken(Broken::Unreadable { number, why });
        let text = std::str::from_utf8(&line).map_err(|error| unreadable(error.to_string()))?;
        chain
            .take(&Link::of_line(text).map_err(unreadable)?)
            .map_err(broken)?;
    }
    chain.end().map_err(broken)
}

fn links(folder: &Path) -> Result<Vec<Link>, Stop> {
    reader(folder)?.audit().map_err(failed)
}

/// There must be a journal: a log that is looked for in the wrong folder is not one that holds.
fn reader(folder: &Path) -> Result<Reader, Stop> {
    Reader::open(folder).map_err(|error| match error {
        StoreError::None { .. } => Stop::BadInput(vec![format!("countersign: {error}")]),
        error => failed(error),
    })
}

fn record(link: &Link) -> Result<Record, Stop> {
    link.record().map_err(|why| {
        Stop::Failed(anyhow::anyhow!(
            "a record cannot be read ({why}); `countersign audit verify` names it"
        ))
    })
}

fn broken(broken: Broken) -> Stop {
    Stop::Failed(anyhow::Error::new(broken).context("the audit log does not hold"))
}
