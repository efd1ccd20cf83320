//! What each ruling makes of a call, and that one which does not fit makes nothing of it.

use crate::support::agent::{Run, Setup, failed, refused, reject, result, ruling};
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answer, Answers, Call, CallId, Origin};
use countersign::core::decision::{Decision, Ruling};
use countersign::core::run::{CallStatus, Outcome, RunCommand, RunEvent};
use countersign::core::verdict::{Basis, RuleSource};
use serde_json::json;

const END: &str = "{{a.came}}: {{a.result}}";
const ONE: &str = "{ id = 'a', tool = 'book', arguments = { to = 'Rodez' } },";

/// An agent that wants to book, with a tool that leaves a trace of what it got.
async fn asked() -> (Run, Call) {
    let mut run = Setup::calls(ONE, END)
        .asking("book", "cat | tee -a trace")
        .schema(json!({
            "type": "object",
            "properties": { "to": { "type": "string" } },
            "required": ["to"],
            "additionalProperties": false,
        }))
        .start()
        .await;
    run.say("go").await;
    let call = run.arrival().await;
    (run, call)
}

fn arguments(text: &str) -> Arguments {
    Arguments::parse(text).expect("the test's arguments are sound")
}

fn edit(text: &str) -> Decision {
    Decision::Approve {
        arguments: Some(arguments(text)),
    }
}

#[tokio::test]
async fn a_call_that_waits_shows_all_that_is_known_of_it() {
    let (_run, call) = asked().await;
    assert_eq!(call.key.call, CallId("a-1-0".to_owned()));
    assert_eq!((call.agent.as_str(), call.tool.as_str()), ("test", "book"));
    assert_eq!(call.arguments.text(), "{\"to\":\"Rodez\"}");
    assert_eq!(call.origin, Origin::Agent);
    assert_eq!(call.parent, None);
    assert_eq!(call.answers, Answers::all());
    assert_eq!(call.basis, Basis::ToolDefault);
    assert!(call.schema.is_some());
    assert_eq!((call.preview, call.metadata), (None, None));
}

#[tokio::test]
async fn an_approved_call_runs_with_exactly_what_was_shown() {
    let (mut run, call) = asked().await;
    run.approve(&call).await;
    assert_eq!(run.end().await, "approved: {\"to\":\"Rodez\"}");
    assert_eq!(run.file("trace"), "{\"to\":\"Rodez\"}");
    let decided = CallStatus::Decided {
        edited: None,
        answer: Answer::Approve,
        by: "op@desk".to_owned(),
    };
    let status = RunEvent::Status {
        call: call.key.call,
        status: decided,
    };
    assert!(run.seen.contains(&status));
}

#[tokio::test]
async fn edited_arguments_run_instead_and_the_model_is_told() {
    let (mut run, call) = asked().await;
    run.decide(&call, edit("{ \"to\": \"Millau\" }")).await;
    assert_eq!(
        run.end().await,
        "edited: [The operator changed the arguments to { \"to\": \"Millau\" } before this ran.]\n{ \"to\": \"Millau\" }"
    );
    assert_eq!(run.file("trace"), "{ \"to\": \"Millau\" }");
}

#[tokio::test]
async fn edited_arguments_that_break_the_schema_do_not_run() {
    let (mut run, call) = asked().await;
    run.decide(&call, edit("{\"to\": 7}")).await;
    assert_eq!(
        run.end().await,
        "failed: Error: the approval does not fit this call, so it was not run"
    );
    assert!(!run.ran("a-1-0"));
}

#[tokio::test]
async fn what_is_not_approved_does_not_run_and_the_model_is_told_why() {
    let cases = [
        (
            reject("too dear"),
            "rejected: Rejected by the operator: too dear",
        ),
        (reject(""), "rejected: Rejected by the operator."),
        (
            Decision::Respond {
                result: "booked by phone".to_owned(),
            },
            "answered: booked by phone",
        ),
        (
            Decision::Retry {
                message: "take the train".to_owned(),
            },
            "sent back: Not run. The operator asks you to try again: take the train",
        ),
    ];
    for (decision, told) in cases {
        let (mut run, call) = asked().await;
        run.decide(&call, decision).await;
        assert_eq!(run.end().await, told);
        assert!(!run.ran("a-1-0"));
        assert_eq!(run.file("trace"), "");
    }
}

