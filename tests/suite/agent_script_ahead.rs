//! Scripts that are looked through before they start: what can be foreseen is asked together, and what was
//! decided counts for just the call that was foreseen.

use crate::support::agent::{Run, Setup, reject};
use countersign::core::arguments::Arguments;
use countersign::core::call::Call;
use countersign::core::decision::Decision;
use countersign::core::run::{Outcome, RunEvent, RunState};
use countersign::tools::code::{Ahead, CodeTool};

const APPEND: &str = "cat >> log; echo >> log; echo done";
const SEQUENCE: &str = "a = await gated(n=1)\nb = await free(n=2)\nc = await gated(n=3)\nc.strip()";

fn setup(code: &str) -> Setup {
    let tool = CodeTool {
        ahead: Ahead::Yes,
        ..CodeTool::default()
    };
    Setup::script(code)
        .tool("free", APPEND)
        .asking("gated", APPEND)
        .code(tool)
}

async fn go(code: &str) -> Run {
    let run = setup(code).start().await;
    run.say("go").await;
    run
}

fn ids(calls: &[Call]) -> Vec<&str> {
    calls.iter().map(|call| call.key.call.0.as_str()).collect()
}

#[tokio::test]
async fn what_can_be_foreseen_is_asked_in_one_batch_and_runs_when_the_script_comes_to_it() {
    let mut run = go(SEQUENCE).await;
    let calls = run.arrivals(3).await;
    assert_eq!(
        ids(&calls),
        ["a-1-0+script-1", "a-1-0__1+ahead", "a-1-0__3+ahead"]
    );
    run.until_state(&RunState::Waiting).await;
    run.approve(&calls[2]).await;
    run.approve(&calls[1]).await;
    assert_eq!(run.end().await, "executed: Result: \"done\"");
    assert_eq!(run.file("log"), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    let arrived = |event: &&RunEvent| matches!(event, RunEvent::Arrived(_));
    assert_eq!(run.seen.iter().filter(arrived).count(), 3, "asked once");
}

#[tokio::test]
async fn a_rule_can_be_made_from_a_call_that_is_not_made_yet() {
    let mut run = go(SEQUENCE).await;
    let calls = run.arrivals(3).await;
    let grounds = |call: &Call| call.grounds.clone();
    assert_eq!(grounds(&calls[0]), None, "the script itself asks nothing");
    assert!(
        grounds(&calls[1]).is_some(),
        "the policy asks about the call"
    );
    let mut run = Setup::script(SEQUENCE)
        .tool("free", APPEND)
        .asking("gated", APPEND)
        .start()
        .await;
    run.say("go").await;
    let made = run.arrivals(2).await;
    assert_eq!(
        grounds(&calls[1]).map(|grounds| (grounds.questions, grounds.command_line)),
        grounds(&made[1]).map(|grounds| (grounds.questions, grounds.command_line)),
        "as of one that is made"
    );
}

#[tokio::test]
async fn a_later_call_that_was_decided_first_leaves_the_run_waiting_for_the_earlier_one() {
    let mut run = go(SEQUENCE).await;
    let calls = run.arrivals(3).await;
    run.until_state(&RunState::Waiting).await;
    run.approve(&calls[2]).await;
    let decided = |event: &RunEvent| matches!(event, RunEvent::State(RunState::Waiting));
    run.until(decided).await;
    run.decide(&calls[1], reject("no")).await;
    let told = run.end().await;
    assert!(told.contains("Tool 'gated' call denied: no"), "{told}");
    assert_eq!(run.file("log"), "", "the approved call was never made");
}

#[tokio::test]
async fn a_call_that_the_script_does_not_come_to_is_withdrawn_and_never_run() {
    let code = "a = await gated(n=1)\nb = await gated(n=2)";
    let mut run = go(code).await;
    let calls = run.arrivals(3).await;
    run.decide(&calls[1], reject("no")).await;
    let gone = RunEvent::Withdrawn {
        call: calls[2].key.call.clone(),
        why: "the script did not make this call".to_owned(),
    };
    run.until(|event| *event == gone).await;
    run.end().await;
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn what_depends_on_results_is_asked_when_the_script_comes_to_it() {
    let code = "a = await gated(n=1)\nb = await gated(n=len(a))\nb.strip()";
    let mut run = go(code).await;
    let calls = run.arrivals(2).await;
    assert_eq!(ids(&calls), ["a-1-0+script-1", "a-1-0__1+ahead"]);
    run.approve(&calls[1]).await;
    let calls = run.arrivals(2).await;
    assert_eq!(ids(&calls), ["a-1-0+script-2", "a-1-0__2"]);
    run.approve(&calls[1]).await;
    assert_eq!(run.end().await, "executed: Result: \"done\"");
    assert_eq!(run.file("log"), "{\"n\":1}\n{\"n\":5}\n");
}

#[tokio::test]
async fn an_edit_of_a_foreseen_call_is_what_runs() {
    let mut run = go("(await gated(n=1)).strip()").await;
    let calls = run.arrivals(2).await;
    let arguments = Arguments::parse("{\"n\":9}").ok();
    run.decide(&calls[1], Decision::Approve { arguments }).await;
    assert!(run.end().await.starts_with("executed: Result: \"done\""));
    assert_eq!(run.file("log"), "{\"n\":9}\n");
}

#[tokio::test]
async fn rejecting_the_script_withdraws_what_was_foreseen() {
    let mut run = go(SEQUENCE).await;
    let calls = run.arrivals(3).await;
    run.decide(&calls[0], reject("stop")).await;
    assert_eq!(
        run.end().await,
        "rejected: Rejected by the operator: stop\n\nIts calls:\ngated {\"n\":1}: withdrawn"
    );
    assert!(matches!(run.outcome("a-1-0__1"), Outcome::Withdrawn { .. }));
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn what_was_foreseen_and_decided_counts_in_the_next_life_too() {
    let mut run = go(SEQUENCE).await;
    let before = run.arrivals(3).await;
    run.until_state(&RunState::Waiting).await;
    run.approve(&before[2]).await;
    run.until_state(&RunState::Waiting).await;
    let mut run = setup(SEQUENCE).go_on(run.kill().await);
    let after = run.arrivals(2).await;
    assert_eq!(after, before[..2]);
    run.approve(&after[1]).await;
    assert_eq!(run.end().await, "executed: Result: \"done\"");
    assert_eq!(run.file("log"), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
}

#[tokio::test]
async fn the_row_of_a_script_says_what_ran_while_foreseen_calls_still_wait() {
    let mut run = go(SEQUENCE).await;
    let calls = run.arrivals(3).await;
    run.until_state(&RunState::Waiting).await;
    run.approve(&calls[1]).await;
    let two_done = |event: &RunEvent| match event {
        RunEvent::Stands { call, script } => {
            *call == calls[0].key.call && script.line == Some(3) && script.done.len() == 2
        }
        _ => false,
    };
    run.until(two_done).await;
}

#[tokio::test]
async fn what_was_approved_and_never_made_is_told_as_that() {
    let code = "a = await gated(n=1)\nb = await gated(n=2)";
    let mut run = go(code).await;
    let calls = run.arrivals(3).await;
    run.until_state(&RunState::Waiting).await;
    run.approve(&calls[2]).await;
    run.until_state(&RunState::Waiting).await;
    run.decide(&calls[1], reject("no")).await;
    let id = calls[2].key.call.0.clone();
    let why = "the script did not make this call".to_owned();
    assert_eq!(run.until_finished(&id).await, Outcome::Withdrawn { why });
    let told = |event: &RunEvent| matches!(event, RunEvent::Called { call, parent: Some(_), .. } if call.0 == id);
    assert!(run.seen.iter().any(told), "it stands in the conversation");
    run.end().await;
    assert_eq!(run.file("log"), "");
}
