//! Recorded conversations, played again: each request must be as it was, each reply is compared whole.

use crate::support::model::{
    allow, answers, ask, deny, endpoint, held, mistral, no_calls, recorded_setup, reply, result,
    said, say, server, wanted,
};
use crate::support::replay::{Exchange, Replay, recorded};
use countersign::provider::mistral::Mistral;
use countersign::provider::{Append, Fault, Provider, Reply, Streamed};
use serde_json::json;

const BOOK: &str = "Book me a flight to Rodez next Friday.";
const MAIL: &str = "Summarize my latest emails from Gmail.";
const FLIGHT: &str = r#"{"destination": "Rodez", "date": "2026-11-27"}"#;
const BOOKED: &str = "Flight booked to Rodez on 2026-11-27. Confirmation: FL-12345";
const SUNNY: &str = "The weather in Rodez is sunny, 24C";
const UNREAD: &str = "You have 3 unread emails; the latest is titled Quarterly report.";

type Step = (Append, Result<Reply, Fault>, Vec<Streamed>);

/// Plays `case`: each append must lead to its reply, and the requests to those recorded.
async fn play(case: &str, steps: Vec<Step>) {
    let exchanges = recorded(case);
    let start = exchanges
        .first()
        .expect("a case has exchanges")
        .body
        .clone();
    let replay = Replay::of(exchanges).await;
    let mut provider = mistral(recorded_setup(&start, endpoint(&replay.url())));
    for (append, reply, streamed) in steps {
        assert_eq!(
            ask(&mut provider, &append).await,
            (reply, streamed),
            "{case}"
        );
    }
    replay.finish();
}

fn begin(message: &str, reply: Result<Reply, Fault>) -> Step {
    (say(message), reply, Vec::new())
}

fn end(append: Append, words: &str) -> Step {
    (append, no_calls(), vec![said(0, words)])
}

fn results(words: &str) -> String {
    format!("Results received: {words}")
}

#[tokio::test]
async fn an_approved_call_gives_its_result_back() {
    for case in ["local_confirm", "stream_local_confirm"] {
        let calls = reply([wanted("6TI17yZkV", "book_flight", FLIGHT)]);
        let answer = answers([result("6TI17yZkV", "book_flight", BOOKED)]);
        play(
            case,
            vec![begin(BOOK, calls), end(answer, &results(BOOKED))],
        )
        .await;
    }
}

#[tokio::test]
async fn a_rejection_goes_back_as_the_calls_result() {
    for case in ["local_reject", "stream_local_reject"] {
        let calls = reply([wanted("6TI17yZkV", "book_flight", FLIGHT)]);
        let answer = answers([result("6TI17yZkV", "book_flight", "Denied by user")]);
        play(
            case,
            vec![begin(BOOK, calls), end(answer, &results("Denied by user"))],
        )
        .await;
    }
}

