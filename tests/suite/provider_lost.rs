//! Answers that were lost on the way: whether the request arrived is looked up before it is repeated.

use crate::support::model::{
    allow, answers, ask, deny, endpoint, fault, mistral, no_calls, note, patient, plain, reply,
    result, said, say, server, wanted,
};
use crate::support::raw::{Act, Raw, head, stream_head};
use crate::support::replay::{Exchange, Replay};
use countersign::provider::mistral::Mistral;
use countersign::provider::setup::StreamMode;
use countersign::provider::{Append, Provider};
use serde_json::{Value, json};
use tokio::sync::mpsc;

const FOUND: &str = "The last request had arrived; this is its answer, from the history.";
const START: &str = "POST /v1/conversations";
const APPEND: &str = "POST /v1/conversations/conv_1";
const HISTORY: &str = "GET /v1/conversations/conv_1/history";

fn call(id: &str, call: &str, status: &Value) -> Value {
    json!({"type": "function.call", "id": id, "tool_call_id": call, "name": "book",
        "arguments": "{}", "confirmation_status": status, "completed_at": null})
}

fn output(id: &str, text: &str) -> Value {
    json!({"type": "message.output", "id": id, "role": "assistant", "content": text,
        "completed_at": "2026-11-20T10:00:01Z"})
}

fn result_entry(call: &str) -> Value {
    json!({"type": "function.result", "tool_call_id": call, "result": "booked"})
}

fn message_entry(text: &str) -> Value {
    json!({"type": "message.input", "role": "user", "content": text})
}

fn conversation(outputs: &[Value]) -> Value {
    json!({"conversation_id": "conv_1", "outputs": outputs, "usage": {}})
}

fn history(entries: &[Value]) -> Value {
    json!({"object": "conversation.history", "conversation_id": "conv_1", "entries": entries})
}

fn answer(body: &Value) -> Act {
    Act::answer("application/json", &body.to_string())
}

/// A model that has called `book` as `c1`, on a server that then does `acts`.
async fn after_a_call(status: Value, acts: Vec<Act>) -> (Raw, Provider) {
    let first = answer(&conversation(&[call("fc_1", "c1", &status)]));
    let raw = Raw::of([vec![first], acts].concat()).await;
    let mut provider = mistral(plain(endpoint(&raw.url()), StreamMode::Whole));
    ask(&mut provider, &say("Book")).await.0.expect("a call");
    (raw, provider)
}

/// Methods and paths of the requests.
fn lines(raw: &Raw) -> Vec<String> {
    let line = |request: &String| request.split(' ').take(2).collect::<Vec<_>>().join(" ");
    raw.requests().iter().map(line).collect()
}

/// The body of the last request.
fn last_body(raw: &Raw) -> Value {
    let requests = raw.requests();
    let last = requests.last().expect("there were requests");
    let body = last.splitn(3, ' ').nth(2).expect("it has a body");
    serde_json::from_str(body).expect("a body is JSON")
}

fn sent(inputs: &Value, confirmations: &Value) -> Value {
    json!({"inputs": inputs, "stream": false, "store": true, "handoff_execution": "server",
        "tool_confirmations": confirmations})
}

fn result_input(call: &str, result: &str) -> Value {
    json!({"tool_call_id": call, "result": result, "object": "entry", "type": "function.result"})
}

fn message_input(text: &str) -> Value {
    json!({"role": "user", "content": text, "object": "entry", "type": "message.input", "prefix": false})
}

fn booked() -> Append {
    answers([result("c1", "book", "booked")])
}

