//! What the model wants, taken in: each call gets a name of its own and a first check.

use std::collections::HashMap;

use super::past::Past;
use super::script::Within;
use super::work::Work;
use super::{Agent, Reports, words};
use crate::code;
use crate::core::arguments::Arguments;
use crate::core::call::CallId;
use crate::core::exchange::Wanted;
use crate::core::run::RunEvent;
use crate::store::step::Named;
use crate::tools::Toolbox;

/// Arguments of this many bytes or more are not run: nobody could look through them.
const MOST: usize = 1_000_000;

/// A call as it goes on: under a name of its own, with arguments that parsed or a fault.
pub(super) struct Taken {
    /// The name the model's provider knows it by.
    pub(super) original: CallId,
    pub(super) id: CallId,
    pub(super) tool: String,
    pub(super) held_by_provider: bool,
    pub(super) checked: Result<Arguments, String>,
    /// The script that made it; `None` for a call of the model.
    pub(super) within: Option<Within>,
}

impl Agent {
    /// Takes in the calls of one response. Whatever is wrong with one shows, and is told to the model.
    pub(super) async fn take_in(&mut self, calls: Vec<Named>) -> Vec<Taken> {
        let mut counts: HashMap<CallId, usize> = HashMap::new();
        for named in &calls {
            *counts.entry(named.wanted.id.clone()).or_default() += 1;
        }
        let mut taken = Vec::with_capacity(calls.len());
        for Named { id, wanted } in calls {
            let said = (wanted.tool.as_str(), wanted.arguments.as_str());
            called((&self.past, &self.reports), &id, None, said).await;
            let twice = counts.get(&wanted.id).is_some_and(|count| *count > 1);
            // One that was judged was sound. That a tool has changed since, or is gone, is not to put
            // another answer in the place of what came of it.
            let checked = if self.past.verdicts.contains_key(&id) {
                parse(&wanted.arguments)
            } else {
                check(&self.parts.tools, &wanted, twice)
            };
            let Wanted {
                id: original,
                tool,
                held_by_provider,
                ..
            } = wanted;
            taken.push(Taken {
                original,
                id,
                tool,
                held_by_provider,
                checked,
                within: None,
            });
        }
        taken
    }

    /// Some models number their calls from one in each response; here each call is another one, and
    /// so is the wait for its deferred result. Names are written in clear, so no secret may be in one.
    pub(super) fn own_id(&mut self, original: &CallId) -> CallId {
        let free = |id: &CallId| !self.ids.contains(id);
        let plain = CallId::plain(&self.parts.journal.veil().text(&original.0));
        let numbered = (2_u32..).map(|number| CallId(format!("{plain}#{number}")));
        let mut candidates = std::iter::once(plain.clone()).chain(numbered);
        let id = candidates
            .find(free)
            .expect("only finitely many ids are in use");
        self.ids.insert(id.clone());
        id
    }
}

/// Takes in a call that a script makes. `known`: whether it has such a function.
pub(super) async fn of_script(
    work: &Work,
    wanted: &code::Wanted,
    known: bool,
    within: Within,
) -> Taken {
    let id = within.outer.inner(wanted.number);
    let wanted = Wanted {
        id: id.clone(),
        tool: wanted.tool.clone(),
        arguments: wanted.arguments.to_string(),
        held_by_provider: false,
    };
    let said = (wanted.tool.as_str(), wanted.arguments.as_str());
    called((&work.past, &work.reports), &id, Some(&within.outer), said).await;
    let checked = if work.past.verdicts.contains_key(&id) {
        parse(&wanted.arguments)
    } else if known {
        check(&work.tools, &wanted, false)
    } else {
        Err(format!("scripts cannot call {}", wanted.tool))
    };
    Taken {
        original: id.clone(),
        id,
        tool: wanted.tool,
        held_by_provider: false,
        checked,
        within: Some(within),
    }
}

/// The name under which the result of a deferred call is waited for: a decision of its own.
pub(super) fn result_of(id: &CallId) -> CallId {
    id.aside("result")
}

/// The name under which a person is asked what became of an execution that was cut off.
pub(super) fn unknown_of(id: &CallId, attempt: u32) -> CallId {
    id.aside(&format!("unknown-{attempt}"))
}

/// Shows that a call was made, by its tool and arguments, unless that was done before.
pub(super) async fn called(
    (past, reports): (&Past, &Reports),
    call: &CallId,
    parent: Option<&CallId>,
    (tool, arguments): (&str, &str),
) {
    if past.called.contains_key(call) {
        return;
    }
    let event = RunEvent::Called {
        entry: reports.entry(),
        call: call.clone(),
        parent: parent.cloned(),
        tool: tool.to_owned(),
        arguments: shown_arguments(arguments),
    };
    reports.send(event).await;
}

/// What the conversation keeps of arguments that are too long to be run.
pub(super) fn shown_arguments(text: &str) -> String {
    if text.len() < MOST {
        return text.to_owned();
    }
    let kept = text.floor_char_boundary(4096);
    format!("{} … {} bytes in all", &text[..kept], text.len())
}

fn parse(arguments: &str) -> Result<Arguments, String> {
    Arguments::parse(arguments).map_err(|fault| format!("the arguments cannot be read: {fault}"))
}

fn check(tools: &Toolbox, wanted: &Wanted, twice: bool) -> Result<Arguments, String> {
    if twice {
        return Err(format!(
            "two calls of one response have the id `{}`; give each its own",
            wanted.id
        ));
    }
    if wanted.arguments.len() >= MOST {
        let size = wanted.arguments.len();
        return Err(format!(
            "the arguments are {size} bytes long; stay below {MOST}, for example with several calls"
        ));
    }
    let arguments = parse(&wanted.arguments)?;
    if wanted.held_by_provider {
        return Ok(arguments);
    }
    let Some(tool) = tools.get(&wanted.tool) else {
        return Err(words::unknown_tool(
            &wanted.tool,
            tools.iter().map(|tool| tool.name.as_str()),
        ));
    };
    let found = tool.schema.check(arguments.value());
    if found.is_empty() {
        Ok(arguments)
    } else {
        Err(words::violations(&found))
    }
}
