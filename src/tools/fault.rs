//! What can be wrong with a tool's definition, and with work on a file of the workspace.

use std::io;
use std::path::PathBuf;

/// Why a set of tools cannot be used. All faults are reported together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolFault {
    #[error("the workspace {} cannot be opened: {why}; name a folder that exists", .path.display())]
    Workspace { path: PathBuf, why: String },
    #[error(
        "the tool name {name:?} is not one a model can call; use 1 to 64 letters, digits, `_` or `-`"
    )]
    Name { name: String },
    #[error("the tool {name} is defined twice; rename one of the two")]
    Twice { name: String },
    #[error("the tool {name} has no command; give `command` a program and its arguments")]
    NoCommand { name: String },
    #[error("the tool {name}: its parameters are not a usable JSON Schema: {why}")]
    Schema { name: String, why: String },
    #[error("the tool {name}: its timeout is zero, so it could never finish; give it some time")]
    NoTime { name: String },
    #[error(
        "the tool {name}: {variable:?} cannot be set in its environment; use a plain name that does not begin with COUNTERSIGN_"
    )]
    Variable { name: String, variable: String },
}

/// Why a file tool did not do what it was asked. The model reads this.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileFault {
    #[error("the path is empty; give one relative to the workspace")]
    Empty,
    #[error("the path holds a NUL character; no file can have that name")]
    Nul,
    #[error("{path}: outside the workspace; give a path relative to the workspace")]
    Outside { path: String },
    #[error("{path}: `..` is refused; write the path from the workspace down")]
    Parent { path: String },
    #[error("{path}: a symbolic link there leads out of the workspace; refused")]
    LeadsOut { path: String },
    #[error("{path}: a symbolic link to nothing; delete it first, or name another file")]
    Dangling { path: String },
    #[error("{path}: no such file or folder")]
    Missing { path: String },
    #[error("{path}: {kind}, not a regular file; refused")]
    NotAFile { path: String, kind: &'static str },
    #[error("{path}: not a folder; use read_file for a file")]
    NotAFolder { path: String },
    #[error("{path}: {bytes} bytes is more than edit_file takes ({limit}); use shell")]
    TooLarge {
        path: String,
        bytes: u64,
        limit: u64,
    },
    #[error("{path}: not UTF-8 text ({bytes} bytes)")]
    NotText { path: String, bytes: u64 },
    #[error(
        "{path}: the file has changed since its diff was shown; read it again and propose the change anew"
    )]
    Changed { path: String },
    #[error(
        "{path}: there is a file already, and the operator, who named it in place of another, was not shown what it holds; propose the change for this path"
    )]
    Unseen { path: String },
    #[error("{path}: `old` is empty; give the text to be replaced")]
    OldEmpty { path: String },
    #[error("{path}: `old` and `new` are the same; nothing would change")]
    Unchanged { path: String },
    #[error("{path}: `old` does not occur in the file; read it again and copy the text exactly")]
    OldMissing { path: String },
    #[error(
        "{path}: `old` occurs {count} times; give more of the text around it, or set `all` to true"
    )]
    OldNotUnique { path: String, count: usize },
    #[error("{path}: {source}")]
    System { path: String, source: io::Error },
    #[error("the arguments do not fit this tool: {0}")]
    Arguments(#[from] serde_json::Error),
    #[error("interrupted")]
    Interrupted,
}
