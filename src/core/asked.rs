//! What a server wants to know, member by member, as its schema says it.
//!
//! Owns how such a schema is put in words. Nothing of it is left out: what has no words here stands as it came.
//! All of it is untrusted text.

use serde_json::Value;

/// One member of the content that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    /// `text`, `whole number`, …; what the schema says of its type.
    pub kind: String,
    pub is_required: bool,
    /// What the server fills in beforehand, as JSON.
    pub default: Option<String>,
    /// The values to choose from, as JSON, each with the words that the server has for it.
    pub choices: Vec<(String, Option<String>)>,
    /// `at least 1 long`, …
    pub limits: Vec<String>,
    pub title: Option<String>,
    pub description: Option<String>,
}

/// The members in the schema's order.
pub fn members(schema: &Value) -> Vec<Member> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let member = |(name, property): (&String, &Value)| Member {
        name: name.clone(),
        kind: kind(property),
        is_required: is_required(name),
        default: property.get("default").map(Value::to_string),
        choices: choices(property),
        limits: limits(property),
        title: text(property, "title"),
        description: text(property, "description"),
    };
    properties.into_iter().flatten().map(member).collect()
}

fn text(property: &Value, key: &str) -> Option<String> {
    let text = property.get(key)?.as_str()?;
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn kind(property: &Value) -> String {
    match property.get("type") {
        Some(Value::String(kind)) => match kind.as_str() {
            "string" => "text".to_owned(),
            "integer" => "whole number".to_owned(),
            "boolean" => "true or false".to_owned(),
            "array" => "list".to_owned(),
            kind => kind.to_owned(),
        },
        Some(other) => other.to_string(),
        None => "anything".to_owned(),
    }
}

/// Where the values of a choice stand: of one, or of several.
fn choices(property: &Value) -> Vec<(String, Option<String>)> {
    let items = property.get("items").unwrap_or(property);
    let list = |key: &str| items.get(key).and_then(Value::as_array);
    if let Some(values) = list("enum") {
        let names = list("enumNames").map_or(&[][..], Vec::as_slice);
        let name = |at: usize| names.get(at).and_then(Value::as_str).map(str::to_owned);
        let values = values.iter().enumerate();
        return values
            .map(|(at, value)| (value.to_string(), name(at)))
            .collect();
    }
    let values = list("oneOf").or_else(|| list("anyOf"));
    let one = |value: &Value| match value.get("const") {
        Some(only) => (only.to_string(), text(value, "title")),
        None => (value.to_string(), None),
    };
    values.into_iter().flatten().map(one).collect()
}

fn limits(property: &Value) -> Vec<String> {
    let Some(all) = property.as_object() else {
        return vec![property.to_string()];
    };
    let limit = |(key, value): (&String, &Value)| {
        Some(match key.as_str() {
            "type" | "title" | "description" | "default" | "enum" | "enumNames" | "oneOf"
            | "anyOf" => return None,
            "minLength" => format!("at least {value} long"),
            "maxLength" => format!("at most {value} long"),
            "minimum" => format!("{value} or more"),
            "maximum" => format!("{value} or less"),
            "minItems" => format!("at least {value} of them"),
            "maxItems" => format!("at most {value} of them"),
            "format" => format!("written as {}", value.as_str().unwrap_or("it says")),
            "items" if !choices(property).is_empty() => return None,
            key => format!("{key} {value}"),
        })
    };
    all.iter().filter_map(limit).collect()
}
