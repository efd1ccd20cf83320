//! Answers that come piece by piece, in all the forms that servers and hostile servers give them.

use crate::support::model::{
    ask, endpoint, fault, held, mistral, no_calls, note, plain, recorded_setup, reply, said, say,
    server, thought, unknown, wanted,
};
use crate::support::raw::{Act, Raw, stream_head};
use crate::support::replay::recorded;
use countersign::provider::setup::StreamMode;
use countersign::provider::sse::{Event, events};
use countersign::provider::{Fault, Reply, Streamed};
use futures::StreamExt;
use std::convert::Infallible;
use tokio_util::bytes::Bytes;

/// The events of `text`, which comes in pieces of `size` bytes.
async fn framed(text: &str, size: usize) -> Vec<Event> {
    let pieces: Vec<_> = text
        .as_bytes()
        .chunks(size)
        .map(|piece| Ok::<_, Infallible>(Bytes::copy_from_slice(piece)))
        .collect();
    events(futures::stream::iter(pieces))
        .map(|event| event.expect("an event"))
        .collect()
        .await
}

fn event(kind: &str, data: &str) -> Event {
    Event {
        kind: kind.to_owned(),
        data: data.to_owned(),
    }
}

#[tokio::test]
async fn every_framing_is_understood_however_it_is_cut() {
    let lines = [
        "\u{feff}: a comment",
        "event: one",
        "id: 7",
        "data: {",
        "data: }",
        "",
        ": keep-alive",
        "",
        "retry: 5",
        "",
        "event: nothing",
        "",
        "unknown: field",
        "data:two",
        "data",
        "",
        "event: last",
        "data: é",
    ];
    let expected = [event("one", "{\n}"), event("", "two\n"), event("last", "é")];
    for end in ["\n", "\r\n", "\r"] {
        for closed in ["", end] {
            let text = lines.join(end) + closed;
            for size in [1, 2, 3, 7, 4096] {
                assert_eq!(framed(&text, size).await, expected, "{end:?} {size}");
            }
        }
    }
}

