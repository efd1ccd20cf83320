//! Answers that were lost on the way: whether the request arrived is looked up before it is repeated.

use crate::support::conversation::{
    APPEND, FOUND, HISTORY, START, after_a_call, answer, booked, call, conversation, history,
    last_body, lines, message_entry, message_input, output, result_entry, result_input, sent,
};
use crate::support::model::{
    allow, answers, ask, deny, endpoint, fault, mistral, no_calls, note, patient, plain, reply,
    result, said, say, server, wanted,
};
use crate::support::raw::{Act, Raw, head, stream_head};
use crate::support::replay::{Exchange, Replay};
use countersign::provider::setup::StreamMode;
use serde_json::{Value, json};

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
