//! A file as it is before a change: what a diff starts from and what an approval is bound to.

use std::io::Read as _;
use std::path::Path;

use super::super::fault::FileFault;
use super::super::workspace::{Stamp, Workspace, fault, text};
use super::{Task, WHOLE};
use crate::core::digest::Digest;
use crate::tools::Expected;

#[derive(Debug)]
pub(super) enum Content {
    Missing,
    Text(String),
    Binary {
        bytes: u64,
    },
    /// Too large to be read whole.
    Large {
        bytes: u64,
    },
    /// The link itself, not what it points to.
    Link {
        target: String,
    },
}

#[derive(Debug)]
pub(super) struct Before {
    pub content: Content,
    /// `None` if there is no such file.
    pub digest: Option<Digest>,
    pub stamp: Option<Stamp>,
}

impl Before {
    /// Looks at a regular file. `place` is resolved.
    pub(super) fn of_file(workspace: &Workspace, place: &Path) -> Result<Self, FileFault> {
        let (mut file, found) = match workspace.open_file(place) {
            Ok(opened) => opened,
            Err(FileFault::Missing { .. }) => return Ok(Self::missing()),
            Err(other) => return Err(other),
        };
        let stamp = Stamp::of(&found);
        let mut bytes = Vec::new();
        if found.len() <= WHOLE {
            let mut whole = (&mut file).take(WHOLE + 1);
            whole
                .read_to_end(&mut bytes)
                .map_err(|error| fault(place, error))?;
        }
        if found.len() > WHOLE || bytes.len() as u64 > WHOLE {
            // Its state stands in for its content: any write to it changes that too.
            let digest = Digest::of_bytes(format!("large file\0{stamp:?}").as_bytes());
            let content = Content::Large { bytes: found.len() };
            return Ok(Self::found(content, digest, stamp));
        }
        let digest = Digest::of_bytes(&bytes);
        let content = match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Content::Text(text),
            Ok(_) | Err(_) => Content::Binary { bytes: found.len() },
        };
        Ok(Self::found(content, digest, stamp))
    }

    /// Looks at what a deletion would take away: a file, or a symbolic link itself.
    pub(super) fn of_entry(workspace: &Workspace, place: &Path) -> Result<Self, FileFault> {
        let found = workspace.dir().symlink_metadata(place);
        let found = found.map_err(|error| fault(place, error))?;
        if !found.is_symlink() {
            return Self::of_file(workspace, place);
        }
        let target = workspace.dir().read_link_contents(place);
        let target = text(&target.map_err(|error| fault(place, error))?);
        let digest = Digest::of_bytes(format!("symbolic link\0{target}").as_bytes());
        Ok(Self::found(
            Content::Link { target },
            digest,
            Stamp::of(&found),
        ))
    }

    /// Fails if this is not what the operator was shown.
    pub(super) fn expect(&self, task: &Task<'_>, place: &Path) -> Result<(), FileFault> {
        let is_as_shown = match task.expected {
            Expected::Anything | Expected::Unseen => true,
            Expected::Absent => self.digest.is_none(),
            Expected::Content(shown) => self.digest.as_ref() == Some(shown),
        };
        if is_as_shown {
            return Ok(());
        }
        Err(changed(place))
    }

    /// Fails if the file is no longer as it was when looked at. Narrows, and cannot close, the gap
    /// before a change: the system has no "replace if unchanged".
    pub(super) fn still(&self, workspace: &Workspace, place: &Path) -> Result<(), FileFault> {
        if workspace.stamp(place)? == self.stamp {
            return Ok(());
        }
        Err(changed(place))
    }

    fn missing() -> Self {
        Self {
            content: Content::Missing,
            digest: None,
            stamp: None,
        }
    }

    fn found(content: Content, digest: Digest, stamp: Stamp) -> Self {
        Self {
            content,
            digest: Some(digest),
            stamp: Some(stamp),
        }
    }
}

fn changed(place: &Path) -> FileFault {
    FileFault::Changed { path: text(place) }
}
