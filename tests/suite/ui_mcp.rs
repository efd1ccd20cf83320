//! What a server claims of its tools, what it asks, and what it left undone, on the screen.

use countersign::core::arguments::Arguments;
use countersign::core::call::{Answers, Call, CallId, Claim, Risk};
use countersign::core::finding::Kind;
use countersign::core::schema::Schema;
use countersign::core::verdict::Basis;
use countersign::policy::findings;
use serde_json::json;

use crate::support::ui_scene::{HOSTILE, MIDDLE, NARROW, Scene, WIDE, call, check};

fn claimed(id: &str, tool: &str, claims: &[Claim]) -> Call {
    Call {
        risks: claims.iter().copied().map(Risk::Claimed).collect(),
        ..call(id, tool, &json!({ "path": "notes.md" }))
    }
}

fn asked(message: &str) -> Call {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "title": "Your name", "minLength": 1, "maxLength": 40 },
            "age": { "type": "integer", "minimum": 0, "default": 36, "x-note": [1] },
            "mail": { "type": "string", "format": "email", "description": "Where the answer goes." },
            "colour": { "type": "string", "oneOf": [{ "const": "r", "title": "Red" }, { "const": "g" }] },
            "days": { "type": "array", "items": { "type": "string", "enum": ["mon", "tue"] }, "maxItems": 2 },
        },
        "required": ["name"],
    });
    Call {
        answers: Answers::open_question(),
        basis: Basis::Question {
            server: "files".to_owned(),
            message: message.to_owned(),
            tool: "files.read_file".to_owned(),
            open: 1,
        },
        risks: Vec::new(),
        metadata: Some(json!({ "requestedSchema": schema })),
        schema: Some(Schema::new(schema)),
        parent: Some(CallId("read".to_owned())),
        ..call(
            "read+asks-0-1",
            "files asks",
            &json!({ "name": null, "age": 36 }),
        )
    }
}

fn scene(selected: &str, message: &str) -> Scene {
    let mut scene = Scene::empty();
    scene.user("Tidy up the notes.");
    scene.at(1000);
    scene.waits(claimed(
        "read",
        "files.read_file",
        &[Claim::Idempotent, Claim::ReadOnly],
    ));
    scene.waits(claimed(
        "wipe",
        "files.wipe",
        &[Claim::Destructive, Claim::OpenWorld],
    ));
    scene.pends(asked(message));
    scene.pends(Call {
        answers: Answers::unknown_outcome(),
        basis: Basis::lost("the server files ended while it ran this"),
        ..claimed("lost+unknown-0", "files.move", &[])
    });
    scene.at(43_000).select(selected);
    scene
}

#[test]
fn ui_claims_of_a_server_are_shown_as_claims() {
    let marked = [
        "claims read-only",
        "claims destructive",
        "claims open world",
    ];
    let scene = scene("read", "Who are you?");
    check("mcp_claims", &scene, &[WIDE, MIDDLE, NARROW], &marked);
}

#[test]
fn ui_a_servers_question_says_who_asks_what_and_what_an_answer_must_fit() {
    let scene = scene("read+asks-0-1", "Who are you?");
    check(
        "mcp_question",
        &scene,
        &[WIDE, MIDDLE, NARROW],
        &["a question"],
    );
}

#[test]
fn ui_a_servers_question_says_when_it_may_be_about_any_of_several_calls_and_what_a_visit_means() {
    let mut scene = Scene::empty();
    scene.pends(Call {
        answers: Answers::closed_question(),
        basis: Basis::Question {
            server: "files".to_owned(),
            message: "Sign in\nat p\u{430}ypal".to_owned(),
            tool: "files.read_file".to_owned(),
            open: 3,
        },
        metadata: None,
        schema: None,
        arguments: Arguments::parse("{\"url\":\"https://p\u{430}ypal.example/\"}").expect("JSON"),
        ..asked("")
    });
    scene.at(2000).select("read+asks-0-1");
    check("mcp_visit", &scene, &[WIDE], &["a question"]);
}

#[test]
fn ui_a_servers_question_cannot_hide_anything() {
    let shot = scene("read+asks-0-1", HOSTILE).draw(WIDE);
    let raw: Vec<char> = shot
        .text()
        .chars()
        .filter(|c| c.is_control() && *c != '\n')
        .collect();
    assert_eq!(raw, Vec::<char>::new());
    assert!(shot.contains("⟨U+202E⟩"), "{}", shot.text());
    assert!(shot.contains("! hidden text"), "{}", shot.text());
}

#[test]
fn what_a_server_says_and_asks_for_is_looked_at_as_arguments_are() {
    let found = |message: &str, title: &str| {
        let schema = json!({ "properties": { "name": { "type": "string", "title": title } } });
        let question = Call {
            metadata: Some(json!({ "requestedSchema": schema })),
            ..asked(message)
        };
        let found = findings::look(&question);
        let told = found.iter().map(|one| (one.kind, one.what.clone()));
        told.collect::<Vec<_>>()
    };
    assert_eq!(found("Who are you?", "Your name"), []);
    let posing = "p\u{430}ypal is not paypal in the question".to_owned();
    assert_eq!(
        found("Log in to p\u{430}ypal", "Your name"),
        [(Kind::LookAlike, posing.clone())]
    );
    assert_eq!(
        found("Who are you?", "Your p\u{430}ypal"),
        [(Kind::LookAlike, posing)]
    );
    let steered = found("Who are \u{202e}you?", "Your name");
    assert_eq!(steered.first().map(|(kind, _)| *kind), Some(Kind::Hidden));
}

#[test]
fn ui_a_call_that_its_server_left_undone_says_so() {
    let scene = scene("lost+unknown-0", "Who are you?");
    check("mcp_lost", &scene, &[WIDE], &["outcome unknown"]);
}