#[tokio::test]
async fn a_result_that_had_arrived_is_not_sent_again() {
    let there = history(&[
        message_entry("Book"),
        call("fc_1", "c1", &Value::Null),
        result_entry("c1"),
        output("m_1", "Done."),
        call("fc_2", "c2", &Value::Null),
    ]);
    let after = answer(&conversation(&[output("m_2", "Bye.")]));
    let acts = vec![Act::close(""), answer(&there), after];
    let (raw, mut provider) = after_a_call(Value::Null, acts).await;
    assert!(fault(&ask(&mut provider, &booked()).await.0, &raw.url()).1);
    assert_eq!(
        ask(&mut provider, &booked()).await,
        (
            reply([wanted("c2", "book", "{}")]),
            vec![note(FOUND), said(0, "Done.")]
        )
    );
    let next = answers([result("c2", "book", "no")]);
    assert_eq!(ask(&mut provider, &next).await.0, no_calls());
    assert_eq!(lines(&raw), [START, APPEND, HISTORY, APPEND]);
    assert_eq!(
        last_body(&raw),
        sent(&json!([result_input("c2", "no")]), &Value::Null)
    );
}

#[tokio::test]
async fn a_result_that_had_not_arrived_is_sent_again() {
    let before = history(&[message_entry("Book"), call("fc_1", "c1", &Value::Null)]);
    let after = answer(&conversation(&[output("m_1", "Done.")]));
    let acts = vec![
        Act::close(head("application/json", 100) + "{"),
        answer(&before),
        after,
    ];
    let (raw, mut provider) = after_a_call(Value::Null, acts).await;
    assert!(fault(&ask(&mut provider, &booked()).await.0, &raw.url()).1);
    assert_eq!(
        ask(&mut provider, &booked()).await,
        (no_calls(), vec![said(0, "Done.")])
    );
    assert_eq!(lines(&raw), [START, APPEND, HISTORY, APPEND]);
    assert_eq!(
        last_body(&raw),
        sent(&json!([result_input("c1", "booked")]), &Value::Null)
    );
}

#[tokio::test]
async fn an_answer_that_is_not_there_yet_is_waited_for_by_the_operator() {
    let entries = [
        call("fc_1", "c1", &Value::Null),
        result_entry("c1"),
        json!({"type": "message.output", "id": "m_1", "content": "Do", "completed_at": null}),
        output("m_1", "Done."),
    ];
    let acts = vec![
        Act::close(""),
        answer(&history(&entries[..2])),
        answer(&history(&entries[..3])),
        answer(&history(&[&entries[..2], &entries[3..]].concat())),
    ];
    let (raw, mut provider) = after_a_call(Value::Null, acts).await;
    ask(&mut provider, &booked())
        .await
        .0
        .expect_err("it is lost");
    for _ in 0..2 {
        let (reply, streamed) = ask(&mut provider, &booked()).await;
        let line = "The last request had arrived at HOST, and its answer is not there yet. Retry in a moment.";
        assert_eq!(fault(&reply, &raw.url()), (line.to_owned(), true));
        assert_eq!(streamed, []);
    }
    assert_eq!(
        ask(&mut provider, &booked()).await,
        (no_calls(), vec![note(FOUND), said(0, "Done.")])
    );
}

#[tokio::test]
async fn a_confirmation_that_had_arrived_is_not_sent_again() {
    let ran = json!({"type": "tool.execution", "id": "t_1", "name": "book", "arguments": "{}",
        "info": {"result": "ok"}});
    let there = history(&[
        call("fc_1", "c1", &json!("allowed")),
        ran,
        output("m_1", "Done."),
    ]);
    let acts = vec![Act::close(""), answer(&there)];
    let (_raw, mut provider) = after_a_call(json!("pending"), acts).await;
    let confirmed = answers([allow("c1", "book")]);
    ask(&mut provider, &confirmed)
        .await
        .0
        .expect_err("it is lost");
    assert_eq!(
        ask(&mut provider, &confirmed).await,
        (
            no_calls(),
            vec![
                note(FOUND),
                server(0, "book", "{}", Some("ok")),
                said(1, "Done.")
            ]
        )
    );
}

