//! Chat completions, as the many servers that offer them really send them.

use crate::support::model::{
    answers, ask, endpoint, fault, no_calls, note, openai, patient, plain, reply, result, said,
    say, thought, wanted,
};
use crate::support::raw::{Act, Raw, head, stream_head};
use crate::support::replay::{Exchange, Replay};
use countersign::provider::endpoint::Endpoint;
use countersign::provider::openai::OpenAi;
use countersign::provider::setup::{Setup, StreamMode};
use countersign::provider::{Append, Fault, Provider, Reply, Streamed, ToolSpec};
use serde_json::{Value, json};
use tokio::sync::mpsc;

const PATH: &str = "/v1/chat/completions";

fn data(json: &Value) -> String {
    format!("data: {json}\n\n")
}

/// A chunk with this delta.
fn delta(delta: &Value) -> String {
    data(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

fn finish(reason: &str) -> String {
    data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

const DONE: &str = "data: [DONE]\n\n";

/// A piece of one call.
fn piece(call: &Value) -> String {
    delta(&json!({"tool_calls": [call]}))
}

/// What a streamed completion comes to, and the server's address.
async fn streamed(body: &str) -> (Result<Reply, Fault>, Vec<Streamed>, String) {
    let raw = Raw::of(vec![Act::close(stream_head() + body)]).await;
    let mut provider = openai(plain(endpoint(&raw.url()), StreamMode::Streamed));
    let (reply, streamed) = ask(&mut provider, &say("Hello")).await;
    (reply, streamed, raw.url())
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn tool(call: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": call, "content": content})
}

fn calls(calls: &[(&str, &str)]) -> Value {
    let calls: Vec<_> = calls
        .iter()
        .map(|(id, arguments)| {
            json!({"id": id, "type": "function", "function": {"name": "book", "arguments": arguments}})
        })
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

/// A whole completion with this message.
fn completion(message: &Value) -> Value {
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
}

fn asked(messages: &[Value]) -> Value {
    json!({"model": "small", "messages": messages, "stream": false})
}

/// The body of request number `place`.
fn body(raw: &Raw, place: usize) -> Value {
    let request = raw.requests()[place].clone();
    let body = request.splitn(3, ' ').nth(2).expect("it has a body");
    serde_json::from_str(body).expect("a body is JSON")
}

fn whole(message: &Value) -> Act {
    Act::answer("application/json", &completion(message).to_string())
}

#[tokio::test]
async fn a_conversation_is_sent_whole_each_time() {
    let tools = json!([
        {"type": "web_search"},
        {"type": "function", "function": {"name": "book", "description": "Books.", "parameters": {"type": "object"}}},
    ]);
    let body = |messages: &[Value]| {
        let system = json!({"role": "system", "content": "Be brief."});
        let all = [&[system], messages].concat();
        json!({"model": "small", "messages": all, "tools": tools, "stream": false})
    };
    let call = calls(&[("c1", "{\"n\": 1}"), ("c2", "{}")]);
    let first = vec![user("Book")];
    let second = [
        first.clone(),
        vec![call.clone(), tool("c1", "one"), tool("c2", "two")],
    ]
    .concat();
    let third = [second.clone(), vec![assistant("Done."), user("Thanks")]].concat();
    let replay = Replay::of(vec![
        Exchange::post(PATH, body(&first), 200, &completion(&call)),
        Exchange::post(PATH, body(&second), 200, &completion(&assistant("Done."))),
        Exchange::post(PATH, body(&third), 200, &completion(&assistant("Bye."))),
    ])
    .await;
    let mut provider = openai(Setup {
        instructions: Some("Be brief.".to_owned()),
        tools: vec![ToolSpec {
            name: "book".to_owned(),
            description: "Books.".to_owned(),
            parameters: json!({"type": "object"}),
        }],
        server_tools: vec![json!({"type": "web_search"})],
        ..plain(
            endpoint(&format!("{}/v1/", replay.url())),
            StreamMode::Whole,
        )
    });
    let both = answers([result("c1", "book", "one"), result("c2", "book", "two")]);
    let wants = reply([
        wanted("c1", "book", "{\"n\": 1}"),
        wanted("c2", "book", "{}"),
    ]);
    assert_eq!(ask(&mut provider, &say("Book")).await, (wants, vec![]));
    assert_eq!(
        ask(&mut provider, &both).await,
        (no_calls(), vec![said(0, "Done.")])
    );
    assert_eq!(
        ask(&mut provider, &say("Thanks")).await,
        (no_calls(), vec![said(0, "Bye.")])
    );
    replay.finish();
}

#[tokio::test]
async fn parallel_calls_are_put_together_by_their_index() {
    let body = [
        delta(&json!({"role": "assistant", "content": "", "reasoning_content": "Hm"})),
        delta(&json!({"content": "Two "})),
        delta(&json!({"content": "calls."})),
        piece(
            &json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "book", "arguments": ""}}),
        ),
        piece(&json!({"index": 1, "id": "c2", "function": {"name": "mail", "arguments": "{\"to"}})),
        piece(&json!({"index": 0, "function": {"arguments": "{\"n\":"}})),
        piece(&json!({"index": 1, "function": {"arguments": "\":\"a\"}"}})),
        piece(&json!({"index": 0, "function": {"arguments": " 1}"}})),
        finish("tool_calls"),
        data(&json!({"choices": [], "usage": {"total_tokens": 5}})),
        DONE.to_owned(),
    ];
    let (reply_, shown, _) = streamed(&body.concat()).await;
    let wants = [
        wanted("c1", "book", "{\"n\": 1}"),
        wanted("c2", "mail", "{\"to\":\"a\"}"),
    ];
    assert_eq!(
        (reply_, shown),
        (reply(wants), vec![thought(0, "Hm"), said(1, "Two calls.")])
    );
}

#[tokio::test]
async fn calls_without_an_index_or_with_always_the_same_stay_apart() {
    let call = |index: Value, id: Value, n: u32| {
        let mut call = json!({"function": {"name": "book", "arguments": format!("{{\"n\":{n}}}")}});
        for (name, value) in [("index", index), ("id", id)] {
            if !value.is_null() {
                call[name] = value;
            }
        }
        call
    };
    let cases = [
        [
            call(Value::Null, json!("c1"), 1),
            call(Value::Null, json!("c2"), 2),
        ],
        [
            call(json!(0), json!("c1"), 1),
            call(json!(0), json!("c2"), 2),
        ],
    ];
    let wants = [
        wanted("c1", "book", "{\"n\":1}"),
        wanted("c2", "book", "{\"n\":2}"),
    ];
    for [first, second] in cases {
        let together = delta(&json!({"tool_calls": [first, second]}));
        let apart = piece(&first) + &piece(&second);
        for body in [together, apart] {
            let (reply_, _, _) = streamed(&(body + &finish("tool_calls"))).await;
            assert_eq!(reply_, reply(wants.clone()));
        }
    }
}

#[tokio::test]
async fn calls_without_an_id_are_given_one() {
    let call = |index: Option<u32>, n: u32| {
        let function = json!({"name": "book", "arguments": {"n": n}});
        index.map_or_else(
            || json!({"function": function}),
            |index| json!({"index": index, "id": "", "function": function}),
        )
    };
    for (first, second) in [(None, None), (Some(0), Some(0)), (Some(0), Some(1))] {
        let body = piece(&call(first, 1)) + &piece(&call(second, 2)) + DONE;
        let (reply_, _, _) = streamed(&body).await;
        let got = reply_.expect("an answer").calls;
        let texts: Vec<_> = got.iter().map(|call| call.arguments.as_str()).collect();
        assert_eq!(texts, ["{\"n\":1}", "{\"n\":2}"]);
        assert_ne!(got[0].id, got[1].id);
        for call in &got {
            let id = &call.id.0;
            assert!(
                id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()),
                "{id}"
            );
        }
    }
}

#[tokio::test]
async fn an_id_used_twice_is_handed_on_as_it_is() {
    let message = calls(&[("c1", "{\"n\":1}"), ("c1", "{\"n\":2}")]);
    let raw = Raw::of(vec![whole(&message), whole(&assistant("Ok."))]).await;
    let mut provider = openai(plain(endpoint(&raw.url()), StreamMode::Whole));
    let wants = [
        wanted("c1", "book", "{\"n\":1}"),
        wanted("c1", "book", "{\"n\":2}"),
    ];
    assert_eq!(ask(&mut provider, &say("Book")).await.0, reply(wants));
    let same = result("c1", "book", "The id c1 was used twice.");
    ask(&mut provider, &answers([same.clone(), same]))
        .await
        .0
        .expect("an answer");
    let twice = tool("c1", "The id c1 was used twice.");
    assert_eq!(
        body(&raw, 1),
        asked(&[user("Book"), message, twice.clone(), twice])
    );
}

#[tokio::test]
async fn arguments_that_are_not_json_do_not_poison_the_history() {
    let message = calls(&[("c1", "{\"n\":"), ("c2", "")]);
    let raw = Raw::of(vec![whole(&message), whole(&assistant("Sorry."))]).await;
    let mut provider = openai(plain(endpoint(&raw.url()), StreamMode::Whole));
    let wants = [wanted("c1", "book", "{\"n\":"), wanted("c2", "book", "{}")];
    assert_eq!(ask(&mut provider, &say("Book")).await.0, reply(wants));
    let both = answers([result("c1", "book", "no JSON"), result("c2", "book", "ok")]);
    ask(&mut provider, &both).await.0.expect("an answer");
    let repeated = calls(&[
        ("c1", "{\"invalid_arguments\":\"{\\\"n\\\":\"}"),
        ("c2", "{}"),
    ]);
    assert_eq!(
        body(&raw, 1),
        asked(&[
            user("Book"),
            repeated,
            tool("c1", "no JSON"),
            tool("c2", "ok")
        ])
    );
}

#[tokio::test]
async fn thinking_is_shown_whatever_it_is_called() {
    for name in ["reasoning_content", "reasoning", "thinking"] {
        let mut thinking = json!({"content": null});
        thinking[name] = json!("Hm");
        let body = delta(&thinking) + &delta(&json!({"content": "Yes"})) + &finish("stop");
        let (reply_, shown, _) = streamed(&body).await;
        assert_eq!(
            (reply_, shown),
            (no_calls(), vec![thought(0, "Hm"), said(1, "Yes")])
        );
    }
}

#[tokio::test]
async fn a_stream_without_an_end_runs_nothing() {
    let call =
        piece(&json!({"index": 0, "id": "c1", "function": {"name": "rm", "arguments": "{}"}}));
    let (reply_, _, url) = streamed(&call).await;
    let line = "The answer of HOST was cut (it ended without a finish_reason and without [DONE]). Nothing of it was run. Retry.";
    assert_eq!(fault(&reply_, &url), (line.to_owned(), true));
}

#[tokio::test]
async fn either_end_will_do() {
    for end in [finish("stop"), DONE.to_owned()] {
        let body = delta(&json!({"content": "Yes"})) + &end;
        let (reply_, shown, _) = streamed(&body).await;
        assert_eq!((reply_, shown), (no_calls(), vec![said(0, "Yes")]));
    }
}

#[tokio::test]
async fn an_answer_cut_short_by_the_server_says_so() {
    let body = delta(&json!({"content": "Ye"})) + &finish("length");
    let (reply_, shown, _) = streamed(&body).await;
    let stops = note("The answer stops at the server's length limit.");
    assert_eq!((reply_, shown), (no_calls(), vec![said(0, "Ye"), stops]));
}

#[tokio::test]
async fn an_error_inside_the_stream_is_one_line() {
    let cases = [
        (
            json!({"error": {"message": "overloaded", "type": "server_error", "code": 503}}),
            "HOST broke its answer off with error 503: overloaded. Nothing of it was run. Retry.",
            true,
        ),
        (
            json!({"error": {"message": "no such tool", "code": "400"}}),
            "HOST broke its answer off with error 400: no such tool. Nothing of it was run. Change what is sent, or begin a new session.",
            false,
        ),
        (
            json!({"error": "out of memory"}),
            "HOST broke its answer off with error: out of memory. Nothing of it was run. Retry.",
            true,
        ),
    ];
    for (error, line, retry) in cases {
        let body = delta(&json!({"content": "We"})) + &data(&error) + DONE;
        let (reply_, shown, url) = streamed(&body).await;
        assert_eq!(fault(&reply_, &url), (line.to_owned(), retry));
        assert_eq!(shown, [said(0, "We")]);
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_one_line() {
    let cases = [
        (
            Act::answer("text/html", "<html><title>nginx</title></html>"),
            "HOST answered with a web page (\"nginx\") instead of a model's answer. Nothing of it was run. Check base_url, then retry.",
        ),
        (
            Act::answer("application/json", "{}"),
            "HOST answered something unreadable (it has no message): {}. Nothing of it was run. Check base_url, then retry.",
        ),
        (
            Act::answer("text/event-stream", "data: <html>\n\n"),
            "The answer of HOST was cut (a chunk cannot be read: expected value at line 1 column 1). Nothing of it was run. Retry.",
        ),
    ];
    for (act, line) in cases {
        let raw = Raw::of(vec![act]).await;
        let mut provider = openai(plain(endpoint(&raw.url()), StreamMode::Streamed));
        let (reply_, _) = ask(&mut provider, &say("Hello")).await;
        assert_eq!(fault(&reply_, &raw.url()), (line.to_owned(), true));
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood_all_the_same() {
    let raw = Raw::of(vec![whole(&assistant("Hello."))]).await;
    let mut provider = openai(plain(endpoint(&raw.url()), StreamMode::Streamed));
    let hello = (no_calls(), vec![said(0, "Hello.")]);
    assert_eq!(ask(&mut provider, &say("Hello")).await, hello);
}

#[tokio::test]
async fn a_local_server_needs_no_key_and_is_given_time() {
    let unauthorised = |status| {
        Exchange::post(
            PATH,
            asked(&[user("Hello")]),
            status,
            &completion(&assistant("Hi.")),
        )
        .header("retry-after-ms", "1")
    };
    let replay = Replay::of(vec![
        unauthorised(503),
        unauthorised(429),
        unauthorised(200),
    ])
    .await;
    let local = Endpoint {
        api_key: None,
        ..patient(&format!("{}/v1", replay.url()))
    };
    let mut provider = openai(plain(local, StreamMode::Whole));
    let (reply_, shown) = ask(&mut provider, &say("Hello")).await;
    assert_eq!(
        (reply_, &shown[2..]),
        (no_calls(), [said(0, "Hi.")].as_slice())
    );
    replay.finish();
}

#[tokio::test]
async fn a_failed_request_leaves_the_history_as_it_was() {
    let raw = Raw::of(vec![
        whole(&calls(&[("c1", "{}"), ("c2", "{}")])),
        Act::close(head("application/json", 99)),
        whole(&assistant("Done.")),
    ])
    .await;
    let mut provider = openai(plain(endpoint(&raw.url()), StreamMode::Whole));
    ask(&mut provider, &say("Book")).await.0.expect("calls");
    let both = answers([result("c1", "book", "one"), result("c2", "book", "two")]);
    ask(&mut provider, &both).await.0.expect_err("it is cut");
    assert_eq!(ask(&mut provider, &both).await.0, no_calls());
    assert_eq!(body(&raw, 1), body(&raw, 2));
}

#[tokio::test]
async fn an_interrupted_request_leaves_no_call_unanswered() {
    let message = calls(&[("c1", "{}"), ("c2", "{}")]);
    let raw = Raw::of(vec![
        whole(&message),
        Act::hang(""),
        whole(&assistant("Ok.")),
    ])
    .await;
    let mut provider = openai(plain(endpoint(&raw.url()), StreamMode::Whole));
    ask(&mut provider, &say("Book")).await.0.expect("calls");
    let one = answers([result("c1", "book", "one")]);
    let (out, _held) = mpsc::channel(64);
    tokio::select! {
        reply = provider.respond(&one, &out) => assert_eq!(reply, no_calls(), "it was to hang"),
        () = raw.has_read(2) => {}
    }
    ask(&mut provider, &say("Stop")).await.0.expect("an answer");
    assert_eq!(
        body(&raw, 2),
        asked(&[
            user("Book"),
            message,
            tool("c1", "one"),
            tool("c2", "Interrupted by the operator."),
            user("Stop"),
        ])
    );
}

#[tokio::test]
async fn a_conversation_goes_on_from_its_suspension() {
    let message = calls(&[("c1", "{}")]);
    let raw = Raw::of(vec![whole(&message), whole(&assistant("Ok."))]).await;
    let setup = plain(endpoint(&raw.url()), StreamMode::Whole);
    let mut provider = openai(setup.clone());
    ask(&mut provider, &say("Book")).await.0.expect("a call");
    let state = provider.suspension();
    assert_eq!(
        state,
        json!({
            "messages": [user("Book"), message],
            "open": [{"id": "c1", "tool": "book", "held_by_provider": false}],
        })
    );
    let restored = OpenAi::restore(setup.clone(), &state).expect("a good state");
    let mut provider = Provider::OpenAi(restored);
    let stop = Append {
        messages: vec!["Stop".to_owned()],
        ..Append::default()
    };
    ask(&mut provider, &stop).await.0.expect("an answer");
    let open = tool("c1", "Interrupted by the operator.");
    assert_eq!(
        body(&raw, 1),
        asked(&[user("Book"), message, open, user("Stop")])
    );
    let refused = OpenAi::restore(setup, &json!({"open": 1})).expect_err("a bad state");
    assert!(!refused.retry);
}

#[tokio::test]
async fn a_request_can_be_a_task_of_its_own() {
    let raw = Raw::of(vec![whole(&assistant("Hello."))]).await;
    let mut provider = openai(plain(endpoint(&raw.url()), StreamMode::Whole));
    let (out, mut shown) = mpsc::channel(4);
    let task = tokio::spawn(async move { provider.respond(&say("Hello"), &out).await });
    assert_eq!(task.await.expect("it ends"), no_calls());
    assert_eq!(shown.recv().await, Some(said(0, "Hello.")));
}
