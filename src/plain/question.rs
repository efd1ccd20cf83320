//! The question about a call, with everything that there is to know of it before.

use super::said::{Said, choices};
use crate::app::state::State;
use crate::core::call::CallKey;
use crate::core::count;
use crate::core::name::quoted;
use crate::core::pending::Waiting;
use crate::core::schema::Schema;
use crate::core::shown::Shown;
use crate::core::verdict::Basis;
use crate::ui::lines;

/// All of a call, and what can be answered. Nothing of it is left out or shortened.
pub fn question(state: &State, key: &CallKey) -> Vec<Shown> {
    let Some(waiting) = state.pending.get(key) else {
        return Vec::new();
    };
    let which = which(state, key);
    let who = if let Basis::Question { server, .. } = &waiting.call.basis {
        let (server, agent) = (quoted(server), quoted(&waiting.call.agent));
        format!("the MCP server {server} asks you, while it runs a call of {agent}.")
    } else {
        format!(
            "{}. {}.",
            wish(waiting),
            capital(&waiting.call.basis.words())
        )
    };
    let mut told = vec![Shown::default(), Shown::label(&format!("{which}: {who}"))];
    if let Some(script) = lines::script(waiting, state).filter(|_| !waiting.call.is_script()) {
        let drops = if choices(waiting, state).contains(&Said::Script) {
            " (answer script to go to the script itself)"
        } else {
            ""
        };
        told.push(Shown::from(format!("It is made here{drops}: {script}")));
    }
    // That it asks is said already.
    let risks = lines::risks(waiting).into_iter();
    let risks = risks.filter(|risk| risk.as_str() != "ask");
    told.extend(risks.map(|risk| Shown::from(format!("Risk: {risk}"))));
    told.extend(waiting.call.expires.map(|at| {
        let words = format!("It can be decided until {at:.0}");
        Shown::label(&words)
    }));
    told.extend(lines::call(waiting, state));
    let outline = waiting.call.schema.as_ref().map(Schema::outline);
    told.extend(
        outline.map(|takes| Shown::label(&format!("{} takes {takes}", waiting.call.name()))),
    );
    told.push(what_else(waiting, state));
    told
}

/// `Call 2 of 5 that wait`. A script itself is none of them.
fn which(state: &State, key: &CallKey) -> String {
    let calls = state.pending.iter().filter(|waiting| waiting.is_open());
    let calls = calls.filter(|waiting| !waiting.call.is_script());
    let of = count::number(calls.clone().count());
    let mut calls = calls.map(|waiting| &waiting.call.key);
    match calls.position(|other| other == key) {
        Some(at) => format!("Call {} of {of} that wait", count::number(at + 1)),
        None => format!("Beside {of} that wait"),
    }
}

fn wish(waiting: &Waiting) -> String {
    let (agent, tool) = (quoted(&waiting.call.agent), waiting.call.name());
    if waiting.call.is_script() {
        return format!("the script itself, which {agent} runs with {tool}");
    }
    format!("{agent} wants to call {tool}")
}

/// The schema of a call's tool, which is printed only on request: it is longer than most calls.
pub fn schema(state: &State, key: &CallKey) -> Vec<Shown> {
    let waiting = state.pending.get(key);
    waiting.map(lines::schema).unwrap_or_default()
}

/// A call that was printed as a whole before: its arguments on one row.
pub fn once_more(state: &State, key: &CallKey) -> Vec<Shown> {
    let Some(waiting) = state.pending.get(key) else {
        return Vec::new();
    };
    let (tool, summary) = (&waiting.tool, &waiting.summary);
    let line = format!("Skipped before (repeat prints all of it): {tool} {summary}");
    vec![
        Shown::default(),
        Shown::from(line),
        what_else(waiting, state),
    ]
}

/// The answers that the call takes, as a question.
pub fn what_else(waiting: &Waiting, state: &State) -> Shown {
    let words: Vec<_> = choices(waiting, state)
        .into_iter()
        .map(Said::word)
        .collect();
    Shown::label(&format!("{}: {}?", waiting.call.name(), words.join(", ")))
}

fn capital(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(rest).collect()
}
