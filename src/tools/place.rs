//! A path a model wrote, as a place in the workspace.
//!
//! Owns the reading of the text alone: what a path may look like. Whether it leads out through a
//! symbolic link is for the folder handle to say (`workspace`).

use std::path::{Component, Path, PathBuf};

use super::fault::FileFault;

/// Reads `given` as a path relative to the workspace, which is known by the names `roots`.
///
/// Every `..` is refused, also one that stays inside: with symbolic links about, the system reads
/// `a/../b` otherwise than a policy rule that looks at the text, and the two must agree.
pub(super) fn inside(given: &str, roots: &[&Path]) -> Result<PathBuf, FileFault> {
    if given.is_empty() {
        return Err(FileFault::Empty);
    }
    if given.contains('\0') {
        return Err(FileFault::Nul);
    }
    let path = Path::new(given);
    let relative = if path.is_absolute() {
        roots
            .iter()
            .find_map(|root| path.strip_prefix(root).ok())
            .ok_or_else(|| FileFault::Outside { path: given.into() })?
    } else {
        path
    };
    let mut place = PathBuf::new();
    for part in relative.components() {
        match part {
            Component::Normal(name) => place.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(FileFault::Parent { path: given.into() });
            }
        }
    }
    if place.as_os_str().is_empty() {
        place.push(".");
    }
    Ok(place)
}
