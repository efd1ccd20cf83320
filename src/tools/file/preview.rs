//! What a change to a file would do, as a diff, before anyone is asked.

use super::super::fault::FileFault;
use super::super::workspace::text;
use super::before::{Before, Content};
use super::change::{edited, entry};
use super::{DeleteArguments, EditArguments, Task, WriteArguments};
use crate::core::call::Preview;
use crate::core::count;
use crate::core::diff::{Diff, DiffKind, DiffRow};
use crate::core::shown::Shown;

/// The most bytes of either side that are compared row by row.
const COMPARED: usize = 1024 * 1024;

/// Which of the tools that change a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Change {
    Write,
    Edit,
    Delete,
}

/// The preview of a call. One that would fail says why instead of showing a diff.
pub(in super::super) fn preview(task: &Task<'_>, change: Change) -> Preview {
    let looked = match change {
        Change::Write => write(task),
        Change::Edit => edit(task),
        Change::Delete => delete(task),
    };
    looked.unwrap_or_else(|fault| {
        let given = task.arguments.get("path").and_then(|path| path.as_str());
        Preview {
            path: given.unwrap_or_default().to_owned(),
            fails: Some(fault.to_string()),
            diff: Diff::default(),
            before: None,
        }
    })
}

fn write(task: &Task<'_>) -> Result<Preview, FileFault> {
    let wanted: WriteArguments = task.read()?;
    let place = task
        .workspace
        .resolve(&task.workspace.place(&wanted.path)?)?;
    let before = Before::of_file(task.workspace, &place)?;
    Ok(Preview {
        path: text(&place),
        fails: None,
        diff: replaced(&before.content, &wanted.content),
        before: before.digest,
    })
}

fn edit(task: &Task<'_>) -> Result<Preview, FileFault> {
    let wanted: EditArguments = task.read()?;
    let place = task
        .workspace
        .resolve(&task.workspace.place(&wanted.path)?)?;
    let before = Before::of_file(task.workspace, &place)?;
    let edited = edited(&place, &before.content, &wanted)?;
    let diff = replaced(&before.content, &edited.text);
    Ok(Preview {
        path: text(&place),
        fails: None,
        diff,
        before: before.digest,
    })
}

fn delete(task: &Task<'_>) -> Result<Preview, FileFault> {
    let wanted: DeleteArguments = task.read()?;
    let place = entry(task.workspace, &task.workspace.place(&wanted.path)?)?;
    let before = Before::of_entry(task.workspace, &place)?;
    let diff = match &before.content {
        Content::Text(old) if old.is_empty() => remark("an empty file is deleted"),
        Content::Text(old) if old.len() > COMPARED => remark(&format!(
            "a file of {} bytes is deleted; too large to show",
            count::number(old.len())
        )),
        Content::Text(old) => Diff::between(old, ""),
        Content::Binary { bytes } => remark(&format!(
            "a binary file of {} bytes is deleted",
            count::number(bytes)
        )),
        Content::Large { bytes } => remark(&format!(
            "a file of {} bytes is deleted; too large to show",
            count::number(bytes)
        )),
        Content::Link { target } => remark(&format!(
            "a symbolic link to {target} is deleted; what it points to stays"
        )),
        Content::Missing => return Err(FileFault::Missing { path: text(&place) }),
    };
    Ok(Preview {
        path: text(&place),
        fails: None,
        diff,
        before: before.digest,
    })
}

fn replaced(content: &Content, new: &str) -> Diff {
    let what = match content {
        Content::Missing if new.is_empty() => return remark("a new, empty file"),
        Content::Text(old) if old == new => return remark("the file already is exactly this"),
        Content::Missing | Content::Text(_) if new.len() > COMPARED => {
            let bytes = count::number(new.len());
            return remark(&format!(
                "the new content, {bytes} bytes, is too large to compare"
            ));
        }
        Content::Missing => return Diff::between("", new),
        Content::Text(old) if old.len() <= COMPARED => return Diff::between(old, new),
        Content::Text(old) => format!(
            "a file of {} bytes, too large to compare,",
            count::number(old.len())
        ),
        Content::Binary { bytes } => format!("a binary file of {} bytes", count::number(bytes)),
        Content::Large { bytes } => format!(
            "a file of {} bytes, too large to compare,",
            count::number(bytes)
        ),
        Content::Link { target } => format!("a symbolic link to {target}"),
    };
    let bytes = count::number(new.len());
    remark(&format!("{what} is replaced by a text of {bytes} bytes"))
}

/// A diff that is one row of words.
fn remark(words: &str) -> Diff {
    Diff {
        rows: vec![DiffRow {
            kind: DiffKind::Hunk,
            text: Shown::label(words),
        }],
        added: 0,
        removed: 0,
    }
}
