//! Tools that fail, ask for approval themselves, or hand their result over to somebody else.

use crate::support::agent::{Run, Setup, failed, refused, reject, result};
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answers, CallId};
use countersign::core::decision::Decision;
use countersign::core::run::Outcome;
use countersign::core::verdict::Basis;
use serde_json::json;

const ONE: &str = "{ id = 'a', tool = 'tool', arguments = { n = 1 } },";
const END: &str = "{{a.came}}: {{a.result}}";

/// Asks for approval, and once it has it tells what it was told.
const ASKS: &str = r#"
    if [ "$COUNTERSIGN_APPROVED" = 1 ]; then echo "done with $COUNTERSIGN_METADATA by $(cat)"; exit; fi
    echo '{"reason": "over 100 EUR", "metadata": {"price": 120}}'; exit 80"#;
/// Hands over; with approval it does so as well.
const DEFERS: &str =
    r#"echo '{"reason": "the bank calls back", "metadata": {"ticket": 7}}'; exit 81"#;

async fn go(setup: Setup) -> Run {
    let run = setup.start().await;
    run.say("go").await;
    run
}

#[tokio::test]
async fn a_failing_tool_is_told_to_the_model_and_takes_no_sibling_with_it() {
    let setup = Setup::calls(
        "{ id = 'a', tool = 'fails' }, { id = 'b', tool = 'works' }, { id = 'c', tool = 'dies' },
         { id = 'd', tool = 'absent' },",
        "{{a.came}} {{b.came}} {{c.came}} {{d.came}}",
    );
    let setup = setup
        .tool("fails", "echo no seats >&2; exit 3")
        .tool("works", "echo fine")
        .tool("dies", "kill -KILL $$")
        .tool("absent", "exec /nowhere/at-all 2>/dev/null");
    let mut run = go(setup).await;
    assert_eq!(run.end().await, "failed executed failed failed");
    assert_eq!(run.outcome("a-1-0"), failed("no seats\n[exit status 3]"));
    assert_eq!(run.outcome("b-1-1"), result("fine\n"));
    assert_eq!(run.outcome("c-1-2"), failed("[killed by signal 9]"));
    assert_eq!(run.outcome("d-1-3"), failed("[exit status 127]"));
}

#[tokio::test]
async fn an_approved_tool_that_fails_has_failed_and_not_been_rejected() {
    let mut run = go(Setup::calls(ONE, END).asking("tool", "exit 1")).await;
    let call = run.arrival().await;
    run.approve(&call).await;
    assert_eq!(run.end().await, "failed: Error: [exit status 1]");
}

#[tokio::test]
async fn a_tool_that_asks_for_approval_is_asked_about_and_then_called_again() {
    let mut run = go(Setup::calls(ONE, END).tool("tool", ASKS)).await;
    let call = run.arrival().await;
    let reason = "over 100 EUR".to_owned();
    assert_eq!(call.basis, Basis::Tool { reason });
    assert_eq!(call.metadata, Some(json!({"price": 120})));
    assert_eq!(call.answers, Answers::all());
    run.approve(&call).await;
    assert_eq!(
        run.end().await,
        "approved: done with {\"price\":120} by {\"n\":1}"
    );
    let steps: Vec<_> = run.steps().into_iter().skip(1).collect();
    let wanted = [
        "started 0",
        "finished 0",
        "arrived 0",
        "ruling 0",
        "started 1",
        "finished 1",
    ];
    let wanted = wanted.map(|step| step.replace(' ', " a-1-0 "));
    assert_eq!(steps, wanted);
}

#[tokio::test]
async fn a_tool_that_asked_and_was_edited_gets_the_new_arguments() {
    let mut run = go(Setup::calls(ONE, END).tool("tool", ASKS)).await;
    let call = run.arrival().await;
    let arguments = Some(Arguments::parse("{\"n\":2}").expect("an object"));
    run.decide(&call, Decision::Approve { arguments }).await;
    assert!(
        run.end()
            .await
            .ends_with("done with {\"price\":120} by {\"n\":2}")
    );
}

#[tokio::test]
async fn a_tool_that_asked_and_was_rejected_is_not_called_again() {
    let mut run = go(Setup::calls(ONE, END).tool("tool", ASKS)).await;
    let call = run.arrival().await;
    run.decide(&call, reject("too dear")).await;
    assert_eq!(
        run.end().await,
        "rejected: Rejected by the operator: too dear"
    );
    assert!(!run.steps().contains(&"started a-1-0 1".to_owned()));
}

