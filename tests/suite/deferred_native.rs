//! The program's own form: what a headless run leaves is read, decided and taken back; the JSON Schemas
//! say what the readers say.

use countersign::core::arguments::Arguments;
use countersign::core::call::{Answer, Answers, Call, CallId, Origin, Risk, SessionId};
use countersign::core::decision::Reach;
use countersign::core::run::{CallStatus, EntryId, Outcome, RunEvent, TextKind};
use countersign::core::schema::Schema;
use countersign::core::verdict::{Basis, RuleSource};
use countersign::deferred::native::{self, DecisionsFault, Deferred};
use countersign::deferred::{self, Decided, Format, ImportedCall, Past};
use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::support::desk;
use crate::support::headless::Place;
use crate::support::states::{
    anything, approve, decide_all, edit, lasting, once, read, refused, reject, respond, spoilt,
    survives,
};

fn call(id: &str) -> Call {
    desk::call(id, "send", r#"{ "to": "ada" }"#)
}

fn whole_call() -> Call {
    Call {
        origin: Origin::Agent,
        parent: Some(CallId("script".to_owned())),
        answers: Answers::of([
            Answer::Approve,
            Answer::Edit,
            Answer::Reject,
            Answer::AlwaysTool,
        ]),
        basis: Basis::Rule {
            number: 3,
            source: RuleSource::BuiltIn,
            reason: "it sends".to_owned(),
        },
        risks: vec![Risk::Destructive, Risk::OpenWorld],
        schema: Some(Schema::new(json!({ "type": "object" }))),
        metadata: Some(json!({ "n": 1 })),
        warnings: vec!["odd".to_owned()],
        expires: Some("2030-01-02T03:04:05Z".parse().expect("a time")),
        ..call("c1")
    }
}

fn events() -> Vec<RunEvent> {
    let call = || CallId("c0".to_owned());
    let entry = EntryId;
    vec![
        RunEvent::Began {
            agent: "travel".to_owned(),
            model: "large".to_owned(),
        },
        RunEvent::User {
            entry: entry(1),
            text: "go".to_owned(),
        },
        RunEvent::TextEnded {
            entry: entry(2),
            kind: TextKind::Thinking,
            text: "hm".to_owned(),
        },
        RunEvent::TextEnded {
            entry: entry(3),
            kind: TextKind::Answer,
            text: "on it".to_owned(),
        },
        RunEvent::Called {
            entry: entry(4),
            call: call(),
            parent: None,
            tool: "look".to_owned(),
            arguments: "{".to_owned(),
        },
        RunEvent::Status {
            call: call(),
            status: CallStatus::Running,
        },
        RunEvent::Status {
            call: call(),
            status: CallStatus::Finished {
                outcome: Outcome::Failed {
                    message: "no".to_owned(),
                },
            },
        },
    ]
}

fn history() -> Vec<Past> {
    let call = CallId("c0".to_owned());
    vec![
        Past::User("go".to_owned()),
        Past::Thinking("hm".to_owned()),
        Past::Agent("on it".to_owned()),
        Past::Called {
            call: call.clone(),
            tool: "look".to_owned(),
            arguments: "{".to_owned(),
        },
        Past::Result {
            call,
            text: "failed: no".to_owned(),
        },
    ]
}

/// A file of calls, as the program writes it.
fn file(calls: &[Call]) -> Value {
    let session = SessionId("s-1".to_owned());
    let deferred = Deferred::of(session, "travel".to_owned(), calls, &events());
    serde_json::to_value(deferred).expect("it can be laid out")
}

#[test]
fn everything_that_helps_to_decide_a_call_is_read_back() {
    let call = whole_call();
    let imported = read(&file(std::slice::from_ref(&call)));
    assert_eq!(imported.format(), Format::Native);
    assert_eq!(
        (imported.agent.as_deref(), imported.model.as_deref()),
        (Some("travel"), Some("large"))
    );
    assert_eq!(imported.history, history());
    assert_eq!(
        imported.calls,
        [ImportedCall {
            id: call.key.call.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            answers: call.answers.clone(),
            parent: call.parent.clone(),
            basis: call.basis.clone(),
            risks: call.risks.clone(),
            schema: call.schema.clone(),
            metadata: call.metadata.clone(),
            warnings: call.warnings.clone(),
            expires: call.expires,
            arrived: Some(call.arrived),
            script: None,
        }]
    );
}

#[test]
fn decisions_come_back_as_they_were_made_bound_to_what_was_shown() {
    let everything = Answers::of([
        Answer::Approve,
        Answer::Edit,
        Answer::Reject,
        Answer::Reason,
        Answer::Respond,
        Answer::Retry,
        Answer::Fail,
        Answer::AlwaysArguments,
        Answer::AlwaysTool,
        Answer::NeverArguments,
        Answer::NeverTool,
    ]);
    let calls: Vec<_> = (0..8)
        .map(|at| Call {
            answers: everything.clone(),
            ..call(&format!("c{at}"))
        })
        .collect();
    let imported = read(&file(&calls));
    let message = || "again".to_owned();
    let mut decided = vec![
        once("c0", approve()),
        once("c1", edit(&json!({ "n": 1 }))),
        once("c2", reject("")),
        lasting("c3", reject("never"), Reach::Arguments),
        once("c4", respond("42")),
        once(
            "c5",
            countersign::core::decision::Decision::Retry { message: message() },
        ),
        lasting("c6", approve(), Reach::Tool),
        once(
            "c7",
            countersign::core::decision::Decision::Fail { message: message() },
        ),
    ];
    // A ruling's digest is that of the edited arguments.
    decided[1].digest = Some(Arguments::parse("{}").expect("sound").digest("other"));
    decided[4].who = Some("ada@desk".to_owned());
    let results = imported.results(&decided).expect("all are taken");
    let wanted: Vec<_> = decided
        .into_iter()
        .zip(&calls)
        .map(|(one, call)| Decided {
            digest: Some(call.digest()),
            ..one
        })
        .collect();
    assert_eq!(native::decisions(&results.to_string()), Ok(wanted));
    assert!(is_valid("decisions", &results));
    // A part of them, too.
    assert!(imported.takes_a_part());
    let results = imported
        .results(&[once("c0", approve())])
        .expect("it is taken");
    assert_eq!(results["decisions"].as_array().map(Vec::len), Some(1));
}

const TURNS: &str = r#"
[[turns]]
name = "go"
on = ""
text = "Noting."
calls = [{ id = "n", tool = "note", arguments = { to = "ada" } }]
then = [{ turn = "end" }]
[[turns]]
name = "end"
text = "the end"
"#;

#[test]
fn a_headless_run_leaves_a_file_that_can_be_decided_and_gone_on_with() {
    let tool = "command = ['cat']\nparameters = { type = 'object' }\nrequires_confirmation = true";
    let place = Place::new(&[("note", tool)], "", TURNS);
    let began = place.begin();
    assert_eq!(began.code, Some(3), "{}", began.stderr);
    let text = place.read("deferred.json");
    let document: Value = serde_json::from_str(&text).expect("it is JSON");
    assert!(is_valid("deferred", &document));
    let imported = deferred::read(&text, None).expect("it can be read");
    let results = imported
        .results(&decide_all(&imported, "no"))
        .expect("decided");
    assert_eq!(imported.history[1..2], [Past::Agent("Noting.".to_owned())]);
    let entries = results["decisions"].as_array().expect("a list");
    let resumed = place.resume(entries);
    assert_eq!((resumed.code, resumed.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_call_that_was_changed_after_it_was_written_is_refused() {
    let mut document = file(&[whole_call(), call("c2")]);
    document["calls"][1]["arguments"] = json!("{\"path\":\"/\"}");
    assert_eq!(
        refused(&document),
        "/calls/1/digest: this is not the digest of the tool and its arguments: one of them was changed; take the file as it was written"
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let again = "write the state out again as the framework does";
    let with = |place: &str, value: Value| {
        let mut document = file(&[call("c1"), call("c2")]);
        *document.pointer_mut(place).expect("there is such a place") = value;
        document
    };
    let cases = [
        (
            with("/version", json!(2)),
            "/version: this is version 2 of the form; version 1 is known; decide it with the version of the program that wrote it".to_owned(),
        ),
        (
            with("/format", json!("countersign.decisions")),
            "/format: these are decisions, not calls that wait for them; give the file of the calls, and this one with --decisions".to_owned(),
        ),
        (with("/calls", json!({})), format!("/calls: this should be a list; {again}")),
        (with("/calls/1/call", json!("")), format!("/calls/1/call: this is empty, and names nothing; {again}")),
        (
            with("/calls/1/call", json!("c1")),
            "/calls/1: another call has the id `c1` too; give each call an id of its own".to_owned(),
        ),
        (
            with("/calls/0/answers", json!(["approve", "bless"])),
            format!("/calls/0: unknown variant `bless`, expected one of `approve`, `edit`, `reject`, `reason`, `respond`, `retry`, `fail`, `always_arguments`, `always_tool`, `never_arguments`, `never_tool`; {again}"),
        ),
        (
            with("/history/0", json!({ "sang": "la" })),
            format!("/history/0: unknown variant `sang`, expected one of `user`, `agent`, `thinking`, `called`, `result`, `note`; {again}"),
        ),
    ];
    for (document, said) in cases {
        assert_eq!(refused(&document), said);
    }
    assert_eq!(
        refused(&json!({ "anything": 1 })),
        "this is no deferred state of a form that is known; name one with --format: mistral, pydantic-ai, langchain, openai-agents, agent-framework, native"
    );
    let deep = "[".repeat(100_000);
    let fault = deferred::read(&deep, None).expect_err("it is too deep");
    assert_eq!(fault.at, "line 1, column 128");
}

#[test]
fn members_that_are_not_known_are_passed_over_in_calls_and_refused_in_decisions() {
    let mut document = file(&[call("c1")]);
    document["of_later"] = json!(1);
    document["calls"][0]["of_later"] = json!({});
    assert_eq!(read(&document).calls, read(&file(&[call("c1")])).calls);
    let misspelt = json!({ "format": "countersign.decisions", "version": 1,
                           "decisions": [{ "call": "c1", "aprove": {} }] });
    assert!(matches!(
        native::decisions(&misspelt.to_string()),
        Err(DecisionsFault::Json(_))
    ));
}

#[test]
fn a_decision_without_a_value_is_refused() {
    let entries = [
        json!({ "call": "c1", "digest": null, "approve": {} }),
        json!({ "call": "c1", "approve": { "arguments": null } }),
        json!({ "call": "c1", "respond": ["x"] }),
        json!({ "call": "c1", "approve": {}, "reject": null }),
    ];
    for entry in entries {
        let file = json!({ "format": "countersign.decisions", "version": 1, "decisions": [entry] });
        let refused = native::decisions(&file.to_string());
        assert_eq!(refused, Err(DecisionsFault::Members(1)), "{file}");
    }
}

#[test]
fn a_hundred_thousand_calls_and_decisions_are_read() {
    let calls: Vec<_> = (0..100_000).map(|at| call(&format!("c{at}"))).collect();
    let imported = read(&file(&calls));
    let results = imported
        .results(&decide_all(&imported, "no"))
        .expect("decided");
    let decided = native::decisions(&results.to_string()).expect("it is sound");
    assert_eq!(decided.len(), 100_000);
}

fn schema(name: &str) -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("assets/{name}.schema.json"));
    let text = fs::read_to_string(path).expect("the schema is there");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::meta::validate(&schema).expect("the schema is a schema");
    jsonschema::validator_for(&schema).expect("the schema is sound")
}

fn is_valid(name: &'static str, document: &Value) -> bool {
    static SCHEMAS: LazyLock<[Validator; 2]> =
        LazyLock::new(|| [schema("deferred"), schema("decisions")]);
    let [deferred, decisions] = &*SCHEMAS;
    let schema = if name == "deferred" {
        deferred
    } else {
        decisions
    };
    schema.is_valid(document)
}

#[test]
fn the_schema_of_calls_has_every_word_that_the_program_writes() {
    let reason = || "r".to_owned();
    let bases = [
        Basis::Rule {
            number: 1,
            source: RuleSource::Configuration,
            reason: reason(),
        },
        Basis::ToolDefault,
        Basis::NotUnderstood { why: reason() },
        Basis::Provider,
        Basis::Tool { reason: reason() },
        Basis::OutcomeUnknown,
        Basis::Framework { reason: reason() },
        Basis::External { reason: reason() },
    ];
    let calls: Vec<_> = bases
        .into_iter()
        .map(|basis| Call {
            basis,
            risks: vec![Risk::Idempotent, Risk::ReadOnly],
            ..whole_call()
        })
        .chain([
            Call {
                answers: Answers::all(),
                origin: Origin::Provider,
                ..call("c2")
            },
            Call {
                answers: Answers::of([Answer::AlwaysArguments, Answer::AlwaysTool, Answer::Reason]),
                origin: Origin::File,
                ..call("c3")
            },
        ])
        .collect();
    let schema = schema("deferred");
    let document = file(&calls);
    let faults: Vec<_> = schema
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(faults, [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Ids, digests and numbers of versions are more than a schema can say; whatever the reader takes,
    /// the schema takes.
    #[test]
    fn what_is_read_is_valid_by_its_schema_and_nothing_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), anything(), any::<u8>()), 1..3),
        text in any::<String>(),
    ) {
        let document = spoilt(file(&[whole_call(), call("c2")]), &changes);
        survives(&document, Format::Native, &text);
        let taken = deferred::read(&document.to_string(), Some(Format::Native)).is_ok();
        prop_assert!(!taken || is_valid("deferred", &document), "{}", document);

        let imported = read(&file(&[whole_call(), call("c2")]));
        let results = imported.results(&decide_all(&imported, &text)).expect("decided");
        let results = spoilt(results, &changes);
        let (taken, valid) = (native::decisions(&results.to_string()), is_valid("decisions", &results));
        prop_assert!(taken.is_err() || valid, "{}", results);
    }
}
