//! Interrupting a run, wherever it stands; and what the model is told next time.

use crate::support::agent::Setup;
use crate::support::chat::{self, whole};
use crate::support::model::{endpoint, openai, plain};
use crate::support::raw::{Act, Raw, stream_head};
use countersign::core::run::{Outcome, RunCommand, RunEvent, RunState};
use countersign::provider::setup::StreamMode;
use rustix::process::{Pid, test_kill_process_group};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A model of completions: what it answers with, in order.
async fn model(messages: &[Value], mode: StreamMode) -> (Raw, Setup) {
    let raw = Raw::of(messages.iter().map(whole).collect()).await;
    let provider = openai(plain(endpoint(&raw.url()), mode));
    (raw, Setup::with(provider))
}

fn messages(raw: &Raw, place: usize) -> Vec<Value> {
    let body = chat::body(raw, place);
    body["messages"].as_array().expect("messages").clone()
}

/// Waits until no process of the group is left but unreaped ones.
async fn gone(group: &str) {
    let group = Pid::from_raw(group.parse().expect("a number")).expect("not 0");
    let begun = Instant::now();
    while test_kill_process_group(group).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it still runs");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn interrupting_ends_the_whole_process_group_of_a_tool_that_runs() {
    let (raw, setup) = model(
        &[
            chat::calls(&[("c1", "{}")]),
            chat::assistant("As you wish."),
        ],
        StreamMode::Whole,
    )
    .await;
    let mut run = setup
        .tool("book", "sleep 1000 & echo $$; wait")
        .start()
        .await;
    run.say("go").await;
    let group = run.line_of("c1").await;
    run.send(RunCommand::Interrupt).await;
    run.until_state(&RunState::Idle).await;
    assert_eq!(run.outcome("c1"), Outcome::Interrupted);
    gone(&group).await;
    assert!(run.steps().contains(&"finished c1 0".to_owned()));
    // Nothing was sent meanwhile; the next message takes the answer along.
    assert_eq!(raw.requests().len(), 1);
    run.say("and now?").await;
    run.end().await;
    assert_eq!(
        messages(&raw, 1),
        [
            chat::user("go"),
            chat::calls(&[("c1", "{}")]),
            chat::tool(
                "c1",
                "Not finished: the operator interrupted the run. If this had begun, what it has done is not known."
            ),
            chat::user("and now?"),
        ]
    );
}

#[tokio::test]
async fn interrupting_withdraws_the_calls_that_wait_and_lets_none_of_them_run() {
    let (raw, setup) = model(
        &[
            chat::calls(&[("c1", "{}"), ("c2", "{}")]),
            chat::assistant("done"),
        ],
        StreamMode::Whole,
    )
    .await;
    let mut run = setup.asking("book", "echo > trace").start().await;
    run.say("go").await;
    let calls = run.arrivals(2).await;
    run.send(RunCommand::Interrupt).await;
    // The operator signed in the very moment.
    run.approve(&calls[0]).await;
    run.until_state(&RunState::Idle).await;
    let withdrawn: Vec<_> = run
        .seen
        .iter()
        .filter_map(|event| match event {
            RunEvent::Withdrawn { call, why } => Some((call.0.as_str(), why.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(
        withdrawn
            .iter()
            .filter(|(_, why)| *why == "the run was interrupted")
            .count(),
        2
    );
    assert!(!run.ran("c1") && !run.ran("c2"));
    run.say("and now?").await;
    run.end().await;
    let told = "Not finished: the operator interrupted the run. If this had begun, what it has done is not known.";
    assert_eq!(
        messages(&raw, 1)[2..],
        [
            chat::tool("c1", told),
            chat::tool("c2", told),
            chat::user("and now?"),
        ]
    );
    assert_eq!(run.file("trace"), "");
}

#[tokio::test]
async fn what_had_ended_before_the_interrupt_is_not_lost() {
    let (raw, setup) = model(
        &[
            chat::calls(&[("c1", "{\"x\":1}"), ("c2", "{}")]),
            chat::assistant("done"),
        ],
        StreamMode::Whole,
    )
    .await;
    let rules = "[[rules]]\ntool = 'book'\narguments = { '/x' = { equals = 1 } }\nverdict = 'allow'\n
                 [[rules]]\ntool = 'book'\narguments = { '/y' = { equals = 1 } }\nverdict = 'deny'\n";
    let mut run = setup.asking("book", "echo ran").rules(rules).start().await;
    run.say("go").await;
    run.arrival().await;
    if run.outcomes().is_empty() {
        run.until_finished("c1").await;
    }
    run.send(RunCommand::Interrupt).await;
    run.until_state(&RunState::Idle).await;
    run.say("and now?").await;
    run.end().await;
    let told = "Not finished: the operator interrupted the run. If this had begun, what it has done is not known.";
    let sent = messages(&raw, 1);
    assert_eq!(
        sent[2..4],
        [chat::tool("c1", "ran\n"), chat::tool("c2", told)]
    );
}

#[tokio::test]
async fn interrupting_an_answer_leaves_its_text_marked_and_counts_none_of_it() {
    let piece = chat::delta(&json!({"content": "I will now del"}));
    let raw = Raw::of(vec![
        Act::hang(stream_head() + &piece),
        Act::close(
            stream_head()
                + &chat::delta(&json!({"content": "Hello."}))
                + &chat::finish("stop")
                + chat::DONE,
        ),
    ])
    .await;
    let setup = Setup::with(openai(plain(endpoint(&raw.url()), StreamMode::Streamed)));
    let mut run = setup.start().await;
    run.say("go").await;
    run.until(|event| matches!(event, RunEvent::Text { .. }))
        .await;
    run.send(RunCommand::Interrupt).await;
    run.until_state(&RunState::Idle).await;
    let discarded = run.seen.iter().find_map(|event| match event {
        RunEvent::Discarded { why, .. } => Some(why.as_str()),
        _ => None,
    });
    assert_eq!(
        discarded,
        Some("interrupted; nothing of this answer counts")
    );
    run.say("hello?").await;
    assert_eq!(run.end().await, "Hello.");
    assert_eq!(messages(&raw, 1), [chat::user("go\n\nhello?")]);
}

#[tokio::test]
async fn an_idle_agent_takes_no_notice_of_an_interrupt() {
    let mut run = Setup::turns("[[turns]]\nname = 'a'\non = ''\ntext = 'here'\n")
        .start()
        .await;
    run.send(RunCommand::Interrupt).await;
    run.send(RunCommand::Retry).await;
    run.say("hello").await;
    assert_eq!(run.end().await, "here");
}
