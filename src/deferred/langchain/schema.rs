//! The schema of the answer to one call: which decisions it takes, and the tool's own arguments in it.

use serde_json::Value;

use super::super::cursor::At;
use crate::core::schema::Schema;

/// How many references may follow each other; a longer chain leads nowhere.
const CHAIN: usize = 8;

/// The words of the decisions that an answer can be.
pub(super) fn allowed<'a>(schema: &At<'a>) -> Vec<&'a str> {
    let root = schema.value;
    branches(root).filter_map(|one| word(root, one)).collect()
}

/// The schema of the tool's arguments, where an edit can give others.
pub(super) fn arguments(schema: &At<'_>) -> Option<Schema> {
    let root = schema.value;
    let edit = branches(root).find(|one| word(root, one) == Some("edit"))?;
    let action = followed(root, edit.get("properties")?.get("edited_action")?)?;
    let own = followed(root, action.get("properties")?.get("args")?)?;
    let mut own = own.clone();
    // Its references go on to point into the definitions of the whole.
    if let (true, Some(object), Some(all)) = (refers(&own), own.as_object_mut(), root.get("$defs"))
    {
        object.insert("$defs".to_owned(), all.clone());
    }
    Some(Schema::new(own))
}

/// The alternatives of a schema, or the schema itself where there is only one.
fn branches(root: &Value) -> impl Iterator<Item = &Value> {
    let list = root.get("oneOf").or_else(|| root.get("anyOf"));
    let several = list.and_then(Value::as_array);
    let one = several.is_none().then_some(root);
    let all = several.into_iter().flatten().chain(one);
    all.filter_map(|branch| followed(root, branch))
}

fn word<'a>(root: &'a Value, branch: &'a Value) -> Option<&'a str> {
    let kind = followed(root, branch.get("properties")?.get("type")?)?;
    let only = kind.get("const").or_else(|| kind.get("enum")?.get(0));
    only?.as_str()
}

/// The value itself, or what it refers to within the document.
fn followed<'a>(root: &'a Value, value: &'a Value) -> Option<&'a Value> {
    let mut value = value;
    for _ in 0..CHAIN {
        let Some(target) = value.get("$ref") else {
            return Some(value);
        };
        value = root.pointer(target.as_str()?.strip_prefix('#')?)?;
    }
    None
}

fn refers(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.contains_key("$ref") || members.values().any(refers),
        Value::Array(items) => items.iter().any(refers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
