//! `LangChain`'s interrupts: recorded ones, the answers they take, and documents that went wrong.

use countersign::core::arguments::Arguments;
use countersign::core::call::{Answer, Answers, CallId};
use countersign::core::decision::{Decision, Reach};
use countersign::core::schema::Schema;
use countersign::core::verdict::Basis;
use countersign::deferred::{Decided, Format, ImportedCall, Past, WriteFault};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::states::{
    anything, approve, decide_all, edit, lasting, once, read, recorded, refused, reject, respond,
    spoilt, survives,
};

const EVERYTHING: [Answer; 5] = [
    Answer::Approve,
    Answer::Edit,
    Answer::Reject,
    Answer::Reason,
    Answer::Respond,
];

fn batched(case: &str) -> Value {
    recorded("langchain/hitl_batched.json")[case].clone()
}

fn call(id: &str, tool: &str, arguments: &Value, reason: &str) -> ImportedCall {
    ImportedCall {
        id: CallId(id.to_owned()),
        tool: tool.to_owned(),
        arguments: Arguments::from_value(arguments).expect("an object"),
        answers: Answers::of(EVERYTHING),
        parent: None,
        basis: Basis::Framework {
            reason: reason.to_owned(),
        },
        risks: Vec::new(),
        schema: None,
        metadata: None,
        warnings: Vec::new(),
        expires: None,
        arrived: None,
        script: None,
    }
}

const ASKS: &str =
    "Tool execution requires approval\n\nTool: delete_file\nArgs: {'path': '/srv/a'}";

#[test]
fn a_batched_request_is_read_in_every_wrapping() {
    let interrupt = batched("approve_all")["interrupts"][0].clone();
    let request = interrupt["value"].clone();
    let wrappings = [
        request.clone(),
        interrupt.clone(),
        json!([interrupt]),
        json!({ "messages": [], "__interrupt__": [interrupt] }),
        json!({ "values": {}, "next": ["tools"], "interrupts": [interrupt] }),
        json!([{ "value": request, "resumable": true, "ns": ["a:b"] }]),
    ];
    for wrapping in wrappings {
        let imported = read(&wrapping);
        assert_eq!(imported.format(), Format::Langchain);
        assert_eq!(
            imported.calls,
            [
                call("0", "delete_file", &json!({ "path": "/srv/a" }), ASKS),
                call(
                    "1",
                    "send_email",
                    &json!({ "to": "x@y", "body": "hi" }),
                    "Email review"
                ),
            ]
        );
        assert!(!imported.takes_a_part());
    }
}

#[test]
fn the_answers_to_a_batched_request_are_those_the_framework_was_resumed_with() {
    let cases: [(&str, [Decision; 2]); 3] = [
        ("approve_all", [approve(), approve()]),
        (
            "edit_and_respond",
            [
                edit(&json!({ "path": "/srv/SAFE" })),
                respond("I sent it myself"),
            ],
        ),
        ("reject_both", [reject("too risky"), reject("")]),
    ];
    for (case, [first, second]) in cases {
        let recorded = batched(case);
        let imported = read(&json!({ "interrupts": recorded["interrupts"] }));
        // In any order: the place of an answer is that of its call.
        let decided = [once("1", second), once("0", first)];
        assert_eq!(imported.results(&decided), Ok(recorded["resume"].clone()));
    }
}

#[test]
fn one_interrupt_for_each_call_is_answered_by_its_id() {
    let recorded = recorded("langchain/hitl_per_call.json");
    let imported = read(&recorded);
    let schema = |at: usize, name: &str| {
        let schema = &recorded["interrupts"][at]["response_schema"]["$defs"][name];
        Some(Schema::new(schema.clone()))
    };
    let delete = call("c1", "delete_file", &json!({ "path": "/srv/a" }), ASKS);
    let send = call(
        "c3",
        "send_email",
        &json!({ "to": "x@y", "body": "hi" }),
        "Email review",
    );
    assert_eq!(
        imported.calls,
        [
            ImportedCall {
                schema: schema(0, "delete_file"),
                ..delete
            },
            ImportedCall {
                schema: schema(1, "send_email"),
                ..send
            },
        ]
    );
    let both = [once("c1", approve()), once("c3", respond("human said so"))];
    assert_eq!(imported.results(&both), Ok(recorded["resume"].clone()));
    // The rest stays interrupted.
    assert!(imported.takes_a_part());
    assert_eq!(
        imported.results(&both[1..]),
        Ok(
            json!({ "ab6af2fad3aec3182074a27f370f4375": { "type": "respond", "message": "human said so" } })
        )
    );
}

