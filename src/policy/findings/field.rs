//! What a string of the arguments is, by its field's name and the tool's.

use super::path::Access;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Shell,
    Code,
    Sql,
    /// Something to connect to.
    Address,
    Path(Access),
    Text,
}

/// Tools that run a command line, whatever its field is called.
const SHELLS: &[&str] = &[
    "shell",
    "bash",
    "sh",
    "zsh",
    "terminal",
    "exec",
    "execute",
    "run_command",
    "run_shell_command",
    "execute_command",
    "shell_exec",
    "run_in_terminal",
    "local_shell",
    "container_exec",
];
const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "commands",
    "script",
    "shell",
    "bash",
    "sh",
    "command_line",
    "commandline",
    "exec",
    "run",
    "argv",
];
const PROGRAMS: &[&str] = &[
    "code",
    "source_code",
    "python",
    "javascript",
    "program",
    "snippet",
    "expression",
];
const QUERIES: &[&str] = &["sql", "query", "statement", "queries"];
const ADDRESSES: &[&str] = &[
    "url", "uri", "href", "endpoint", "host", "hostname", "server", "webhook", "base_url", "link",
];
const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "file_name",
    "file_path",
    "filepath",
    "dir",
    "directory",
    "folder",
    "cwd",
    "workdir",
    "root",
    "source",
    "src",
    "from",
    "to",
    "old_path",
    "new_path",
];
const TARGETS: &[&str] = &[
    "target",
    "destination",
    "dest",
    "output",
    "out",
    "output_path",
    "new_path",
    "to",
];
/// What stands beside a command line and is none.
const BESIDE: &[&str] = &[
    "description",
    "reason",
    "explanation",
    "justification",
    "comment",
    "title",
    "stdin",
];
/// Verbs in a tool's name that leave something behind.
const WRITES: &[&str] = &[
    "write", "create", "save", "edit", "delete", "remove", "move", "copy", "put", "append",
    "download", "mkdir", "patch", "apply", "replace", "insert", "rename", "touch", "set",
];

pub(super) fn role(tool: &str, field: &str, text: &str) -> Role {
    let (tool, field) = (tool.to_ascii_lowercase(), field.to_ascii_lowercase());
    let is = |list: &[&str]| list.contains(&field.as_str());
    let interpreted = text.lines().next().is_some_and(|first| {
        first.starts_with("#!") && !first.trim_end().ends_with("sh") && !first.contains("sh ")
    });
    if is(COMMANDS) {
        return if interpreted { Role::Code } else { Role::Shell };
    }
    if is(PROGRAMS) {
        return Role::Code;
    }
    if is(ADDRESSES) {
        return Role::Address;
    }
    if is(TARGETS) {
        return Role::Path(Access::Write);
    }
    if is(PATHS) {
        let writes = tool
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|verb| WRITES.contains(&verb));
        return Role::Path(if writes { Access::Write } else { Access::Read });
    }
    if is(QUERIES)
        && (tool.contains("sql")
            || tool.contains("database")
            || tool.contains("db")
            || field == "sql")
    {
        return Role::Sql;
    }
    if SHELLS.contains(&tool.as_str()) && !is(BESIDE) {
        return Role::Shell;
    }
    if text.contains("://") && !text.trim().contains(char::is_whitespace) {
        return Role::Address;
    }
    Role::Text
}
