//! Scripts of Pydantic AI agents that wait at inner calls: those are shown, decided and sent back.

use countersign::core::call::{Answer, Answers};
use countersign::deferred::{Decided, Format, ImportedCall, Past, WriteFault};
use serde_json::json;

use super::deferred_pydantic::{call, called, results, state};
use crate::support::deferred::{approve, edit, id, imported, on, refused, reject, respond, todo};

#[test]
fn a_script_is_decided_by_its_inner_calls() {
    let document = state("code_mode_batch");
    let code = &document["requests"]["metadata"]["rc1"]["code"];
    let lines: Vec<_> = code.as_str().expect("a script").split('\n').collect();
    let inner = |n: usize, tool: &str, text: &str| {
        let answers = [
            Answer::Approve,
            Answer::Edit,
            Answer::Reject,
            Answer::Reason,
        ];
        ImportedCall {
            parent: Some(id("rc1")),
            metadata: Some(json!({ "code": lines })),
            ..call(&format!("rc1__{n}"), tool, text, Answers::of(answers))
        }
    };
    let calls = [
        inner(2, "delete_file", r#"{"path":"x"}"#),
        inner(3, "delete_file", r#"{"path":"y"}"#),
        inner(5, "update_file", r#"{"path":".env","content":"1"}"#),
    ];
    let script = called("rc1", "run_code", &json!({ "code": code }).to_string());
    let read = imported(&document);
    assert_eq!(read.calls, calls);
    assert_eq!(read.history, [Past::User("go".to_owned()), script.clone()]);
    // Without a history the script is told of all the same.
    let alone = imported(&document["requests"]);
    assert_eq!(alone.calls, calls);
    assert_eq!(alone.history, [script]);
}

#[test]
fn the_decisions_on_inner_calls_go_back_in_the_scripts_metadata() {
    let document = state("code_mode_batch");
    let by = |who: &str, one: Decided| Decided {
        who: Some(who.to_owned()),
        ..one
    };
    let decided = [
        by("ada@host", on("rc1__2", approve())),
        by("ada@host", on("rc1__3", edit(r#"{"path":"SAFE"}"#))),
        by("ada@host", on("rc1__5", reject("not .env"))),
    ];
    let mut metadata = document["requests"]["metadata"].clone();
    metadata["rc1"]["decisions"] = json!({
        "rc1__2": true,
        "rc1__3": { "kind": "tool-approved", "override_args": { "path": "SAFE" } },
        "rc1__5": { "kind": "tool-denied", "message": "not .env" },
    });
    let expected = json!({ "approvals": { "rc1": true }, "calls": {}, "metadata": metadata,
                           "answered_by": { "rc1": "ada@host" } });
    assert_eq!(results(&document, &decided), expected);
    let taken = imported(&document).results(&[on("rc1__2", respond("x"))]);
    let not_taken = WriteFault::NotTaken {
        call: id("rc1__2"),
        done: "answered",
    };
    assert_eq!(taken, Err(not_taken));
}

#[test]
fn a_script_that_is_not_the_models_is_a_warning_and_one_that_waits_for_itself_is_an_ordinary_call()
{
    let mut document = state("code_mode_seq");
    document["requests"]["metadata"]["rc1"]["code"] = json!("pass");
    let read = imported(&document);
    let warning = "the script in the metadata is not the one in the arguments of `run_code`";
    assert_eq!(read.calls[0].warnings, [warning]);
    document["requests"]["metadata"]["rc1"] = json!({ "kind": "code_mode", "pending": [] });
    let read = imported(&document);
    assert_eq!(read.calls[0].id, id("rc1"));
    let written = results(&document, &[on("rc1", approve())]);
    assert_eq!(written["approvals"], json!({ "rc1": true }));
}

#[test]
fn the_script_is_not_repeated_beyond_measure() {
    let pending: Vec<_> = (0..100)
        .map(|n| json!({ "tool_call_id": format!("rc1__{n}"), "tool_name": "t", "args": {} }))
        .collect();
    let code = "x".repeat(300_000);
    let document = json!({
        "approvals": [{ "tool_name": "run_code", "args": { "code": code }, "tool_call_id": "rc1" }],
        "metadata": { "rc1": { "kind": "code_mode", "code": code, "pending": pending } },
    });
    let read = imported(&document);
    let shown = read.calls.iter().filter(|call| call.metadata.is_some());
    assert_eq!(shown.count(), 3);
    assert_eq!(read.calls[0].metadata, Some(json!({ "code": code })));
}

#[test]
fn arguments_and_scripts_that_make_no_sense_are_refused_at_their_place() {
    let mut document = state("requests_approvals_json_string_args");
    document["approvals"][0]["args"] = json!([1]);
    let fault = refused(&document, Format::PydanticAi).to_string();
    let says = "/approvals/0/args: arguments are an object or the text of one";
    assert_eq!(fault, todo(says));
    for (place, value, says) in [
        (
            "pending",
            json!("x"),
            "/metadata/r~1c~0: this should be a list",
        ),
        (
            "pending",
            json!([{ "tool_name": "t" }]),
            "/metadata/r~1c~0/pending/0: `tool_call_id` is missing",
        ),
        (
            "pending",
            json!([{ "tool_name": "t", "tool_call_id": "r/c~" }]),
            "/metadata/r~1c~0/pending/0: another call has the id `r/c~` too",
        ),
    ] {
        let document = json!({
            "approvals": [{ "tool_name": "run_code", "tool_call_id": "r/c~" }],
            "metadata": { "r/c~": { "kind": "code_mode", place: value } },
        });
        let fault = refused(&document, Format::PydanticAi).to_string();
        let says = says.replace(
            "r~1c~0: this should be a list",
            "r~1c~0/pending: this should be a list",
        );
        assert_eq!(fault, todo(&says));
    }
    let fault = refused(&json!({}), Format::PydanticAi).to_string();
    let says = "there are no requests here: neither `approvals` nor `calls`; write the state out again as the framework does";
    assert_eq!(fault, says);
}