#[test]
fn several_batched_interrupts_are_answered_by_their_ids() {
    let (one, two) = (batched("approve_all"), batched("reject_both"));
    let imported = read(&json!([one["interrupts"][0], two["interrupts"][0]]));
    let ids: Vec<_> = imported
        .calls
        .iter()
        .map(|call| call.id.0.clone())
        .collect();
    let (a, b) = (
        "c641d61d7b8cd3b0409172875a2fc405",
        "4e9c7da8bdf320fcdfe4e3be20862bc7",
    );
    assert_eq!(
        ids,
        [
            format!("{a}#0"),
            format!("{a}#1"),
            format!("{b}#0"),
            format!("{b}#1")
        ]
    );
    let decided = [
        once(&ids[0], approve()),
        once(&ids[1], approve()),
        once(&ids[2], reject("too risky")),
        once(&ids[3], reject("")),
    ];
    assert_eq!(
        imported.results(&decided),
        Ok(json!({ a: one["resume"], b: two["resume"] }))
    );
    assert_eq!(
        imported.results(&decided[..3]),
        Err(WriteFault::Undecided("1 call is".to_owned()))
    );
}

#[test]
fn only_the_decisions_that_a_call_allows_are_offered() {
    let request = json!({
        "action_requests": [{ "name": "a", "args": {} }, { "name": "b", "args": {} }, { "name": "a", "args": {} }],
        "review_configs": [
            { "action_name": "b", "allowed_decisions": ["respond"] },
            { "action_name": "a", "allowed_decisions": ["approve", "reject", "escalate"] },
        ],
    });
    let imported = read(&request);
    let offered: Vec<_> = imported
        .calls
        .iter()
        .map(|call| call.answers.clone())
        .collect();
    let some = Answers::of([Answer::Approve, Answer::Reject, Answer::Reason]);
    assert_eq!(
        offered,
        [some.clone(), Answers::of([Answer::Respond]), some]
    );
    let strange = "it takes a decision that this program does not know: escalate";
    assert_eq!(imported.calls[0].warnings, [strange]);
    let not_taken = |call: &str, done| WriteFault::NotTaken {
        call: CallId(call.to_owned()),
        done,
    };
    let refusals: [(Decided, _); 3] = [
        (once("1", approve()), not_taken("1", "approved")),
        (
            once("0", edit(&json!({}))),
            not_taken("0", "approved with edits"),
        ),
        (
            lasting("0", approve(), Reach::Tool),
            not_taken("0", "approved for later calls too"),
        ),
    ];
    for (decided, refusal) in refusals {
        assert_eq!(imported.results(&[decided]), Err(refusal));
    }
}

#[test]
fn an_answer_schema_with_one_decision_or_with_shared_definitions_is_understood() {
    let value = json!({ "type": "tool_approval", "tool_call_id": "c9", "name": "ask", "args": {}, "description": "" });
    let only = json!({ "type": "object", "properties": { "type": { "const": "respond" } } });
    let imported = read(&json!({ "id": "x", "value": value, "response_schema": only }));
    assert_eq!(imported.calls[0].answers, Answers::of([Answer::Respond]));
    // Its id is none that the framework would take a map by.
    let answer = json!({ "type": "respond", "message": "42" });
    assert_eq!(imported.results(&[once("c9", respond("42"))]), Ok(answer));

    let shared = json!({
        "$defs": { "Place": { "type": "object" }, "Act": { "properties": { "args": { "properties": { "at": { "$ref": "#/$defs/Place" } } } } } },
        "properties": { "type": { "const": "edit" }, "edited_action": { "$ref": "#/$defs/Act" } },
    });
    let imported = read(&json!({ "id": "x", "value": value, "response_schema": shared }));
    let schema =
        json!({ "properties": { "at": { "$ref": "#/$defs/Place" } }, "$defs": shared["$defs"] });
    assert_eq!(imported.calls[0].schema, Some(Schema::new(schema)));

    let imported = read(&json!({ "id": "x", "value": value }));
    let safe = [Answer::Approve, Answer::Reject, Answer::Reason];
    assert_eq!(imported.calls[0].answers, Answers::of(safe));
    let unsaid = "the interrupt does not say which decisions it takes";
    assert_eq!(imported.calls[0].warnings, [unsaid]);
}

#[test]
fn an_interrupt_that_asks_for_something_else_is_left_as_it_is() {
    let mine = batched("approve_all")["interrupts"][0].clone();
    let imported = read(&json!([{ "id": "other", "value": "your age?" }, mine]));
    assert_eq!(
        imported.warnings,
        ["one interrupt asks for something else and is left as it is"]
    );
    let ids: Vec<_> = imported
        .calls
        .iter()
        .map(|call| call.id.0.clone())
        .collect();
    let decided: Vec<_> = ids.iter().map(|id| once(id, approve())).collect();
    let answers = batched("approve_all")["resume"].clone();
    assert_eq!(
        imported.results(&decided),
        Ok(json!({ "c641d61d7b8cd3b0409172875a2fc405": answers }))
    );
}

