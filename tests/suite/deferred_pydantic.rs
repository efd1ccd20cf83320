//! Pydantic AI's deferred tools: what is shown of captured states, and what their results say.

use countersign::core::call::{Answer, Answers};
use countersign::core::decision::Decision;
use countersign::core::verdict::Basis;
use countersign::deferred::{Decided, Format, ImportedCall, Past, WriteFault, read};
use jsonschema::Validator;
use serde_json::{Value, json};
use std::sync::LazyLock;

use crate::support::deferred::{
    approve, arguments, edit, fail, fixture, id, imported, json, on, refused, reject, respond,
    retry, todo,
};

pub fn state(name: &str) -> Value {
    json(&fixture("pydantic-ai", name))
}

/// The results, which are checked.
pub fn results(document: &Value, decided: &[Decided]) -> Value {
    let written = imported(document)
        .results(decided)
        .expect("the decisions fit");
    accepted(&written);
    written
}

static SCHEMA: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::validator_for(&state("schema_results")).expect("it is a schema"));

/// The framework's own schema accepts these results, and they hold nothing bare.
pub fn accepted(written: &Value) {
    let faults = SCHEMA.iter_errors(written);
    let faults: Vec<_> = faults.map(|fault| fault.to_string()).collect();
    assert_eq!(faults, Vec::<String>::new(), "{written}");
    let kinds = ["tool-return", "model-retry", "tool-failed"];
    for value in written["calls"].as_object().expect("an object").values() {
        let kind = value["kind"].as_str().expect("no value is bare");
        assert!(kinds.contains(&kind), "{value}");
    }
}

fn approval(version: &[Answer]) -> Answers {
    let answers = [Answer::Approve, Answer::Edit];
    Answers::of([&answers, &REFUSALS[..], version].concat())
}

fn outside(version: &[Answer]) -> Answers {
    Answers::of([&REFUSALS[..], version].concat())
}

const REFUSALS: [Answer; 4] = [
    Answer::Reject,
    Answer::Reason,
    Answer::Respond,
    Answer::Retry,
];
const EITHER: &[Answer] = &[];
const TWO: &[Answer] = &[Answer::Fail];

pub fn call(name: &str, tool: &str, text: &str, answers: Answers) -> ImportedCall {
    ImportedCall {
        id: id(name),
        tool: tool.to_owned(),
        arguments: arguments(text),
        answers,
        parent: None,
        basis: asks(""),
        risks: Vec::new(),
        schema: None,
        metadata: None,
        warnings: Vec::new(),
        expires: None,
        arrived: None,
        script: None,
    }
}

fn asks(reason: &str) -> Basis {
    let reason = reason.to_owned();
    Basis::Framework { reason }
}

fn comes(reason: &str) -> Basis {
    let reason = reason.to_owned();
    Basis::External { reason }
}

