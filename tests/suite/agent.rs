//! An agent's calls: in which order they come, run and are answered.

use crate::support::agent::{Run, Setup, reject, result};
use crate::support::chat;
use crate::support::model::{endpoint, mistral, plain};
use crate::support::raw::{Act, Raw};
use countersign::agent::Limits;
use countersign::core::call::CallId;
use countersign::core::run::{RunEvent, RunState};
use countersign::provider::setup::StreamMode;
use serde_json::{Value, json};

fn names(run: &Run, of: impl Fn(&RunEvent) -> Option<&CallId>) -> Vec<String> {
    run.seen
        .iter()
        .filter_map(of)
        .map(|id| id.0.clone())
        .collect()
}

#[tokio::test]
async fn allowed_calls_run_at_once_and_side_by_side_while_another_waits() {
    // Each of the two can only end while the other runs.
    let setup = Setup::calls(
        "{ id = 'wait', tool = 'ask' },
         { id = 'ping', tool = 'ping' },
         { id = 'pong', tool = 'pong' },",
        "{{wait.came}} {{ping.result}} {{pong.result}}",
    );
    let mut run = setup
        .asking("ask", "echo asked")
        .tool("ping", "echo ball > there; cat back")
        .tool("pong", "cat there; echo ball > back")
        .pipe("there")
        .pipe("back")
        .start()
        .await;
    run.say("go").await;
    let waiting = run.arrival().await;
    run.until_finished("ping-1-1").await;
    if run.outcomes().len() < 2 {
        run.until_finished("pong-1-2").await;
    }
    assert!(!run.ran("wait-1-0"));
    run.approve(&waiting).await;
    assert_eq!(run.end().await, "approved ball ball");
}

#[tokio::test]
async fn calls_are_shown_and_arrive_in_the_order_the_model_wrote_them() {
    let calls: Vec<_> = (0..12)
        .map(|number| format!("{{ id = 'c{number}', tool = 'ask' }},"))
        .collect();
    let mut run = Setup::calls(&calls.concat(), "done")
        .asking("ask", "true")
        .start()
        .await;
    run.say("go").await;
    let arrived = run.arrivals(12).await;
    let wanted: Vec<_> = (0..12).map(|n| format!("c{n}-1-{n}")).collect();
    let ids: Vec<_> = arrived.into_iter().map(|call| call.key.call.0).collect();
    assert_eq!(ids, wanted);
    let called = names(&run, |event| match event {
        RunEvent::Called { call, .. } => Some(call),
        _ => None,
    });
    assert_eq!(called, wanted);
}

#[tokio::test]
async fn no_more_calls_run_at_the_same_time_than_the_limit_says() {
    let calls: Vec<_> = (0..6)
        .map(|number| format!("{{ id = 'c{number}', tool = 'count' }},"))
        .collect();
    let limits = Limits {
        parallel: 2,
        ..Limits::default()
    };
    // Each tells how many are inside; the first wait until a second has come.
    let script = "mkdir in.$COUNTERSIGN_CALL_ID; until [ -e two ]; do
        [ $(ls -d in.* | wc -l) -ge 2 ] && touch two; sleep 0.01; done
        ls -d in.* | wc -l | tr -d ' '; rmdir in.$COUNTERSIGN_CALL_ID";
    let mut run = Setup::calls(&calls.concat(), "done")
        .tool("count", script)
        .limits(limits)
        .start()
        .await;
    run.say("go").await;
    run.end().await;
    let counted = run.outcomes().into_iter().map(|(_, outcome)| outcome);
    let mut counted: Vec<_> = counted.map(|outcome| format!("{outcome:?}")).collect();
    counted.sort();
    counted.dedup();
    let allowed = ["1\n", "2\n"].map(|count| format!("{:?}", result(count)));
    assert!(
        counted.iter().all(|outcome| allowed.contains(outcome)),
        "{counted:?}"
    );
    assert!(counted.contains(&allowed[1]), "{counted:?}");
}

