//! `server_tools`: connectors and built-in tools that Mistral runs itself.
//!
//! Checks what the API would refuse with an unclear error, or would not notice at all; the values go
//! to the provider as they are.

use serde_json::Value;

use crate::core::reading::{Field, Section};

/// The kinds, and what each must have.
const KINDS: &[(&str, Option<&str>)] = &[
    ("connector", Some("connector_id")),
    ("web_search", None),
    ("web_search_premium", None),
    ("code_interpreter", None),
    ("image_generation", None),
    ("document_library", Some("library_ids")),
];

/// One element of the list, checked. `None` if it has a mistake.
pub(super) fn read(field: &Field<'_>) -> Option<Value> {
    let mut section = field.section()?;
    let kind = section.required("type", "say which tool, such as \"connector\"");
    let required = kind.and_then(|field| field.one_of(KINDS));
    let connector = section.field("connector_id").map(|field| field.words());
    let libraries = section.field("library_ids").map(|field| names(&field));
    let authorization = section.field("authorization").map(|field| field.members());
    let configuration = section
        .field("tool_configuration")
        .map(|field| configuration(&field));
    let missing = match required? {
        Some("connector_id") if connector.is_none() => Some("connector_id"),
        Some("library_ids") if libraries.is_none() => Some("library_ids"),
        Some(_) | None => None,
    };
    if let Some(key) = missing {
        field.mistake(&format!("has no {key:?}"), format!("add {key}"));
        return None;
    }
    section.finish();
    connector.unwrap_or(Some(""))?;
    libraries.unwrap_or_else(|| Some(Vec::new()))?;
    authorization.unwrap_or_else(|| Some(Vec::new()))?;
    configuration.unwrap_or(Some(()))?;
    field.json()
}

/// `include` and `exclude` together are refused by the API.
fn configuration(field: &Field<'_>) -> Option<()> {
    let mut section: Section<'_> = field.section()?;
    let [include, exclude, confirm] = ["include", "exclude", "requires_confirmation"].map(|key| {
        let list = section.field(key);
        list.map(|field| names(&field))
    });
    section.finish();
    if include.is_some() && exclude.is_some() {
        field.mistake("has both include and exclude", "keep one of them");
        return None;
    }
    let lists = [include, exclude, confirm];
    lists.iter().flatten().all(Option::is_some).then_some(())
}

fn names<'a>(field: &Field<'a>) -> Option<Vec<&'a str>> {
    let items = field.items()?;
    let names: Vec<_> = items.iter().map(Field::words).collect();
    names.into_iter().collect()
}