#[test]
fn messages_of_the_state_are_what_was_said_before() {
    let interrupt = batched("approve_all")["interrupts"][0].clone();
    let imported = read(&json!({
        "messages": [
            { "type": "system", "content": "be brief" },
            { "type": "human", "data": { "content": [{ "type": "text", "text": "go" }, "on"] } },
            { "lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": {
                "content": "deleting", "tool_calls": [{ "name": "delete_file", "args": { "path": "a" }, "id": "c1" }] } },
            { "type": "tool", "content": "gone", "tool_call_id": "c1" },
            { "type": "strange" }, 7
        ],
        "__interrupt__": [interrupt],
    }));
    let call = CallId("c1".to_owned());
    assert_eq!(
        imported.history,
        [
            Past::Note("be brief".to_owned()),
            Past::User("go\non".to_owned()),
            Past::Agent("deleting".to_owned()),
            Past::Called {
                call: call.clone(),
                tool: "delete_file".to_owned(),
                arguments: r#"{"path":"a"}"#.to_owned(),
            },
            Past::Result {
                call,
                text: "gone".to_owned()
            },
        ]
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let again = "write the state out again as the framework does";
    let per_call = |id: &str| json!({ "id": id, "value": { "type": "tool_approval", "tool_call_id": "c", "name": "n", "args": {} } });
    let cases = [
        (
            json!({ "action_requests": [] }),
            format!("`review_configs` is missing; {again}"),
        ),
        (
            json!({ "action_requests": [{ "name": "a", "args": {} }], "review_configs": [] }),
            format!(
                "/action_requests/0: no entry of `review_configs` says which decisions it takes; {again}"
            ),
        ),
        (
            json!([{ "id": "i", "value": { "action_requests": [{ "args": {} }], "review_configs": [] } }]),
            format!("/0/value/action_requests/0: `name` is missing; {again}"),
        ),
        (
            json!({ "value": { "type": "tool_approval", "name": "n", "args": [1] } }),
            format!(
                "/value/args: the arguments cannot be read: the arguments are not a JSON object; {again}"
            ),
        ),
        (
            json!([per_call("a"), { "value": { "type": "tool_approval", "name": "n", "args": {} } }]),
            format!(
                "/1: there are several interrupts and this one has no `id`, so no answer could name it; {again}"
            ),
        ),
        (
            json!([per_call("a"), per_call("b")]),
            "/1/value: another call has the id `c` too; give each call an id of its own".to_owned(),
        ),
        (
            json!([per_call("a"), per_call("a")]),
            "/1: another call has the id `a` too; give each call an id of its own".to_owned(),
        ),
        (
            json!({ "action_requests": [{ "name": "a", "args": {} }],
                    "review_configs": [{ "action_name": "a", "allowed_decisions": ["escalate"] }] }),
            format!(
                "/review_configs/0/allowed_decisions: it takes no decision that is known; {again}"
            ),
        ),
    ];
    for (document, said) in cases {
        assert_eq!(refused(&document), said);
    }
}

#[test]
fn a_hundred_thousand_calls_are_read_and_answered() {
    let actions: Vec<_> = (0..100_000)
        .map(|at| json!({ "name": "send", "args": { "to": at } }))
        .collect();
    let config = json!({ "action_name": "send", "allowed_decisions": ["approve", "reject"] });
    let imported = read(&json!({ "action_requests": actions, "review_configs": [config] }));
    assert_eq!(imported.calls.len(), 100_000);
    let decided = decide_all(&imported, "no");
    let results = imported.results(&decided).expect("all are decided");
    assert_eq!(
        results["decisions"][99_998],
        json!({ "type": "reject", "message": "no" })
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_spoilt_interrupt_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), anything(), any::<u8>()), 1..4),
        text in any::<String>(),
        per_call in any::<bool>(),
    ) {
        let whole = if per_call {
            recorded("langchain/hitl_per_call.json")
        } else {
            json!({ "interrupts": batched("approve_all")["interrupts"] })
        };
        survives(&spoilt(whole, &changes), Format::Langchain, &text);
    }

    #[test]
    fn any_text_comes_through_as_it_is(text in any::<String>(), id in "[a-f0-9]{32}") {
        let value = json!({ "type": "tool_approval", "tool_call_id": text.clone() + "c", "name": text.clone() + "t",
                            "args": { text.clone(): text }, "description": text });
        let allowed = json!({ "properties": { "type": { "enum": ["respond"] } } });
        let imported = read(&json!({ "id": id, "value": value, "response_schema": allowed }));
        let call = &imported.calls[0];
        prop_assert_eq!(call.arguments.value(), &json!({ text.clone(): text }));
        prop_assert_eq!((&call.tool, call.basis.reason().unwrap_or_default()), (&(text.clone() + "t"), text.as_str()));
        let results = imported.results(&[once(&call.id.0, respond(&text))]);
        prop_assert_eq!(results, Ok(json!({ id: { "type": "respond", "message": text } })));
    }
}