/// Lets a Mistral conversation make calls and answer with nothing, and gives the second request.
async fn second_request(outputs: Value, run_it: impl AsyncFnOnce(&mut Run)) -> Value {
    let response = |outputs: Value| {
        let body = json!({"object": "conversation.response", "conversation_id": "conv_1", "outputs": outputs, "usage": {}});
        Act::answer("application/json", &body.to_string())
    };
    let raw = Raw::of(vec![response(outputs), response(json!([]))]).await;
    let provider = mistral(plain(endpoint(&raw.url()), StreamMode::Whole));
    let setup = Setup::with(provider)
        .tool("free", "cat")
        .asking("ask", "cat");
    let mut run = setup.start().await;
    run.say("go").await;
    run_it(&mut run).await;
    run.until_state(&RunState::Idle).await;
    assert_eq!(raw.requests().len(), 2, "all answers go in one append");
    chat::body(&raw, 1)
}

fn function(id: &str, tool: &str) -> Value {
    json!({"type": "function.call", "id": format!("fc_{id}"), "tool_call_id": id, "name": tool, "arguments": format!("{{\"n\":\"{id}\"}}")})
}

#[tokio::test]
async fn one_append_carries_what_was_executed_then_rejected_then_approved_and_the_confirmations() {
    let mut held = function("held", "gmail");
    held["confirmation_status"] = json!("pending");
    let outputs = json!([
        held,
        function("yes1", "ask"),
        function("no1", "ask"),
        function("free1", "free"),
        function("yes2", "ask"),
        function("no2", "ask"),
        function("free2", "free"),
    ]);
    let sent = second_request(outputs, async |run| {
        let calls = run.arrivals(5).await;
        let ids: Vec<_> = calls.iter().map(|call| call.key.call.0.as_str()).collect();
        assert_eq!(ids, ["held", "yes1", "no1", "yes2", "no2"]);
        run.approve(&calls[0]).await;
        // The other way round than the model's: the append must not depend on who is quick.
        run.decide(&calls[4], reject("")).await;
        run.until_finished("no2").await;
        run.approve(&calls[3]).await;
        run.until_finished("yes2").await;
        run.decide(&calls[2], reject("too dear")).await;
        run.until_finished("no1").await;
        run.approve(&calls[1]).await;
    })
    .await;
    let inputs = sent["inputs"].as_array().expect("a list of answers");
    let inputs: Vec<_> = inputs
        .iter()
        .map(|input| (input["tool_call_id"].as_str(), input["result"].as_str()))
        .collect();
    let told = [
        ("free1", "{\"n\":\"free1\"}"),
        ("free2", "{\"n\":\"free2\"}"),
        ("no1", "Rejected by the operator: too dear"),
        ("no2", "Rejected by the operator."),
        ("yes1", "{\"n\":\"yes1\"}"),
        ("yes2", "{\"n\":\"yes2\"}"),
    ];
    assert_eq!(inputs, told.map(|(id, text)| (Some(id), Some(text))));
    assert_eq!(
        sent["tool_confirmations"],
        json!([{"tool_call_id": "held", "confirmation": "allow"}])
    );
}

#[tokio::test]
async fn every_step_is_in_the_journal_in_its_order() {
    let setup = Setup::calls(
        "{ id = 'a', tool = 'free' }, { id = 'b', tool = 'ask' },",
        "done",
    );
    let mut run = setup
        .tool("free", "true")
        .asking("ask", "true")
        .start()
        .await;
    run.say("go").await;
    let call = run.arrival().await;
    if run.outcomes().is_empty() {
        run.until_finished("a-1-0").await;
    }
    run.approve(&call).await;
    run.end().await;
    let of = |call: &str| -> Vec<_> {
        let mut steps = run.steps();
        steps.retain(|step| step.contains(call));
        steps
    };
    assert_eq!(run.steps()[0], "session  0");
    assert_eq!(of("a-1-0"), ["started a-1-0 0", "finished a-1-0 0"]);
    assert_eq!(
        of("b-1-1"),
        [
            "arrived b-1-1 0",
            "ruling b-1-1 0",
            "started b-1-1 1",
            "finished b-1-1 1"
        ]
    );
}
