//! Writing, editing and deleting: compare with what was shown, then change in one step.

use cap_std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use uuid::Uuid;

use super::super::fault::FileFault;
use super::super::workspace::{Workspace, fault, text};
use super::before::{Before, Content};
use super::{DeleteArguments, EditArguments, Task, WHOLE, WriteArguments};
use crate::tools::Expected;

/// `write_file`: makes the file, or takes the place of the one that is there.
pub(in super::super) fn write(task: &Task<'_>) -> Result<String, FileFault> {
    let wanted: WriteArguments = task.read()?;
    let place = task.workspace.place(&wanted.path)?;
    let _alone = task.workspace.changing();
    task.go_on()?;
    let place = task.workspace.resolve(&place)?;
    let before = Before::of_file(task.workspace, &place)?;
    before.expect(task, &place)?;
    if *task.expected == Expected::Unseen && before.digest.is_some() {
        return Err(FileFault::Unseen { path: text(&place) });
    }
    replace(task, &place, &before, wanted.content.as_bytes())?;
    let bytes = wanted.content.len();
    let what = match before.content {
        Content::Missing => "a new file",
        Content::Text(_)
        | Content::Binary { .. }
        | Content::Large { .. }
        | Content::Link { .. } => "what was there is replaced",
    };
    Ok(format!("wrote {bytes} bytes to {}: {what}", text(&place)))
}

/// `edit_file`: puts one text in another's place.
pub(in super::super) fn edit(task: &Task<'_>) -> Result<String, FileFault> {
    let wanted: EditArguments = task.read()?;
    let place = task.workspace.place(&wanted.path)?;
    let _alone = task.workspace.changing();
    task.go_on()?;
    let place = task.workspace.resolve(&place)?;
    let before = Before::of_file(task.workspace, &place)?;
    before.expect(task, &place)?;
    let edited = edited(&place, &before.content, &wanted)?;
    replace(task, &place, &before, edited.text.as_bytes())?;
    let (count, path) = (edited.count, text(&place));
    let places = if count == 1 { "place" } else { "places" };
    Ok(format!("changed {path} in {count} {places}"))
}

/// `delete_file`: takes away a file, or a symbolic link without what it points to.
pub(in super::super) fn delete(task: &Task<'_>) -> Result<String, FileFault> {
    let wanted: DeleteArguments = task.read()?;
    let place = task.workspace.place(&wanted.path)?;
    let _alone = task.workspace.changing();
    task.go_on()?;
    let place = entry(task.workspace, &place)?;
    let before = Before::of_entry(task.workspace, &place);
    let before = before.and_then(|before| match before.content {
        Content::Missing => Err(FileFault::Missing { path: text(&place) }),
        Content::Text(_)
        | Content::Binary { .. }
        | Content::Large { .. }
        | Content::Link { .. } => Ok(before),
    });
    let before = match (before, task.expected) {
        // A file that has gone is one that has changed, if its content was shown.
        (Err(FileFault::Missing { path }), Expected::Content(_)) => {
            return Err(FileFault::Changed { path });
        }
        (before, _) => before?,
    };
    before.expect(task, &place)?;
    before.still(task.workspace, &place)?;
    task.go_on()?;
    let removed = task.workspace.dir().remove_file(&place);
    removed.map_err(|error| fault(&place, error))?;
    Ok(format!("deleted {}", text(&place)))
}

/// `place` with the links of its folders followed, and not its own.
pub(super) fn entry(workspace: &Workspace, place: &Path) -> Result<PathBuf, FileFault> {
    let folder = place
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match (folder, place.file_name()) {
        (Some(folder), Some(name)) => Ok(workspace.resolve(folder)?.join(name)),
        (None, _) | (_, None) => Ok(place.to_owned()),
    }
}

pub(super) struct Edited {
    pub text: String,
    pub count: usize,
}

