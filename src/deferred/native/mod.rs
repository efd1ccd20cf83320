//! The program's own form: calls that wait, and decisions on them. Their JSON Schemas are
//! `assets/deferred.schema.json` and `assets/decisions.schema.json`.
//!
//! What a headless run leaves behind, with what was said before (`history`) and, of each call, all that
//! helps to decide it (`basis`, `risks`, `schema`, `expires`, …; see [`DeferredCall`]):
//!
//! ```json
//! { "format": "countersign.deferred", "version": 1, "session": "0199…", "agent": "travel",
//!   "calls": [ { "call": "flight-2-0", "tool": "book_flight", "arguments": "{\"destination\":\"Millau\"}",
//!                "digest": "5c…", "answers": ["approve", "edit", "reject", "reason", "respond", "retry"] } ] }
//! ```
//!
//! and what it goes on with:
//!
//! ```json
//! { "format": "countersign.decisions", "version": 1,
//!   "decisions": [ { "call": "flight-2-0", "digest": "5c…", "approve": {} },
//!                  { "call": "ada-2-1", "reject": { "reason": "not yet" } } ] }
//! ```
//!
//! A decision has exactly one of `approve` (with `arguments`, an object, to edit), `reject` (`reason`),
//! `respond` (`result`), `retry` (`message`) and `fail` (`message`). With a `digest` it counts only for
//! the call as it was shown; `who` says who decided. `approve` and `reject` can say `"always": "tool"` or `"always":
//! "arguments"`, where the call's `answers` name it: the decision then holds for later calls too.

mod decisions;
mod waiting;

use serde_json::Value;

use super::decided::Decided;
use super::imported::{self, Imported, ImportedCall, Past, ReadFault};
use super::{cursor, identity};
use cursor::{At, Ids};

pub use decisions::{DecisionsFault, decisions};
pub use waiting::{Deferred, DeferredCall};

const DEFERRED: &str = "countersign.deferred";
const DECISIONS: &str = "countersign.decisions";
const VERSION: u32 = 1;

/// What the results are made from beside the decisions: nothing, they only name the calls.
#[derive(Debug, Clone, Copy)]
pub(super) struct State;

/// Whether a document looks like this form.
pub(super) fn recognises(document: &Value) -> bool {
    let format = document.get("format").and_then(Value::as_str);
    format.is_some_and(|format| format.starts_with("countersign."))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the forms have the same functions, and some keep it"
)]
pub(super) fn read(document: Value) -> Result<Imported, ReadFault> {
    let root = At::root(&document);
    check(&root)?;
    let mut seen = Ids::default();
    let calls = root.need("calls")?.items()?.map(|item| {
        let call = waiting::read(&item)?;
        seen.take(&call.id, &item)?;
        Ok(call)
    });
    let calls = calls.collect::<Result<Vec<_>, _>>()?;
    let text = |name: &str| root.member(name).map(|text| text.text()).transpose();
    text("session")?;
    Ok(Imported {
        agent: text("agent")?.map(ToOwned::to_owned),
        model: text("model")?.map(ToOwned::to_owned),
        calls,
        history: history(&root)?,
        warnings: Vec::new(),
        identity: identity::of(&document),
        state: imported::State::Native(State),
    })
}

fn check(root: &At<'_>) -> Result<(), ReadFault> {
    let format = root.need("format")?;
    if format.value == DECISIONS {
        return Err(ReadFault::new(
            format.place(),
            "these are decisions, not calls that wait for them",
            "give the file of the calls, and this one with --decisions",
        ));
    }
    if format.value != DEFERRED {
        let wanted = format!("this should be \"{DEFERRED}\"");
        return Err(format.fault(wanted));
    }
    let version = root.need("version")?;
    if version.value.as_u64() == Some(u64::from(VERSION)) {
        return Ok(());
    }
    Err(ReadFault::new(
        version.place(),
        format!(
            "this is version {} of the form; version {VERSION} is known",
            version.value
        ),
        "decide it with the version of the program that wrote it",
    ))
}

fn history(root: &At<'_>) -> Result<Vec<Past>, ReadFault> {
    let Some(list) = root.member("history") else {
        return Ok(Vec::new());
    };
    list.items()?.map(|item| waiting::tagged(&item)).collect()
}

impl State {
    /// The decisions can be on some of the calls.
    #[expect(clippy::unused_self, reason = "the forms have the same methods")]
    pub(super) fn takes_a_part(self) -> bool {
        true
    }

    /// The decisions as a file, which were checked against the calls.
    #[expect(clippy::unused_self, reason = "the forms have the same methods")]
    pub(super) fn results(self, calls: &[ImportedCall], decided: &[Decided]) -> Value {
        decisions::file(calls, decided)
    }
}