/// The calls of the captured run, in the order in which the model wanted them.
fn mixed() -> [ImportedCall; 4] {
    let delete = call("A1", "delete_file", r#"{"path":"a"}"#, approval(TWO));
    let job = ImportedCall {
        basis: comes(""),
        metadata: Some(json!({ "task_id": "job-C1", "eta_s": 30 })),
        ..call("C1", "slow_job", r#"{"question":"x"}"#, outside(TWO))
    };
    let question = ImportedCall {
        basis: comes("it is a question to a person"),
        metadata: Some(json!({ "question": "y?" })),
        ..call("Q1", "ask_user", r#"{"question":"y?"}"#, outside(TWO))
    };
    let update = ImportedCall {
        basis: asks("protected file"),
        metadata: Some(json!({ "reason": "protected file", "risk": "high", "diff": "-A=1\n+A=" })),
        ..call(
            "A2",
            "update_file",
            r#"{"path":".env","content":"K=V"}"#,
            approval(TWO),
        )
    };
    [delete, job, question, update]
}

pub fn called(call: &str, tool: &str, arguments: &str) -> Past {
    Past::Called {
        call: id(call),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    }
}

#[test]
fn a_conversation_gives_the_calls_in_the_models_order_and_the_past() {
    let read = imported(&state("conversation_before_mixed"));
    assert_eq!(read.format(), Format::PydanticAi);
    assert!(!read.takes_a_part());
    assert_eq!(read.model.as_deref(), Some("function:fn:"));
    assert_eq!(read.calls, mixed());
    let past = [
        Past::User("Do the thing: mixed".to_owned()),
        called("A1", "delete_file", r#"{"path":"a"}"#),
        called("C1", "slow_job", r#"{"question":"x"}"#),
        called("Q1", "ask_user", r#"{"question":"y?"}"#),
        called("A2", "update_file", r#"{"path":".env","content":"K=V"}"#),
        called("F1", "update_file", r#"{"path":"ok.txt","content":"z"}"#),
        Past::Result {
            call: id("F1"),
            text: "File 'ok.txt' updated: 'z' (approved=False, meta=None)".to_owned(),
        },
    ];
    assert_eq!(read.history, past);
    assert_eq!(read.warnings, Vec::<String>::new());
}

#[test]
fn requests_beside_messages_are_read_like_a_conversation() {
    let conversation = imported(&state("conversation_before_mixed"));
    for (messages, requests) in [
        ("messages", "deferred_tool_requests"),
        ("history", "requests"),
    ] {
        let document =
            json!({ messages: state("history_before_mixed"), requests: state("requests_mixed") });
        let read = imported(&document);
        assert_eq!(read.calls, conversation.calls);
        assert_eq!(read.history, conversation.history);
    }
}

#[test]
fn requests_alone_are_approvals_then_calls() {
    let [delete, job, question, update] = mixed();
    let read = imported(&state("requests_mixed"));
    assert_eq!(read.calls, [update, delete, job, question]);
    assert_eq!(read.history, []);
}

#[test]
fn what_both_versions_write_offers_what_both_versions_take() {
    let requests = state("v1_requests");
    let delete = call("A1", "delete_file", r#"{"path":"a"}"#, approval(EITHER));
    let slow = ImportedCall {
        basis: comes(""),
        metadata: Some(json!({ "t": 1 })),
        ..call("C1", "slow", r#"{"q":1}"#, outside(EITHER))
    };
    assert_eq!(imported(&requests).calls, [delete.clone(), slow.clone()]);
    let document = json!({ "messages": state("v1_history"), "requests": requests });
    assert_eq!(imported(&document).calls, [delete, slow]);
    let decided = [on("A1", approve()), on("C1", fail("no disk"))];
    let not_taken = WriteFault::NotTaken {
        call: id("C1"),
        done: "answered as failed",
    };
    assert_eq!(imported(&requests).results(&decided), Err(not_taken));
}

#[test]
fn arguments_come_as_an_object_as_a_text_or_not_at_all() {
    let text = r#"{"path": "/srv/data", "recursive": true}"#;
    let mut document = state("requests_approvals_json_string_args");
    for (args, shown) in [
        (json!(text), text),
        (json!({ "n": 1 }), r#"{"n":1}"#),
        (json!(""), "{}"),
        (json!(null), "{}"),
    ] {
        document["approvals"][0]["args"] = args;
        let expected = call("call_1", "delete_file", shown, approval(EITHER));
        assert_eq!(imported(&document).calls, [expected]);
    }
    document["approvals"][0]["args"] = json!(r#"{"a":1,"a":2}"#);
    let unreadable = json!({ "unreadable": r#"{"a":1,"a":2}"# }).to_string();
    let why = "its arguments cannot be read, so it cannot run: the key \"a\" stands twice (line 1, column 10); \
               `unreadable` is the text as it came";
    let expected = ImportedCall {
        warnings: vec![why.to_owned()],
        ..call("call_1", "delete_file", &unreadable, outside(EITHER))
    };
    assert_eq!(imported(&document).calls, [expected]);
}

#[test]
fn each_decision_has_its_form_in_the_results() {
    let who = |one: Decided| Decided {
        who: Some("ada@host".to_owned()),
        ..one
    };
    let decided = [
        who(on("A1", edit(r#"{"path":"b","depth":1.50}"#))),
        who(on("A2", reject("not that file"))),
        on("C1", fail("no disk")),
        on("Q1", respond("main")),
    ];
    let document = state("conversation_before_mixed");
    let metadata = &document["deferred_tool_requests"]["metadata"];
    let expected = json!({
        "approvals": {
            "A1": { "kind": "tool-approved", "override_args": json(r#"{"path":"b","depth":1.50}"#) },
            "A2": { "kind": "tool-denied", "message": "not that file" },
        },
        "calls": {
            "C1": { "kind": "tool-failed", "message": "no disk" },
            "Q1": { "kind": "tool-return", "return_value": "main" },
        },
        "metadata": metadata,
        "answered_by": { "A1": "ada@host", "A2": "ada@host" },
    });
    assert_eq!(results(&document, &decided), expected);
    let decided = [
        on("A1", approve()),
        on("A2", retry("use update")),
        on("C1", reject("")),
        on("Q1", reject("ask later")),
    ];
    let expected = json!({
        "approvals": {
            "A1": true,
            "C1": { "kind": "tool-denied", "message": "The tool call was denied." },
            "Q1": { "kind": "tool-denied", "message": "ask later" },
        },
        "calls": { "A2": { "kind": "model-retry", "message": "use update" } },
        "metadata": metadata,
    });
    assert_eq!(results(&document, &decided), expected);
}

#[test]
fn an_answer_that_is_json_goes_as_its_value_unless_the_framework_could_take_it_for_its_own() {
    let document = state("requests_calls_only");
    let cases = [
        ("42", json!("42")),
        (" {\"a\":[1.50,null]} ", json(r#"{"a":[1.50,null]}"#)),
        ("[1, 2", json!("[1, 2")),
        ("[{\"b\":{}}]", json!([{ "b": {} }])),
        ("{\"a\":1,\"a\":2}", json!("{\"a\":1,\"a\":2}")),
        (
            "{\"kind\":\"tool-failed\",\"message\":\"\"}",
            json!("{\"kind\":\"tool-failed\",\"message\":\"\"}"),
        ),
        (
            "[{\"kind\":\"image-url\",\"url\":\"http://x\"}]",
            json!("[{\"kind\":\"image-url\",\"url\":\"http://x\"}]"),
        ),
        (
            "{\"x\":{\"part_kind\":\"retry-prompt\"}}",
            json!("{\"x\":{\"part_kind\":\"retry-prompt\"}}"),
        ),
        ("\u{1b}[2J\u{202e}\u{0}", json!("\u{1b}[2J\u{202e}\u{0}")),
        ("", json!("")),
    ];
    for (text, value) in cases {
        let decided = [
            on("pyd_ai_1", respond(text)),
            on("pyd_ai_2", retry("again")),
        ];
        let written = results(&document, &decided);
        let expected = json!({ "kind": "tool-return", "return_value": value });
        assert_eq!(written["calls"]["pyd_ai_1"], expected, "{text}");
    }
}

#[test]
fn a_result_from_outside_cannot_be_approved_and_a_part_cannot_be_sent() {
    let read = imported(&state("requests_calls_only"));
    let decided = [
        on("pyd_ai_1", approve()),
        on("pyd_ai_2", respond("clicked")),
    ];
    let not_taken = WriteFault::NotTaken {
        call: id("pyd_ai_1"),
        done: "approved",
    };
    assert_eq!(read.results(&decided), Err(not_taken));
    let part = read.results(&decided[1..]);
    assert_eq!(part, Err(WriteFault::Undecided("1 call is".to_owned())));
}

#[test]
fn a_history_alone_is_read_with_a_warning() {
    let read = imported(&state("history_before_mixed"));
    let untold = |wanted: &ImportedCall| {
        let ImportedCall {
            id,
            tool,
            arguments,
            ..
        } = wanted;
        call(&id.0, tool, arguments.text(), approval(TWO))
    };
    let expected: Vec<_> = mixed().iter().map(untold).collect();
    assert_eq!(read.calls, expected);
    let warning = "a message history alone does not say which calls wait for approval and which for a result from \
                   outside; approving one of the latter ends the run with an error";
    assert_eq!(read.warnings, [warning]);
    let finished = fixture("pydantic-ai", "history_after_call_model_retry");
    let fault = fault(&finished);
    assert_eq!(
        fault,
        "no call waits in this pydantic-ai state; there is nothing to decide; go on with the program"
    );
}

fn fault(text: &str) -> String {
    read(text, None).expect_err("nothing waits").to_string()
}

#[test]
fn what_is_shown_is_the_call_of_the_history_and_all_else_is_a_warning() {
    let mut document = state("conversation_before_mixed");
    let delete = &mut document["deferred_tool_requests"]["approvals"][1];
    delete["tool_name"] = json!("read_file");
    delete["args"] = json!("{\"path\":\"harmless\"}");
    let strange = &mut document["deferred_tool_requests"]["calls"][0];
    strange["tool_call_id"] = json!("C9");
    let read = imported(&document);
    let [mut deleted, mut job, question, update] = mixed();
    deleted.warnings = vec![
        "the request says `read_file`, which is not what will run".to_owned(),
        "the request says {\"path\":\"harmless\"}, which is not what will run".to_owned(),
    ];
    job.id = id("C9");
    job.metadata = None;
    job.warnings = vec![
        "the last response in the message history has no such call, so the framework will not take an answer to it"
            .to_owned(),
    ];
    assert_eq!(read.calls, [deleted, question, update, job]);
    let warning = "the message history has 1 more open calls than the requests, `C1` first; the framework will not go \
                   on without a result of each";
    assert_eq!(read.warnings, [warning]);
}

#[test]
fn a_state_that_makes_no_sense_is_refused_at_its_place() {
    let cases = [
        ("/messages", json!({}), "/messages: this should be a list"),
        (
            "/messages/0/kind",
            json!("dream"),
            "/messages/0: a message is a `request` or a `response`, not `dream`",
        ),
        (
            "/messages/1/parts/0/tool_call_id",
            json!(""),
            "/messages/1/parts/0/tool_call_id: this is empty, and names nothing",
        ),
        (
            "/deferred_tool_requests",
            json!(7),
            "/deferred_tool_requests: this should be an object",
        ),
        (
            "/deferred_tool_requests/metadata",
            json!([]),
            "/deferred_tool_requests/metadata: this should be an object",
        ),
        (
            "/deferred_tool_requests/metadata/C1",
            json!(1),
            "/deferred_tool_requests/metadata/C1: this should be an object",
        ),
        (
            "/deferred_tool_requests/calls/1/tool_call_id",
            json!(null),
            "/deferred_tool_requests/calls/1: `tool_call_id` is missing",
        ),
        (
            "/deferred_tool_requests/calls/1/tool_name",
            json!(5),
            "/deferred_tool_requests/calls/1/tool_name: this should be a string",
        ),
        (
            "/deferred_tool_requests/calls/1/tool_call_id",
            json!("A1"),
            "/deferred_tool_requests/calls/1: another call has the id `A1` too",
        ),
        (
            "/deferred_tool_requests/calls/0/tool_call_id",
            json!("F1"),
            "/deferred_tool_requests/calls/0: the call `F1` has a result in the message history already",
        ),
    ];
    for (place, value, says) in cases {
        let mut document = state("conversation_before_mixed");
        *document.pointer_mut(place).expect("it is there") = value;
        let fault = refused(&document, Format::PydanticAi).to_string();
        assert_eq!(fault, todo(says));
    }
}

#[test]
fn all_that_a_history_can_hold_is_told() {
    let document = json!({ "messages": [
        { "kind": "request", "instructions": "Be kind.", "parts": [
            { "part_kind": "system-prompt", "content": "You are." },
            { "part_kind": "user-prompt", "content": ["Look:", { "kind": "image-url", "url": "http://x/y.png" },
                                                      { "kind": "binary", "media_type": "image/png", "data": "AAAA" }] } ] },
        { "kind": "response", "model_name": "m", "parts": [
            { "part_kind": "thinking", "content": "Hm." }, { "part_kind": "text", "content": "Yes." },
            { "part_kind": "native-tool-call", "tool_name": "search", "args": "{\"q\":1}", "tool_call_id": "s" },
            { "part_kind": "native-tool-return", "tool_name": "search", "tool_call_id": "s", "content": { "hits": 0 } },
            { "part_kind": "file", "content": { "kind": "binary", "media_type": "text/csv", "data": "AAAA" } },
            { "part_kind": "tool-call", "tool_name": "t", "tool_call_id": "1" } ] },
        { "kind": "request", "instructions": "Be kind.", "parts": [
            { "part_kind": "retry-prompt", "tool_name": "t", "tool_call_id": "1", "content": [{ "loc": ["a"] }] },
            { "part_kind": "retry-prompt", "tool_name": null, "tool_call_id": "x", "content": "No text." },
            { "part_kind": "since-3", "x": 1 } ] },
        { "kind": "response", "parts": [{ "part_kind": "tool-call", "tool_name": "t", "tool_call_id": "2" }] },
    ], "deferred_tool_requests": { "approvals": [{ "tool_name": "t", "tool_call_id": "2" }] } });
    let result = |call: &str, text: &str| Past::Result {
        call: id(call),
        text: text.to_owned(),
    };
    let note = |text: &str| Past::Note(text.to_owned());
    let read = imported(&document);
    let past = [
        note("Be kind."),
        note("You are."),
        Past::User("Look:\n[image-url http://x/y.png]\n[binary image/png]".to_owned()),
        Past::Thinking("Hm.".to_owned()),
        Past::Agent("Yes.".to_owned()),
        called("s", "search", "{\"q\":1}"),
        result("s", "{\"hits\":0}"),
        note("[binary text/csv]"),
        called("1", "t", ""),
        result("1", "[{\"loc\":[\"a\"]}]"),
        note("No text."),
        note("[since-3]"),
        called("2", "t", ""),
    ];
    assert_eq!(read.history, past);
    assert_eq!(read.calls, [call("2", "t", "{}", approval(EITHER))]);
}

#[test]
fn a_hundred_thousand_calls_are_read_and_answered() {
    let name = |n: usize| format!("\u{202e}{n}/~\"");
    let part = |n: usize| json!({ "part_kind": "tool-call", "tool_name": "t", "args": { "n": n }, "tool_call_id": name(n) });
    let parts: Vec<_> = (0..100_000).map(part).collect();
    let backwards: Vec<_> = parts.iter().rev().collect();
    let document = json!({
        "messages": [{ "kind": "response", "parts": parts }],
        "requests": { "approvals": backwards },
    });
    let read = imported(&document);
    let ids: Vec<_> = read.calls.iter().map(|call| call.id.0.clone()).collect();
    let expected: Vec<_> = (0..100_000).map(name).collect();
    assert!(ids == expected, "the calls stand in the model's order");
    let decided: Vec<_> = ids.iter().map(|id| on(id, approve())).collect();
    let written = read.results(&decided).expect("the decisions fit");
    let approvals = written["approvals"].as_object().expect("an object");
    assert!(approvals.values().all(|value| *value == json!(true)));
    assert_eq!(approvals.len(), ids.len());
}

#[test]
fn every_decision_that_is_offered_can_be_written() {
    for name in [
        "conversation_before_mixed",
        "requests_mixed",
        "history_before_mixed",
        "v1_requests",
        "code_mode_seq",
    ] {
        let document = state(name);
        let read = imported(&document);
        for decision in everything() {
            let takes = |call: &ImportedCall| call.answers.take(decision.answer());
            let chosen = |call: &ImportedCall| {
                let decision = if takes(call) {
                    decision.clone()
                } else {
                    reject("")
                };
                on(&call.id.0, decision)
            };
            let decided: Vec<_> = read.calls.iter().map(chosen).collect();
            results(&document, &decided);
        }
    }
}

fn everything() -> [Decision; 6] {
    [
        approve(),
        edit("{}"),
        reject("no"),
        respond("[]"),
        retry("again"),
        fail("no"),
    ]
}