#[tokio::test]
async fn a_confirmation_that_shows_nowhere_is_sent_again() {
    let before = history(&[call("fc_1", "c1", &json!("pending"))]);
    let after = answer(&conversation(&[output("m_1", "No.")]));
    let acts = vec![Act::close(""), answer(&before), after];
    let (raw, mut provider) = after_a_call(json!("pending"), acts).await;
    let denied = answers([deny("c1", "book")]);
    ask(&mut provider, &denied).await.0.expect_err("it is lost");
    assert_eq!(
        ask(&mut provider, &denied).await,
        (no_calls(), vec![said(0, "No.")])
    );
    let deny = json!([{"tool_call_id": "c1", "confirmation": "deny"}]);
    assert_eq!(last_body(&raw), sent(&json!([]), &deny));
}

#[tokio::test]
async fn a_cut_stream_is_looked_up_before_the_operators_retry() {
    let event = |json: &Value| format!("data: {json}\n\n");
    let started =
        event(&json!({"type": "conversation.response.started", "conversation_id": "conv_1"}));
    let done = event(&json!({"type": "conversation.response.done"}));
    let words = |id: &str, text: &str| {
        event(&json!({"type": "message.output.delta", "id": id, "content": text}))
    };
    let hello = format!("{started}{}{done}", words("m_1", "Hello."));
    let cut = format!("{started}{}", words("m_2", "Fi"));
    let there = history(&[
        message_entry("Hello"),
        output("m_1", "Hello."),
        message_entry("Hello"),
        output("m_2", "Fine."),
    ]);
    let raw = Raw::of(vec![
        Act::answer("text/event-stream", &hello),
        Act::close(stream_head() + &cut),
        answer(&there),
    ])
    .await;
    let mut provider = mistral(plain(endpoint(&raw.url()), StreamMode::Streamed));
    ask(&mut provider, &say("Hello"))
        .await
        .0
        .expect("an answer");
    let (lost, streamed) = ask(&mut provider, &say("Hello")).await;
    assert!(fault(&lost, &raw.url()).1);
    assert_eq!(streamed, [said(0, "Fi")]);
    assert_eq!(
        ask(&mut provider, &say("Hello")).await,
        (no_calls(), vec![note(FOUND), said(0, "Fine.")])
    );
}

#[tokio::test]
async fn a_broken_server_is_looked_up_before_it_is_asked_again_and_a_full_one_is_not() {
    let body = |inputs: &Value| sent(inputs, &Value::Null);
    let start =
        json!({"inputs": [message_input("Book")], "stream": false, "tools": [], "model": "small"});
    let path = "/v1/conversations/conv_1";
    let inputs = json!([result_input("c1", "booked")]);
    let append = |status: u16| {
        Exchange::post(path, body(&inputs), status, &json!(null)).header("retry-after", "0")
    };
    let before = history(&[call("fc_1", "c1", &Value::Null)]);
    let there = history(&[
        call("fc_1", "c1", &Value::Null),
        result_entry("c1"),
        output("m_1", "Done."),
    ]);
    let look = |history: &Value| Exchange::get(&format!("{path}/history"), 200, history);
    let exchanges = vec![
        Exchange::post(
            "/v1/conversations",
            start,
            200,
            &conversation(&[call("fc_1", "c1", &Value::Null)]),
        ),
        append(429),
        append(503),
        look(&before),
        append(500),
        look(&there),
    ];
    let replay = Replay::of(exchanges).await;
    let mut provider = mistral(plain(patient(&replay.url()), StreamMode::Whole));
    ask(&mut provider, &say("Book")).await.0.expect("a call");
    let (got, streamed) = ask(&mut provider, &booked()).await;
    assert_eq!(got, no_calls());
    assert_eq!(streamed[3..], [note(FOUND), said(0, "Done.")]);
    replay.finish();
}

