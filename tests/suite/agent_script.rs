//! Scripts that call tools: each call goes the way of every call.

use crate::support::agent::{Run, Setup, reject, result};
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answers, Call, CallId};
use countersign::core::decision::Decision;
use countersign::core::run::{Outcome, RunEvent, RunState};
use countersign::core::verdict::Basis;

/// Appends its arguments to a file, so that each run leaves a line.
const APPEND: &str = "cat >> log; echo >> log; echo done";

pub(crate) async fn go(setup: Setup) -> Run {
    let run = setup.start().await;
    run.say("go").await;
    run
}

fn script(code: &str) -> Setup {
    Setup::script(code)
        .tool("free", APPEND)
        .asking("gated", APPEND)
}

fn ids(calls: &[Call]) -> Vec<&str> {
    calls.iter().map(|call| call.key.call.0.as_str()).collect()
}

#[tokio::test]
async fn a_script_without_gated_calls_runs_to_its_end_and_its_result_goes_to_the_model() {
    let code = "x = await free(n=1)\ny = await free(n=2)\nprint('between')\nx + y";
    let mut run = go(script(code)).await;
    assert_eq!(
        run.end().await,
        "executed: Result: \"done\\ndone\\n\"\n\nPrinted:\nbetween"
    );
    assert_eq!(run.file("log"), "{\"n\":1}\n{\"n\":2}\n");
    assert_eq!(run.outcome("a-1-0__1"), result("done\n"));
    assert_eq!(run.outcome("a-1-0__2"), result("done\n"));
    let parents: Vec<_> = run
        .seen
        .iter()
        .filter_map(|event| match event {
            RunEvent::Called { call, parent, .. } => Some((call.0.as_str(), parent.clone())),
            _ => None,
        })
        .collect();
    let outer = Some(CallId("a-1-0".to_owned()));
    assert_eq!(
        parents,
        [
            ("a-1-0", None),
            ("a-1-0__1", outer.clone()),
            ("a-1-0__2", outer)
        ]
    );
}

#[tokio::test]
async fn a_gated_call_pauses_the_script_and_its_approval_goes_on_with_it() {
    let code = "await free(n=1)\nprint('so far')\nr = await gated(n=2)\nr.strip()";
    let mut run = go(script(code)).await;
    let calls = run.arrivals(2).await;
    assert_eq!(ids(&calls), ["a-1-0+script-1", "a-1-0__2"]);
    run.until_state(&RunState::Waiting).await;
    let outer = CallId("a-1-0".to_owned());
    assert_eq!(calls[0].basis, Basis::Script);
    assert_eq!(calls[0].answers, Answers::script());
    assert_eq!(calls[1].parent, Some(outer.clone()));
    assert_eq!(calls[1].answers, Answers::all());
    let stands = calls[1].script.as_ref().expect("where the script stands");
    assert_eq!(
        (stands.line, stands.printed.as_str()),
        (Some(3), "so far\n")
    );
    let done: Vec<_> = stands
        .done
        .iter()
        .map(|done| (done.tool.as_str(), done.came.as_str(), done.result.as_str()))
        .collect();
    assert_eq!(done, [("free", "ran", "done\n")]);
    run.approve(&calls[1]).await;
    assert_eq!(
        run.end().await,
        "executed: Result: \"done\"\n\nPrinted:\nso far"
    );
    assert_eq!(run.file("log"), "{\"n\":1}\n{\"n\":2}\n");
    let withdrawn = RunEvent::Withdrawn {
        call: calls[0].key.call.clone(),
        why: "the script goes on".to_owned(),
    };
    assert!(run.seen.contains(&withdrawn));
}

