//! What a server claims of its tools, what it asks, and what it left undone, on the screen.

use countersign::core::call::{Answers, Call, Claim, Risk};
use countersign::core::schema::Schema;
use countersign::core::verdict::Basis;
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
        "properties": { "name": { "type": "string", "title": "Your name" } },
        "required": ["name"],
    });
    Call {
        answers: Answers::open_question(),
        basis: Basis::Question {
            server: "files".to_owned(),
            message: message.to_owned(),
        },
        risks: Vec::new(),
        metadata: Some(json!({ "requestedSchema": schema })),
        schema: Some(Schema::new(schema)),
        ..call("read+asks-0-1", "files asks", &json!({ "name": null }))
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
    check("mcp_question", &scene, &[WIDE, MIDDLE], &["a question"]);
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
}

#[test]
fn ui_a_call_that_its_server_left_undone_says_so() {
    let scene = scene("lost+unknown-0", "Who are you?");
    check("mcp_lost", &scene, &[WIDE], &["outcome unknown"]);
}
