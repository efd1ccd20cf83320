//! The words for what goes wrong, and the pace of trying again.

use countersign::provider::endpoint::{Endpoint, Secret};
use countersign::provider::fault;
use countersign::provider::retry::{Pace, asked, backoff};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::time::Duration;

type Headers = &'static [(&'static str, &'static str)];

#[test]
fn every_known_envelope_becomes_one_line() {
    let cases = [
        (
            401,
            r#"{"detail":"Unauthorized"}"#,
            "HOST answered 401 Unauthorized. Check the API key in the variable that api_key_env names.",
        ),
        (
            401,
            r#"{"message":"Unauthorized","request_id":"1"}"#,
            "HOST answered 401 Unauthorized. Check the API key in the variable that api_key_env names.",
        ),
        (
            400,
            r#"{"object":"Error","message":"Not the same number of function calls and responses","code":3230}"#,
            "HOST answered 400 Bad Request: Not the same number of function calls and responses. Change what is sent, or begin a new session.",
        ),
        (
            403,
            r#"{"object":"Error","message":"Blocked","type":"invalid_request_error","code":3201,"guardrails":[{}]}"#,
            "HOST answered 403 Forbidden: Blocked. Check that this key may use this model, and that no guardrail objects.",
        ),
        (
            404,
            r#"{"detail":"Not Found"}"#,
            "HOST answered 404 Not Found. Check base_url and the model's name; a conversation may also have been deleted.",
        ),
        (
            422,
            r#"{"detail":[{"type":"missing","loc":["body","inputs",0],"msg":"Field required"},{"msg":"b"},{"msg":"c"},{"msg":"d"}]}"#,
            "HOST answered 422 Unprocessable Entity: body.inputs.0: Field required; b; c; and 1 more. Check the agent's tools, server_tools and model.",
        ),
        (
            422,
            r#"{"object":"error","message":{"detail":[{"loc":["body"],"msg":"Extra inputs are not permitted"}]},"code":null}"#,
            "HOST answered 422 Unprocessable Entity: body: Extra inputs are not permitted. Check the agent's tools, server_tools and model.",
        ),
        (
            429,
            r#"{"message":"Requests rate limit exceeded"}"#,
            "HOST answered 429 Too Many Requests: Requests rate limit exceeded. Wait a little, then retry.",
        ),
        (
            500,
            r#"{"object":"error","message":"Service unavailable.","code":"1000"}"#,
            "HOST answered 500 Internal Server Error: Service unavailable. The fault is on the server's side: retry in a while.",
        ),
        (
            404,
            r#"{"error":"model 'x' not found"}"#,
            "HOST answered 404 Not Found: model 'x' not found. Check base_url and the model's name; a conversation may also have been deleted.",
        ),
        (
            401,
            r#"{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            "HOST answered 401 Unauthorized: Incorrect API key provided. Check the API key in the variable that api_key_env names.",
        ),
        (
            502,
            "<!DOCTYPE html><html><head><title>\n bad\u{1b}[31m gateway </title></head></html>",
            "HOST answered 502 Bad Gateway: a web page (\"bad [31m gateway\"). The fault is on the server's side: retry in a while.",
        ),
        (
            503,
            "upstream\nconnect\terror",
            "HOST answered 503 Service Unavailable: upstream connect error. The fault is on the server's side: retry in a while.",
        ),
        (
            504,
            "",
            "HOST answered 504 Gateway Timeout. The fault is on the server's side: retry in a while.",
        ),
        (
            418,
            "null",
            "HOST answered 418 I'm a teapot: null. Change what is sent, or begin a new session.",
        ),
        (
            799,
            "[1]",
            "HOST answered 799: [1]. Change what is sent, or begin a new session.",
        ),
    ];
    for (status, body, line) in cases {
        let fault = fault::refused("HOST", status, body);
        assert_eq!(fault.what, line);
        let passes = matches!(status, 429 | 500 | 502 | 503 | 504);
        assert_eq!(fault.retry, passes, "{line}");
    }
}

#[test]
fn a_long_body_is_quoted_in_part() {
    let long = "é".repeat(5000);
    assert_eq!(fault::excerpt(&long), format!("{}…", "é".repeat(300)));
    assert_eq!(fault::excerpt(&"a ".repeat(5000)).chars().count(), 301);
}

#[test]
fn a_failure_inside_a_stream_says_whether_it_passes() {
    let cases = [
        (Some(503), "overloaded", true),
        (Some(422), "bad\nschema", false),
        (Some(3230), "order", false),
        (None, "gone", true),
    ];
    let lines: Vec<_> = cases
        .iter()
        .map(|(code, message, retry)| {
            let fault = fault::reported("HOST", *code, message);
            assert_eq!(fault.retry, *retry);
            fault.what
        })
        .collect();
    assert_eq!(
        lines,
        [
            "HOST broke its answer off with error 503: overloaded. Nothing of it was run. Retry.",
            "HOST broke its answer off with error 422: bad schema. Nothing of it was run. Change what is sent, or begin a new session.",
            "HOST broke its answer off with error 3230: order. Nothing of it was run. Change what is sent, or begin a new session.",
            "HOST broke its answer off with error: gone. Nothing of it was run. Retry.",
        ]
    );
}

#[test]
fn retry_after_is_read_in_all_its_forms() {
    let now = "2026-11-20T10:00:00Z".parse().expect("a timestamp");
    let cases: [(Headers, Option<u64>); 9] = [
        (&[], None),
        (&[("retry-after", "2")], Some(2000)),
        (&[("retry-after", "0.25")], Some(250)),
        (&[("retry-after-ms", "40"), ("retry-after", "2")], Some(40)),
        (
            &[("retry-after", "Fri, 20 Nov 2026 10:00:07 GMT")],
            Some(7000),
        ),
        (&[("retry-after", "Fri, 20 Nov 2026 09:00:00 GMT")], Some(0)),
        (&[("retry-after", "-3")], Some(0)),
        (&[("retry-after", "soon")], None),
        (&[("retry-after", "1e300")], None),
    ];
    for (headers, millis) in cases {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        assert_eq!(asked(&headers, now), millis.map(Duration::from_millis));
    }
}

#[test]
fn pauses_double_and_end_at_the_longest() {
    let pace = Pace::default();
    let pauses: Vec<_> = [0, 1, 2, 3, 40]
        .map(|made| backoff(&pace, made, 0.0).as_millis())
        .to_vec();
    assert_eq!(pauses, [500, 1000, 2000, 4000, 30_000]);
    assert_eq!(backoff(&pace, 0, 1.0).as_millis(), 750);
    assert_eq!(backoff(&pace, 40, 1.0).as_millis(), 30_000);
}

#[test]
fn a_key_is_never_printed() {
    let endpoint = Endpoint::new("https://api.example.org", Some(Secret::new("sk-hidden")));
    assert!(!format!("{endpoint:?}").contains("sk-hidden"));
}
