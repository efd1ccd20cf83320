//! The Mistral SDK's deferred calls: what is shown of captured states, and what their results say.

use countersign::core::call::{Answer, Answers};
use countersign::core::verdict::Basis;
use countersign::deferred::{Decided, Format, ImportedCall, Past, ReadFault, WriteFault};
use serde_json::{Value, json};

use crate::support::deferred::{
    approve, arguments, edit, fail, fixture, id, imported, json, on, refused, reject, respond,
    retry, todo,
};

const BOOKING: &str = r#"{"destination": "Rodez", "date": "2026-11-27"}"#;
const FLOWN: &str = "Flight booked to Rodez on 2026-11-27. Confirmation: FL-12345";

fn state(name: &str) -> Value {
    json(&fixture("mistral", name))
}

fn appended(name: &str) -> Value {
    state(&format!("{name}.append"))
}

fn results(document: &Value, decided: &[Decided]) -> Value {
    imported(document)
        .results(decided)
        .expect("the decisions fit")
}

fn local(warnings: &[&str]) -> ImportedCall {
    ImportedCall {
        id: id("6TI17yZkV"),
        tool: "book_flight".to_owned(),
        arguments: arguments(BOOKING),
        answers: Answers::of([
            Answer::Approve,
            Answer::Edit,
            Answer::Reject,
            Answer::Reason,
            Answer::Respond,
        ]),
        parent: None,
        basis: Basis::Framework {
            reason: String::new(),
        },
        risks: Vec::new(),
        schema: None,
        metadata: None,
        warnings: warnings.iter().map(|&warning| warning.to_owned()).collect(),
        expires: None,
        arrived: None,
        script: None,
    }
}