#[tokio::test]
async fn without_its_history_a_lost_request_is_not_repeated() {
    let acts = vec![
        Act::close(""),
        Act::answer("application/json", "{}"),
        Act::close(""),
    ];
    let (raw, mut provider) = after_a_call(Value::Null, acts).await;
    ask(&mut provider, &booked())
        .await
        .0
        .expect_err("it is lost");
    for begin in [
        "Whether the last request arrived cannot be seen: the history of HOST is unreadable (missing field `entries`",
        "Whether the last request arrived cannot be seen in the history: HOST broke the connection",
    ] {
        let (line, retry) = fault(&ask(&mut provider, &booked()).await.0, &raw.url());
        assert!(line.starts_with(begin), "{line}");
        assert!(retry);
    }
    assert_eq!(lines(&raw), [START, APPEND, HISTORY, HISTORY]);
}

/// Asks, and drops the request once the server has read its `count`th.
async fn interrupted(provider: &mut Provider, append: &Append, raw: &Raw, count: usize) {
    let (out, _held) = mpsc::channel(64);
    tokio::select! {
        reply = provider.respond(append, &out) => assert_eq!(reply, no_calls(), "it was to hang"),
        () = raw.has_read(count) => {}
    }
}

#[tokio::test]
async fn results_of_an_interrupted_request_go_along_with_the_next_message() {
    let before = history(&[call("fc_1", "c1", &Value::Null)]);
    let after = answer(&conversation(&[output("m_1", "Then not.")]));
    let acts = vec![Act::hang(""), answer(&before), after];
    let (raw, mut provider) = after_a_call(Value::Null, acts).await;
    interrupted(&mut provider, &booked(), &raw, 2).await;
    let (reply, streamed) = ask(&mut provider, &say("Stop that")).await;
    assert_eq!((reply, streamed), (no_calls(), vec![said(0, "Then not.")]));
    assert_eq!(lines(&raw), [START, APPEND, HISTORY, APPEND]);
    let inputs = json!([result_input("c1", "booked"), message_input("Stop that")]);
    assert_eq!(last_body(&raw), sent(&inputs, &Value::Null));
}

#[tokio::test]
async fn an_interrupted_request_that_had_arrived_leaves_no_call_unanswered() {
    let there = history(&[
        call("fc_1", "c1", &Value::Null),
        result_entry("c1"),
        output("m_1", "Next one."),
        call("fc_2", "c2", &Value::Null),
        call("fc_3", "c3", &json!("pending")),
    ]);
    let full = Act::close(
        "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
    );
    let after = answer(&conversation(&[output("m_2", "Stopped.")]));
    let acts = vec![Act::hang(""), answer(&there), full, after];
    let (raw, mut provider) = after_a_call(Value::Null, acts).await;
    interrupted(&mut provider, &booked(), &raw, 2).await;
    // The agent may give the old answer again: it knows nothing of its arrival.
    let stop = Append {
        messages: vec!["Stop".to_owned()],
        ..booked()
    };
    let (full, streamed) = ask(&mut provider, &stop).await;
    assert!(fault(&full, &raw.url()).1);
    assert_eq!(streamed, [note(FOUND), said(0, "Next one.")]);
    assert_eq!(
        ask(&mut provider, &stop).await,
        (no_calls(), vec![said(0, "Stopped.")])
    );
    assert_eq!(lines(&raw), [START, APPEND, HISTORY, APPEND, APPEND]);
    let inputs = json!([
        result_input("c2", "Interrupted by the operator."),
        message_input("Stop"),
    ]);
    let deny = json!([{"tool_call_id": "c3", "confirmation": "deny"}]);
    assert_eq!(last_body(&raw), sent(&inputs, &deny));
}

