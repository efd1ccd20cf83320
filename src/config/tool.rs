//! The tools an agent may be given: the built-in ones by name, and `[tools.*]`, which are commands.

use indexmap::IndexMap;
use std::ops::RangeInclusive;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::Place;
use crate::core::call::Risk;
use crate::core::reading::{Field, Member, Section};
use crate::core::schema::Schema;
use crate::core::verdict::Verdict;
use crate::tools::code::RUN_CODE;
use crate::tools::{Builtin, CommandTool};

/// One tool of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    BuiltIn(Builtin),
    Command(Arc<CommandTool>),
}

impl ToolChoice {
    pub fn name(&self) -> &str {
        match self {
            Self::BuiltIn(built_in) => built_in.name(),
            Self::Command(tool) => &tool.name,
        }
    }
}

/// The group of all tools for files.
pub(super) const FILES: &str = "files";

/// JSON pointer to the argument of a tool that is a shell command line.
pub fn command_line(tool: &str) -> Option<&'static str> {
    Builtin::named(tool)
        .first()
        .and_then(|tool| tool.tool().command_line)
}

/// The tables by name. `None` for one with a mistake: its name is known all the same.
pub(super) type Tools = IndexMap<String, Option<Arc<CommandTool>>>;

const TIMEOUT: Duration = Duration::from_mins(1);
/// How long a call may wait for a person.
pub(super) const EXPIRES: RangeInclusive<Duration> =
    Duration::from_secs(1)..=Duration::from_hours(24 * 365);
const TIMEOUTS: RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_hours(24);

pub(super) fn read(members: &[Member<'_>], place: Place<'_>) -> Tools {
    let named = members.iter().map(|member| {
        let tool = tool(member, place).map(Arc::new);
        (member.name.to_owned(), tool)
    });
    named.collect()
}

fn tool(member: &Member<'_>, place: Place<'_>) -> Option<CommandTool> {
    let mut section = member.field.section()?;
    let named = name(member, &section);
    let description = section
        .required("description", "say what the tool does; the model reads it")
        .and_then(|field| field.words());
    let command = section
        .required("command", "write [\"program\", \"argument\"]")
        .and_then(|field| command(&field, place));
    let parameters = section.field("parameters").map(|field| schema(&field));
    let requires_confirmation = section
        .field("requires_confirmation")
        .map(|field| field.flag());
    let risks = risks(&mut section);
    let timeout = section
        .field("timeout")
        .map(|field| field.duration(TIMEOUTS));
    let expires = section
        .field("expires")
        .map(|field| field.duration(EXPIRES));
    section.finish();
    let (program, arguments) = command?;
    let risks = risks?;
    let asks = requires_confirmation.unwrap_or_else(|| Some(risks.contains(&Risk::Destructive)))?;
    Some(CommandTool {
        name: named?.to_owned(),
        description: description?.to_owned(),
        command: std::iter::once(program.display().to_string())
            .chain(arguments)
            .collect(),
        schema: parameters.unwrap_or_else(|| Some(no_parameters()))?,
        default: if asks { Verdict::Ask } else { Verdict::Allow },
        risks,
        timeout: timeout.unwrap_or(Some(TIMEOUT))?,
        expires: expires.map_or(Some(None), |expires| expires.map(Some))?,
        directory: place.folder.to_owned(),
        environment: Vec::new(),
    })
}

/// A name that every model's API takes and that means one tool only.
fn name<'a>(member: &Member<'a>, section: &Section<'_>) -> Option<&'a str> {
    let name = member.name;
    let fault = if !is_name(name) {
        Some("is no name a model can call")
    } else if name == FILES
        || name == RUN_CODE
        || Builtin::ALL.iter().any(|built_in| built_in.name() == name)
    {
        Some("is the name of a built-in tool")
    } else {
        None
    };
    let Some(fault) = fault else {
        return Some(name);
    };
    let what = format!("{name:?} {fault}");
    let todo = "choose another one: letters, digits, _ and -, at most 64";
    section.mistakes().add(&member.span, what, todo);
    None
}

pub(super) fn is_name(name: &str) -> bool {
    let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !name.is_empty() && name.len() <= 64 && name.chars().all(sound)
}

pub(super) fn command(field: &Field<'_>, place: Place<'_>) -> Option<(PathBuf, Vec<String>)> {
    let items = field.items()?;
    let words: Vec<_> = items.iter().map(Field::text).collect();
    let words: Vec<&str> = words.into_iter().collect::<Option<_>>()?;
    let Some((program, arguments)) = words.split_first() else {
        field.mistake("is empty", "name the program that is to run");
        return None;
    };
    match find(program, place) {
        Ok(program) => {
            let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
            Some((program, arguments))
        }
        Err(why) => {
            let todo = "correct the command; a path counts from this file's folder";
            field.mistake(&format!("cannot run: {why}"), todo);
            None
        }
    }
}

/// A program with a slash counts from the file's folder; any other is looked for in `PATH`.
pub(super) fn find(program: &str, place: Place<'_>) -> Result<PathBuf, String> {
    if program.contains('/') {
        // Through the components, so that `./` does not stay in the path.
        let path: PathBuf = place.folder.join(program).components().collect();
        return match std::fs::metadata(&path) {
            Err(error) => Err(format!("{program:?}: {error}")),
            Ok(_) if is_executable(&path) => Ok(path),
            Ok(_) => Err(format!("{program:?} is not executable")),
        };
    }
    let folders = place.sources.variable("PATH").unwrap_or_default();
    std::env::split_paths(folders)
        .map(|folder| place.sources.working_dir.join(folder).join(program))
        .find(|path| is_executable(path))
        .ok_or_else(|| format!("there is no program {program:?} in PATH"))
}

fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn schema(field: &Field<'_>) -> Option<Schema> {
    field.members()?;
    match Schema::compile(field.json()?) {
        Ok(schema) => Some(schema),
        Err(why) => {
            field.mistake(&format!("is no JSON Schema: {why}"), "correct the schema");
            None
        }
    }
}

fn no_parameters() -> Schema {
    Schema::new(serde_json::json!({ "type": "object", "properties": {} }))
}

fn risks(section: &mut Section<'_>) -> Option<Vec<Risk>> {
    let Some(field) = section.field("annotations") else {
        return Some(Vec::new());
    };
    let mut section = field.section()?;
    let claims = [
        ("destructive", Risk::Destructive),
        ("open_world", Risk::OpenWorld),
        ("idempotent", Risk::Idempotent),
        ("read_only", Risk::ReadOnly),
    ];
    let flags = claims.map(|(key, risk)| match section.field(key) {
        Some(field) => field.flag().map(|claimed| claimed.then_some(risk)),
        None => Some(None),
    });
    section.finish();
    let claimed: Vec<Option<Risk>> = flags.into_iter().collect::<Option<_>>()?;
    let risks: Vec<Risk> = claimed.into_iter().flatten().collect();
    if risks.contains(&Risk::Destructive) && risks.contains(&Risk::ReadOnly) {
        field.mistake("cannot be both destructive and read_only", "leave one out");
        return None;
    }
    Some(risks)
}