#[tokio::test]
async fn a_rejection_is_raised_where_the_call_stands_and_can_be_caught() {
    let code =
        "try:\n    await gated(n=1)\nexcept RuntimeError as error:\n    told = str(error)\ntold";
    let mut run = go(script(code)).await;
    let calls = run.arrivals(2).await;
    run.decide(&calls[1], reject("not today")).await;
    assert_eq!(
        run.end().await,
        "executed: Result: \"Tool 'gated' call denied: not today\""
    );
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn a_rejection_that_is_not_caught_ends_the_script_with_its_traceback() {
    let mut run = go(script("print('a')\nawait gated(n=1)\nprint('b')")).await;
    let calls = run.arrivals(2).await;
    run.decide(&calls[1], reject("no")).await;
    let told = run.end().await;
    assert!(
        told.starts_with("failed: Error: the script failed.\nTraceback"),
        "{told}"
    );
    assert!(
        told.contains("RuntimeError: Tool 'gated' call denied: no\n\nPrinted:\na"),
        "{told}"
    );
}

#[tokio::test]
async fn an_edited_call_runs_with_the_new_arguments_and_the_model_is_told() {
    let mut run = go(script("await gated(n=1)")).await;
    let calls = run.arrivals(2).await;
    let arguments = Some(Arguments::parse("{\"n\":7}").expect("an object"));
    run.decide(&calls[1], Decision::Approve { arguments }).await;
    assert_eq!(
        run.end().await,
        "executed: Result: \"done\\n\"\n\nCall a-1-0__1, gated: [The operator changed the arguments to {\"n\":7} before this ran.]"
    );
    assert_eq!(run.file("log"), "{\"n\":7}\n");
}

#[tokio::test]
async fn an_answer_in_a_calls_place_is_what_the_script_gets() {
    let mut run = go(script("await gated(n=1)")).await;
    let calls = run.arrivals(2).await;
    let result = "by hand".to_owned();
    run.decide(&calls[1], Decision::Respond { result }).await;
    assert_eq!(run.end().await, "executed: Result: \"by hand\"");
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn rejecting_the_script_drops_it_with_the_calls_that_wait() {
    let mut run = go(script("print('x')\nawait gated(n=1)\nawait gated(n=2)")).await;
    let calls = run.arrivals(2).await;
    run.decide(&calls[0], reject("stop this")).await;
    assert_eq!(
        run.end().await,
        "rejected: Rejected by the operator: stop this\n\nIts calls:\ngated {\"n\":1}: withdrawn"
    );
    let why = "its script was ended".to_owned();
    assert_eq!(run.outcome("a-1-0__1"), Outcome::Withdrawn { why });
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn an_answer_in_the_scripts_place_ends_it() {
    let mut run = go(script("await gated(n=1)")).await;
    let calls = run.arrivals(2).await;
    let result = "42".to_owned();
    run.decide(&calls[0], Decision::Respond { result }).await;
    assert_eq!(
        run.end().await,
        "answered: 42\n\nIts calls:\ngated {\"n\":1}: withdrawn"
    );
    assert_eq!(run.file("log"), "");
}

#[tokio::test]
async fn calls_that_are_pending_together_are_asked_together() {
    let code =
        "import asyncio\nr = await asyncio.gather(gated(n=1), free(n=2), gated(n=3))\nlen(r)";
    let mut run = go(script(code)).await;
    let calls = run.arrivals(3).await;
    assert_eq!(ids(&calls), ["a-1-0+script-1", "a-1-0__1", "a-1-0__3"]);
    run.until_state(&RunState::Waiting).await;
    assert_eq!(
        run.file("log"),
        "{\"n\":2}\n",
        "what is allowed does not wait"
    );
    run.approve(&calls[2]).await;
    run.until_finished("a-1-0__3").await;
    run.until_state(&RunState::Waiting).await;
    run.approve(&calls[1]).await;
    assert_eq!(run.end().await, "executed: Result: 3");
    assert_eq!(run.file("log"), "{\"n\":2}\n{\"n\":3}\n{\"n\":1}\n");
}

#[tokio::test]
async fn an_error_in_one_member_of_a_gather_withdraws_those_that_wait() {
    let code = "import asyncio\ntry:\n    await asyncio.gather(gated(n=1), gated(n=2), gated(n=3))\nexcept RuntimeError as error:\n    print(error)\nawait free(n=4)";
    let mut run = go(script(code)).await;
    let calls = run.arrivals(4).await;
    run.decide(&calls[2], reject("not two")).await;
    assert_eq!(
        run.end().await,
        "executed: Result: \"done\\n\"\n\nPrinted:\nTool 'gated' call denied: not two"
    );
    let why = "the script no longer waits for it".to_owned();
    assert_eq!(
        run.outcome("a-1-0__1"),
        Outcome::Withdrawn { why: why.clone() }
    );
    assert_eq!(run.outcome("a-1-0__3"), Outcome::Withdrawn { why });
    assert_eq!(run.file("log"), "{\"n\":4}\n");
}

/// Where the row of a script says that it stands: the line, and what it has done.
fn row(event: &RunEvent) -> Option<(Option<u32>, Vec<String>)> {
    let script = match event {
        RunEvent::Stands { script, .. } => script,
        RunEvent::Arrived(call) if call.is_script() => call.script.as_ref()?,
        _ => return None,
    };
    let done = script.done.iter();
    let done = done.map(|done| format!("{} {}", done.arguments, done.came));
    Some((script.line, done.collect()))
}

#[tokio::test]
async fn the_row_of_a_script_that_stays_says_where_the_script_stands_by_now() {
    let code = "import asyncio\ntry:\n    await asyncio.gather(gated(n=1), gated(n=2), gated(n=3))\nexcept RuntimeError:\n    pass\nawait asyncio.gather(gated(n=4), gated(n=5))";
    let mut run = go(script(code)).await;
    let calls = run.arrivals(4).await;
    run.until_state(&RunState::Waiting).await;
    run.approve(&calls[2]).await;
    let ran = r#"{"n":2} ran"#.to_owned();
    let one = Some((Some(3), vec![ran.clone()]));
    run.until(|event| row(event) == one).await;
    run.decide(&calls[3], reject("no")).await;
    let later = run.arrivals(2).await;
    let of_two = later.iter().filter(|call| !call.is_script()).count();
    let rejected = r#"{"n":3} rejected"#.to_owned();
    let newest = run.seen.iter().rev().find_map(row);
    assert!(of_two >= 1, "the next calls are asked about");
    let (line, done) = newest.expect("the row of the script");
    assert_eq!(line, Some(6));
    assert!(done.contains(&ran) && done.contains(&rejected), "{done:?}");
}
