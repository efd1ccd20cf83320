//! Streamed completions, as the many servers that offer them really send them.

use crate::support::chat::{DONE, data, delta, finish, piece, streamed};
use crate::support::model::{
    ask, endpoint, fault, no_calls, note, openai, plain, reply, said, say, thought, wanted,
};
use crate::support::raw::{Act, Raw};
use countersign::provider::setup::StreamMode;
use serde_json::{Value, json};

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
