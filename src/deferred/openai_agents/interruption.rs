//! One interruption: the call it holds back, and where a decision on it goes.

use serde_json::{Value, json};
use std::collections::HashMap;

use super::super::cursor::At;
use super::super::imported::{ImportedCall, ReadFault};
use super::book::{Key, Slot, scope};
use super::owner::{Owners, functions};
use super::version::Version;
use crate::core::arguments::Arguments;
use crate::core::call::{Answer, Answers, CallId};
use crate::core::schema::Schema;
use crate::core::verdict::Basis;

/// A call that waits for approval.
#[derive(Debug)]
pub(super) struct Interruption<'a> {
    at: At<'a>,
    pub(super) raw: At<'a>,
    pub(super) id: CallId,
    kind: &'a str,
    tool: &'a str,
    namespace: Option<&'a str>,
}

/// What members of an item say the same of all calls and are not for reading.
const PLUMBING: [&str; 4] = ["type", "id", "call_id", "status"];

impl<'a> Interruption<'a> {
    pub(super) fn read(at: &At<'a>) -> Result<Self, ReadFault> {
        let raw = at.need("raw_item")?;
        let kind = raw.need("type")?.text()?;
        let id = raw.need(id_member(kind))?.name()?.to_owned();
        let named = at.member("tool_name").or_else(|| raw.member("name"));
        let tool = match named {
            Some(name) => name.name()?,
            None => kind,
        };
        let namespace = at
            .member("tool_namespace")
            .or_else(|| raw.member("namespace"));
        let namespace = namespace.map(|namespace| namespace.text()).transpose()?;
        Ok(Self {
            at: at.clone(),
            raw,
            id: CallId(id),
            kind,
            tool,
            namespace: namespace.filter(|namespace| !namespace.is_empty()),
        })
    }

    /// Where the decision goes, in the books of the run state at this place.
    pub(super) fn slot(&self, version: Version, owner: &str) -> Result<Slot, ReadFault> {
        let (keys, identity) = match self.kind {
            "function_call" => self.function(version),
            "mcp_approval_request" if version.has_hosted() => self.hosted()?,
            kind => {
                let identity = json!({ "name": self.tool, "type": kind });
                (vec![Key::Named(self.qualified())], identity)
            }
        };
        Ok(Slot {
            owner: owner.to_owned(),
            call: self.id.0.clone(),
            keys,
            scope: scope(&identity),
        })
    }

    fn function(&self, version: Version) -> (Vec<Key>, Value) {
        let (lookup, name) = self.lookup();
        let mut names = vec![name];
        let bare = self.at.value.get("allow_bare_name_alias") == Some(&Value::Bool(true));
        if bare && names[0] != self.tool {
            names.insert(0, self.tool.to_owned());
        }
        let agent = self.at.value.get("agent").cloned().unwrap_or_default();
        let key = |tool: String| {
            if version.has_owners() {
                let agent = agent.clone();
                Key::Function { agent, tool }
            } else {
                Key::Named(tool)
            }
        };
        let identity = json!({ "tool_lookup_key": lookup, "type": self.kind });
        (names.into_iter().map(key).collect(), identity)
    }

    /// How the SDK finds the function, and the name that its decisions go by.
    fn lookup(&self) -> (Value, String) {
        let lookup = self.at.member("tool_lookup_key");
        let text = |name: &str| lookup.as_ref()?.value.get(name)?.as_str();
        match (text("kind"), text("name"), text("namespace")) {
            (Some("bare"), Some(name), _) => (json!(["bare", name]), name.to_owned()),
            (Some("deferred_top_level"), Some(name), _) => (
                json!(["deferred_top_level", name]),
                format!("deferred_top_level:{name}"),
            ),
            (Some("namespaced"), Some(name), Some(namespace)) => (
                json!(["namespaced", namespace, name]),
                format!("{namespace}.{name}"),
            ),
            _ => match self.namespace {
                Some(namespace) if namespace == self.tool => {
                    (json!(["deferred_top_level", self.tool]), self.qualified())
                }
                Some(namespace) => (
                    json!(["namespaced", namespace, self.tool]),
                    self.qualified(),
                ),
                None => (json!(["bare", self.tool]), self.qualified()),
            },
        }
    }