/// The content after an edit, if the edit is unambiguous.
pub(super) fn edited(
    place: &Path,
    content: &Content,
    wanted: &EditArguments,
) -> Result<Edited, FileFault> {
    let path = text(place);
    let old = match content {
        Content::Text(old) => old,
        Content::Missing => return Err(FileFault::Missing { path }),
        Content::Binary { bytes } => {
            return Err(FileFault::NotText {
                path,
                bytes: *bytes,
            });
        }
        Content::Large { bytes } => {
            let (bytes, limit) = (*bytes, WHOLE);
            return Err(FileFault::TooLarge { path, bytes, limit });
        }
        Content::Link { .. } => {
            let kind = "a symbolic link";
            return Err(FileFault::NotAFile { path, kind });
        }
    };
    if wanted.old.is_empty() {
        return Err(FileFault::OldEmpty { path });
    }
    if wanted.old == wanted.new {
        return Err(FileFault::Unchanged { path });
    }
    match occurrences(old, &wanted.old) {
        0 => Err(FileFault::OldMissing { path }),
        count if count > 1 && !wanted.all => Err(FileFault::OldNotUnique { path, count }),
        _ => Ok(Edited {
            count: old.matches(&wanted.old).count(),
            text: old.replace(&wanted.old, &wanted.new),
        }),
    }
}

/// How often `part` stands in `whole`, overlaps counted: `aa` stands twice in `aaa`, so which of the
/// two is meant is not clear.
fn occurrences(whole: &str, part: &str) -> usize {
    let step = part.chars().next().map_or(1, char::len_utf8);
    let mut count = 0;
    let mut from = 0;
    while let Some(at) = whole[from..].find(part) {
        count += 1;
        from += at + step;
    }
    count
}

/// Puts `bytes` in the place of what `before` saw: written beside it, then renamed over it, so that
/// no reader and no crash finds half a file. An existing file's mode stays.
fn replace(task: &Task<'_>, place: &Path, before: &Before, bytes: &[u8]) -> Result<(), FileFault> {
    let workspace = task.workspace;
    if let Some(folder) = place
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        workspace
            .dir()
            .create_dir_all(folder)
            .map_err(|error| fault(folder, error))?;
    }
    let beside = Beside::create(workspace, place)?;
    beside.fill(place, before, bytes)?;
    before.still(workspace, place)?;
    task.go_on()?;
    beside.take_place(place, before)
}

/// A file that is being written next to the one it will replace. Removed if it never does.
struct Beside<'a> {
    workspace: &'a Workspace,
    name: PathBuf,
    file: File,
    kept: bool,
}

impl<'a> Beside<'a> {
    fn create(workspace: &'a Workspace, place: &Path) -> Result<Self, FileFault> {
        let name = format!(".countersign-{}.tmp", Uuid::now_v7().simple());
        let name = place.with_file_name(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let file = workspace.dir().open_with(&name, &options);
        Ok(Self {
            file: file.map_err(|error| fault(place, error))?,
            workspace,
            name,
            kept: false,
        })
    }

    fn fill(&self, place: &Path, before: &Before, bytes: &[u8]) -> Result<(), FileFault> {
        let failed = |error| fault(place, error);
        if before.stamp.is_some() {
            let found = self.workspace.dir().metadata(place).map_err(failed)?;
            self.file
                .set_permissions(found.permissions())
                .map_err(failed)?;
        }
        (&self.file).write_all(bytes).map_err(failed)?;
        self.file.sync_all().map_err(failed)
    }

    /// A new file appears only where there is none: the system checks that itself, where it can.
    fn take_place(mut self, place: &Path, before: &Before) -> Result<(), FileFault> {
        let dir = self.workspace.dir();
        if before.stamp.is_none() {
            match dir.hard_link(&self.name, dir, place) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(FileFault::Changed { path: text(place) });
                }
                // Not every file system has hard links; all have renames.
                Err(_) => {}
            }
        }
        let renamed = dir.rename(&self.name, dir, place);
        renamed.map_err(|error| fault(place, error))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing more can be done about a leftover that cannot be removed; its name says whose it is.
            let _ = self.workspace.dir().remove_file(&self.name);
        }
    }
}
