//! JSON Schemas as Python types.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::names;
use super::text;

/// Parts of schemas that are looked at in all; what comes after is `Any`. A schema can grow without end
/// through its references.
const MOST: usize = 4000;
/// How deep a schema is followed.
const DEEPEST: usize = 24;
const ANY: &str = "Any";

/// The types that were needed so far.
pub(super) struct Types {
    taken: BTreeSet<String>,
    /// `TypedDict`s in the order in which they must stand.
    declared: Vec<String>,
    /// What a reference came to, by its scope and text.
    known: HashMap<(usize, String), String>,
    imports: BTreeSet<&'static str>,
    scopes: usize,
    left: usize,
    depth: usize,
}

/// The schema that references point into, and what its own types are named after.
pub(super) struct Scope<'a> {
    root: &'a Value,
    name: String,
    number: usize,
}

impl Types {
    /// Types whose names are none of these.
    pub fn avoiding(taken: impl Iterator<Item = String>) -> Self {
        let ours = [
            ANY,
            "Literal",
            "TypedDict",
            "NotRequired",
            "None",
            "True",
            "False",
        ];
        Self {
            taken: taken.chain(ours.map(str::to_owned)).collect(),
            declared: Vec::new(),
            known: HashMap::new(),
            imports: BTreeSet::new(),
            scopes: 0,
            left: MOST,
            depth: DEEPEST,
        }
    }