#[tokio::test]
async fn a_ruling_that_is_not_about_what_was_shown_runs_nothing() {
    type Tamper = fn(&mut Ruling);
    let cases: [Tamper; 4] = [
        |ruling| ruling.digest = arguments("{\"to\":\"Brive\"}").digest("book"),
        |ruling| {
            ruling.tool = "shell".to_owned();
            ruling.digest = ruling.proposed.digest("shell");
        },
        |ruling| {
            ruling.proposed = arguments("{\"to\":\"Brive\"}");
            ruling.digest = ruling.proposed.digest("book");
        },
        // The digest of the proposed arguments does not cover others.
        |ruling| ruling.decision = edit("{\"to\":\"Brive\"}"),
    ];
    for tamper in cases {
        let (mut run, call) = asked().await;
        let mut ruling = ruling(&call, Decision::Approve { arguments: None });
        tamper(&mut ruling);
        run.deliver(ruling).await;
        run.end().await;
        let outcome = run.outcome("a-1-0");
        let told = "the approval does not fit this call, so it was not run";
        assert_eq!(outcome, failed(told));
        assert!(!run.ran("a-1-0"));
        assert_eq!(run.file("trace"), "");
    }
}

#[tokio::test]
async fn a_ruling_of_another_session_or_on_no_call_changes_nothing() {
    let (mut run, call) = asked().await;
    let mut stray = ruling(&call, Decision::Approve { arguments: None });
    stray.key.call = CallId("nobody".to_owned());
    run.send(RunCommand::Ruling(Box::new(stray))).await;
    let mut foreign = ruling(&call, Decision::Approve { arguments: None });
    foreign.key.session.0 = "another".to_owned();
    run.send(RunCommand::Ruling(Box::new(foreign))).await;
    run.decide(&call, reject("no")).await;
    run.end().await;
    assert_eq!(
        run.outcome("a-1-0"),
        Outcome::Rejected {
            reason: "no".to_owned()
        }
    );
}

#[tokio::test]
async fn a_second_ruling_on_a_call_comes_too_late() {
    let (mut run, call) = asked().await;
    run.decide(&call, reject("no")).await;
    let second = ruling(&call, Decision::Approve { arguments: None });
    run.send(RunCommand::Ruling(Box::new(second.clone()))).await;
    run.end().await;
    assert!(!run.ran("a-1-0"));
    // Nor does it while the agent is idle.
    run.send(RunCommand::Ruling(Box::new(second))).await;
    run.say("go").await;
    let again = run.arrival().await;
    assert_eq!(again.key.call.0, "a-3-0");
    assert!(!run.ran("a-1-0"));
}

#[tokio::test]
async fn a_call_that_policy_denies_never_runs_and_the_model_gets_the_reason() {
    let rules = "[[rules]]\ntool = 'book'\nverdict = 'deny'\nreason = 'no budget'\n";
    let mut run = Setup::calls(ONE, END)
        .tool("book", "echo > trace")
        .rules(rules)
        .start()
        .await;
    run.say("go").await;
    assert_eq!(run.end().await, "denied: Denied by policy: no budget");
    let basis = Basis::Rule {
        number: 1,
        source: RuleSource::Configuration,
        reason: "no budget".to_owned(),
    };
    assert_eq!(run.outcome("a-1-0"), Outcome::Denied { basis });
    assert!(!run.ran("a-1-0"));
}

#[tokio::test]
async fn a_rule_can_make_an_asking_tool_run_and_a_running_tool_ask() {
    let calls = "{ id = 'a', tool = 'book' }, { id = 'b', tool = 'look' },";
    let rules = "[[rules]]\ntool = 'book'\nverdict = 'allow'\n
                 [[rules]]\ntool = 'look'\nverdict = 'ask'\nreason = 'private'\n";
    let mut run = Setup::calls(calls, "{{a.came}} {{b.came}}")
        .asking("book", "echo booked")
        .tool("look", "echo seen")
        .rules(rules)
        .start()
        .await;
    run.say("go").await;
    let call = run.arrival().await;
    assert_eq!(call.tool, "look");
    assert_eq!(call.basis.reason(), Some("private"));
    run.approve(&call).await;
    assert_eq!(run.end().await, "executed approved");
    assert_eq!(run.outcome("a-1-0"), result("booked\n"));
}

#[tokio::test]
async fn an_unknown_tool_is_refused_by_name() {
    let mut run = Setup::calls("{ id = 'a', tool = 'teleport' },", END)
        .start()
        .await;
    run.say("go").await;
    let told = run.end().await;
    let fault = "there is no tool `teleport`; the tools are shell, read_file, write_file, edit_file, delete_file, list_files, fetch";
    assert_eq!(told, format!("refused: Error: not run: {fault}"));
    assert_eq!(run.outcome("a-1-0"), refused(fault));
}
