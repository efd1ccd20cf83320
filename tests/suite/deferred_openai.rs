//! The `OpenAI` Agents SDK's run states: what the SDK itself writes for a decision is what we write.

use countersign::core::arguments::Arguments;
use countersign::core::call::{Answer, Answers, CallId};
use countersign::core::decision::Reach;
use countersign::core::schema::Schema;
use countersign::core::verdict::Basis;
use countersign::deferred::{Decided, Format, ImportedCall, Past};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::states::{
    anything, approve, decide_all, lasting, once, read, recorded, refused, reject, spoilt, survives,
};

fn state(name: &str) -> Value {
    recorded(&format!("openai-agents/{name}.json"))
}

fn id(text: &str) -> CallId {
    CallId(text.to_owned())
}

#[test]
fn the_waiting_calls_are_read_with_their_schemas_and_what_came_before() {
    let state = state("run_state_pending");
    let imported = read(&state);
    let call = |name: &str, tool: &str, arguments: &str, at: usize| ImportedCall {
        id: id(name),
        tool: tool.to_owned(),
        arguments: Arguments::parse(arguments).expect("sound"),
        answers: Answers::of([
            Answer::Approve,
            Answer::Reject,
            Answer::Reason,
            Answer::AlwaysTool,
            Answer::NeverTool,
        ]),
        parent: None,
        basis: Basis::Framework {
            reason: String::new(),
        },
        risks: Vec::new(),
        schema: Some(Schema::new(
            state["last_processed_response"]["functions"][at]["tool"]["paramsJsonSchema"].clone(),
        )),
        metadata: None,
        warnings: Vec::new(),
        expires: None,
        arrived: None,
        script: None,
    };
    assert_eq!(imported.format(), Format::OpenAiAgents);
    assert_eq!(imported.agent.as_deref(), Some("Ops"));
    assert_eq!(
        imported.calls,
        [
            call("c1", "delete_file", r#"{"path":"/srv/a"}"#, 0),
            call("c3", "send_email", r#"{"to":"x@y","body":"hi"}"#, 2),
        ]
    );
    let called = |name: &str, tool: &str, arguments: &str| Past::Called {
        call: id(name),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    };
    assert_eq!(
        imported.history,
        [
            Past::User("go".to_owned()),
            called("c1", "delete_file", r#"{"path":"/srv/a"}"#),
            called("c2", "read_file", r#"{"path":"b"}"#),
            called("c3", "send_email", r#"{"to":"x@y","body":"hi"}"#),
            Past::Result {
                call: id("c2"),
                text: "contents b".to_owned(),
            },
        ]
    );
}

#[test]
fn thoughts_and_words_of_the_model_are_told() {
    let imported = read(&state("same_pending"));
    assert_eq!(
        imported.history[..3],
        [
            Past::User("go".to_owned()),
            Past::Thinking("thinking it over".to_owned()),
            Past::Agent("I will delete them.".to_owned()),
        ]
    );
}

/// Decisions on a recorded state give the state that the SDK wrote for the same decisions.
fn gives(before: &str, decided: &[Decided], after: &str) {
    let results = read(&state(before)).results(decided);
    assert_eq!(results, Ok(state(after)), "{before} to {after}");
}

#[test]
fn decisions_are_written_where_the_sdk_writes_them() {
    let pending = "run_state_pending";
    let cases = [
        (
            vec![once("c1", approve()), once("c3", reject("No emails today"))],
            "approve_reject_msg",
        ),
        (
            vec![
                lasting("c3", approve(), Reach::Tool),
                lasting("c1", approve(), Reach::Tool),
            ],
            "approve_all_always",
        ),
        (vec![once("c1", approve())], "partial"),
        (
            vec![once("c1", reject("")), once("c3", reject(""))],
            "reject_default",
        ),
    ];
    for (decided, after) in cases {
        gives(pending, &decided, &format!("run_state_{after}"));
    }
}

#[test]
fn calls_of_servers_shells_custom_tools_and_inner_agents_have_their_own_places() {
    let kinds = [
        ("hosted", vec!["mcpr_1"]),
        ("custom", vec!["cu1"]),
        ("shell", vec!["s1"]),
        ("nested", vec!["n1", "o2"]),
    ];
    for (kind, calls) in kinds {
        let imported = read(&state(&format!("{kind}_pending")));
        let waiting: Vec<_> = imported
            .calls
            .iter()
            .map(|call| call.id.0.as_str())
            .collect();
        assert_eq!(waiting, calls);
        let endings = [
            ("approve", approve(), Reach::Once),
            ("reject", reject("no thanks"), Reach::Once),
            ("always", approve(), Reach::Tool),
            ("never", reject("never"), Reach::Tool),
        ];
        for (ending, decision, reach) in endings {
            let decide = |call: &&str| lasting(call, decision.clone(), reach);
            let decided: Vec<_> = calls.iter().map(decide).collect();
            gives(
                &format!("{kind}_pending"),
                &decided,
                &format!("{kind}_{ending}"),
            );
        }
    }
}

#[test]
fn a_call_that_is_no_function_shows_all_that_it_would_do() {
    let shown = |name: &str| {
        let imported = read(&state(name));
        let call = &imported.calls[0];
        (
            call.tool.clone(),
            call.arguments.value().clone(),
            call.metadata.clone(),
            call.parent.clone(),
        )
    };
    let cases = [
        (
            "custom_pending",
            "runner",
            json!({ "input": "rm -rf build" }),
            None,
            None,
        ),
        (
            "shell_pending",
            "shell",
            json!({ "action": { "commands": ["ls -la"], "max_output_length": 100, "timeout_ms": 1000 } }),
            None,
            None,
        ),
        (
            "hosted_pending",
            "search",
            json!({ "q": "x" }),
            Some(json!({ "server_label": "docs" })),
            None,
        ),
        (
            "nested_pending",
            "delete_file",
            json!({ "path": "/in" }),
            Some(json!({ "agent": "Inner" })),
            Some(id("o1")),
        ),
    ];
    for (name, tool, arguments, metadata, parent) in cases {
        assert_eq!(shown(name), (tool.to_owned(), arguments, metadata, parent));
    }
}

#[test]
fn a_decision_on_one_call_stands_beside_a_lasting_one_whatever_their_order() {
    let approve_but_one = [
        once("c2", reject("not b")),
        lasting("c1", approve(), Reach::Tool),
    ];
    gives(
        "same_pending",
        &approve_but_one,
        "same_sticky_approve_but_one",
    );
    let reject_but_one = [
        once("c2", approve()),
        lasting("c1", reject("never"), Reach::Tool),
    ];
    gives(
        "same_pending",
        &reject_but_one,
        "same_sticky_reject_but_one",
    );
}

#[test]
fn of_two_lasting_decisions_on_a_tool_the_rejection_lasts_and_each_call_gets_its_own() {
    let decided = [
        lasting("c3", reject("never"), Reach::Tool),
        lasting("c1", approve(), Reach::Tool),
    ];
    let results = read(&state("same_pending"))
        .results(&decided)
        .expect("written");
    assert_eq!(
        results["context"]["function_tool_approvals"][0]["decision"],
        json!({
            "approved": ["c1"], "rejected": true,
            "rejection_messages": { "c3": "never" }, "sticky_rejection_message": "never",
            "sticky_scope": "1f7953a6d493b5ba202ce0159596ce6f6324ae8f0af83dacc42ea570f1623f18",
        })
    );
}

#[test]
fn what_was_decided_before_stays_decided() {
    let imported = read(&state("run_state_partial"));
    let waiting: Vec<_> = imported
        .calls
        .iter()
        .map(|call| call.id.0.as_str())
        .collect();
    assert_eq!(waiting, ["c3"]);
    assert_eq!(
        imported.warnings,
        ["one call of this state is decided already and stays so"]
    );
    gives(
        "run_state_partial",
        &[once("c3", reject("No emails today"))],
        "run_state_approve_reject_msg",
    );
    // A lasting approval does not turn what was rejected before.
    let rejected = read(&state("same_pending")).results(&[once("c1", reject("no"))]);
    let again = read(&rejected.expect("written"));
    let results = again
        .results(&[lasting("c2", approve(), Reach::Tool)])
        .expect("written");
    let decision = &results["context"]["function_tool_approvals"][0]["decision"];
    assert_eq!(
        (
            &decision["approved"],
            &decision["rejected"],
            &decision["rejection_messages"]
        ),
        (&json!(true), &json!(["c1"]), &json!({ "c1": "no" }))
    );
    assert_eq!(
        refused(&state("run_state_approve_reject_msg")),
        "no call waits in this openai-agents state; there is nothing to decide; go on with the program"
    );
}

#[test]
fn an_older_state_is_offered_only_what_it_can_hold() {
    let older = |version: &str| {
        let mut state = state("run_state_pending");
        state["$schemaVersion"] = json!(version);
        state
    };
    let answers = |version: &str| read(&older(version)).calls[0].answers.clone();
    let with_reason = [Answer::Approve, Answer::Reject, Answer::Reason];
    assert_eq!(answers("1.17"), Answers::of(with_reason));
    assert_eq!(
        answers("1.5"),
        Answers::of([Answer::Approve, Answer::Reject])
    );
    let results = read(&older("1.17")).results(&[once("c1", approve())]);
    let mut wanted = older("1.17");
    wanted["context"]["approvals"] =
        json!({ "delete_file": { "approved": ["c1"], "rejected": [] } });
    assert_eq!(results, Ok(wanted));
}

#[test]
fn numbers_and_unknown_members_come_through_digit_for_digit() {
    let mut state = state("run_state_pending");
    let text = r#"{ "of_later": [1.10, 1e400, 123456789012345678901234567890], "b": {} }"#;
    let strange: Value = serde_json::from_str(&text.replace("1e400", "1E+2")).expect("JSON");
    state["context"]["strange"] = strange.clone();
    let results = read(&state)
        .results(&[once("c1", approve())])
        .expect("written");
    assert_eq!(
        results["context"]["strange"].to_string(),
        r#"{"of_later":[1.10,1e+2,123456789012345678901234567890],"b":{}}"#
    );
    assert_eq!(results["context"]["strange"], strange);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let again = "write the state out again as the framework does";
    let with = |place: &str, value: Value| {
        let mut state = state("run_state_pending");
        *state.pointer_mut(place).expect("there is such a place") = value;
        state
    };
    let item = "/current_step/data/interruptions/1";
    let cases = [
        (
            with("/$schemaVersion", json!("1.22")),
            "/$schemaVersion: this is version 1.22 of the run state; versions 1.0 to 1.21 are known; decide it in its own program, or with a newer version of this one".to_owned(),
        ),
        (
            with("/$schemaVersion", json!(2)),
            format!("/$schemaVersion: this should be a string; {again}"),
        ),
        (
            with("/current_step", json!(null)),
            "the run did not stop for a decision; there is nothing to decide; go on with the program".to_owned(),
        ),
        (
            with(&format!("{item}/raw_item/call_id"), json!("")),
            format!("{item}/raw_item/call_id: this is empty, and names nothing; {again}"),
        ),
        (
            with(&format!("{item}/raw_item/arguments"), json!("{\"a\":")),
            format!("{item}/raw_item/arguments: the arguments cannot be read: the text ends where a value is to stand; `}}` is missing after it (line 1, column 5); {again}"),
        ),
        (
            with(&format!("{item}/raw_item/call_id"), json!("c1")),
            format!("{item}: another call has the id `c1` too; give each call an id of its own"),
        ),
        (
            with("/context/tool_invocations", json!({ "c1": {} })),
            format!("{item}/raw_item: the state has no record of this call in `tool_invocations`, so a decision on it would not count; {again}"),
        ),
        (
            with("/context/approvals", json!({ "a/b": [] })),
            format!("/context/approvals/a~1b: this should be an object; {again}"),
        ),
    ];
    for (document, said) in cases {
        assert_eq!(refused(&document), said);
    }
}

#[test]
fn a_hundred_thousand_calls_are_read_and_decided() {
    let mut state = state("run_state_pending");
    let calls = (0..100_000).map(|at| format!("call-{at}"));
    let item = |call: String| {
        json!({ "type": "tool_approval_item", "agent": { "name": "Ops" }, "tool_name": "delete_file",
                "raw_item": { "type": "function_call", "call_id": call, "name": "delete_file", "arguments": "{}" } })
    };
    state["context"]["tool_invocations"] = calls.clone().map(|call| (call, json!({}))).collect();
    state["current_step"]["data"]["interruptions"] = calls.map(item).collect();
    let imported = read(&state);
    let decided = decide_all(&imported, "no");
    let results = imported.results(&decided).expect("written");
    let decision = &results["context"]["function_tool_approvals"][0]["decision"];
    let count = |side: &str| decision[side].as_array().map_or(0, Vec::len);
    assert_eq!(count("approved") + count("rejected"), 100_000);
    assert!(read(&recorded("openai-agents/run_state_pending.json")).takes_a_part());
}

/// The state without the books of decisions.
fn rest(mut state: Value) -> Value {
    let inner = "/last_processed_response/functions/0/agent_run_state/context";
    for place in ["/context", inner] {
        if let Some(Value::Object(context)) = state.pointer_mut(place) {
            for book in [
                "approvals",
                "function_tool_approvals",
                "hosted_mcp_approvals",
            ] {
                context.shift_remove(book);
            }
        }
    }
    state
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_spoilt_state_never_panics_and_nothing_but_the_decisions_changes(
        changes in prop::collection::vec((any::<prop::sample::Index>(), anything(), any::<u8>()), 1..3),
        text in any::<String>(),
        kind in prop::sample::select(vec!["run_state", "hosted", "custom", "shell", "nested", "same"]),
    ) {
        let state = spoilt(state(&format!("{kind}_pending")), &changes);
        survives(&state, Format::OpenAiAgents, &text);
        if let Ok(imported) = countersign::deferred::read(&state.to_string(), Some(Format::OpenAiAgents)) {
            let results = imported.results(&decide_all(&imported, &text));
            prop_assert_eq!(results.map(rest), Ok(rest(state)));
        }
    }
}
