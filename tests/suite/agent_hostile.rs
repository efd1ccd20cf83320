//! A model that writes what it should not: it is shown, told, and nothing of it runs.

use crate::support::agent::{Run, Setup, refused, result};
use crate::support::chat::{self, whole};
use crate::support::model::{endpoint, openai, plain};
use crate::support::raw::Raw;
use countersign::core::run::{Outcome, RunEvent, RunState};
use countersign::provider::setup::StreamMode;
use serde_json::{Value, json};

/// Lets a model make these calls of `book`, and gives the run and what the model was then sent.
async fn after(calls: &[(&str, &str)]) -> (Run, Value) {
    let raw = Raw::of(vec![
        whole(&chat::calls(calls)),
        whole(&chat::assistant("done")),
    ])
    .await;
    let mut run = Setup::with(openai(plain(endpoint(&raw.url()), StreamMode::Whole)))
        .tool("book", "cat | tee -a trace")
        .schema(json!({
            "type": "object",
            "properties": { "to": { "type": "string" } },
            "required": ["to"],
        }))
        .start()
        .await;
    run.say("go").await;
    run.until_state(&RunState::Idle).await;
    (run, chat::body(&raw, 1))
}

fn shown(run: &Run) -> Vec<String> {
    let called = run.seen.iter().filter_map(|event| match event {
        RunEvent::Called { arguments, .. } => Some(arguments.clone()),
        _ => None,
    });
    called.collect()
}

fn told(sent: &Value) -> Vec<(String, String)> {
    let messages = sent["messages"].as_array().expect("messages");
    let answers = messages.iter().filter(|message| message["role"] == "tool");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    answers
        .map(|answer| (text(&answer["tool_call_id"]), text(&answer["content"])))
        .collect()
}

#[tokio::test]
async fn arguments_that_cannot_be_taken_are_shown_as_they_are_and_the_fault_is_told() {
    let cases = [
        (
            "{\"to\": \"Rod",
            "the arguments cannot be read: the text ends inside quotes: the closing \" is missing (line 1, column 11)",
        ),
        (
            "[1]",
            "the arguments cannot be read: the arguments are not a JSON object",
        ),
        (
            "{\"to\":\"a\",\"to\":\"b\"}",
            "the arguments cannot be read: the key \"to\" stands twice (line 1, column 14)",
        ),
        (
            "{\"to\": \"a\u{1b}[2J\"}",
            "the arguments cannot be read: a new line, a tab or another control character stands inside quotes: write \\n, \\t or \\u001b (line 1, column 10)",
        ),
        (
            "{\"to\": 7}",
            "the arguments do not fit the tool's schema: /to: must be a text, and is the number 7",
        ),
        (
            "{}",
            "the arguments do not fit the tool's schema: to is missing",
        ),
    ];
    for (arguments, fault) in cases {
        let (run, sent) = after(&[("c1", arguments)]).await;
        assert_eq!(run.outcome("c1"), refused(fault));
        let words = format!("Error: not run: {fault}");
        assert_eq!(told(&sent), [("c1".to_owned(), words)]);
        assert_eq!(shown(&run), [arguments]);
        assert!(!run.ran("c1"));
    }
}

#[tokio::test]
async fn a_faulty_call_takes_no_sound_one_with_it() {
    let (run, sent) = after(&[("c1", "{"), ("c2", "{\"to\":\"Rodez\"}")]).await;
    assert!(matches!(run.outcome("c1"), Outcome::Refused { .. }));
    assert_eq!(run.outcome("c2"), result("{\"to\":\"Rodez\"}"));
    assert_eq!(told(&sent)[1].1, "{\"to\":\"Rodez\"}");
    assert_eq!(run.file("trace"), "{\"to\":\"Rodez\"}");
}

#[tokio::test]
async fn control_characters_written_as_json_reach_the_tool_as_they_are() {
    let arguments = "{\"to\":\"\\u001b[2J\\u202e\"}";
    let (run, _) = after(&[("c1", arguments)]).await;
    assert_eq!(run.file("trace"), arguments);
}

#[tokio::test]
async fn two_calls_of_one_response_with_one_id_are_both_refused() {
    let (run, sent) = after(&[
        ("c1", "{\"to\":\"Rodez\"}"),
        ("c1", "{\"to\":\"Brive\"}"),
        ("c2", "{\"to\":\"Millau\"}"),
    ])
    .await;
    let fault = "two calls of one response have the id `c1`; give each its own";
    assert_eq!(run.outcome("c1"), refused(fault));
    assert_eq!(run.outcome("c1#2"), refused(fault));
    assert_eq!(run.file("trace"), "{\"to\":\"Millau\"}");
    let ids: Vec<_> = told(&sent).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["c1", "c1", "c2"]);
}

#[tokio::test]
async fn a_call_that_reuses_the_id_of_an_earlier_response_is_another_call() {
    let raw = Raw::of(vec![
        whole(&chat::calls(&[("c1", "{\"n\":1}")])),
        whole(&chat::calls(&[("c1", "{\"n\":2}")])),
        whole(&chat::assistant("done")),
    ])
    .await;
    let mut run = Setup::with(openai(plain(endpoint(&raw.url()), StreamMode::Whole)))
        .tool("book", "cat")
        .start()
        .await;
    run.say("go").await;
    run.end().await;
    assert_eq!(
        run.outcomes(),
        [
            ("c1".to_owned(), result("{\"n\":1}")),
            ("c1#2".to_owned(), result("{\"n\":2}")),
        ]
    );
    let last = told(&chat::body(&raw, 2));
    let one = |text: &str| ("c1".to_owned(), text.to_owned());
    assert_eq!(last, [one("{\"n\":1}"), one("{\"n\":2}")]);
}

#[tokio::test]
async fn an_id_that_looks_like_the_wait_for_anothers_result_is_kept_apart() {
    let arguments = "{\"to\":\"Rodez\"}";
    let (run, sent) = after(&[("c1", arguments), ("c1+result", arguments)]).await;
    let mut ids: Vec<_> = run.outcomes().into_iter().map(|(id, _)| id).collect();
    ids.sort();
    assert_eq!(ids, ["c1", "c1-result"]);
    assert_eq!(told(&sent)[1].0, "c1+result");
}

#[tokio::test]
async fn a_megabyte_of_arguments_is_not_run_and_only_its_beginning_is_kept() {
    let arguments = format!("{{\"to\":\"{}\"}}", "ü".repeat(600_000));
    let (run, sent) = after(&[("c1", &arguments)]).await;
    let fault = format!(
        "the arguments are {} bytes long; stay below 1000000, for example with several calls",
        arguments.len()
    );
    assert_eq!(run.outcome("c1"), refused(&fault));
    assert_eq!(told(&sent)[0].1, format!("Error: not run: {fault}"));
    let kept = &shown(&run)[0];
    assert!(kept.len() < 5000);
    assert!(kept.ends_with(" … 1200009 bytes in all"), "{}", kept.len());
}