#[tokio::test]
async fn executed_and_decided_calls_are_answered_in_one_append() {
    let cases = [
        ("local_mixed", BOOKED),
        ("stream_local_mixed", BOOKED),
        ("local_mixed_reject", "Denied by user"),
    ];
    for (case, flight) in cases {
        let calls = reply([
            wanted("aB3dE6gH9", "get_weather", r#"{"city": "Rodez"}"#),
            wanted("6TI17yZkV", "book_flight", FLIGHT),
        ]);
        let both = answers([
            result("aB3dE6gH9", "get_weather", SUNNY),
            result("6TI17yZkV", "book_flight", flight),
        ]);
        let words = results(&format!("{SUNNY} | {flight}"));
        play(case, vec![begin(BOOK, calls), end(both, &words)]).await;
    }
}

#[tokio::test]
async fn results_keep_the_order_they_are_given_in() {
    let calls = reply([
        wanted("6TI17yZkV", "book_flight", FLIGHT),
        wanted(
            "Zq8mN2xY4",
            "book_flight",
            r#"{"destination": "Millau", "date": "2026-11-28"}"#,
        ),
    ]);
    let both = answers([
        result("Zq8mN2xY4", "book_flight", "Too expensive"),
        result("6TI17yZkV", "book_flight", BOOKED),
    ]);
    let words = results(&format!("Too expensive | {BOOKED}"));
    let steps = vec![begin(BOOK, calls), end(both, &words)];
    play("two_deferred_confirm_reject", steps).await;
}

#[tokio::test]
async fn a_connectors_call_is_confirmed_and_its_run_is_shown() {
    let cases = [
        ("connector_allow", vec![]),
        // Streamed, the run is shown from its start.
        (
            "stream_connector_lowlevel_allow",
            vec![server(0, "gmail_search", r#"{"limit": 1}"#, None)],
        ),
    ];
    for (case, mut shown) in cases {
        let calls = reply([held("WJfo42Ow3", "gmail_search", r#"{"limit": 1}"#)]);
        let answer = answers([allow("WJfo42Ow3", "gmail_search")]);
        shown.push(server(
            0,
            "gmail_search",
            r#"{"limit": 1}"#,
            Some("3 unread messages"),
        ));
        shown.push(said(1, UNREAD));
        play(case, vec![begin(MAIL, calls), (answer, no_calls(), shown)]).await;
    }
}

#[tokio::test]
async fn a_connectors_call_can_be_denied() {
    for case in ["connector_deny", "stream_connector_lowlevel_deny"] {
        let calls = reply([held("WJfo42Ow3", "gmail_search", r#"{"limit": 1}"#)]);
        let answer = answers([deny("WJfo42Ow3", "gmail_search")]);
        let words = "I was not allowed to run gmail_search, so I stopped.";
        play(case, vec![begin(MAIL, calls), end(answer, words)]).await;
    }
}

#[tokio::test]
async fn connector_calls_of_one_response_are_decided_one_by_one() {
    let query = r#"{"query": "is:unread"}"#;
    let calls = reply([
        held("WJfo42Ow3", "gmail_search", query),
        held(
            "Xk2pQ9rT1",
            "gmail_send",
            r#"{"to": "a@example.com", "body": "hi"}"#,
        ),
    ]);
    let both = answers([
        allow("WJfo42Ow3", "gmail_search"),
        deny("Xk2pQ9rT1", "gmail_send"),
    ]);
    let shown = vec![
        server(0, "gmail_search", query, Some("3 unread messages")),
        said(1, "Done, except that gmail_send was not allowed."),
    ];
    let steps = vec![begin(MAIL, calls), (both, no_calls(), shown)];
    play("connector_two_allow_deny", steps).await;
}

#[tokio::test]
async fn results_and_confirmations_travel_together() {
    let calls = reply([
        held("WJfo42Ow3", "gmail_search", r#"{"limit": 1}"#),
        wanted("6TI17yZkV", "book_flight", FLIGHT),
        wanted("aB3dE6gH9", "get_weather", r#"{"city": "Rodez"}"#),
    ]);
    let all = answers([
        result("aB3dE6gH9", "get_weather", SUNNY),
        result("6TI17yZkV", "book_flight", BOOKED),
        allow("WJfo42Ow3", "gmail_search"),
    ]);
    let shown = vec![
        server(
            0,
            "gmail_search",
            r#"{"limit": 1}"#,
            Some("3 unread messages"),
        ),
        said(1, UNREAD),
    ];
    let steps = vec![begin(MAIL, calls), (all, no_calls(), shown)];
    play("connector_plus_local", steps).await;
}

#[tokio::test]
async fn a_built_in_search_can_be_held_for_confirmation() {
    let query = r#"{"query": "rust tui"}"#;
    let calls = reply([held("WebS00001", "web_search", query)]);
    let answer = answers([allow("WebS00001", "web_search")]);
    let shown = vec![
        server(0, "web_search", query, Some("3 unread messages")),
        said(1, UNREAD),
    ];
    let steps = vec![begin(MAIL, calls), (answer, no_calls(), shown)];
    play("connector_web_premium", steps).await;
}

#[tokio::test]
async fn arguments_that_are_not_json_are_handed_on_as_they_came() {
    let calls = reply([wanted(
        "6TI17yZkV",
        "book_flight",
        r#"{"destination": "Rodez", "#,
    )]);
    play("bad_args", vec![begin(BOOK, calls)]).await;
}

#[tokio::test]
async fn a_failed_tool_gives_its_error_back() {
    let calls = reply([wanted("eRr000001", "fails", r#"{"x": 1}"#)]);
    let error = "Error while executing fails: disk full";
    let answer = answers([result("eRr000001", "fails", error)]);
    let steps = vec![begin(BOOK, calls), end(answer, &results(error))];
    play("tool_error_continue", steps).await;
}

#[tokio::test]
async fn five_lookups_and_a_booking_take_three_requests() {
    let towns = [
        "Guingamp",
        "Aurillac",
        "Brive-la-Gaillarde",
        "Rodez",
        "Millau",
    ];
    let id = |place: usize| format!("w0000000{}", place + 1);
    let calls: Vec<_> = towns
        .iter()
        .enumerate()
        .map(|(place, town)| {
            wanted(
                &id(place),
                "get_weather",
                &format!(r#"{{"city": "{town}"}}"#),
            )
        })
        .collect();
    let weather: Vec<_> = towns
        .iter()
        .enumerate()
        .map(|(place, town)| {
            let sunny = format!("The weather in {town} is sunny, 24C");
            result(&id(place), "get_weather", &sunny)
        })
        .collect();
    let booking = (
        answers(weather),
        reply([wanted("6TI17yZkV", "book_flight", FLIGHT)]),
        vec![said(0, "Rodez is the warmest, booking it.")],
    );
    let booked = answers([result("6TI17yZkV", "book_flight", BOOKED)]);
    let last = end(booked, "Your flight to Rodez on 2026-11-27 is booked.");
    play(
        "recipe1_loop",
        vec![begin(BOOK, reply(calls)), booking, last],
    )
    .await;
}

#[tokio::test]
async fn an_answer_given_twice_is_refused_by_the_server_in_one_line() {
    let exchanges = recorded("double_resume");
    let start = exchanges[0].body.clone();
    let replay = Replay::of(exchanges).await;
    let mut provider = mistral(recorded_setup(&start, endpoint(&replay.url())));
    let answer = answers([result("6TI17yZkV", "book_flight", BOOKED)]);
    ask(&mut provider, &say(BOOK)).await.0.expect("a call");
    ask(&mut provider, &answer).await.0.expect("an answer");
    let (again, _) = ask(&mut provider, &answer).await;
    assert_eq!(
        crate::support::model::fault(&again, &replay.url()),
        (
            "HOST answered 400 Bad Request: Unexpected tool call id 6TI17yZkV in tool results. \
             Change what is sent, or begin a new session."
                .to_owned(),
            false
        )
    );
    replay.finish();
}

#[tokio::test]
async fn another_process_goes_on_with_executed_results_and_decisions() {
    let begun = Replay::of(recorded("recipe3_script1_mixed")).await;
    let start = recorded("recipe3_script1_mixed")[0].body.clone();
    let mut provider = mistral(recorded_setup(&start, endpoint(&begun.url())));
    ask(&mut provider, &say(BOOK)).await.0.expect("two calls");
    begun.finish();

    let rest = recorded("recipe3_script2_mixed");
    // Nothing of the answers is in the history yet, which this program looks at first.
    let history = format!("{}/history", rest[0].path);
    let look = Exchange::get(&history, 200, &json!({"entries": []}));
    let resumed = Replay::of([vec![look], rest].concat()).await;
    let setup = recorded_setup(&start, endpoint(&resumed.url()));
    let restored = Mistral::restore(setup, &provider.suspension()).expect("a good state");
    let mut provider = Provider::Mistral(restored);
    let both = answers([
        result("aB3dE6gH9", "get_weather", SUNNY),
        result("6TI17yZkV", "book_flight", BOOKED),
    ]);
    let words = results(&format!("{SUNNY} | {BOOKED}"));
    let answer = (no_calls(), vec![said(0, &words)]);
    assert_eq!(ask(&mut provider, &both).await, answer);
    resumed.finish();
}
