//! What the model is told of the functions: typed Python stubs, made from the tools' schemas.
//!
//! Owns that whatever a tool's description or schema holds, the stubs are Python that says what the tool
//! takes, and nothing else: a quote in a description does not end its docstring.

mod text;
mod types;

use serde_json::Value;

use super::{Function, names};
use types::Types;

/// The functions as Python declares them, with the types they need before them.
pub fn stubs(functions: &[Function]) -> String {
    let taken = functions
        .iter()
        .map(|function| names::identifier(&function.name));
    let mut types = Types::avoiding(taken);
    let declared: Vec<String> = functions
        .iter()
        .map(|function| stub(function, &mut types))
        .collect();
    let mut parts = types.into_declarations();
    parts.extend(declared);
    parts.join("\n\n")
}

fn stub(function: &Function, types: &mut Types) -> String {
    let name = names::identifier(&function.name);
    let scope = types.scope(&function.parameters, &name);
    let mut parameters = Vec::new();
    let mut told = Vec::new();
    for parameter in names::parameters(&function.parameters) {
        let schema = property(&function.parameters, &parameter.property);
        let kind = types.of(schema, &scope, &parameter.python);
        let described = schema.get("description").and_then(Value::as_str);
        told.extend(described.map(|text| (parameter.python.clone(), text)));
        parameters.push(written(&parameter, &kind, schema.get("default")));
    }
    // All are given by name, so that one without a default may stand behind one with it.
    let parameters = if parameters.is_empty() {
        String::new()
    } else {
        format!("*, {}", parameters.join(", "))
    };
    let docs = text::docs(&function.description, &told);
    format!("async def {name}({parameters}) -> str:\n{docs}")
}

/// A parameter as it is declared.
fn written(parameter: &names::Parameter, kind: &str, default: Option<&Value>) -> String {
    let name = &parameter.python;
    if parameter.required {
        return format!("{name}: {kind}");
    }
    if let Some(default) = default.filter(|default| !default.is_null()) {
        return format!("{name}: {kind} = {}", text::literal(default));
    }
    let none = kind == "Any" || kind == "None" || kind.split(" | ").any(|part| part == "None");
    let kind = if none {
        kind.to_owned()
    } else {
        format!("{kind} | None")
    };
    format!("{name}: {kind} = None")
}

fn property<'a>(schema: &'a Value, name: &str) -> &'a Value {
    schema
        .get("properties")
        .and_then(|properties| properties.get(name))
        .unwrap_or(&Value::Null)
}