#[tokio::test]
async fn a_tool_that_policy_already_had_approved_does_not_ask_twice() {
    let mut run = go(Setup::calls(ONE, END).asking("tool", ASKS)).await;
    let call = run.arrival().await;
    run.approve(&call).await;
    assert_eq!(run.end().await, "approved: done with null by {\"n\":1}");
}

#[tokio::test]
async fn the_result_of_a_deferred_call_is_handed_in_by_a_person() {
    let mut run = go(Setup::calls(ONE, END).tool("tool", DEFERS)).await;
    let call = run.arrival().await;
    assert_eq!(call.key.call.0, "a-1-0+result");
    assert_eq!(call.parent, Some(CallId("a-1-0".to_owned())));
    let reason = "the bank calls back".to_owned();
    assert_eq!(call.basis, Basis::External { reason });
    assert_eq!(call.metadata, Some(json!({"ticket": 7})));
    assert_eq!(call.answers, Answers::external());
    let result = "paid".to_owned();
    run.decide(&call, Decision::Respond { result }).await;
    assert_eq!(run.end().await, "answered: paid");
    let result = "paid".to_owned();
    assert_eq!(run.outcome("a-1-0"), Outcome::Responded { result });
}

#[tokio::test]
async fn a_deferred_call_cannot_be_approved_into_running() {
    let mut run = go(Setup::calls(ONE, END).tool("tool", DEFERS)).await;
    let call = run.arrival().await;
    run.approve(&call).await;
    run.end().await;
    let told = "the approval does not fit this call, so it was not run";
    assert_eq!(run.outcome("a-1-0"), failed(told));
    assert!(!run.steps().contains(&"started a-1-0 1".to_owned()));
}

#[tokio::test]
async fn a_call_can_be_approved_then_deferred_and_then_answered_or_rejected() {
    let rejected = "rejected: Rejected by the operator: never came";
    let cases = [
        (
            Decision::Respond {
                result: "paid".to_owned(),
            },
            "answered: paid",
        ),
        (reject("never came"), rejected),
    ];
    for (decision, told) in cases {
        let mut run = go(Setup::calls(ONE, END).asking("tool", DEFERS)).await;
        let call = run.arrival().await;
        assert_eq!(call.key.call.0, "a-1-0");
        run.approve(&call).await;
        let waiting = run.arrival().await;
        assert_eq!(waiting.key.call.0, "a-1-0+result");
        run.decide(&waiting, decision).await;
        assert_eq!(run.end().await, told);
    }
}

#[tokio::test]
async fn the_model_is_told_of_edits_even_where_the_result_comes_from_outside() {
    let mut run = go(Setup::calls(ONE, END).asking("tool", DEFERS)).await;
    let call = run.arrival().await;
    let arguments = Some(Arguments::parse("{\"n\":2}").expect("an object"));
    run.decide(&call, Decision::Approve { arguments }).await;
    let waiting = run.arrival().await;
    // What is waited for is the result of what ran, not of what was proposed.
    assert_eq!(waiting.arguments.text(), "{\"n\":2}");
    let result = "paid".to_owned();
    run.decide(&waiting, Decision::Respond { result }).await;
    assert_eq!(
        run.end().await,
        "answered: [The operator changed the arguments to {\"n\":2} before this ran.]\npaid"
    );
}

#[tokio::test]
async fn output_is_reported_while_the_tool_runs() {
    let setup = Setup::calls(ONE, END)
        .tool("tool", "echo working; cat gate; echo done")
        .pipe("gate");
    let mut run = go(setup).await;
    assert_eq!(run.line_of("a-1-0").await, "working");
    assert!(run.outcomes().is_empty());
    std::fs::write(run.path("gate"), "").expect("the gate opens");
    assert_eq!(run.end().await, "executed: working\ndone");
}

#[tokio::test]
async fn a_tool_is_not_run_with_arguments_that_break_its_schema() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "string"}}});
    let setup = Setup::calls(ONE, END).tool("tool", "cat").schema(schema);
    let mut run = go(setup).await;
    run.end().await;
    let fault =
        "the arguments do not fit the tool's schema: /n: must be a text, and is the number 1";
    assert_eq!(run.outcome("a-1-0"), refused(fault));
}
