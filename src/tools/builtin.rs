//! The tools that come with the program: their names, and what policy, operator and model are told.
//!
//! Owns the words and schemas. What each tool does is in `file`, `shell` and `fetch`.

use serde_json::{Value, json};

use super::{Tool, fetch, shell};
use crate::core::call::Risk;
use crate::core::schema::Schema;
use crate::core::verdict::Verdict;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    Shell,
    ReadFile,
    WriteFile,
    EditFile,
    DeleteFile,
    ListFiles,
    Fetch,
}

impl Builtin {
    pub const ALL: [Self; 7] = [
        Self::Shell,
        Self::ReadFile,
        Self::WriteFile,
        Self::EditFile,
        Self::DeleteFile,
        Self::ListFiles,
        Self::Fetch,
    ];
    /// What the configuration calls `files`.
    pub const FILES: [Self; 5] = [
        Self::ReadFile,
        Self::WriteFile,
        Self::EditFile,
        Self::DeleteFile,
        Self::ListFiles,
    ];

    /// The tools that a name in the configuration stands for: one, or the five of `files`. Empty for
    /// a name that is not built in.
    pub fn named(name: &str) -> Vec<Self> {
        if name == "files" {
            return Self::FILES.to_vec();
        }
        let found = Self::ALL.into_iter().find(|tool| tool.name() == name);
        found.into_iter().collect()
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::ReadFile => "read_file",
            Self::WriteFile => "write_file",
            Self::EditFile => "edit_file",
            Self::DeleteFile => "delete_file",
            Self::ListFiles => "list_files",
            Self::Fetch => "fetch",
        }
    }

    pub fn tool(self) -> Tool {
        Tool {
            name: self.name().to_owned(),
            description: self.description(),
            schema: Schema::new(self.parameters()),
            risks: self.risks(),
            default: self.default(),
            expires: None,
            command_line: match self {
                Self::Shell => Some("/command"),
                Self::ReadFile
                | Self::WriteFile
                | Self::EditFile
                | Self::DeleteFile
                | Self::ListFiles
                | Self::Fetch => None,
            },
        }
    }

    /// Only looking may go unasked: `fetch` looks too, but its URL can carry anything out.
    const fn default(self) -> Verdict {
        match self {
            Self::ReadFile | Self::ListFiles => Verdict::Allow,
            Self::Shell | Self::WriteFile | Self::EditFile | Self::DeleteFile | Self::Fetch => {
                Verdict::Ask
            }
        }
    }

    /// `Destructive` is kept for what nobody sees the end of: a command can do anything, a deletion
    /// leaves nothing. Writing and editing show a diff of all they change before anyone signs, and
    /// marking everything would wear the word out.
    fn risks(self) -> Vec<Risk> {
        match self {
            Self::Shell => vec![Risk::Destructive, Risk::OpenWorld],
            Self::DeleteFile => vec![Risk::Destructive],
            Self::WriteFile => vec![Risk::Idempotent],
            Self::EditFile => vec![],
            Self::ReadFile | Self::ListFiles => vec![Risk::ReadOnly],
            Self::Fetch => vec![Risk::OpenWorld],
        }
    }

    fn description(self) -> String {
        match self {
            Self::Shell => format!(
                "Run a command line with `sh -c` in the workspace. The result is what it wrote to \
                 stdout and stderr, and its exit status if that is not 0. There is no input and no \
                 terminal. Whatever it leaves running in the background is ended with it. After \
                 {} seconds, or timeout_seconds, it is stopped.",
                shell::DEFAULT_TIMEOUT.as_secs()
            ),
            Self::ReadFile => {
                "Read a text file of the workspace, whole or some lines of it.".into()
            }
            Self::WriteFile => "Write a text file in the workspace, making it and its folders, or \
                                replacing all that is in it."
                .into(),
            Self::EditFile => {
                "Change a text file of the workspace: put `new` in the place of `old`. \
                               `old` must occur exactly once, unless `all` is true."
                    .into()
            }
            Self::DeleteFile => "Delete one file of the workspace. Folders are not deleted.".into(),
            Self::ListFiles => "List a folder of the workspace: folders end in `/`, files have \
                                their size, symbolic links show where they point."
                .into(),
            Self::Fetch => format!(
                "Get an http or https URL and return its text, at most {} KiB of it. Redirects to \
                 another host are not followed but named.",
                fetch::MOST / 1024
            ),
        }
    }

    fn parameters(self) -> Value {
        let (properties, required) = match self {
            Self::Shell => shell_parameters(),
            Self::ReadFile => read_parameters(),
            Self::WriteFile => write_parameters(),
            Self::EditFile => edit_parameters(),
            Self::DeleteFile => (
                json!({ "path": path("The file to delete") }),
                json!(["path"]),
            ),
            Self::ListFiles => list_parameters(),
            Self::Fetch => fetch_parameters(),
        };
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

fn path(what: &str) -> Value {
    let description = format!("{what}, relative to the workspace, without `..`.");
    json!({ "type": "string", "minLength": 1, "description": description })
}

fn shell_parameters() -> (Value, Value) {
    let longest = shell::LONGEST_TIMEOUT.as_secs();
    let properties = json!({
        "command": { "type": "string", "minLength": 1, "description": "The command line." },
        "timeout_seconds": {
            "type": "integer", "minimum": 1, "maximum": longest,
            "description": "Stop the command after this many seconds.",
        },
    });
    (properties, json!(["command"]))
}

fn read_parameters() -> (Value, Value) {
    let properties = json!({
        "path": path("The file to read"),
        "offset": { "type": "integer", "minimum": 1, "description": "The first line to read, counted from 1." },
        "limit": { "type": "integer", "minimum": 1, "description": "How many lines to read at most." },
    });
    (properties, json!(["path"]))
}

fn write_parameters() -> (Value, Value) {
    let properties = json!({
        "path": path("The file to write"),
        "content": { "type": "string", "description": "All that is to be in the file." },
    });
    (properties, json!(["path", "content"]))
}

fn edit_parameters() -> (Value, Value) {
    let properties = json!({
        "path": path("The file to change"),
        "old": {
            "type": "string", "minLength": 1,
            "description": "The text to replace, exactly as it stands in the file. Must occur exactly once unless `all` is true.",
        },
        "new": { "type": "string", "description": "The text to put in its place." },
        "all": { "type": "boolean", "default": false, "description": "Replace every occurrence." },
    });
    (properties, json!(["path", "old", "new"]))
}

fn list_parameters() -> (Value, Value) {
    let properties = json!({
        "path": path("The folder to list; the workspace itself if left out"),
        "depth": {
            "type": "integer", "minimum": 1, "maximum": 16, "default": 1,
            "description": "How many levels of folders to list.",
        },
    });
    (properties, json!([]))
}

fn fetch_parameters() -> (Value, Value) {
    let properties = json!({
        "url": { "type": "string", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://", "description": "The URL to get." },
    });
    (properties, json!(["url"]))
}
