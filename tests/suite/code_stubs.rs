//! Code mode: what the model is told of the functions.

use countersign::code::{Function, identifier, identifiers, stubs};
use proptest::prelude::*;
use serde_json::{Value, json};

fn function(name: &str, parameters: Value, description: &str) -> Function {
    Function {
        name: name.to_owned(),
        tool: name.to_owned(),
        parameters,
        description: description.to_owned(),
    }
}

fn stub(parameters: Value) -> String {
    stubs(&[function("f", parameters, "")])
}

/// The parameters of a function with these properties, none of them required.
fn of(properties: &Value) -> String {
    let made = stub(json!({"type": "object", "properties": properties}));
    let line = made
        .lines()
        .find(|line| line.starts_with("async def"))
        .unwrap_or_default();
    let line = line.strip_prefix("async def f(*, ").unwrap_or(line);
    line.strip_suffix(") -> str:").unwrap_or(line).to_owned()
}

#[test]
fn a_tool_is_a_function_with_its_types_and_words() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "From the\nworkspace down."},
            "start": {"type": "integer"},
            "mode": {"enum": ["text", "raw"], "default": "text"},
        },
        "required": ["path"],
    });
    let expected = r#"from typing import Literal

async def read_file(*, path: str, start: int | None = None, mode: Literal["text", "raw"] = "text") -> str:
    """Reads a file.

    Second line.

    Args:
        path: From the workspace down.
    """"#;
    let made = stubs(&[function(
        "read_file",
        parameters,
        "Reads a file.\n\nSecond line.\n",
    )]);
    // The closing quotes stand behind the last word.
    assert_eq!(made, expected.replace("down.\n    \"\"\"", "down.\"\"\""));
}

#[test]
fn a_tool_without_parameters_or_words_is_one_too() {
    assert_eq!(stub(json!({})), "async def f() -> str:\n    ...");
    assert_eq!(stub(json!(true)), "async def f() -> str:\n    ...");
    assert_eq!(stubs(&[]), "");
}

#[test]
fn every_kind_of_schema_has_its_type() {
    for (schema, kind) in [
        (json!({"type": "string"}), "str | None = None"),
        (json!({"type": "number"}), "float | None = None"),
        (json!({"type": "boolean", "default": true}), "bool = True"),
        (json!({"type": ["string", "null"]}), "str | None = None"),
        (
            json!({"type": "string", "nullable": true, "default": "x"}),
            "str | None = \"x\"",
        ),
        (
            json!({"type": "array", "items": {"type": "integer"}, "default": [1, 2]}),
            "list[int] = [1, 2]",
        ),
        (json!({"type": "array"}), "list[Any] | None = None"),
        (json!({"type": "object"}), "dict[str, Any] | None = None"),
        (
            json!({"type": "object", "additionalProperties": {"type": "number"}}),
            "dict[str, float] | None = None",
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]}),
            "str | list[str] | None = None",
        ),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "string"}]}),
            "str | None = None",
        ),
        (json!({"anyOf": [{"type": "string"}, {}]}), "Any = None"),
        (json!({"allOf": [{"type": "string"}]}), "str | None = None"),
        (
            json!({"const": "a\"\n"}),
            r#"Literal["a\"\n"] | None = None"#,
        ),
        (
            json!({"enum": [1, true, null, "x"]}),
            "Literal[1, True, None, \"x\"] | None = None",
        ),
        (json!({"enum": [1.5]}), "Any = None"),
        (json!({"enum": []}), "Any = None"),
        (json!({"type": "file"}), "Any = None"),
        (json!(7), "Any = None"),
        (json!({"$ref": "#/nowhere"}), "Any = None"),
        (json!({"$ref": "https://example.com/x"}), "Any = None"),
    ] {
        assert_eq!(of(&json!({"x": schema})), format!("x: {kind}"), "{schema}");
    }
}