fn connected() -> ImportedCall {
    ImportedCall {
        id: id("WJfo42Ow3"),
        tool: "gmail_search".to_owned(),
        arguments: arguments(r#"{"limit": 1}"#),
        answers: Answers::confirmation(),
        basis: Basis::Provider,
        ..local(&[])
    }
}

fn called(call: &str, tool: &str, arguments: &str) -> Past {
    Past::Called {
        call: id(call),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    }
}

#[test]
fn a_state_shows_the_calls_that_wait_and_what_was_done_before() {
    let read = imported(&state("connector_plus_local"));
    assert_eq!(read.format(), Format::Mistral);
    assert!(!read.takes_a_part());
    assert_eq!(read.agent, None);
    assert_eq!(read.model.as_deref(), Some("mistral-large-latest"));
    assert_eq!(read.calls, [connected(), local(&[])]);
    let past = [
        called("WJfo42Ow3", "gmail_search", r#"{"limit": 1}"#),
        called("6TI17yZkV", "book_flight", BOOKING),
        called("aB3dE6gH9", "get_weather", r#"{"city": "Rodez"}"#),
        Past::Result {
            call: id("aB3dE6gH9"),
            text: "The weather in Rodez is sunny, 24C".to_owned(),
        },
    ];
    assert_eq!(read.history, past);
    assert_eq!(read.warnings, Vec::<String>::new());
}

#[test]
fn the_append_is_what_the_sdk_sends_once_the_program_has_added_what_it_ran() {
    let decided = [on("WJfo42Ow3", approve()), on("6TI17yZkV", approve())];
    for (name, decided) in [
        ("connector_plus_local", &decided[..]),
        ("local_mixed", &decided[1..]),
    ] {
        let mut written = results(&state(name), decided);
        let run = written["run"].as_array().expect("a list").clone();
        let flight = json!([{ "id": run[0]["id"], "tool_call_id": "6TI17yZkV", "name": "book_flight",
                              "arguments": BOOKING }]);
        assert_eq!(json!(run), flight);
        let ran = json!({ "tool_call_id": "6TI17yZkV", "result": FLOWN, "object": "entry", "type": "function.result" });
        let inputs = written["append"]["inputs"].as_array_mut();
        inputs.expect("a list").push(ran);
        assert_eq!(written["append"], appended(name), "{name}");
    }
}

#[test]
fn the_append_is_complete_where_nothing_is_left_to_run() {
    let cases = [
        (
            "local_mixed_reject",
            vec![on("6TI17yZkV", reject("Denied by user"))],
        ),
        ("local_reject_default", vec![on("6TI17yZkV", reject(""))]),
        (
            "connector_two_allow_deny",
            vec![on("WJfo42Ow3", approve()), on("Xk2pQ9rT1", reject(""))],
        ),
    ];
    for (name, decided) in cases {
        let written = results(&state(name), &decided);
        assert_eq!(written["append"], appended(name), "{name}");
        assert_eq!(written["run"], json!([]), "{name}");
    }
}

#[test]
fn the_inputs_are_executed_results_then_one_decision_for_each_call_then_messages() {
    let mut document = state("connector_plus_local");
    document["executed_results"][0]["completed_at"] = json!("2026-11-20T10:00:01Z");
    document["deferred_calls"][1]["function_call"]["since_3.8"] = json!([1.50]);
    let edited = r#"{ "destination":"Millau" }"#;
    let decided = [
        on("6TI17yZkV", edit(edited)),
        on("WJfo42Ow3", reject("not my mail")),
    ];
    let function = json!({ "id": "fc_06835a34f58773bd8000000000000004", "tool_call_id": "6TI17yZkV",
                           "name": "book_flight", "arguments": edited, "since_3.8": [1.50] });
    let message = json!({ "role": "user", "content": "gmail_search was rejected: not my mail", "object": "entry",
                          "type": "message.input", "prefix": false });
    let weather = json!({ "tool_call_id": "aB3dE6gH9", "result": "The weather in Rodez is sunny, 24C",
                          "object": "entry", "type": "function.result", "completed_at": "2026-11-20T10:00:01Z" });
    let expected = json!({
        "conversation_id": "conv_06835a34f58773bd8000000000000001",
        "inputs": [
            weather,
            { "type": "deferred.rejection", "tool_call_id": "WJfo42Ow3", "message": "not my mail",
              "deferral_reason": "server_side_confirmation_required" },
            { "type": "deferred.confirmation", "tool_call_id": "6TI17yZkV", "tool_name": "book_flight",
              "function_call": function, "override_args": null, "deferral_reason": "confirmation_required" },
            message,
        ],
        "run": [function],
        "append": {
            "inputs": [weather, message],
            "stream": false,
            "store": true,
            "handoff_execution": "server",
            "tool_confirmations": [{ "tool_call_id": "WJfo42Ow3", "confirmation": "deny" }],
        },
    });
    assert_eq!(results(&document, &decided), expected);
}

#[test]
fn an_answer_in_the_tools_place_is_its_result() {
    let written = results(
        &state("local_reject_default"),
        &[on("6TI17yZkV", respond("by hand"))],
    );
    let result = json!([{ "tool_call_id": "6TI17yZkV", "result": "by hand", "object": "entry",
                          "type": "function.result" }]);
    assert_eq!(written["inputs"], result);
    assert_eq!(written["append"]["inputs"], result);
    assert_eq!(written["run"], json!([]));
}

#[test]
fn what_is_shown_is_what_will_run_and_all_else_is_a_warning() {
    let mut document = state("local_reject_default");
    document["deferred_calls"][0]["tool_name"] = json!("read_mail");
    document["deferred_calls"][0]["arguments"] = json!({ "destination": "Paris" });
    document["deferred_calls"][0]["tool_call_id"] = json!("other");
    document["outputs"][0]["name"] = json!("get_weather");
    document["outputs"][0]["arguments"] = json!("{}");
    let warnings = [
        "`tool_call_id` says other, which is not what will run",
        "`tool_name` says read_mail, which is not what will run",
        "`arguments` says {\"destination\":\"Paris\"}, which is not what will run",
        "the model's `name` says get_weather, which is not what will run",
        "the model's `arguments` says {}, which is not what will run",
    ];
    assert_eq!(imported(&document).calls, [local(&warnings)]);
    // The same arguments as an object and as its text are no contradiction.
    let mut document = state("local_reject_default");
    document["deferred_calls"][0]["arguments"] = json(BOOKING);
    assert_eq!(imported(&document).calls, [local(&[])]);
}

#[test]
fn a_call_whose_arguments_cannot_be_read_can_only_be_refused_or_answered() {
    let document = state("bad_args");
    let text = r#"{"destination": "Rodez", "#;
    let call = ImportedCall {
        arguments: arguments(&json!({ "unreadable": text }).to_string()),
        answers: Answers::of([Answer::Reject, Answer::Reason, Answer::Respond]),
        ..local(&[
            "its arguments cannot be read, so it cannot run: the text ends before the value is complete: `}` is missing (line 1, column 25); \
             `unreadable` is the text as it came",
        ])
    };
    assert_eq!(imported(&document).calls, [call]);
    let taken = imported(&document).results(&[on("6TI17yZkV", approve())]);
    let not_taken = WriteFault::NotTaken {
        call: id("6TI17yZkV"),
        done: "approved",
    };
    assert_eq!(taken, Err(not_taken));
}

#[test]
fn the_service_takes_no_edit_and_no_result() {
    let read = imported(&state("connector_two_allow_deny"));
    for (decision, done) in [
        (edit("{}"), "approved with edits"),
        (respond("3 mails"), "answered"),
        (retry("again"), "sent back"),
        (fail("no"), "answered as failed"),
    ] {
        let decided = [on("WJfo42Ow3", decision), on("Xk2pQ9rT1", approve())];
        let call = id("WJfo42Ow3");
        assert_eq!(
            read.results(&decided),
            Err(WriteFault::NotTaken { call, done })
        );
    }
    let some = read.results(&[on("WJfo42Ow3", approve())]);
    assert_eq!(some, Err(WriteFault::Undecided("1 call is".to_owned())));
}

#[test]
fn a_state_that_makes_no_sense_is_refused_at_its_place() {
    let cases = [
        (
            "/conversation_id",
            json!(7),
            "/conversation_id: this should be a string",
        ),
        (
            "/deferred_calls",
            json!({}),
            "/deferred_calls: this should be a list",
        ),
        (
            "/deferred_calls/0",
            json!("x"),
            "/deferred_calls/0: `function_call` is missing",
        ),
        (
            "/deferred_calls/1/reason",
            json!("boredom"),
            "/deferred_calls/1/reason: a call is not deferred for `boredom`",
        ),
        (
            "/deferred_calls/1/function_call/name",
            json!(""),
            "/deferred_calls/1/function_call/name: this is empty, and names nothing",
        ),
        (
            "/deferred_calls/1/function_call/arguments",
            json!([1]),
            "/deferred_calls/1/function_call/arguments: arguments are an object or the text of one",
        ),
        (
            "/deferred_calls/1/function_call/tool_call_id",
            json!("WJfo42Ow3"),
            "/deferred_calls/1/function_call/tool_call_id: another call has the id `WJfo42Ow3` too",
        ),
        (
            "/executed_results/0/tool_call_id",
            json!("WJfo42Ow3"),
            "/deferred_calls/0/function_call/tool_call_id: another call has the id `WJfo42Ow3` too",
        ),
        (
            "/executed_results/0/result",
            json!(null),
            "/executed_results/0: `result` is missing",
        ),
        (
            "/executed_results/0/type",
            json!("message.input"),
            "/executed_results/0: `type` must be `function.result`",
        ),
        (
            "/outputs/1",
            json!(3),
            "/outputs/1: this should be an object",
        ),
    ];
    for (place, value, says) in cases {
        let mut document = state("connector_plus_local");
        *document.pointer_mut(place).expect("it is there") = value;
        let fault = refused(&document, Format::Mistral).to_string();
        assert_eq!(fault, todo(says));
    }
    let mut document = state("connector_plus_local");
    document
        .as_object_mut()
        .expect("an object")
        .remove("conversation_id");
    let fault = ReadFault {
        at: String::new(),
        what: "`conversation_id` is missing".to_owned(),
        todo: "write the state out again as the framework does".to_owned(),
    };
    assert_eq!(refused(&document, Format::Mistral), fault);
}

#[test]
fn a_state_without_a_conversation_or_a_past_is_read_all_the_same() {
    let call = json!({ "function_call": { "tool_call_id": "a", "name": "ls", "arguments": {} } });
    let document = json!({ "conversation_id": null, "deferred_calls": [call] });
    let read = imported(&document);
    let warning = "the state names no conversation, so its results may have nowhere to go";
    assert_eq!(read.warnings, [warning]);
    assert_eq!(read.history, []);
    assert_eq!(read.calls[0].arguments.text(), "{}");
    let written = results(&document, &[on("a", approve())]);
    assert_eq!(written["run"], json!([call["function_call"]]));
}

#[test]
fn whatever_the_outputs_hold_is_told() {
    let mut document = state("local_reject_default");
    document["outputs"] = json!([
        { "type": "message.output", "agent_id": "ag_1", "content": "Looking." },
        { "type": "message.output", "content": [
            { "type": "thinking", "thinking": [{ "type": "text", "text": "so " }, { "type": "text", "text": "what" }] },
            { "type": "text", "text": "It is " }, { "type": "text", "text": "warm." } ] },
        { "type": "tool.execution", "name": "web_search", "arguments": "{\"q\":1}" },
        { "type": "agent.handoff", "previous_agent_name": "a", "next_agent_name": "b" },
        { "type": "since.3.8", "x": 1 },
    ]);
    let read = imported(&document);
    let past = [
        Past::Agent("Looking.".to_owned()),
        Past::Thinking("so what".to_owned()),
        Past::Agent("It is warm.".to_owned()),
        Past::Note("the service ran web_search {\"q\":1}".to_owned()),
        Past::Note("a handed over to b".to_owned()),
        Past::Note("{\"type\":\"since.3.8\",\"x\":1}".to_owned()),
    ];
    assert_eq!(read.history, past);
    assert_eq!(read.agent.as_deref(), Some("ag_1"));
}

#[test]
fn a_hundred_thousand_calls_are_read_and_answered() {
    let text = "\u{202e}\u{1b}[2J\"\\\u{0}é";
    let calls: Vec<_> = (0..100_000)
        .map(|n| json!({ "function_call": { "tool_call_id": format!("c{n}"), "name": text, "arguments": { "a": text } } }))
        .collect();
    let document = json!({ "conversation_id": text, "deferred_calls": calls });
    let read = imported(&document);
    let decided: Vec<_> = read
        .calls
        .iter()
        .map(|call| on(&call.id.0, approve()))
        .collect();
    let written = read.results(&decided).expect("the decisions fit");
    let run: Vec<_> = calls.iter().map(|call| &call["function_call"]).collect();
    assert_eq!(written["run"], json!(run));
    assert_eq!(written["conversation_id"], text);
}