#[tokio::test]
async fn an_event_beyond_the_limit_is_refused() {
    let piece = Bytes::from(vec![b'x'; 1 << 20]);
    let begun = futures::stream::iter([Ok::<_, Infallible>(Bytes::from("data: "))]);
    let endless = futures::stream::repeat_with(move || Ok(piece.clone()));
    let mut events = events(begun.chain(endless));
    let broken = events.next().await.expect("an item").expect_err("refused");
    assert_eq!(broken.to_string(), "one event is larger than 8 MiB");
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_refused() {
    let piece = Bytes::from([b"data: ".as_slice(), &vec![b'x'; 1 << 20], b"\n\n"].concat());
    let endless = futures::stream::repeat_with(move || Ok::<_, Infallible>(piece.clone()));
    let mut last = events(endless).filter_map(|event| std::future::ready(event.err()));
    let broken = last.next().await.expect("it ends");
    assert_eq!(broken.to_string(), "it is larger than 64 MiB");
}

#[tokio::test]
async fn text_that_is_not_utf8_is_refused() {
    let bytes = futures::stream::iter([Ok::<_, Infallible>(Bytes::from(
        b"data: \xff\n\n".as_slice(),
    ))]);
    let broken = events(bytes).next().await.expect("an item");
    assert_eq!(broken.expect_err("refused").to_string(), "it is not UTF-8");
}

/// What a streamed answer made of `events` comes to, and the server's address.
async fn answered(events: &str) -> (Result<Reply, Fault>, Vec<Streamed>, String) {
    let raw = Raw::of(vec![Act::close(stream_head() + events)]).await;
    let mut provider = mistral(plain(endpoint(&raw.url()), StreamMode::Streamed));
    let (reply, streamed) = ask(&mut provider, &say("Hello")).await;
    (reply, streamed, raw.url())
}

const STARTED: &str =
    "data: {\"type\":\"conversation.response.started\",\"conversation_id\":\"conv_1\"}\n\n";
const DONE: &str = "data: {\"type\":\"conversation.response.done\",\"usage\":{}}\n\n";

fn data(json: &str) -> String {
    format!("data: {json}\n\n")
}

/// The same between start and end.
async fn complete(items: &[&str]) -> (Result<Reply, Fault>, Vec<Streamed>) {
    let items: String = items.iter().map(|json| data(json)).collect();
    let (reply, streamed, _) = answered(&format!("{STARTED}{items}{DONE}")).await;
    (reply, streamed)
}

#[tokio::test]
async fn a_recorded_stream_that_is_cut_runs_nothing() {
    let exchange = recorded("stream_err_cut").remove(0);
    let raw = Raw::of(vec![Act::close(stream_head() + &exchange.answer)]).await;
    let mut provider = mistral(recorded_setup(&exchange.body, endpoint(&raw.url())));
    let (reply, streamed) = ask(&mut provider, &say("Book me a flight.")).await;
    let line = "The answer of HOST was cut (it ended without conversation.response.done). Nothing of it was run. Retry.";
    assert_eq!(fault(&reply, &raw.url()), (line.to_owned(), true));
    assert_eq!(streamed, []);
}

#[tokio::test]
async fn a_stream_whose_connection_breaks_runs_nothing() {
    let chunked =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let call = data(
        r#"{"type":"function.call.delta","id":"fc_1","tool_call_id":"c1","name":"rm","arguments":"{}"}"#,
    );
    let text = STARTED.to_owned() + &call;
    let bytes = format!("{chunked}{:x}\r\n{text}\r\n", text.len());
    let raw = Raw::of(vec![Act::close(bytes)]).await;
    let mut provider = mistral(plain(endpoint(&raw.url()), StreamMode::Streamed));
    let (reply, _) = ask(&mut provider, &say("Hello")).await;
    let (line, retry) = fault(&reply, &raw.url());
    assert!(line.starts_with("The answer of HOST was cut ("), "{line}");
    assert!(retry);
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_given_up_and_its_words_were_shown() {
    let words = data(r#"{"type":"message.output.delta","id":"m","content":"Well"}"#);
    let raw = Raw::of(vec![Act::hang(stream_head() + STARTED + &words)]).await;
    let mut endpoint = endpoint(&raw.url());
    endpoint.idle = std::time::Duration::from_millis(100);
    let mut provider = mistral(plain(endpoint, StreamMode::Streamed));
    let (reply, streamed) = ask(&mut provider, &say("Hello")).await;
    assert!(
        fault(&reply, &raw.url())
            .0
            .starts_with("HOST sent nothing for 0.1 s")
    );
    assert_eq!(streamed, [said(0, "Well")]);
}

#[tokio::test]
async fn an_error_event_ends_the_answer() {
    let error = data(
        r#"{"type":"conversation.response.error","message":"Service tier capacity exceeded.","code":503}"#,
    );
    let (reply, streamed, url) = answered(&format!("{STARTED}{error}{DONE}")).await;
    let line = "HOST broke its answer off with error 503: Service tier capacity exceeded. Nothing of it was run. Retry.";
    assert_eq!(fault(&reply, &url), (line.to_owned(), true));
    assert_eq!(streamed, []);
}

#[tokio::test]
async fn an_event_that_is_not_json_ends_the_answer() {
    let (reply, _, url) = answered(&format!("{STARTED}{}{DONE}", data("{\"type\":"))).await;
    let (line, retry) = fault(&reply, &url);
    assert!(
        line.starts_with("The answer of HOST was cut (an event is not JSON"),
        "{line}"
    );
    assert!(retry);
}

#[tokio::test]
async fn an_event_of_ten_megabytes_is_refused() {
    let huge = data(&format!(
        r#"{{"type":"message.output.delta","id":"m","content":"{}"}}"#,
        "x".repeat(10 << 20)
    ));
    let (reply, streamed, url) = answered(&format!("{STARTED}{huge}{DONE}")).await;
    let line = "The answer of HOST was refused: one event is larger than 8 MiB. Nothing of it was run. Retry.";
    assert_eq!(fault(&reply, &url), (line.to_owned(), true));
    assert_eq!(streamed, []);
}

#[tokio::test]
async fn a_megabyte_of_arguments_comes_through_whole() {
    let text = format!(r#"{{"text":"{}"}}"#, "x".repeat(1 << 20));
    let quoted = serde_json::Value::from(text.as_str());
    let call = format!(
        r#"{{"type":"function.call.delta","id":"f","tool_call_id":"c1","name":"write","arguments":{quoted}}}"#
    );
    assert_eq!(
        complete(&[&call]).await,
        (reply([wanted("c1", "write", &text)]), vec![])
    );
}

#[tokio::test]
async fn what_is_not_known_is_kept_and_shown() {
    let event = r#"{"type":"poem.delta","output_index":3,"lines":["a"]}"#;
    let broken = r#"{"type":"function.call.delta","name":"rm"}"#;
    let odd = r#"{"type":"message.output.delta","id":"m","content":{"type":"hologram","x":1}}"#;
    assert_eq!(
        complete(&[event, broken, odd, "[1]"]).await,
        (
            no_calls(),
            vec![
                unknown("poem.delta", event),
                unknown("function.call.delta", broken),
                unknown("hologram", r#"{"type":"hologram","x":1}"#),
                unknown("", "[1]"),
            ]
        )
    );
}

#[tokio::test]
async fn pieces_of_calls_are_told_apart_by_place_and_id() {
    let piece = |index: u32, id: &str, call: &str, arguments: &str| {
        format!(
            r#"{{"type":"function.call.delta","output_index":{index},"id":"{id}","tool_call_id":"{call}","name":"f","arguments":{}}}"#,
            serde_json::Value::from(arguments)
        )
    };
    let pieces = [
        piece(1, "b", "c2", "{\"n\":"),
        piece(0, "a", "c1", "{\"n\":"),
        piece(1, "b", "c2", "2}"),
        piece(0, "a", "c1", "1}"),
        piece(0, "c", "c3", "{}"),
    ];
    let pieces: Vec<_> = pieces.iter().map(String::as_str).collect();
    let calls = [
        wanted("c1", "f", "{\"n\":1}"),
        wanted("c3", "f", "{}"),
        wanted("c2", "f", "{\"n\":2}"),
    ];
    assert_eq!(complete(&pieces).await, (reply(calls), vec![]));
}

#[tokio::test]
async fn a_pending_status_on_any_piece_holds_the_call() {
    let first = r#"{"type":"function.call.delta","id":"f","tool_call_id":"c1","name":"send","arguments":"{","confirmation_status":"pending"}"#;
    let second = r#"{"type":"function.call.delta","id":"f","tool_call_id":"c1","name":"send","arguments":"}","confirmation_status":null}"#;
    for pieces in [[first, second], [second, first]] {
        let text = if pieces[0] == first { "{}" } else { "}{" };
        assert_eq!(
            complete(&pieces).await,
            (reply([held("c1", "send", text)]), vec![])
        );
    }
}

#[tokio::test]
async fn calls_that_were_decided_are_told_and_never_wanted() {
    let call = |status: &str| {
        format!(
            r#"{{"type":"function.call.delta","id":"{status}","tool_call_id":"c1","name":"send","arguments":"{{}}","confirmation_status":"{status}"}}"#
        )
    };
    let (allowed, denied, odd) = (call("allowed"), call("denied"), call("perhaps"));
    assert_eq!(
        complete(&[&allowed, &denied, &odd]).await,
        (
            no_calls(),
            vec![
                note("The call of send was allowed; the provider runs it."),
                note("The call of send was denied; the provider does not run it."),
                unknown("function.call (perhaps)", "send {}"),
            ]
        )
    );
}

#[tokio::test]
async fn arguments_that_come_as_an_object_keep_their_exact_text() {
    let call = r#"{"type":"function.call.delta","id":"f","tool_call_id":"c1","name":"pay","arguments":{"b": 1.50, "a":123456789012345678901234567890}}"#;
    let none = r#"{"type":"function.call.delta","id":"g","tool_call_id":"c2","name":"ping"}"#;
    let calls = [
        wanted(
            "c1",
            "pay",
            r#"{"b": 1.50, "a":123456789012345678901234567890}"#,
        ),
        wanted("c2", "ping", "{}"),
    ];
    assert_eq!(complete(&[call, none]).await, (reply(calls), vec![]));
}

#[tokio::test]
async fn content_that_is_not_text_is_written_out() {
    let content = r#"{"type":"message.output.delta","id":"m","content":[
        {"type":"thinking","thinking":[{"type":"text","text":"Hm"},{"type":"reference","reference_ids":[1]}]},
        {"type":"text","text":"See"},
        {"type":"tool_reference","tool":"web_search","title":"Rodez","url":"https://rodez.example"},
        {"type":"tool_reference","tool":"web_search"},
        {"type":"reference","reference_ids":[1,2]},
        {"type":"image_url","image_url":{"url":"https://i.example/a.png"}},
        {"type":"document_url","document_url":"https://d.example","document_name":"Plan"},
        {"type":"tool_file","tool":"image_generation","file_id":"f1","file_name":"a.png"}]}"#;
    let text = "See (Rodez <https://rodez.example>) (web_search) (references 1, 2) \
                (image <https://i.example/a.png>) (Plan <https://d.example>) (file a.png, f1)";
    assert_eq!(
        complete(&[&content.replace('\n', " ")]).await,
        (
            no_calls(),
            vec![thought(0, "Hm (references 1)"), said(1, text)]
        )
    );
}

#[tokio::test]
async fn the_providers_own_tools_and_hand_overs_are_shown() {
    let items = [
        r#"{"type":"tool.execution.started","output_index":0,"id":"t","name":"code_interpreter","arguments":"{\"co"}"#,
        r#"{"type":"tool.execution.delta","output_index":0,"id":"t","name":"code_interpreter","arguments":"de\":1}"}"#,
        r#"{"type":"tool.execution.done","output_index":0,"id":"t","name":"code_interpreter","info":{"code":"1","code_output":"1"}}"#,
        r#"{"type":"agent.handoff.started","output_index":1,"id":"h","previous_agent_id":"a","previous_agent_name":"clerk"}"#,
        r#"{"type":"agent.handoff.done","output_index":1,"id":"h","next_agent_id":"b","next_agent_name":"pilot"}"#,
    ];
    assert_eq!(
        complete(&items).await,
        (
            no_calls(),
            vec![
                server(0, "code_interpreter", "{\"co", None),
                server(
                    0,
                    "code_interpreter",
                    "{\"code\":1}",
                    Some(r#"{"code":"1","code_output":"1"}"#)
                ),
                note("The conversation was handed over from clerk to pilot."),
            ]
        )
    );
}