    /// A call of a server that the model's provider asks.
    fn hosted(&self) -> Result<(Vec<Key>, Value), ReadFault> {
        let (id, tool) = (self.id.0.clone(), self.raw.need("name")?.name()?.to_owned());
        let label = self.raw.need("server_label")?.name()?.to_owned();
        let identity = json!({ "name": tool, "server_label": label, "type": self.kind });
        let query = Key::Query {
            tool: tool.clone(),
            request: id,
        };
        Ok((vec![query, Key::Server { label, tool }], identity))
    }

    fn qualified(&self) -> String {
        match self.namespace {
            Some(namespace) => format!("{namespace}.{}", self.tool),
            None => self.tool.to_owned(),
        }
    }

    pub(super) fn call(
        &self,
        version: Version,
        agent: Option<&str>,
    ) -> Result<ImportedCall, ReadFault> {
        let mut answers = vec![Answer::Approve, Answer::Reject];
        if version.has_messages() {
            answers.push(Answer::Reason);
        }
        if version.has_owners() {
            answers.extend([Answer::AlwaysTool, Answer::NeverTool]);
        }
        Ok(ImportedCall {
            id: self.id.clone(),
            tool: self.qualified(),
            arguments: self.arguments()?,
            answers: Answers::of(answers),
            parent: None,
            basis: Basis::Framework {
                reason: String::new(),
            },
            risks: Vec::new(),
            schema: None,
            metadata: self.metadata(agent),
            warnings: Vec::new(),
            expires: None,
            arrived: None,
            script: None,
        })
    }

    /// The arguments; of a call that has none, all that the item says.
    fn arguments(&self) -> Result<Arguments, ReadFault> {
        if let Some(arguments) = self.raw.member("arguments") {
            return arguments.arguments();
        }
        if matches!(self.kind, "function_call" | "mcp_approval_request") {
            return Err(self.raw.fault("`arguments` is missing"));
        }
        let mut all = self.raw.object()?.clone();
        all.retain(|name, value| {
            let known = PLUMBING.contains(&name.as_str());
            let is_tool = name == "name" && value == self.tool;
            !(known || is_tool || value.is_null())
        });
        At::within(&Value::Object(all), self.raw.place()).arguments()
    }

    /// What else tells one call from another: the agent, where it is an inner one, and the server.
    fn metadata(&self, agent: Option<&str>) -> Option<Value> {
        let mut told = serde_json::Map::new();
        let own = self.at.member("agent");
        let own = own.and_then(|own| own.value.get("name")?.as_str());
        if let Some(own) = own.filter(|own| Some(*own) != agent) {
            told.insert("agent".to_owned(), json!(own));
        }
        if let Some(label) = self.raw.member("server_label") {
            told.insert("server_label".to_owned(), label.value.clone());
        }
        (!told.is_empty()).then_some(Value::Object(told))
    }
}

/// Which member of an item is the call's id.
fn id_member(kind: &str) -> &'static str {
    match kind {
        "mcp_approval_request" => "id",
        _ => "call_id",
    }
}

/// The schemas of the functions that were called, by run and call.
#[derive(Debug)]
pub(super) struct Schemas<'a>(HashMap<(String, &'a str), &'a Value>);

impl<'a> Schemas<'a> {
    pub(super) fn of(owners: &Owners<'a>) -> Self {
        let mut schemas = HashMap::new();
        for run in owners.runs() {
            for function in functions(&At::within(run.state, &run.place)) {
                let id = function.value.pointer("/tool_call/call_id");
                let schema = function.value.pointer("/tool/paramsJsonSchema");
                if let (Some(Value::String(id)), Some(schema @ Value::Object(_))) = (id, schema) {
                    schemas.insert((run.place.clone(), id.as_str()), schema);
                }
            }
        }
        Self(schemas)
    }

    pub(super) fn find(&self, place: &str, id: &CallId) -> Option<Schema> {
        let schema = self.0.get(&(place.to_owned(), id.0.as_str()))?;
        Some(Schema::new((*schema).clone()))
    }
}
