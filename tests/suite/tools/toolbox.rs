use super::{Bench, command, failed};
use countersign::core::call::Risk;
use countersign::core::schema::Schema;
use countersign::core::verdict::Verdict;
use countersign::tools::{Builtin, Definition, ToolFault, Toolbox};
use serde_json::json;
use std::time::Duration;
use tempfile::TempDir;

#[test]
fn the_configurations_names_stand_for_the_built_in_tools() {
    for tool in Builtin::ALL {
        assert_eq!(Builtin::named(tool.name()), [tool]);
    }
    let files = [
        Builtin::ReadFile,
        Builtin::WriteFile,
        Builtin::EditFile,
        Builtin::DeleteFile,
        Builtin::ListFiles,
    ];
    assert_eq!(Builtin::named("files"), files);
    assert_eq!(Builtin::named("book_flight"), []);
}

#[test]
fn every_built_in_tool_says_what_it_does_when_no_rule_speaks() {
    let said: Vec<_> = Builtin::ALL
        .into_iter()
        .map(Builtin::tool)
        .map(|tool| (tool.name, tool.default, tool.risks, tool.command_line))
        .collect();
    let expected = [
        (
            "shell",
            Verdict::Ask,
            vec![Risk::Destructive, Risk::OpenWorld],
            Some("/command"),
        ),
        ("read_file", Verdict::Allow, vec![Risk::ReadOnly], None),
        ("write_file", Verdict::Ask, vec![Risk::Idempotent], None),
        ("edit_file", Verdict::Ask, vec![], None),
        ("delete_file", Verdict::Ask, vec![Risk::Destructive], None),
        ("list_files", Verdict::Allow, vec![Risk::ReadOnly], None),
        ("fetch", Verdict::Ask, vec![Risk::OpenWorld], None),
    ];
    assert_eq!(
        said,
        expected.map(|(name, ask, risks, line)| (name.to_owned(), ask, risks, line))
    );
}

#[test]
fn every_built_in_schema_is_sound_and_closed() {
    for builtin in Builtin::ALL {
        let tool = builtin.tool();
        Schema::compile(tool.schema.value().clone()).expect("a sound schema");
        assert_eq!(tool.schema.value()["additionalProperties"], json!(false));
        let extra = json!({ "unheard_of": 1 });
        assert!(!tool.schema.check(&extra).is_empty(), "{}", tool.name);
        let properties = tool.schema.value()["properties"]
            .as_object()
            .expect("properties");
        assert!(
            properties
                .values()
                .all(|property| property["description"].is_string())
        );
    }
}

#[test]
fn all_faults_of_all_definitions_are_reported_at_once() {
    let mut bad = command("a b", &[]);
    bad.schema = Schema::new(json!({ "type": "object", "properties": 1 }));
    bad.timeout = Duration::ZERO;
    bad.environment = vec![
        ("A=B".into(), String::new()),
        ("COUNTERSIGN_APPROVED".into(), "1".into()),
    ];
    let mut array = command("shell", &["true"]);
    array.schema = Schema::new(json!({ "type": "array" }));
    let definitions = vec![
        Definition::Builtin(Builtin::Shell),
        Definition::Builtin(Builtin::Shell),
        Definition::Command(bad),
        Definition::Command(array),
    ];
    let folder = TempDir::new().expect("a folder");
    let missing = folder.path().join("missing");
    let faults = Toolbox::build(&missing, definitions).expect_err("nothing of it is sound");
    let name = || "a b".to_owned();
    let variable = |variable: &str| ToolFault::Variable {
        name: name(),
        variable: variable.into(),
    };
    let Some(ToolFault::Schema { why, .. }) = faults.get(3) else {
        unreachable!("the fourth fault is the schema's: {faults:?}");
    };
    let expected = vec![
        ToolFault::Workspace {
            path: missing,
            why: "No such file or directory (os error 2)".into(),
        },
        ToolFault::Name { name: name() },
        ToolFault::NoCommand { name: name() },
        ToolFault::Schema {
            name: name(),
            why: why.clone(),
        },
        ToolFault::NoTime { name: name() },
        variable("A=B"),
        variable("COUNTERSIGN_APPROVED"),
        ToolFault::Schema {
            name: "shell".into(),
            why: "it must say `type = \"object\"`, since arguments are an object".into(),
        },
        ToolFault::Twice {
            name: "shell".into(),
        },
    ];
    assert_eq!(faults, expected);
}

#[test]
fn tools_are_found_by_name_and_listed_in_order() {
    let bench = Bench::with(vec![command("book_flight", &["true"])]);
    let names: Vec<_> = bench.tools.iter().map(|tool| tool.name.as_str()).collect();
    let expected = [
        "shell",
        "read_file",
        "write_file",
        "edit_file",
        "delete_file",
        "list_files",
        "fetch",
        "book_flight",
    ];
    assert_eq!(names, expected);
    assert_eq!(
        bench.tools.get("book_flight").map(|tool| tool.default),
        Some(Verdict::Ask)
    );
    assert!(bench.tools.get("book").is_none());
}

#[tokio::test]
async fn an_unknown_tool_runs_nothing() {
    let ran = Bench::new().run("unheard_of", json!({})).await;
    assert_eq!(ran, failed("there is no tool named unheard_of"));
}
