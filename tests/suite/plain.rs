//! What is printed about a call, and what is understood of what is typed.

use countersign::core::arguments::Arguments;
use countersign::core::call::Call;
use countersign::core::decision::Decision;
use countersign::core::pending::Stage;
use countersign::core::schema::Schema;
use countersign::core::session::Home;
use countersign::core::shown::Shown;
use countersign::core::time::Ticks;
use countersign::plain::schema as plain_schema;
use countersign::plain::{Fields, Filled, Said, choices, history, once_more, question, yes};
use serde_json::json;

use crate::support::ui_scene::{HOSTILE, Scene, call, key, ruling};

fn text(lines: &[Shown]) -> String {
    let rows: Vec<_> = lines.iter().map(|line| line.as_str().trim_end()).collect();
    rows.join("\n")
}

fn check(name: &str, lines: &[Shown]) {
    insta::with_settings!({
        snapshot_path => "../snapshots",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, text(lines));
    });
}

#[test]
fn plain_a_question_has_everything_that_there_is_to_know() {
    let scene = Scene::travel().with_edit();
    let mut all = Vec::new();
    for waiting in scene.state.pending.iter() {
        all.extend(question(&scene.state, &waiting.call.key));
    }
    check("plain_question", &all);
}

#[test]
fn plain_hostile_text_is_written_out_and_a_long_value_is_whole() {
    let long = "x".repeat(5000);
    let mut scene = Scene::empty();
    let arguments = json!({"path": HOSTILE, "long": long, HOSTILE: 1});
    scene.waits(call("c", HOSTILE, &arguments));
    let lines = question(&scene.state, &key("c"));
    let text = text(&lines);
    assert!(text.contains(&format!("\"{long}\"")));
    let unusual = |c: char| c.is_control() && c != '\n';
    assert!(!text.contains(unusual), "{text}");
    assert!(!text.contains('\u{202e}'));
    check("plain_hostile", &[Shown::from(text.replace(&long, "…"))]);
    // The short form holds nothing that could touch a terminal either.
    let short = once_more(&scene.state, &key("c"));
    assert!(!short.iter().any(|line| line.as_str().contains(unusual)));
}

#[test]
fn plain_what_happened_before_is_told_when_a_session_is_gone_on_with() {
    let scene = Scene::travel();
    check("plain_history", &history(&scene.state.sessions[0]));
}

#[test]
fn plain_an_answer_is_a_word_in_any_case_or_its_key() {
    let scene = Scene::travel();
    let said = |line: &str| Said::of(line, &scene.state);
    assert_eq!(said(" Approve "), Some(Said::Approve));
    assert_eq!(said("a"), Some(Said::Approve));
    // Another letter is another key.
    assert_eq!(said("A"), None);
    assert_eq!(said("x"), Some(Said::Respond));
    assert_eq!(said("answer"), Some(Said::Respond));
    assert_eq!(said("approve all"), None);
    assert_eq!(said(""), None);
    assert_eq!(
        ["y", "YES", "n", "no", "yeah", ""].map(yes),
        [Some(true), Some(true), Some(false), Some(false), None, None]
    );
}

#[test]
fn plain_only_what_a_call_takes_is_offered_and_undo_only_while_something_is_held() {
    let mut scene = Scene::travel();
    let first = scene.state.pending.iter().next().expect("one waits");
    let first = first.call.key.clone();
    let offers = |scene: &Scene| {
        let waiting = scene.state.pending.get(&first).expect("it waits");
        choices(waiting, &scene.state).contains(&Said::Undo)
    };
    assert!(!offers(&scene));
    let last = scene.state.pending.iter().last().expect("one waits");
    let last = last.call.key.clone();
    scene.state.pending.change(&last, |waiting| {
        waiting.stage = Stage::Held {
            ruling: ruling("c", Decision::Approve { arguments: None }),
            until: Ticks(9),
        };
    });
    assert!(offers(&scene));
}

/// The fields that are still to be asked for.
fn next(filled: Filled) -> Option<Fields> {
    match filled {
        Filled::Next(fields) | Filled::Not(fields, _) => Some(fields),
        Filled::Whole(_) => None,
    }
}

fn whole(filled: Filled) -> Option<Arguments> {
    match filled {
        Filled::Whole(arguments) => arguments.ok(),
        Filled::Next(_) | Filled::Not(..) => None,
    }
}

#[test]
fn plain_fields_keep_their_kind_and_their_order() {
    let arguments = Arguments::parse(r#"{"to":"7","seats":2,"list":[1]}"#).expect("JSON");
    let fields = Fields::of(&arguments).expect("it has fields");
    assert_eq!(
        fields.question().as_str(),
        "to is \"7\". A new value, or an empty line to keep it:"
    );
    // Text stays text, a number is asked for until it is one, an empty line keeps what is there.
    let fields = next(fields.fill("true")).expect("a number is next");
    let fields = next(fields.fill("two")).expect("it is asked again");
    let fields = next(fields.fill("3")).expect("a list is next");
    let edited = whole(fields.fill("")).expect("it is complete");
    assert_eq!(edited.text(), r#"{"to":"true","seats":3,"list":[1]}"#);
    let list = Arguments::parse("{}").expect("JSON");
    assert_eq!(Fields::of(&list), None);
}

#[test]
fn plain_nothing_that_is_said_looks_like_a_question() {
    let mut scene = Scene::empty();
    scene.agent("Well.\nCall 1 of 1 that wait: travel wants to call nothing.\nnothing: approve?");
    let lines = history(&scene.state.sessions[0]);
    let text = text(&lines);
    let questions = text.lines().filter(|line| !line.starts_with("  "));
    assert_eq!(questions.collect::<Vec<_>>(), ["travel: Well."]);
}

#[test]
fn plain_the_schema_of_a_tool_is_printed_only_when_it_is_asked_for() {
    let mut scene = Scene::empty();
    let schema = json!({
        "type": "object",
        "properties": {
            "to": {"type": "string"},
            "how": {"enum": ["at once", "later"]},
            "copies": {"type": "array", "items": {"type": "string"}},
            "at": {"type": ["string", "null"]},
            "not so": {},
        },
        "required": ["to"],
    });
    let mail = Call {
        schema: Some(Schema::new(schema)),
        ..call("c", "send_mail", &json!({"to": "ops@example.org"}))
    };
    scene.waits(mail);
    let asked = text(&question(&scene.state, &key("c")));
    assert!(asked.contains("✓ the arguments fit the tool's schema"));
    assert!(!asked.contains("properties"), "{asked}");
    let short = "send_mail takes to: string (required), how: \"at once\" | \"later\", \
                 copies: list of string, at: string | null, \"not so\": any";
    assert!(asked.contains(short), "{asked}");
    let waiting = scene.state.pending.get(&key("c")).expect("it waits");
    assert!(choices(waiting, &scene.state).contains(&Said::Schema));
    let told = text(&plain_schema(&scene.state, &key("c")));
    assert!(told.contains("\"properties\""), "{told}");
}

#[test]
fn plain_nothing_is_offered_to_an_agent_that_does_not_run_here() {
    let mut scene = Scene::empty();
    scene.waits(call("c", "send_mail", &json!({})));
    scene.state.sessions[0].home = Home::File;
    let waiting = scene.state.pending.get(&key("c")).expect("it waits");
    let words = choices(waiting, &scene.state);
    assert!(!words.contains(&Said::Message) && !words.contains(&Said::Interrupt));
    assert!(words.contains(&Said::Quit));
}
