//! `list_files`: a folder's entries, sorted, some levels deep, never more than fit an answer.

use cap_std::fs::{Dir, DirEntry};
use serde::Deserialize;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::super::fault::FileFault;
use super::super::workspace::{fault, text};
use super::Task;

/// The most entries of one answer.
const LIMIT: usize = 2000;
const DEEPEST: u32 = 16;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    #[serde(default = "here")]
    path: String,
    #[serde(default = "flat")]
    depth: u32,
}

fn here() -> String {
    ".".to_owned()
}

const fn flat() -> u32 {
    1
}

pub(in super::super) fn list(task: &Task<'_>) -> Result<String, FileFault> {
    let wanted: ListArguments = task.read()?;
    let place = task.workspace.place(&wanted.path)?;
    let found = task.workspace.dir().metadata(&place);
    if !found.map_err(|error| fault(&place, error))?.is_dir() {
        return Err(FileFault::NotAFolder { path: text(&place) });
    }
    let dir = task
        .workspace
        .dir()
        .open_dir(&place)
        .map_err(|error| fault(&place, error))?;
    let mut listing = Listing {
        task,
        rows: String::new(),
        room: LIMIT,
        full: false,
    };
    let shown = if place == Path::new(".") {
        PathBuf::new()
    } else {
        place
    };
    listing.folder(&dir, &shown, wanted.depth.clamp(1, DEEPEST))?;
    if listing.full {
        // Writing to a String cannot fail.
        let _ = writeln!(
            listing.rows,
            "[more than {LIMIT} entries: list a folder below]"
        );
    }
    if listing.rows.is_empty() {
        listing.rows.push_str("[the folder is empty]\n");
    }
    Ok(listing.rows)
}

struct Listing<'a> {
    task: &'a Task<'a>,
    rows: String,
    room: usize,
    full: bool,
}

impl Listing<'_> {
    fn folder(&mut self, dir: &Dir, at: &Path, depth: u32) -> Result<(), FileFault> {
        for name in self.names(dir, at)? {
            if self.room == 0 {
                self.full = true;
                return Ok(());
            }
            self.room -= 1;
            self.entry(dir, &at.join(&name), Path::new(&name), depth)?;
        }
        Ok(())
    }

    /// The first names in order, one more than there is room for. A folder of millions stays small.
    fn names(&self, dir: &Dir, at: &Path) -> Result<Vec<OsString>, FileFault> {
        let mut first = BinaryHeap::new();
        let entries = dir.entries().map_err(|error| fault(at, error))?;
        for entry in entries {
            self.task.go_on()?;
            let entry = entry.as_ref().map(DirEntry::file_name);
            let name = entry.map_err(|error| fault(at, io::Error::from(error.kind())))?;
            first.push(name);
            if first.len() > self.room + 1 {
                first.pop();
            }
        }
        Ok(first.into_sorted_vec())
    }

    fn entry(&mut self, dir: &Dir, at: &Path, name: &Path, depth: u32) -> Result<(), FileFault> {
        let shown = one_row(&text(at));
        let found = match dir.symlink_metadata(name) {
            Ok(found) => found,
            // It went away between two looks; there is nothing to list.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(fault(at, error)),
        };
        // Writing to a String cannot fail.
        if found.is_dir() {
            let _ = writeln!(self.rows, "{shown}/");
            if depth > 1 {
                self.below(dir, at, name, depth - 1)?;
            }
        } else if found.is_symlink() {
            let target = dir.read_link_contents(name).unwrap_or_default();
            let _ = writeln!(self.rows, "{shown} -> {}", one_row(&text(&target)));
        } else if found.is_file() {
            let _ = writeln!(self.rows, "{shown}  {} bytes", found.len());
        } else {
            let _ = writeln!(self.rows, "{shown}  (not a regular file)");
        }
        Ok(())
    }

    /// A folder that cannot be opened says so in its row; the others are still listed.
    fn below(&mut self, dir: &Dir, at: &Path, name: &Path, depth: u32) -> Result<(), FileFault> {
        match dir.open_dir(name) {
            Ok(inner) => self.folder(&inner, at, depth),
            Err(error) => {
                // Writing to a String cannot fail.
                let _ = writeln!(
                    self.rows,
                    "[{}/ cannot be listed: {error}]",
                    one_row(&text(at))
                );
                Ok(())
            }
        }
    }
}

/// A name that could pass for several rows is written with escapes.
fn one_row(name: &str) -> String {
    if name.chars().any(char::is_control) {
        return format!("{name:?}");
    }
    name.to_owned()
}
