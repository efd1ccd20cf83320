//! Whatever a server answers instead of an answer: one clear line, and whether to try again.

use crate::support::model::{
    ask, endpoint, fault as told, mistral, no_calls, note, patient, plain, recorded_setup, said,
    say,
};
use crate::support::raw::{Act, Raw, head};
use crate::support::replay::{Exchange, Replay, recorded};
use countersign::provider::endpoint::{Endpoint, Secret};
use countersign::provider::setup::StreamMode;
use countersign::provider::{Provider, Streamed};
use serde_json::json;
use std::time::Duration;

const BOOK: &str = "Book me a flight to Rodez next Friday.";

#[tokio::test]
async fn recorded_refusals_become_one_line() {
    let cases = [
        (
            "err_400",
            "HOST answered 400 Bad Request: Not the same number of function calls and responses. Change what is sent, or begin a new session.",
            false,
        ),
        (
            "err_401",
            "HOST answered 401 Unauthorized. Check the API key in the variable that api_key_env names.",
            false,
        ),
        (
            "err_422",
            "HOST answered 422 Unprocessable Entity: body.inputs: Field required. Check the agent's tools, server_tools and model.",
            false,
        ),
        (
            "err_429",
            "HOST answered 429 Too Many Requests: Rate limit exceeded. Wait a little, then retry.",
            true,
        ),
        (
            "err_500",
            "HOST answered 500 Internal Server Error: Service unavailable. The fault is on the server's side: retry in a while.",
            true,
        ),
        (
            "err_503",
            "HOST answered 503 Service Unavailable: Service tier capacity exceeded for this model. The fault is on the server's side: retry in a while.",
            true,
        ),
    ];
    for (case, line, retry) in cases {
        let exchanges = recorded(case);
        let start = exchanges[0].body.clone();
        let replay = Replay::of(exchanges).await;
        let mut provider = mistral(recorded_setup(&start, endpoint(&replay.url())));
        let (got, streamed) = ask(&mut provider, &say(BOOK)).await;
        assert_eq!(told(&got, &replay.url()), (line.to_owned(), retry));
        assert_eq!(streamed, []);
        replay.finish();
    }
}

#[tokio::test]
async fn a_rate_limit_is_waited_out_and_said() {
    let exchanges: Vec<_> = recorded("err_429_then_ok_retry")
        .into_iter()
        .map(|exchange| exchange.header("retry-after", "0"))
        .collect();
    let start = exchanges[0].body.clone();
    let replay = Replay::of(exchanges).await;
    let url = replay.url();
    let mut provider = mistral(recorded_setup(&start, patient(&url)));
    let host = url.trim_start_matches("http://");
    let again = |count| {
        note(&format!(
            "{host} answered 429 Too Many Requests: Rate limit exceeded. Wait a little, then retry. \
             Asking again in 0.0 s ({count} of 3)."
        ))
    };
    assert_eq!(
        ask(&mut provider, &say(BOOK)).await,
        (no_calls(), vec![again(1), again(2), said(0, "ok")])
    );
    replay.finish();
}

/// A server that answers the first message with `exchange`, and the model that asks it.
async fn first(exchange: Exchange) -> (Replay, Provider) {
    let replay = Replay::of(vec![exchange]).await;
    let setup = plain(patient(&replay.url()), StreamMode::Whole);
    (replay, mistral(setup))
}

fn hello() -> Exchange {
    let body = json!({
        "inputs": [{"role": "user", "content": "Hello", "object": "entry", "type": "message.input", "prefix": false}],
        "stream": false,
        "tools": [],
        "model": "small",
    });
    Exchange::post("/v1/conversations", body, 200, &json!(null))
}

/// The line that an answer to the first message leads to.
async fn line_of(exchange: Exchange) -> (String, bool, Vec<Streamed>) {
    let (replay, mut provider) = first(exchange).await;
    let (got, streamed) = ask(&mut provider, &say("Hello")).await;
    replay.finish();
    let (line, retry) = told(&got, &replay.url());
    (line, retry, streamed)
}

