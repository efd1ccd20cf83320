//! The decisions that a run state holds: which calls have one, and entering more.
//!
//! Owns the rule that nothing decided before is lost: what is said of one call stands over what is said
//! of its tool, and a lasting decision does not touch it.

use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

use super::super::cursor::At;
use super::super::decided::Decided;
use super::super::imported::ReadFault;
use super::book::{Key, Slot};
use crate::core::decision::{Decision, Reach};

const FUNCTIONS: &str = "function_tool_approvals";
const NAMED: &str = "approvals";
const HOSTED: &str = "hosted_mcp_approvals";

/// The records of one run state.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Where the records stand that are kept in lists.
    places: HashMap<Key, usize>,
    /// Calls that are decided by their ids.
    exact: HashSet<(Key, String)>,
    /// What the lasting decisions are bound to.
    lasting: HashMap<Key, String>,
}

impl Ledger {
    pub(super) fn open(state: &Value, place: &str) -> Result<Self, ReadFault> {
        let context = At::within(state, place).need("context")?;
        context.object()?;
        let mut ledger = Self::default();
        if let Some(named) = context.member(NAMED) {
            for tool in named.object()?.keys() {
                if let Some(record) = named.member(tool) {
                    ledger.note(&Key::Named(tool.clone()), &record)?;
                }
            }
        }
        if let Some(list) = context.member(FUNCTIONS) {
            for (at, entry) in list.items()?.enumerate() {
                let key = Key::Function {
                    agent: entry.value.get("agent").cloned().unwrap_or_default(),
                    tool: entry.need("tool_key")?.text()?.to_owned(),
                };
                ledger.note(&key, &entry.need("decision")?)?;
                ledger.places.insert(key, at);
            }
        }
        if let Some(list) = context.member(HOSTED) {
            for (at, entry) in list.items()?.enumerate() {
                let key = entry.value.get("identity").and_then(Key::of_identity);
                if let Some(key) = key {
                    ledger.note(&key, &entry.need("decision")?)?;
                    ledger.places.insert(key, at);
                }
            }
        }
        Ok(ledger)
    }

    fn note(&mut self, key: &Key, decision: &At<'_>) -> Result<(), ReadFault> {
        decision.object()?;
        for side in ["approved", "rejected"] {
            let side = decision.value.get(side);
            if side == Some(&Value::Bool(true))
                && let Some(scope) = decision.member("sticky_scope")
            {
                self.lasting.insert(key.clone(), scope.text()?.to_owned());
            }
            let ids = side.and_then(Value::as_array).into_iter().flatten();
            for id in ids.filter_map(Value::as_str) {
                self.exact.insert((key.clone(), id.to_owned()));
            }
        }
        Ok(())
    }

    /// Whether the call that goes here is decided already.
    pub(super) fn decided(&self, slot: &Slot) -> bool {
        slot.keys.iter().any(|key| {
            let exact = |key: Key| self.exact.contains(&(key, slot.call.clone()));
            // Older states keep what is decided on a function by the tool's name alone.
            let older = match key {
                Key::Function { tool, .. } => exact(Key::Named(tool.clone())),
                Key::Named(_) | Key::Server { .. } | Key::Request(_) | Key::Query { .. } => false,
            };
            let lasting = self.lasting.get(key);
            older || exact(key.clone()) || lasting.is_some_and(|s| s == slot.scope.as_str())
        })
    }

    /// Enters decisions: first those that last, approvals before rejections, so that a rejection has the
    /// last word on the tool; then each on its one call.
    pub(super) fn enter(&mut self, state: &mut Value, decided: &[(&Slot, &Decided)]) {
        let Some(context) = state.get_mut("context").and_then(Value::as_object_mut) else {
            return;
        };
        let lasting = |approved: bool| {
            let all = decided.iter();
            all.filter(move |(_, one)| one.reach != Reach::Once && approves(one) == approved)
        };
        let mut last = HashMap::new();
        for (slot, one) in lasting(true).chain(lasting(false)) {
            let keys = slot.keys.iter().rev().filter(|key| key.lasts());
            for key in keys.take(1) {
                if let Some(record) = self.record(context, key) {
                    for_good(record, slot, one);
                    last.insert(key, approves(one));
                }
            }
        }
        for (slot, one) in decided {
            for key in &slot.keys {
                let covered = one.reach != Reach::Once
                    && key.lasts()
                    && last
                        .get(key)
                        .is_none_or(|approved| *approved == approves(one));
                if let (false, Some(record)) = (covered, self.record(context, key)) {
                    once(record, &slot.call, one);
                }
            }
        }
        sort_hosted(context);
    }