    pub fn scope<'a>(&mut self, root: &'a Value, name: &str) -> Scope<'a> {
        self.scopes += 1;
        Scope {
            root,
            name: pascal(name),
            number: self.scopes,
        }
    }

    pub fn uses_any(&mut self) {
        self.imports.insert(ANY);
    }

    /// The imports, and the types in their order.
    pub fn into_declarations(self) -> Vec<String> {
        let names: Vec<_> = self.imports.into_iter().collect();
        let import =
            (!names.is_empty()).then(|| format!("from typing import {}", names.join(", ")));
        import.into_iter().chain(self.declared).collect()
    }

    /// The type of a schema; `hint` names it if it needs a name.
    pub fn of(&mut self, schema: &Value, scope: &Scope<'_>, hint: &str) -> String {
        if self.left == 0 || self.depth == 0 {
            return self.any();
        }
        self.left -= 1;
        self.depth -= 1;
        let kind = match schema {
            Value::Object(members) => self.of_object(members, scope, hint),
            _ => self.any(),
        };
        self.depth += 1;
        kind
    }

    fn any(&mut self) -> String {
        self.uses_any();
        ANY.to_owned()
    }

    fn of_object(&mut self, schema: &Map<String, Value>, scope: &Scope<'_>, hint: &str) -> String {
        let kind = self.plain(schema, scope, hint);
        // As OpenAPI says that nothing may be given.
        match schema.get("nullable") {
            Some(Value::Bool(true)) => self.union(vec![kind, "None".to_owned()]),
            _ => kind,
        }
    }

    fn plain(&mut self, schema: &Map<String, Value>, scope: &Scope<'_>, hint: &str) -> String {
        if let Some(Value::String(to)) = schema.get("$ref") {
            return self.reference(to, scope, hint);
        }
        if let Some(value) = schema.get("const") {
            return self.literals(std::slice::from_ref(value));
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return self.literals(values);
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = schema.get(word) {
                let kinds = choices
                    .iter()
                    .map(|choice| self.of(choice, scope, hint))
                    .collect();
                return self.union(kinds);
            }
        }
        match schema
            .get("allOf")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
        {
            Some([one]) => return self.of(one, scope, hint),
            Some(_) if !schema.contains_key("properties") => return self.any(),
            _ => {}
        }
        match schema.get("type") {
            Some(Value::String(kind)) => self.named(kind, schema, scope, hint),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                let kinds = kinds
                    .map(|kind| self.named(kind, schema, scope, hint))
                    .collect();
                self.union(kinds)
            }
            _ if schema.contains_key("properties") => self.named("object", schema, scope, hint),
            _ => self.any(),
        }
    }

    fn named(
        &mut self,
        kind: &str,
        schema: &Map<String, Value>,
        scope: &Scope<'_>,
        hint: &str,
    ) -> String {
        match kind {
            "string" => "str".to_owned(),
            "integer" => "int".to_owned(),
            "number" => "float".to_owned(),
            "boolean" => "bool".to_owned(),
            "null" => "None".to_owned(),
            "array" => {
                let items = match (schema.get("items"), schema.get("prefixItems")) {
                    (Some(items), None) => self.of(items, scope, hint),
                    _ => self.any(),
                };
                format!("list[{items}]")
            }
            "object" => match schema.get("properties").and_then(Value::as_object) {
                Some(members) if !members.is_empty() => {
                    let name = self.name(&format!("{}{}", scope.name, pascal(hint)));
                    self.typed_dict(&name, members, schema, scope);
                    name
                }
                _ => {
                    let values = match schema.get("additionalProperties") {
                        Some(values @ Value::Object(_)) => self.of(values, scope, hint),
                        _ => self.any(),
                    };
                    format!("dict[str, {values}]")
                }
            },
            _ => self.any(),
        }
    }

    /// What a reference points to, once for each.
    fn reference(&mut self, to: &str, scope: &Scope<'_>, hint: &str) -> String {
        let key = (scope.number, to.to_owned());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = to
            .strip_prefix('#')
            .and_then(|pointer| scope.root.pointer(pointer));
        let Some(schema @ Value::Object(members)) = found else {
            return self.any();
        };
        let last = to
            .rsplit('/')
            .next()
            .filter(|last| !last.is_empty() && *last != "#")
            .unwrap_or(hint);
        let properties = members.get("properties").and_then(Value::as_object);
        if let Some(properties) = properties.filter(|properties| !properties.is_empty()) {
            // Known before it is written: it may hold itself.
            let name = self.name(&pascal(last));
            self.known.insert(key, name.clone());
            self.typed_dict(&name, properties, members, scope);
            return name;
        }
        self.known.insert(key.clone(), ANY.to_owned());
        let kind = self.of(schema, scope, last);
        self.known.insert(key, kind.clone());
        kind
    }

    fn typed_dict(
        &mut self,
        name: &str,
        members: &Map<String, Value>,
        schema: &Map<String, Value>,
        scope: &Scope<'_>,
    ) {
        self.imports.insert("TypedDict");
        let required = names::required(schema.get("required"));
        let hint = name.strip_prefix(&scope.name).unwrap_or(name).to_owned();
        let fields: Vec<(&str, String, String)> = members
            .iter()
            .map(|(field, schema)| {
                let kind = self.of(schema, scope, &format!("{hint}_{field}"));
                let kind = if required.contains(&field.as_str()) {
                    kind
                } else {
                    self.imports.insert("NotRequired");
                    format!("NotRequired[{kind}]")
                };
                let told = schema
                    .get("description")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                (field.as_str(), kind, text::comment(told))
            })
            .collect();
        let plain = fields
            .iter()
            .all(|(field, _, _)| names::identifier(field) == *field);
        self.declared.push(if plain {
            let lines = fields
                .iter()
                .map(|(field, kind, told)| format!("\n    {field}: {kind}{told}"));
            format!("class {name}(TypedDict):{}", lines.collect::<String>())
        } else {
            let lines = fields
                .iter()
                .map(|(field, kind, told)| format!("\n    {}: {kind},{told}", text::string(field)));
            format!(
                "{name} = TypedDict({}, {{{}\n}})",
                text::string(name),
                lines.collect::<String>()
            )
        });
    }

    /// A name that nothing else has.
    fn name(&mut self, wish: &str) -> String {
        let wish = names::identifier(wish);
        let mut name = wish.clone();
        let mut at = 2_u32;
        while self.taken.contains(&name) {
            name = format!("{wish}{at}");
            at += 1;
        }
        self.taken.insert(name.clone());
        name
    }

    fn literals(&mut self, values: &[Value]) -> String {
        let simple = |value: &Value| {
            value.is_string() || value.is_boolean() || value.is_null() || value.is_i64()
        };
        if values.is_empty() || !values.iter().all(simple) {
            return self.any();
        }
        if values.iter().all(Value::is_null) {
            return "None".to_owned();
        }
        self.imports.insert("Literal");
        let values: Vec<_> = values.iter().map(text::literal).collect();
        format!("Literal[{}]", values.join(", "))
    }

    fn union(&mut self, kinds: Vec<String>) -> String {
        let mut parts = BTreeMap::new();
        for kind in kinds {
            let at = parts.len();
            parts.entry(kind).or_insert(at);
        }
        if parts.is_empty() || parts.contains_key(ANY) {
            return self.any();
        }
        let mut parts: Vec<_> = parts.into_iter().collect();
        parts.sort_by_key(|(_, at)| *at);
        parts
            .into_iter()
            .map(|(kind, _)| kind)
            .collect::<Vec<_>>()
            .join(" | ")
    }
}

/// As types are named.
fn pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .filter_map(|word| {
            let first = word.chars().next()?;
            Some(first.to_ascii_uppercase().to_string() + &word[first.len_utf8()..])
        })
        .collect()
}