#[tokio::test]
async fn an_answer_that_is_none_is_one_line() {
    let page = "<html><head><title>Sign in</title></head></html>";
    let cases = [
        (
            hello().answering("text/html; charset=utf-8", page),
            "HOST answered with a web page (\"Sign in\") instead of a model's answer. Nothing of it was run. Check base_url, then retry.",
        ),
        (
            hello().answering("application/json", page),
            "HOST answered with a web page (\"Sign in\") instead of a model's answer. Nothing of it was run. Check base_url, then retry.",
        ),
        (
            hello().answering("application/json", ""),
            "HOST answered with nothing at all. Nothing of it was run. Check base_url, then retry.",
        ),
        (
            hello().answering("text/plain", "hello"),
            "HOST answered something unreadable (its content type is text/plain): hello. Nothing of it was run. Check base_url, then retry.",
        ),
        (
            hello().answering("application/json", r#"{"object":"error","message":"no"}"#),
            "HOST answered something unreadable (missing field `conversation_id` at line 1 column 33): no. Nothing of it was run. Check base_url, then retry.",
        ),
        (
            hello().answering(
                "application/json",
                r#"{"conversation_id":"../x","outputs":[]}"#,
            ),
            "HOST answered something unreadable (its conversation_id is not an id): ../x. Nothing of it was run. Check base_url, then retry.",
        ),
        (
            hello().answering("application/json", vec_of_no_text()),
            "HOST answered something unreadable (expected value at line 1 column 1): �. Nothing of it was run. Check base_url, then retry.",
        ),
    ];
    for (exchange, line) in cases {
        assert_eq!(line_of(exchange).await, (line.to_owned(), true, vec![]));
    }
}

fn vec_of_no_text() -> String {
    "\u{fffd}".to_owned()
}

#[tokio::test]
async fn a_server_that_wants_a_long_pause_is_not_asked_again_unasked() {
    let exchange = hello().status(429).header("retry-after", "3600");
    let line = "HOST answered 429 Too Many Requests: null. Wait a little, then retry. The server asks to wait 3600 s.";
    assert_eq!(line_of(exchange).await, (line.to_owned(), true, vec![]));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let exchange = hello()
        .status(301)
        .header("location", "https://elsewhere.example/v1");
    let line = "HOST answered 301 Moved Permanently: https://elsewhere.example/v1. The service is somewhere else: set base_url to its final address.";
    assert_eq!(line_of(exchange).await, (line.to_owned(), false, vec![]));
}

#[tokio::test]
async fn a_server_that_stays_broken_is_asked_four_times() {
    let broken = || hello().status(503).header("retry-after-ms", "1");
    let replay = Replay::of(vec![broken(), broken(), broken(), broken()]).await;
    let mut provider = mistral(plain(patient(&replay.url()), StreamMode::Whole));
    let (got, streamed) = ask(&mut provider, &say("Hello")).await;
    assert!(told(&got, &replay.url()).1);
    assert_eq!(streamed.len(), 3);
    replay.finish();
}

#[tokio::test]
async fn a_server_that_does_not_run_is_named() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let address = listener.expect("a free port").local_addr().expect("bound");
    let url = format!("http://{address}");
    let mut provider = mistral(plain(patient(&url), StreamMode::Whole));
    let (reply, streamed) = ask(&mut provider, &say("Hello")).await;
    let (line, retry) = told(&reply, &url);
    assert!(
        line.starts_with("Cannot connect to HOST (Connection refused"),
        "{line}"
    );
    assert!(retry);
    assert_eq!(streamed.len(), 3, "it was tried again three times");
}

#[tokio::test]
async fn a_wrong_address_or_key_is_said_before_anything_is_sent() {
    let wrong = [
        (
            Endpoint::new("api.example.org", None),
            "base_url \"api.example.org\" is not an address (relative URL without a base). Correct it.",
        ),
        (
            Endpoint::new("ftp://example.org", None),
            "base_url \"ftp://example.org\" is not an address (it begins with neither http:// nor https://). Correct it.",
        ),
        (
            Endpoint::new("http://127.0.0.1:9", Some(Secret::new("sk\u{7}"))),
            "The API key holds characters that no key has. Check the variable that api_key_env names.",
        ),
    ];
    for (endpoint, line) in wrong {
        let mut provider = mistral(plain(endpoint, StreamMode::Whole));
        let (reply, _) = ask(&mut provider, &say("Hello")).await;
        assert_eq!(told(&reply, "nowhere"), (line.to_owned(), false));
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_given_up() {
    let begun = head("application/json", 100) + "{";
    for act in [Act::hang(""), Act::hang(begun)] {
        let raw = Raw::of(vec![act]).await;
        let mut endpoint = endpoint(&raw.url());
        endpoint.idle = Duration::from_millis(100);
        let mut provider = mistral(plain(endpoint, StreamMode::Whole));
        let (reply, _) = ask(&mut provider, &say("Hello")).await;
        let line = "HOST sent nothing for 0.1 s; the request was given up and nothing of it was run. Retry.";
        assert_eq!(told(&reply, &raw.url()), (line.to_owned(), true));
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_counts_for_nothing() {
    let cut = head("application/json", 1000) + r#"{"conversation_id":"conv_1","outputs":[]}"#;
    let cases = [
        (cut, "The answer of HOST was cut ("),
        (
            String::new(),
            "HOST broke the connection before it answered (",
        ),
    ];
    for (bytes, begin) in cases {
        let raw = Raw::of(vec![Act::close(bytes)]).await;
        let mut provider = mistral(plain(endpoint(&raw.url()), StreamMode::Whole));
        let (reply, streamed) = ask(&mut provider, &say("Hello")).await;
        let (line, retry) = told(&reply, &raw.url());
        assert!(line.starts_with(begin), "{line}");
        assert!(line.ends_with("Retry."), "{line}");
        assert_eq!((retry, streamed), (true, vec![]));
    }
}
