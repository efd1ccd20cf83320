//! `read_file`: lines of a text file, never more than the model can be given at once.

use cap_std::fs::File;
use serde::Deserialize;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use super::super::fault::FileFault;
use super::super::workspace::{fault, text};
use super::Task;

/// The most bytes of one answer.
const LIMIT: usize = 256 * 1024;
const BUFFER: usize = 64 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    path: String,
    #[serde(default = "first")]
    offset: u64,
    limit: Option<u64>,
}

const fn first() -> u64 {
    1
}

pub(in super::super) fn read(task: &Task<'_>) -> Result<String, FileFault> {
    let wanted: ReadArguments = task.read()?;
    let place = task.workspace.place(&wanted.path)?;
    let (file, found) = task.workspace.open_file(&place)?;
    let lines = lines(task, &place, file, found.len(), &wanted)?;
    let mut answer = String::from_utf8_lossy(&lines.bytes).into_owned();
    if let Some(line) = lines.stopped_in {
        let path = text(&place);
        let rest = format!(
            "[stopped in line {line} of {path}: go on with offset {line}, or use shell for longer lines]"
        );
        if !answer.ends_with('\n') {
            answer.push('\n');
        }
        answer.push_str(&rest);
    }
    Ok(answer)
}

struct Lines {
    bytes: Vec<u8>,
    /// The line, counted from 1, that no longer fitted.
    stopped_in: Option<u64>,
}

/// Reads through the file once, keeping the wanted lines. Memory stays bounded whatever the file is.
fn lines(
    task: &Task<'_>,
    place: &Path,
    file: File,
    bytes: u64,
    wanted: &ReadArguments,
) -> Result<Lines, FileFault> {
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let mut kept = Vec::new();
    let mut line = 1;
    let last = wanted.limit.map_or(u64::MAX, |limit| {
        wanted.offset.saturating_add(limit).saturating_sub(1)
    });
    while line <= last {
        task.go_on()?;
        let piece = reader.fill_buf().map_err(|error| fault(place, error))?;
        if piece.contains(&0) {
            let path = text(place);
            return Err(FileFault::NotText { path, bytes });
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(piece.len(), |at| at + 1);
        if taken == 0 {
            break;
        }
        if line >= wanted.offset {
            let room = LIMIT - kept.len();
            if taken > room {
                return Ok(cut(kept, &piece[..room], line));
            }
            kept.extend_from_slice(&piece[..taken]);
        }
        line += u64::from(end.is_some());
        reader.consume(taken);
    }
    Ok(Lines {
        bytes: kept,
        stopped_in: None,
    })
}

/// Ends the answer before the line that does not fit, unless that line is all there is.
fn cut(mut kept: Vec<u8>, rest: &[u8], line: u64) -> Lines {
    match kept.iter().rposition(|byte| *byte == b'\n') {
        Some(at) => kept.truncate(at + 1),
        None => kept.extend_from_slice(rest),
    }
    Lines {
        bytes: kept,
        stopped_in: Some(line),
    }
}