    /// The decision at this key, begun if there is none.
    fn record<'a>(
        &mut self,
        context: &'a mut Map<String, Value>,
        key: &Key,
    ) -> Option<&'a mut Map<String, Value>> {
        let name = match key {
            Key::Named(tool) => {
                let named = present(context, NAMED, json!({})).as_object_mut()?;
                return present(named, tool, key.entry()).as_object_mut();
            }
            Key::Function { .. } => FUNCTIONS,
            Key::Server { .. } | Key::Request(_) | Key::Query { .. } => HOSTED,
        };
        let list = present(context, name, json!([])).as_array_mut()?;
        let at = *self.places.entry(key.clone()).or_insert_with(|| {
            list.push(key.entry());
            list.len() - 1
        });
        list.get_mut(at)?.get_mut("decision")?.as_object_mut()
    }
}

/// The member of this name, put there if it is missing or null.
fn present<'a>(object: &'a mut Map<String, Value>, name: &str, new: Value) -> &'a mut Value {
    let member = object.entry(name).or_insert(Value::Null);
    if member.is_null() {
        *member = new;
    }
    member
}

fn approves(decided: &Decided) -> bool {
    matches!(decided.decision, Decision::Approve { .. })
}

/// The message of a rejection, where it has one.
fn message(decided: &Decided) -> Option<&str> {
    match &decided.decision {
        Decision::Reject { reason } if !reason.is_empty() => Some(reason),
        Decision::Approve { .. }
        | Decision::Reject { .. }
        | Decision::Respond { .. }
        | Decision::Retry { .. }
        | Decision::Fail { .. } => None,
    }
}

/// A decision on all calls of the tool. Calls that were decided by their ids keep their decision.
fn for_good(record: &mut Map<String, Value>, slot: &Slot, decided: &Decided) {
    let by_id = |side: Option<&Value>| {
        side.and_then(Value::as_array)
            .is_some_and(|ids| !ids.is_empty())
    };
    record.insert("sticky_scope".to_owned(), json!(slot.scope.as_str()));
    record.shift_remove("sticky_rejection_message");
    if approves(decided) {
        record.insert("approved".to_owned(), json!(true));
        if !by_id(record.get("rejected")) {
            record.insert("rejected".to_owned(), json!([]));
            record.shift_remove("rejection_messages");
        }
        return;
    }
    record.insert("rejected".to_owned(), json!(true));
    if !by_id(record.get("approved")) {
        record.insert("approved".to_owned(), json!(false));
    }
    if let Some(message) = message(decided) {
        tell(record, &slot.call, message);
        record.insert("sticky_rejection_message".to_owned(), json!(message));
    }
}

/// A decision on this call.
fn once(record: &mut Map<String, Value>, call: &str, decided: &Decided) {
    let side = if approves(decided) {
        "approved"
    } else {
        "rejected"
    };
    let ids = record.entry(side).or_insert_with(|| json!([]));
    match ids {
        Value::Array(ids) => ids.push(json!(call)),
        Value::Bool(true) => {}
        Value::Null
        | Value::Bool(false)
        | Value::Number(_)
        | Value::String(_)
        | Value::Object(_) => {
            *ids = json!([call]);
        }
    }
    if let Some(message) = message(decided) {
        tell(record, call, message);
    }
}

fn tell(record: &mut Map<String, Value>, call: &str, message: &str) {
    let messages = present(record, "rejection_messages", json!({}));
    if !messages.is_object() {
        *messages = json!({});
    }
    if let Some(messages) = messages.as_object_mut() {
        messages.insert(call.to_owned(), json!(message));
    }
}

/// By server, then by request, as the SDK writes them.
fn sort_hosted(context: &mut Map<String, Value>) {
    let list = context.get_mut(HOSTED).and_then(Value::as_array_mut);
    let Some(list) = list else { return };
    list.sort_by_cached_key(|entry| {
        let text = |name: &str| {
            let text = entry
                .get("identity")
                .and_then(|identity| identity.get(name));
            text.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let rank = match text("type").as_str() {
            "server_tool" => 0,
            "request" => 1,
            _ => 2,
        };
        (
            rank,
            text("server_label"),
            text("tool_name"),
            text("request_id"),
        )
    });
}
