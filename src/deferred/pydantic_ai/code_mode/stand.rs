//! Where a script stands: its text, the line, what its calls came to, as far as the metadata says it.

use serde_json::Value;

use super::super::requests::Waiting;
use super::own_script;
use crate::core::call::CallId;
use crate::core::script::{Done, Script};
use crate::deferred::cursor::At;
use crate::deferred::proposed::readable;

/// The members in which a finished call has what the script was given.
const RESULTS: [&str; 4] = ["result", "return_value", "content", "message"];

/// The script, without the line of a call.
pub(super) fn script(outer: &Waiting, metadata: &At<'_>) -> Script {
    let code = metadata.member("code").map(|code| code.value.clone());
    let code = code.or_else(|| own_script(outer));
    let printed = metadata.member("printed");
    Script {
        outer: CallId(outer.id.to_owned()),
        code: code.as_ref().map(readable).unwrap_or_default(),
        line: number(metadata),
        done: metadata
            .member("done")
            .map(|at| done(at.value))
            .unwrap_or_default(),
        printed: printed.map(|at| readable(at.value)).unwrap_or_default(),
    }
}

/// The same without its texts.
pub(super) fn bare(script: &Script) -> Script {
    Script {
        outer: script.outer.clone(),
        code: String::new(),
        line: script.line,
        done: Vec::new(),
        printed: String::new(),
    }
}

/// Bytes of its texts.
pub(super) fn size(script: &Script) -> usize {
    let done = script.done.iter();
    let done = done.map(|one| one.tool.len() + one.arguments.len() + one.result.len());
    script.code.len() + script.printed.len() + done.sum::<usize>()
}

/// The line on which a call stands: as the call says, or the script, or the only one that it can be.
pub(super) fn line(script: &Script, tool: &str, part: &At<'_>) -> Option<u32> {
    number(part)
        .or(script.line)
        .or_else(|| only_line(&script.code, tool))
}

fn number(at: &At<'_>) -> Option<u32> {
    let line = at.member("line")?.value.as_u64()?;
    u32::try_from(line).ok().filter(|line| *line > 0)
}

/// The line that names the tool, if no other one does and it is called there. Under another name it could be
/// called anywhere.
fn only_line(code: &str, tool: &str) -> Option<u32> {
    let mut lines = code.split('\n').zip(1..);
    let (text, number) = lines.find(|(text, _)| names(text, tool).next().is_some())?;
    let elsewhere = lines.any(|(text, _)| names(text, tool).next().is_some());
    let called = names(text, tool).all(|after| after.trim_start().starts_with('('));
    (called && !elsewhere).then_some(number)
}

/// What stands behind each place at which the text has this name.
fn names<'t>(text: &'t str, tool: &'t str) -> impl Iterator<Item = &'t str> {
    let of_name = |c: char| c == '_' || c.is_alphanumeric();
    text.match_indices(tool).filter_map(move |(at, _)| {
        let after = &text[at + tool.len()..];
        let free = !text[..at].ends_with(of_name) && !after.starts_with(of_name);
        free.then_some(after)
    })
}

/// The finished calls, of which some states say no more than what came of each number.
fn done(value: &Value) -> Vec<Done> {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            let number = |name: &str| name.parse::<u64>().unwrap_or(u64::MAX);
            members.sort_by_key(|(name, _)| number(name));
            let one = |(name, value): (&String, &Value)| one(name, value);
            members.into_iter().map(one).collect()
        }
        Value::Array(items) => items.iter().map(|item| one("", item)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn one(name: &str, value: &Value) -> Done {
    let text = |member: &str| value.get(member).and_then(Value::as_str);
    let Some(tool) = text("tool_name") else {
        return Done::new(&format!("call-{name}"), "", "done", &readable(value));
    };
    let arguments = value.get("args").map(readable).unwrap_or_default();
    let result = RESULTS.iter().find_map(|member| value.get(member));
    let came = text("outcome").unwrap_or("done");
    let result = result.map(readable).unwrap_or_default();
    Done::new(tool, &arguments, came, &result)
}
