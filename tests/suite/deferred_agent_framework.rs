//! The Agent Framework's approval requests: recorded ones, the responses to them, and documents that went wrong.

use countersign::core::arguments::Arguments;
use countersign::core::call::{Answer, Answers, CallId};
use countersign::core::decision::Reach;
use countersign::core::verdict::Basis;
use countersign::deferred::{Format, ImportedCall, Past};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::states::{
    anything, approve, decide_all, lasting, once, read, recorded, refused, reject, spoilt, survives,
};

const DELETE: &str = "af-call-0b0b6ac3cd434403becb79bcc6066799";
const READ: &str = "af-call-07b8683a72784cd8aa475f9fe73b4ade";
const SEND: &str = "af-call-b4754149e26741c38a920eba6f632575";

fn document(name: &str) -> Value {
    recorded(&format!("agent-framework/{name}.json"))
}

fn calls(answers: &Answers) -> [ImportedCall; 2] {
    let call = |id: &str, tool: &str, arguments: &str| ImportedCall {
        id: CallId(id.to_owned()),
        tool: tool.to_owned(),
        arguments: Arguments::parse(arguments).expect("sound"),
        answers: answers.clone(),
        parent: None,
        basis: Basis::Framework {
            reason: String::new(),
        },
        risks: Vec::new(),
        schema: None,
        metadata: None,
        warnings: Vec::new(),
        expires: None,
        arrived: None,
        script: None,
    };
    [
        call(DELETE, "delete_file", r#"{"path": "/srv/a"}"#),
        call(SEND, "send_email", r#"{"to":"x","body":"y"}"#),
    ]
}

#[test]
fn the_requests_are_found_in_every_document_that_has_them() {
    let requests = document("function_approval_request");
    let response = document("response_with_requests");
    let always = [
        Answer::Approve,
        Answer::Reject,
        Answer::AlwaysArguments,
        Answer::AlwaysTool,
    ];
    let documents = [
        requests.clone(),
        response.clone(),
        response["messages"].clone(),
        response["messages"][0].clone(),
    ];
    for document in documents {
        let imported = read(&document);
        assert_eq!(imported.format(), Format::AgentFramework);
        assert_eq!(imported.calls, calls(&Answers::of(always)));
        assert_eq!(
            imported.warnings,
            [
                "an approval of later calls too is kept only by an agent that uses the framework's tool approval middleware"
            ]
        );
        assert!(imported.takes_a_part());
    }
    assert_eq!(read(&requests[0]).calls, calls(&Answers::of(always))[..1]);
}

#[test]
fn a_session_says_what_waits_what_came_before_and_whether_approvals_last() {
    let session = document("session");
    let imported = read(&session);
    assert_eq!(
        imported.calls,
        calls(&Answers::of([Answer::Approve, Answer::Reject]))
    );
    assert_eq!(imported.warnings, [""; 0]);
    let called = |id: &str, tool: &str, arguments: &str| Past::Called {
        call: CallId(id.to_owned()),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    };
    assert_eq!(
        imported.history,
        [
            Past::User("go".to_owned()),
            called(DELETE, "delete_file", r#"{"path": "/srv/a"}"#),
            called(READ, "read_file", r#"{"path":"b"}"#),
            called(SEND, "send_email", r#"{"to":"x","body":"y"}"#),
        ]
    );
    let mut with_rules = session;
    let kept = &mut with_rules["state"]["tool_approval"];
    kept["rules"] = json!([]);
    kept["collected_approval_responses"] = json!([]);
    assert!(read(&with_rules).calls[0].answers.take(Answer::AlwaysTool));
}

#[test]
fn the_answers_are_one_message_to_run_the_agent_with() {
    for name in [
        "function_approval_request",
        "session",
        "response_with_requests",
    ] {
        let results =
            read(&document(name)).results(&[once(SEND, reject("")), once(DELETE, approve())]);
        let wanted = json!({
            "type": "message", "role": "user",
            "contents": document("function_approval_response"),
            "additional_properties": {},
        });
        assert_eq!(results, Ok(wanted));
    }
}

#[test]
fn an_approval_can_last_and_everything_else_of_the_request_is_said_again() {
    let mut request = document("function_approval_request")[0].clone();
    request["additional_properties"] = json!({ "reason": "changed", "n": 1 });
    request["of_later"] = json!([1, null]);
    let imported = read(&request);
    assert_eq!(
        imported.calls[0].basis,
        Basis::Framework {
            reason: "changed".to_owned()
        }
    );
    for (reach, scope) in [
        (Reach::Tool, "tool"),
        (Reach::Arguments, "tool_with_arguments"),
    ] {
        let results = imported
            .results(&[lasting(DELETE, approve(), reach)])
            .expect("written");
        assert_eq!(
            results["contents"],
            json!([{
                "type": "function_approval_response",
                "function_call": request["function_call"],
                "approved": true,
                "id": DELETE,
                "additional_properties": { "reason": "changed", "n": 1, "tool_approval": { "always_approve": scope } },
                "of_later": [1, null],
            }])
        );
    }
}

#[test]
fn a_request_that_was_answered_does_not_wait() {
    let mut contents = document("function_approval_request");
    let answered = document("function_approval_response")[0].clone();
    contents.as_array_mut().expect("a list").push(answered);
    let waiting: Vec<_> = read(&contents)
        .calls
        .into_iter()
        .map(|call| call.id.0)
        .collect();
    assert_eq!(waiting, [SEND]);
    let message = json!({ "type": "message", "role": "user", "contents": [] });
    assert_eq!(
        refused(&message),
        "no call waits in this agent-framework state; there is nothing to decide; go on with the program"
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let again = "write the state out again as the framework does";
    let request = document("function_approval_request")[0].clone();
    let without = |member: &str| {
        let mut request = request.clone();
        request
            .as_object_mut()
            .expect("an object")
            .shift_remove(member);
        json!([request])
    };
    let mut broken = request.clone();
    broken["function_call"]["arguments"] = json!("[]");
    let cases = [
        (without("id"), format!("/0: `id` is missing; {again}")),
        (
            without("function_call"),
            format!("/0: `function_call` is missing; {again}"),
        ),
        (
            json!({ "type": "message", "contents": [broken] }),
            format!(
                "/contents/0/function_call/arguments: the arguments cannot be read: the arguments are not a JSON object; {again}"
            ),
        ),
        (
            json!([request, request]),
            format!("/1: another call has the id `{DELETE}` too; give each call an id of its own"),
        ),
        (
            json!({ "type": "agent_response", "messages": {} }),
            format!("/messages: this should be a list; {again}"),
        ),
    ];
    for (document, said) in cases {
        assert_eq!(refused(&document), said);
    }
}

#[test]
fn a_hundred_thousand_requests_are_read_and_answered() {
    let request = document("function_approval_request")[0].clone();
    let requests = (0..100_000).map(|at| {
        let mut request = request.clone();
        request["id"] = json!(format!("call-{at}"));
        request
    });
    let imported = read(&requests.collect());
    let results = imported
        .results(&decide_all(&imported, ""))
        .expect("written");
    assert_eq!(results["contents"].as_array().map(Vec::len), Some(100_000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_spoilt_document_never_panics(
        changes in prop::collection::vec((any::<prop::sample::Index>(), anything(), any::<u8>()), 1..4),
        text in any::<String>(),
        name in prop::sample::select(vec!["function_approval_request", "session", "response_with_requests"]),
    ) {
        survives(&spoilt(document(name), &changes), Format::AgentFramework, &text);
    }
}