#[test]
fn objects_become_types_of_their_own() {
    let parameters = json!({
        "type": "object",
        "$defs": {
            "Node": {"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}}, "required": ["value"]},
            "Id": {"type": "string"},
        },
        "properties": {
            "event": {"type": "object", "properties": {
                "title": {"type": "string", "description": "What it is\ncalled"},
                "people": {"type": "array", "items": {"type": "object", "properties": {"e-mail": {"type": "string"}, "id": {"$ref": "#/$defs/Id"}}, "required": ["id"]}},
            }, "required": ["title"]},
            "list": {"$ref": "#/$defs/Node"},
            "again": {"$ref": "#/$defs/Node"},
        },
        "required": ["event", "list"],
    });
    let expected = r#"from typing import NotRequired, TypedDict

FEventPeople = TypedDict("FEventPeople", {
    "e-mail": NotRequired[str],
    "id": str,
})

class FEvent(TypedDict):
    title: str  # What it is called
    people: NotRequired[list[FEventPeople]]

class Node(TypedDict):
    value: int
    next: NotRequired[Node]

async def f(*, event: FEvent, list: Node, again: Node | None = None) -> str:
    ..."#;
    assert_eq!(stub(parameters), expected);
}

#[test]
fn a_description_cannot_leave_its_docstring() {
    for (text, written) in [
        (
            "a\"\"\"\nimport os\n\"\"\"",
            r#"a""\"
    import os
    ""\""#,
        ),
        (r#"ends with ""#, r#"ends with \""#),
        (r#"ends with """#, r#"ends with "\""#),
        (r"ends with \", r"ends with \\"),
        (r#"a\"""b"#, r#"a\\""\"b"#),
        ("a\rb\u{0}c\u{202e}d", r"a\u000db\u0000c\u202ed"),
    ] {
        let made = stubs(&[function("f", json!({}), text)]);
        assert_eq!(
            made,
            format!("async def f() -> str:\n    \"\"\"{written}\"\"\"")
        );
        only_a_docstring(&made);
    }
}

/// Python reads it as one import and functions that hold nothing but a text or `...`.
fn only_a_docstring(made: &str) {
    let parsed = ruff_python_parser::parse_module(made);
    let parsed = parsed.unwrap_or_else(|error| unreachable!("{error}\n{made}"));
    for statement in parsed.suite() {
        let fits = match statement {
            ruff_python_ast::Stmt::FunctionDef(function) => match &function.body[..] {
                [ruff_python_ast::Stmt::Expr(only)] => {
                    only.value.is_string_literal_expr() || only.value.is_ellipsis_literal_expr()
                }
                _ => false,
            },
            ruff_python_ast::Stmt::ImportFrom(_)
            | ruff_python_ast::Stmt::ClassDef(_)
            | ruff_python_ast::Stmt::Assign(_) => true,
            _ => false,
        };
        assert!(fits, "{made}");
    }
}

#[test]
fn names_of_tools_become_names_of_python() {
    for (tool, name) in [
        ("read_file", "read_file"),
        ("files.read", "files_read"),
        ("github.create-issue", "github_create_issue"),
        ("2fa", "_2fa"),
        ("class", "class_"),
        ("None", "None_"),
        ("größe", "gr__e"),
        ("", "_"),
        ("a b\n", "a_b_"),
        ("__import__", "__import__"),
    ] {
        assert_eq!(identifier(tool), name);
    }
}

#[test]
fn two_tools_never_get_the_same_name() {
    let names = [
        "files.read",
        "files_read",
        "files-read",
        "files_read_2",
        "class",
        "class_",
    ];
    let expected = [
        "files_read_3",
        "files_read",
        "files_read_4",
        "files_read_2",
        "class__2",
        "class_",
    ];
    assert_eq!(identifiers(&names), expected);
}

/// Schemas, sound or not.
fn schema() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "properties",
        "items",
        "anyOf",
        "oneOf",
        "allOf",
        "enum",
        "const",
        "$ref",
        "required",
        "description",
        "default",
        "additionalProperties",
        "nullable",
        "$defs",
        "prefixItems",
        "a-b",
        "class",
        "x",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec![
            "string",
            "object",
            "array",
            "#",
            "#/$defs/x",
            "#/properties/x",
            "\"\"\"",
            "\\",
            "x\ny"
        ])
        .prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    let tree = leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone().prop_map(str::to_owned).boxed(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    (prop::collection::vec((".{0,6}", tree.clone()), 0..4), tree).prop_map(|(properties, more)| {
        json!({"type": "object", "properties": properties.into_iter().collect::<serde_json::Map<_, _>>(), "$defs": {"x": more}})
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_a_schema_holds_the_stub_is_python(schema in schema(), text in "(.|\n|\"|\\\\){0,40}", name in ".{0,10}") {
        only_a_docstring(&stubs(&[function(&name, schema.clone(), &text), function("g", schema, "")]));
    }

    #[test]
    fn whatever_tools_are_called_each_has_a_name_of_its_own(names in prop::collection::hash_set(".{0,4}|[a_.-]{1,3}", 0..12)) {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let made = identifiers(&names);
        let different: std::collections::HashSet<_> = made.iter().collect();
        prop_assert_eq!(different.len(), names.len());
        for (name, made) in names.iter().zip(&made) {
            let sound = format!("def {made}(): pass");
            prop_assert!(ruff_python_parser::parse_module(&sound).is_ok(), "{} {}", name, made);
        }
    }
}

#[test]
fn a_schema_that_grows_without_end_is_cut_off() {
    let mut definitions = serde_json::Map::new();
    for at in 0..200 {
        let next = json!({"$ref": format!("#/$defs/{}", at + 1)});
        definitions.insert(at.to_string(), json!({"anyOf": [{"type": "array", "items": next}, {"type": "object", "additionalProperties": next}]}));
    }
    let made = stub(json!({"$defs": definitions, "properties": {"x": {"$ref": "#/$defs/0"}}}));
    assert!(made.len() < 1_000_000, "{}", made.len());
    only_a_docstring(&made);
}
