//! Scripts in child processes of the built program.

use countersign::code::{Fault, Function, Limits, Pause, Reply, Script, Stand, Wanted};
use rustix::process::Pid;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The program that scripts run in.
pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_countersign"))
}

/// Enough for every script that is not to be stopped.
pub fn limits() -> Limits {
    Limits {
        time: Duration::from_secs(20),
        ..Limits::default()
    }
}

/// Two tools: one that reads, one that deletes.
pub fn functions() -> Vec<Function> {
    let function = |name: &str, tool: &str, properties: Value| Function {
        name: name.to_owned(),
        tool: tool.to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": ["path"]}),
        description: String::new(),
    };
    let text = json!({"type": "string"});
    vec![
        function(
            "read_file",
            "files.read",
            json!({"path": text, "start": {"type": "integer"}}),
        ),
        function(
            "delete_file",
            "files.delete",
            json!({"path": text, "dry-run": {"type": "boolean"}}),
        ),
    ]
}

pub async fn start(code: &str) -> (Script, Stand) {
    let started = Script::start(program(), code, &functions(), &limits()).await;
    started.expect("the script starts")
}

/// Where a script stands that is only started.
pub async fn run(code: &str) -> Stand {
    start(code).await.1
}

pub fn wanted(number: u32, function: &str, arguments: Value, line: u32) -> Wanted {
    let functions = functions();
    let found = functions.iter().find(|known| known.name == function);
    Wanted {
        number,
        function: function.to_owned(),
        tool: found.expect("it is declared").tool.clone(),
        arguments,
        line,
    }
}

pub fn paused(stand: Stand) -> Pause {
    match stand {
        Stand::Paused(pause) => pause,
        other => unreachable!("it does not wait: {other:?}"),
    }
}

pub fn done(result: Value, printed: &str) -> Stand {
    Stand::Done {
        result,
        printed: printed.to_owned(),
    }
}

pub fn failed(traceback: &str, printed: &str) -> Stand {
    Stand::Failed {
        traceback: traceback.to_owned(),
        printed: printed.to_owned(),
    }
}

/// The numbers of the calls that it waits for.
pub fn numbers(pause: &Pause) -> Vec<u32> {
    pause.calls.iter().map(|wanted| wanted.number).collect()
}

pub fn value(number: u32, value: Value) -> (u32, Reply) {
    (number, Reply::Value(value))
}

pub fn raise(number: u32, message: &str) -> (u32, Reply) {
    (number, Reply::Raise(message.to_owned()))
}

/// What ends a script that never waits.
pub async fn fault(code: &str, limits: &Limits) -> Fault {
    match Script::start(program(), code, &functions(), limits).await {
        Ok((_, stand)) => unreachable!("it is not stopped: {stand:?}"),
        Err(fault) => fault,
    }
}

/// The number of a script's process.
pub fn id(script: &Script) -> Pid {
    let id = script.id().expect("it runs");
    Pid::from_raw(id.cast_signed()).expect("it is a number")
}

/// A frame as both sides write it.
pub fn frame(words: &Value, bytes: &[u8]) -> Vec<u8> {
    let words = words.to_string();
    let length = |length: usize| u32::try_from(length).expect("it is short").to_be_bytes();
    let head = [length(words.len()), length(bytes.len())].concat();
    [&head, words.as_bytes(), bytes].concat()
}
