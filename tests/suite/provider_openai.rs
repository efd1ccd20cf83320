//! Chat completions: the conversation is kept here and sent whole.

use crate::support::chat::{PATH, asked, assistant, body, calls, completion, tool, user, whole};
use crate::support::model::{
    answers, ask, endpoint, no_calls, openai, patient, plain, reply, result, said, say, wanted,
};
use crate::support::raw::{Act, Raw, head};
use crate::support::replay::{Exchange, Replay};
use countersign::provider::endpoint::Endpoint;
use countersign::provider::openai::OpenAi;
use countersign::provider::setup::{Setup, StreamMode};
use countersign::provider::{Append, Provider, ToolSpec};
use serde_json::{Value, json};
use tokio::sync::mpsc;

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

#[tokio::test]
async fn what_a_user_says_in_a_row_is_sent_as_one_message() {
    let body =
        |messages: &[Value]| json!({"model": "small", "messages": messages, "stream": false});
    let first = vec![user("Book\n\nSoon")];
    let second = [first.clone(), vec![assistant("Done."), user("Thanks")]].concat();
    let replay = Replay::of(vec![
        Exchange::post(PATH, body(&first), 200, &completion(&assistant("Done."))),
        Exchange::post(PATH, body(&second), 200, &completion(&assistant("Bye."))),
    ])
    .await;
    let mut provider = openai(plain(
        endpoint(&format!("{}/v1/", replay.url())),
        StreamMode::Whole,
    ));
    let two = Append {
        messages: vec!["Book".to_owned(), "Soon".to_owned()],
        ..Append::default()
    };
    assert_eq!(ask(&mut provider, &two).await.0, no_calls());
    assert_eq!(ask(&mut provider, &say("Thanks")).await.0, no_calls());
    replay.finish();
}
