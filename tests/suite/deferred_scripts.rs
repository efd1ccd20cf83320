//! Scripts of Pydantic AI agents that wait at inner calls: those are shown, decided and sent back.

use countersign::core::call::{Answer, Answers, CallId};
use countersign::core::script::{Done, Script};
use countersign::deferred::{Decided, Format, ImportedCall, Past, WriteFault};
use serde_json::json;
use std::sync::Arc;

use super::deferred_pydantic::{call, called, results, state};
use crate::support::deferred::{approve, edit, id, imported, on, refused, reject, respond, todo};

#[test]
fn a_script_is_decided_by_its_inner_calls() {
    let document = state("code_mode_batch");
    let code = &document["requests"]["metadata"]["rc1"]["code"];
    let stands = |line: Option<u32>| {
        Some(Arc::new(Script {
            outer: id("rc1"),
            code: code.as_str().expect("a script").to_owned(),
            line,
            done: Vec::new(),
            printed: String::new(),
        }))
    };
    let inner = |n: usize, tool: &str, text: &str, line: Option<u32>| {
        let answers = [
            Answer::Approve,
            Answer::Edit,
            Answer::Reject,
            Answer::Reason,
        ];
        ImportedCall {
            parent: Some(id("rc1")),
            script: stands(line),
            ..call(&format!("rc1__{n}"), tool, text, Answers::of(answers))
        }
    };
    let calls = [
        inner(2, "delete_file", r#"{"path":"x"}"#, Some(3)),
        inner(3, "delete_file", r#"{"path":"y"}"#, Some(3)),
        inner(
            5,
            "update_file",
            r#"{"path":".env","content":"1"}"#,
            Some(3),
        ),
        ImportedCall {
            script: stands(Some(3)),
            ..call(
                "rc1",
                "run_code",
                &json!({ "code": code }).to_string(),
                Answers::of([Answer::Reject, Answer::Reason, Answer::Respond]),
            )
        },
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
fn a_script_that_is_rejected_or_answered_is_dropped_whatever_was_decided_on_its_calls() {
    let document = state("code_mode_batch");
    let metadata = document["requests"]["metadata"].clone();
    let decided = [on("rc1__2", approve()), on("rc1", reject("not like this"))];
    let dropped = json!({ "kind": "tool-denied", "message": "not like this" });
    let expected = json!({ "approvals": { "rc1": dropped }, "calls": {}, "metadata": metadata });
    assert_eq!(results(&document, &decided), expected);
    let answered = results(&document, &[on("rc1", respond("done by hand"))]);
    let result = json!({ "kind": "tool-return", "return_value": "done by hand" });
    let expected = json!({ "approvals": {}, "calls": { "rc1": result }, "metadata": metadata });
    assert_eq!(answered, expected);
    let taken = imported(&document).results(&[on("rc1", approve())]);
    let not_taken = WriteFault::NotTaken {
        call: id("rc1"),
        done: "approved",
    };
    assert_eq!(taken, Err(not_taken));
    // Without an answer to the script, each of its calls needs one.
    let part = imported(&document).results(&[on("rc1__2", approve())]);
    assert_eq!(part, Err(WriteFault::Undecided("2 calls are".to_owned())));
}

#[test]
fn what_a_script_has_done_and_printed_and_where_it_stands_is_read_from_its_metadata() {
    let stands = |more: serde_json::Value| {
        let mut metadata = json!({
            "kind": "code_mode",
            "code": "# rm(a)\nx = look(a)\nrm(x)\nrm(y)",
            "pending": [{ "tool_call_id": "rc__2", "tool_name": "look", "args": {} },
                        { "tool_call_id": "rc__3", "tool_name": "rm", "args": {}, "line": 4 },
                        { "tool_call_id": "rc__4", "tool_name": "rm", "args": {} }],
        });
        for (name, value) in more.as_object().expect("an object") {
            metadata[name] = value.clone();
        }
        imported(&json!({
            "approvals": [{ "tool_name": "run_code", "args": {}, "tool_call_id": "rc" }],
            "metadata": { "rc": metadata },
        }))
        .calls
    };
    let lines = |calls: &[ImportedCall]| -> Vec<Option<u32>> {
        let line = |call: &ImportedCall| call.script.as_ref().and_then(|script| script.line);
        calls.iter().map(line).collect()
    };
    // Said of the call, said of none, and the only one that it can be.
    assert_eq!(lines(&stands(json!({}))), [Some(2), Some(4), None, None]);
    assert_eq!(
        lines(&stands(json!({ "line": 3 }))),
        [Some(3), Some(4), Some(3), Some(3)]
    );
    assert_eq!(lines(&stands(json!({ "code": "f = look\nf()" })))[0], None);
    assert_eq!(
        lines(&stands(json!({ "code": "f()\nrelook(1)\n look (1)" })))[0],
        Some(3)
    );
    let script = |more| stands(more)[0].script.clone().expect("a script");
    let done = json!({ "10": { "a": 1 }, "2": "two" });
    let by_number = script(json!({ "done": done, "printed": "hello\n" }));
    let numbered =
        |number: &str, result: &str| Done::new(&format!("call-{number}"), "", "done", result);
    assert_eq!(
        by_number.done,
        [numbered("2", "two"), numbered("10", r#"{"a":1}"#)]
    );
    assert_eq!(by_number.printed, "hello\n");
    let listed = json!([{ "tool_name": "rm", "args": { "path": "a" }, "outcome": "denied", "result": "no" }]);
    let listed = script(json!({ "done": listed }));
    assert_eq!(
        listed.done,
        [Done::new("rm", r#"{"path":"a"}"#, "denied", "no")]
    );
}

#[test]
fn the_scripts_own_row_is_known_here_as_a_question_about_the_call_that_runs_it() {
    let document = state("code_mode_batch");
    let keys: Vec<CallId> = imported(&document)
        .calls
        .iter()
        .map(ImportedCall::key)
        .collect();
    let wanted = ["rc1__2", "rc1__3", "rc1__5", "rc1+script"];
    assert_eq!(keys, wanted.map(id));
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
    let size = |call: &ImportedCall| call.script.as_ref().map_or(0, |script| script.code.len());
    let whole: Vec<_> = read
        .calls
        .iter()
        .map(size)
        .filter(|size| *size > 0)
        .collect();
    assert_eq!(whole, [300_000; 4], "three calls, and the script itself");
    let outer = |call: &ImportedCall| call.script.as_ref().map(|script| script.outer.clone());
    assert!(read.calls.iter().all(|call| outer(call) == Some(id("rc1"))));
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
