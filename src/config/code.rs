//! `code` of an agent: whether its model may run scripts that call its tools, and how much they may use.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::Value;

use crate::code::Limits;
use crate::core::reading::{Field, Section};
use crate::tools::code::{Ahead, CodeTool, pattern};

const TIME: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_mins(10);
/// MiB.
const MEMORY: RangeInclusive<usize> = 16..=4096;
const CALLS: RangeInclusive<usize> = 1..=10_000;
const MIB: u64 = 1024 * 1024;

/// Whether an agent has it.
pub(super) enum Mode {
    Off,
    On(CodeTool),
}

impl Mode {
    pub(super) fn tool(self) -> Option<CodeTool> {
        match self {
            Self::Off => None,
            Self::On(tool) => Some(tool),
        }
    }
}

/// `true`, `false`, or a table that turns it on and says more. Which program runs the scripts, and where their
/// key is, is not the configuration's business.
pub(super) fn read(field: &Field<'_>) -> Option<Mode> {
    match field.json() {
        Some(Value::Bool(true)) => return Some(Mode::On(CodeTool::default())),
        Some(Value::Bool(false)) => return Some(Mode::Off),
        Some(Value::Object(_)) => {}
        Some(_) => {
            field.mistake("must be true, false or a table", "write code = true");
            return None;
        }
        None => return None,
    }
    let mut section = field.section()?;
    let limits = limits(&mut section);
    let ahead = section.field("look_ahead").map(|field| field.flag());
    let include = section.field("include").map(|field| patterns(&field));
    let exclude = section.field("exclude").map(|field| patterns(&field));
    section.finish();
    Some(Mode::On(CodeTool {
        limits: limits?,
        ahead: if ahead.unwrap_or(Some(false))? {
            Ahead::Yes
        } else {
            Ahead::No
        },
        include: include.map_or(Some(None), |include| include.map(Some))?,
        exclude: exclude.unwrap_or_else(|| Some(Vec::new()))?,
        ..CodeTool::default()
    }))
}

fn limits(section: &mut Section<'_>) -> Option<Limits> {
    let usual = Limits::default();
    let time = section.field("time").map(|field| field.duration(TIME));
    let memory = section
        .field("memory_mib")
        .map(|field| field.number(MEMORY));
    let calls = section.field("max_calls").map(|field| field.number(CALLS));
    let memory = memory.map(|memory| memory.and_then(|memory| u64::try_from(memory).ok()));
    let calls = calls.map(|calls| calls.and_then(|calls| u32::try_from(calls).ok()));
    Some(Limits {
        time: time.unwrap_or(Some(usual.time))?,
        memory: memory.map_or(Some(usual.memory), |memory| Some(memory? * MIB))?,
        calls: calls.unwrap_or(Some(usual.calls))?,
        ..usual
    })
}

fn patterns(field: &Field<'_>) -> Option<Vec<String>> {
    let items = field.items()?;
    let read: Vec<_> = items
        .iter()
        .map(|item| {
            let text = item.words()?;
            if let Err(why) = pattern(text) {
                let todo = "write a tool's name, with * for any part of it";
                item.mistake(&format!("is no pattern: {why}"), todo);
                return None;
            }
            Some(text.to_owned())
        })
        .collect();
    read.into_iter().collect()
}
