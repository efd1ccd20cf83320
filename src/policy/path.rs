//! Whether a path lies in a folder, judged by its text alone.
//!
//! Does not look at the disk, so symlinks are not followed: the tools refuse those that lead out of
//! the workspace.

use std::path::{Component, Path, PathBuf};

/// `path` is `folder` or lies in it. Both count from the workspace unless they are absolute.
pub(super) fn is_under(path: &str, folder: &str, workspace: &Path) -> bool {
    resolve(workspace, path).starts_with(resolve(workspace, folder))
}

/// The way from the workspace to a path that lies in it; `None` for one that does not, or is it.
pub(super) fn inside(path: &str, workspace: &Path) -> Option<PathBuf> {
    let path = resolve(workspace, path);
    let inside = path.strip_prefix(resolve(workspace, "")).ok()?;
    (inside != Path::new("")).then(|| inside.to_owned())
}

/// Joins and takes `.`, `..` and double slashes out. `..` at the root stays at the root.
fn resolve(workspace: &Path, path: &str) -> PathBuf {
    let mut resolved = PathBuf::new();
    for component in workspace.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                resolved.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                resolved.push(component);
            }
        }
    }
    resolved
}
