//! `countersign sessions`: what there is to resume.

use countersign::core::count;
use countersign::core::name;
use countersign::core::shown::Shown;
use countersign::core::time::age;
use countersign::store::lease::Lease;
use countersign::store::reading::SessionRow;
use jiff::Timestamp;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::opened::sessions as read;
use super::{Stop, print, sources};

/// Characters of an id that are shown: enough to name it, few enough to type.
const SHORT: usize = 8;

pub(crate) fn sessions(config: Option<PathBuf>) -> Result<(), Stop> {
    let folder = sources(config)?.data_dir();
    let rows = read(&folder)?;
    if rows.is_empty() {
        return print("no session yet; start one with `countersign run`\n");
    }
    let now = Timestamp::now();
    let mut out = format!(
        "{:<SHORT$}  {:<16} {:<8} {:>7}  {:<10} state\n",
        "session", "agent", "age", "pending", "last step"
    );
    for row in &rows {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{:<SHORT$}  {:<16} {:<8} {:>7}  {:<10} {}",
            short(row),
            name::shown(&row.agent).as_str(),
            age(row.began, now),
            count::number(row.pending),
            age(row.last, now),
            state(&folder, row),
        );
    }
    print(&out)
}

/// The end of the id: ids of the same minute begin alike.
fn short(row: &SessionRow) -> &str {
    let id = &row.id.0;
    &id[id.len().saturating_sub(SHORT)..]
}

fn state(folder: &Path, row: &SessionRow) -> String {
    match Lease::owner(folder, &row.id) {
        Some(owner) => format!("run by {}", Shown::label(&owner.words).as_str()),
        None => stopped(row),
    }
}

/// What a session that no process runs waits for.
fn stopped(row: &SessionRow) -> String {
    match &row.file {
        Some(file) if row.pending > 0 => {
            format!(
                "waits; go on with: countersign decide {}",
                Shown::label(file).as_str()
            )
        }
        Some(file) => format!("the state of {} is decided", Shown::label(file).as_str()),
        None => match (row.begun, row.pending) {
            (0, 0) => "stopped; can be resumed".to_owned(),
            (0, _) => "waits for a person; resume it".to_owned(),
            (1, _) => "1 outcome unknown; resume it".to_owned(),
            (many, _) => format!("{} outcomes unknown; resume it", count::number(many)),
        },
    }
}
