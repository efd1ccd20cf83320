//! What goes along with the next request after an interrupt, and how a stored conversation goes on.

use crate::support::conversation::{
    APPEND, FOUND, HISTORY, START, after_a_call, answer, booked, call, conversation, history,
    last_body, lines, message_entry, message_input, output, result_entry, result_input, sent,
};
use crate::support::model::{ask, endpoint, fault, no_calls, note, plain, said, say};
use crate::support::raw::{Act, Raw};
use countersign::provider::mistral::Mistral;
use countersign::provider::setup::StreamMode;
use countersign::provider::{Append, Provider};
use serde_json::{Value, json};
use tokio::sync::mpsc;

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
