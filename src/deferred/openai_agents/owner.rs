//! Which run a call belongs to: the outer one, or one of an agent that runs as a tool of it.
//!
//! The outer state lists the interruptions of all of them; the decision on one counts only in the state
//! of the run that made it.

use serde_json::Value;
use std::collections::HashMap;

use super::super::cursor::At;
use super::super::imported::ReadFault;
use super::interruption::Interruption;
use super::version::Version;
use crate::core::call::CallId;

/// All run states in a document, the outer one first.
#[derive(Debug)]
pub(super) struct Owners<'a> {
    runs: Vec<Owner<'a>>,
    /// The items that wait in the inner runs, and whose they are.
    inner: HashMap<&'a Value, Vec<usize>>,
}

/// One run state.
#[derive(Debug)]
pub(super) struct Owner<'a> {
    /// Its JSON pointer.
    pub(super) place: String,
    /// The call that runs it, as a tool of the outer run.
    pub(super) parent: Option<CallId>,
    pub(super) state: &'a Value,
}

impl<'a> Owners<'a> {
    pub(super) fn of(root: &At<'a>) -> Result<Self, ReadFault> {
        let mut owners = Self {
            runs: Vec::new(),
            inner: HashMap::new(),
        };
        owners.add(root, None)?;
        Ok(owners)
    }

    /// Adds a run and those within it. Its depth is bounded by that of the document.
    fn add(&mut self, at: &At<'a>, parent: Option<CallId>) -> Result<(), ReadFault> {
        let is_inner = parent.is_some();
        if is_inner {
            Version::read(at)?;
        }
        let mine = self.runs.len();
        self.runs.push(Owner {
            place: at.place().to_owned(),
            parent,
            state: at.value,
        });
        for function in functions(at) {
            if let Some(run) = function.member("agent_run_state") {
                let call = function.member("tool_call");
                let call = call.and_then(|call| call.value.get("call_id")?.as_str());
                self.add(&run, Some(CallId(call.unwrap_or_default().to_owned())))?;
            }
        }
        if is_inner {
            self.list(at, mine);
        }
        Ok(())
    }

    /// Notes what waits in an inner run, except what waits in a run within that.
    fn list(&mut self, at: &At<'a>, mine: usize) {
        let items = at.value.pointer("/current_step/data/interruptions");
        for item in items.and_then(Value::as_array).into_iter().flatten() {
            let Some(raw) = item.get("raw_item") else {
                continue;
            };
            let known = self.inner.entry(raw).or_default();
            // Those within this run have higher numbers, and came just before.
            if known.last().is_none_or(|last| *last < mine) {
                known.push(mine);
            }
        }
    }

    pub(super) fn owner(&self, interruption: &Interruption<'a>) -> Result<&Owner<'a>, ReadFault> {
        let inner = self.inner.get(interruption.raw.value);
        match inner.map_or(&[][..], Vec::as_slice) {
            [] => Ok(&self.runs[0]),
            [run] => Ok(&self.runs[*run]),
            _ => Err(interruption.raw.fault(
                "two runs wait for the same call, so a decision could not say which it is on",
            )),
        }
    }

    pub(super) fn places(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().map(|run| run.place.as_str())
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = &Owner<'a>> {
        self.runs.iter()
    }
}

impl Owner<'_> {
    /// A decision on a call that the state has no record of would not count.
    pub(super) fn knows(
        &self,
        version: Version,
        interruption: &Interruption<'_>,
    ) -> Result<(), ReadFault> {
        let records = self.state.pointer("/context/tool_invocations");
        let known = records.and_then(|records| records.get(&interruption.id.0));
        if known.is_some() || !version.has_invocations() {
            return Ok(());
        }
        Err(interruption.raw.fault(
            "the state has no record of this call in `tool_invocations`, so a decision on it would not count",
        ))
    }
}

/// The functions that the model's last response calls.
pub(super) fn functions<'a>(state: &At<'a>) -> impl Iterator<Item = At<'a>> {
    let response = state.member("last_processed_response");
    let list = response.and_then(|response| response.member("functions"));
    let items = list.and_then(|list| list.items().ok());
    items.into_iter().flatten()
}
