//! Between an agent and its model: the limit of rounds, faults, messages that come meanwhile.

use crate::support::agent::{Setup, reject};
use crate::support::chat::{self, whole};
use crate::support::model::{endpoint, openai, plain};
use crate::support::raw::{Act, Raw};
use countersign::agent::Limits;
use countersign::core::run::{Level, RunCommand, RunEvent, RunState};
use countersign::provider::setup::StreamMode;
use serde_json::Value;

fn messages(raw: &Raw, place: usize) -> Vec<Value> {
    let body = chat::body(raw, place);
    body["messages"].as_array().expect("messages").clone()
}

#[tokio::test]
async fn a_run_that_never_ends_by_itself_stops_at_its_limit_and_can_go_on() {
    let turns = "[[turns]]\nname = 'loop'\non = 'go'\ntext = '{{a.result}}'\n\
                 calls = [ { id = 'a', tool = 'count' } ]\nthen = [ { turn = 'loop' } ]\n";
    let limits = Limits {
        rounds: 3,
        ..Default::default()
    };
    let mut run = Setup::turns(turns)
        .tool("count", "echo . >> count; wc -l < count | tr -d ' '")
        .limits(limits)
        .start()
        .await;
    run.say("go").await;
    assert_eq!(run.end().await, "2");
    let notes = [String::from(
        "stopped after 3 rounds without an end; send a message to go on",
    )];
    assert_eq!(run.notes(), notes);
    assert_eq!(run.file("count").lines().count(), 3);
    run.say("go").await;
    run.end().await;
    assert_eq!(run.file("count").lines().count(), 6);
}

#[tokio::test]
async fn after_a_fault_the_same_answers_are_sent_again_and_nothing_runs_twice() {
    let raw = Raw::of(vec![
        whole(&chat::calls(&[("c1", "{}")])),
        Act::close(
            "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
        ),
        whole(&chat::assistant("done")),
    ])
    .await;
    let mut run = Setup::with(openai(plain(endpoint(&raw.url()), StreamMode::Whole)))
        .tool("book", "echo . >> trace; echo booked")
        .start()
        .await;
    run.say("go").await;
    run.until_state(&RunState::Failed { retry: true }).await;
    let errors = run.seen.iter().filter(|event| {
        matches!(
            event,
            RunEvent::Note {
                level: Level::Error,
                ..
            }
        )
    });
    assert_eq!(errors.count(), 1);
    run.send(RunCommand::Retry).await;
    assert_eq!(run.end().await, "done");
    assert_eq!(messages(&raw, 2), messages(&raw, 1));
    assert_eq!(
        messages(&raw, 2).last(),
        Some(&chat::tool("c1", "booked\n"))
    );
    assert_eq!(run.file("trace"), ".\n");
}

#[tokio::test]
async fn a_message_sent_while_calls_wait_goes_along_with_their_answers() {
    let raw = Raw::of(vec![
        whole(&chat::calls(&[("c1", "{}")])),
        whole(&chat::assistant("done")),
    ])
    .await;
    let setup = Setup::with(openai(plain(endpoint(&raw.url()), StreamMode::Whole)));
    let mut run = setup.asking("book", "true").start().await;
    run.say("go").await;
    let call = run.arrival().await;
    run.say("be quick").await;
    run.until(|event| matches!(event, RunEvent::User { text, .. } if text == "be quick"))
        .await;
    run.decide(&call, reject("no")).await;
    assert_eq!(run.end().await, "done");
    assert_eq!(
        messages(&raw, 1)[2..],
        [
            chat::tool("c1", "Rejected by the operator: no"),
            chat::user("be quick"),
        ]
    );
}

#[tokio::test]
async fn a_message_sent_while_the_model_answers_is_next() {
    let turns = "pace = '1ms'\n[[turns]]\nname = 'a'\non = 'first'\ntext = 'one two three four'\n\
                 [[turns]]\nname = 'b'\non = 'second'\ntext = 'five'\n";
    let mut run = Setup::turns(turns).start().await;
    run.say("first").await;
    run.until(|event| matches!(event, RunEvent::Text { .. }))
        .await;
    run.say("second").await;
    assert_eq!(run.end().await, "five");
    assert_eq!(run.said(), ["one two three four", "five"]);
}