#[tokio::test]
async fn a_message_alone_answers_the_calls_it_leaves_open() {
    let after = answer(&conversation(&[output("m_1", "All right.")]));
    let (raw, mut provider) = after_a_call(Value::Null, vec![after]).await;
    ask(&mut provider, &say("Never mind"))
        .await
        .0
        .expect("an answer");
    let inputs = json!([
        result_input("c1", "Interrupted by the operator."),
        message_input("Never mind"),
    ]);
    assert_eq!(last_body(&raw), sent(&inputs, &Value::Null));
}

#[tokio::test]
async fn a_message_the_server_refused_is_not_said_again_but_its_results_are() {
    let refused = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let after = answer(&conversation(&[output("m_1", "Good.")]));
    let acts = vec![Act::close(refused), after];
    let (raw, mut provider) = after_a_call(Value::Null, acts).await;
    let too_much = Append {
        messages: vec!["far too long".to_owned()],
        ..booked()
    };
    assert!(!fault(&ask(&mut provider, &too_much).await.0, &raw.url()).1);
    ask(&mut provider, &say("Short"))
        .await
        .0
        .expect("an answer");
    assert_eq!(lines(&raw), [START, APPEND, APPEND]);
    let inputs = json!([result_input("c1", "booked"), message_input("Short")]);
    assert_eq!(last_body(&raw), sent(&inputs, &Value::Null));
}

#[tokio::test]
async fn a_restored_conversation_looks_before_it_speaks() {
    let there = history(&[
        message_entry("Book"),
        call("fc_1", "c1", &Value::Null),
        result_entry("c1"),
        output("m_1", "Done."),
    ]);
    let (raw, provider) = after_a_call(Value::Null, vec![answer(&there)]).await;
    let state = provider.suspension();
    assert_eq!(
        state,
        json!({
            "conversation_id": "conv_1",
            "seen": ["fc_1"],
            "open": [{"id": "c1", "tool": "book", "held_by_provider": false}],
        })
    );
    let setup = plain(endpoint(&raw.url()), StreamMode::Whole);
    let restored = Mistral::restore(setup, &state).expect("a good state");
    let mut provider = Provider::Mistral(restored);
    assert_eq!(
        ask(&mut provider, &booked()).await,
        (no_calls(), vec![note(FOUND), said(0, "Done.")])
    );
    assert_eq!(lines(&raw), [START, HISTORY]);
}

#[tokio::test]
async fn a_state_of_another_program_needs_only_its_conversation() {
    let before = history(&[
        message_entry("Go on"),
        output("m_0", "Old."),
        call("fc_1", "c1", &Value::Null),
    ]);
    let raw = Raw::of(vec![
        answer(&before),
        answer(&conversation(&[output("m_1", "Done.")])),
    ])
    .await;
    let state = json!({"conversation_id": "conv_1", "deferred_calls": [], "outputs": []});
    let setup = plain(endpoint(&raw.url()), StreamMode::Whole);
    let restored = Mistral::restore(setup.clone(), &state).expect("a good state");
    let mut provider = Provider::Mistral(restored);
    assert_eq!(
        ask(&mut provider, &booked()).await,
        (no_calls(), vec![said(0, "Done.")])
    );
    for bad in [json!([]), json!({"conversation_id": "../keys"})] {
        let refused = Mistral::restore(setup.clone(), &bad).expect_err("a bad state");
        assert!(!refused.retry);
    }
}

#[tokio::test]
async fn a_restored_conversation_is_not_taken_in_by_an_old_message() {
    let old = history(&[message_entry("Go on"), output("m_0", "Old.")]);
    let raw = Raw::of(vec![
        answer(&old),
        answer(&conversation(&[output("m_1", "New.")])),
    ])
    .await;
    let setup = plain(endpoint(&raw.url()), StreamMode::Whole);
    let state = json!({"conversation_id": "conv_1"});
    let restored = Mistral::restore(setup, &state).expect("a good state");
    let mut provider = Provider::Mistral(restored);
    assert_eq!(
        ask(&mut provider, &say("Go on")).await,
        (no_calls(), vec![said(0, "New.")])
    );
}
