//! A session gone on with after its program was killed: nothing is asked twice, run twice or made up.

use crate::support::agent::{Run, Setup, failed, reject, result, session};
use countersign::core::call::Call;
use countersign::core::decision::Decision;
use countersign::core::run::{Outcome, RunCommand, RunEvent, RunState};
use countersign::core::verdict::Basis;
use countersign::store::step::Stored;
use countersign::store::{Journal, Recorded, Step};
use serde_json::Value;
use tempfile::TempDir;

/// Writes a line that says which call it was.
const TRACE: &str = "echo \"$COUNTERSIGN_CALL_ID\" >> trace; echo ran";
/// As that, and does not end before somebody writes into the pipe.
const HELD: &str = "echo \"$COUNTERSIGN_CALL_ID\" >> trace; echo begun; cat pipe";

fn one(tool: &str) -> Setup {
    Setup::calls(
        &format!("{{ id = 'a', tool = '{tool}' }},"),
        "{{a.came}}: {{a.result}}",
    )
    .tool("free", TRACE)
    .asking("ask", TRACE)
    .tool("held", HELD)
    .asking("held_ask", HELD)
}

fn respond(result: &str) -> Decision {
    Decision::Respond {
        result: result.to_owned(),
    }
}

/// A run of which a call is cut off in the middle.
async fn cut_off(tool: &str) -> TempDir {
    let mut run = one(tool).pipe("pipe").start().await;
    run.say("go").await;
    if tool == "held_ask" {
        let call = run.arrival().await;
        run.approve(&call).await;
    }
    assert_eq!(run.line_of("a-1-0").await, "begun");
    run.kill().await
}

/// The question about a call of which nobody knows what became.
async fn unknown(run: &mut Run) -> Call {
    let call = run.arrival().await;
    assert_eq!(call.basis, Basis::OutcomeUnknown);
    call
}

#[tokio::test]
async fn a_call_that_waits_is_asked_again_just_as_it_was() {
    let mut run = one("ask").start().await;
    run.say("go").await;
    let before = run.arrival().await;
    let mut run = one("ask").go_on(run.kill().await);
    let after = run.arrival().await;
    assert_eq!(after, before);
    run.approve(&after).await;
    assert_eq!(run.end().await, "approved: ran");
    assert_eq!(run.file("trace"), "a-1-0\n");
}

#[tokio::test]
async fn a_decision_that_was_recorded_but_not_delivered_counts() {
    let mut run = one("ask").start().await;
    run.say("go").await;
    let call = run.arrival().await;
    let ruling = crate::support::agent::ruling(&call, reject("not now"));
    let recorded = run.journal.record(ruling).await.expect("it is written");
    assert_eq!(recorded, Recorded::Now);
    let mut run = one("ask").go_on(run.kill().await);
    assert_eq!(
        run.end().await,
        "rejected: Rejected by the operator: not now"
    );
    let asked = run
        .seen
        .iter()
        .any(|event| matches!(event, RunEvent::Arrived(_)));
    assert!(!asked, "it is not asked again");
    assert_eq!(run.file("trace"), "");
}

#[tokio::test]
async fn a_finished_result_is_sent_again_and_never_made_again() {
    let calls = "{ id = 'a', tool = 'free' }, { id = 'b', tool = 'ask' },";
    let setup = || {
        Setup::calls(calls, "{{a.result}} {{b.result}}")
            .tool("free", "echo line >> trace; wc -l < trace")
            .asking("ask", "echo asked")
    };
    let mut run = setup().start().await;
    run.say("go").await;
    run.until_finished("a-1-0").await;
    let folder = run.kill().await;
    // The tool is another one by now, and even its name may be gone.
    let mut run = Setup::calls(calls, "{{a.result}} {{b.result}}")
        .asking("ask", "echo asked")
        .go_on(folder);
    let call = run.arrival().await;
    run.approve(&call).await;
    assert_eq!(run.end().await, "1 asked");
    assert_eq!(run.outcome("a-1-0"), result("1\n"));
    assert_eq!(run.file("trace"), "line\n");
}

#[tokio::test]
async fn a_changed_policy_does_not_reopen_a_verdict() {
    let mut run = one("ask").start().await;
    run.say("go").await;
    run.arrival().await;
    let folder = run.kill().await;
    let allowed = "[[rules]]\ntool = 'ask'\nverdict = 'deny'\nreason = 'new'\n";
    let mut run = one("ask").rules(allowed).go_on(folder);
    let call = run.arrival().await;
    run.approve(&call).await;
    assert_eq!(run.end().await, "approved: ran");
}

#[tokio::test]
async fn a_call_that_was_cut_off_is_not_run_again_by_itself() {
    for tool in ["held", "held_ask"] {
        let mut run = one(tool).go_on(cut_off(tool).await);
        let call = unknown(&mut run).await;
        run.until_state(&RunState::Waiting).await;
        assert_eq!(call.tool, tool);
        assert_eq!(run.file("trace"), "a-1-0\n");
    }
}

#[tokio::test]
async fn a_call_that_was_cut_off_runs_again_if_the_operator_says_so() {
    for (tool, came) in [("held", "executed"), ("held_ask", "approved")] {
        let folder = cut_off(tool).await;
        std::fs::remove_file(folder.path().join("ws/pipe")).expect("it is there");
        std::fs::write(folder.path().join("ws/pipe"), "by now").expect("a file");
        let mut run = one(tool).go_on(folder);
        let call = unknown(&mut run).await;
        run.approve(&call).await;
        assert_eq!(run.end().await, format!("{came}: begun\nby now"));
        assert_eq!(run.file("trace"), "a-1-0\na-1-0\n");
    }
}

#[tokio::test]
async fn a_call_that_was_cut_off_twice_is_asked_about_twice() {
    let mut run = one("held").go_on(cut_off("held").await);
    let first = unknown(&mut run).await;
    run.approve(&first).await;
    assert_eq!(run.line_of("a-1-0").await, "begun");
    let mut run = one("held").go_on(run.kill().await);
    let second = unknown(&mut run).await;
    assert_ne!(second.key, first.key);
    run.decide(&second, respond("seen twice")).await;
    assert_eq!(run.end().await, "executed: seen twice");
}

#[tokio::test]
async fn the_result_of_a_call_that_was_cut_off_can_be_given() {
    let mut run = one("held").go_on(cut_off("held").await);
    let call = unknown(&mut run).await;
    run.decide(&call, respond("it was done")).await;
    assert_eq!(run.end().await, "executed: it was done");
    assert_eq!(run.file("trace"), "a-1-0\n");
    // And is kept as any other answer.
    let folder = run.kill().await;
    let mut run = one("held").go_on(folder);
    run.until_state(&RunState::Idle).await;
    assert_eq!(run.file("trace"), "a-1-0\n");
}

#[tokio::test]
async fn the_model_can_be_told_that_an_outcome_is_not_known() {
    let mut run = one("held").go_on(cut_off("held").await);
    let call = unknown(&mut run).await;
    run.decide(&call, reject("look at the trace")).await;
    run.end().await;
    let told = "the program stopped while this ran, so it is not known whether it did what it was to do; \
                do not assume either. The operator says: look at the trace";
    assert_eq!(run.outcome("a-1-0"), failed(told));
}

#[tokio::test]
async fn a_diff_that_was_shown_is_the_one_that_is_signed() {
    let calls =
        "{ id = 'a', tool = 'write_file', arguments = { path = 'notes', content = 'new' } },";
    let setup = || Setup::calls(calls, "{{a.came}}");
    let mut run = setup().put("notes", "old").start().await;
    run.say("go").await;
    let before = run.arrival().await;
    assert!(before.preview.is_some());
    let folder = run.kill().await;
    std::fs::write(folder.path().join("ws/notes"), "changed meanwhile").expect("a file");
    let mut run = setup().go_on(folder);
    let after = run.arrival().await;
    assert_eq!(after, before);
    run.approve(&after).await;
    assert_eq!(run.end().await, "failed");
    assert_eq!(run.file("notes"), "changed meanwhile");
}

#[tokio::test]
async fn a_message_that_was_taken_in_goes_out_after_all() {
    let turns = "[[turns]]\nname = 'go'\non = '^go$'\ncalls = [{ id = 'a', tool = 'ask' }]\nthen = [{ turn = 'end' }]\n\
                 [[turns]]\nname = 'end'\ntext = 'the end'\n\
                 [[turns]]\nname = 'more'\non = 'more'\ntext = 'heard'\n";
    let setup = || Setup::turns(turns).asking("ask", TRACE);
    let mut run = setup().start().await;
    run.say("go").await;
    run.arrival().await;
    run.say("more").await;
    run.until(|event| matches!(event, RunEvent::User { text, .. } if text == "more"))
        .await;
    let mut run = setup().go_on(run.kill().await);
    let call = run.arrival().await;
    run.approve(&call).await;
    assert_eq!(run.end().await, "heard");
}

#[tokio::test]
async fn a_message_that_came_while_nothing_went_on_is_taken_up() {
    let run = one("free").start().await;
    let user = RunEvent::User {
        entry: countersign::core::run::EntryId(0),
        text: "go".to_owned(),
    };
    let step = Step::Event(user);
    run.journal
        .append(&session(), step)
        .await
        .expect("it is written");
    let mut run = one("free").go_on(run.kill().await);
    assert_eq!(run.end().await, "executed: ran");
}

#[tokio::test]
async fn an_interrupted_run_stays_interrupted() {
    let mut run = one("ask").start().await;
    run.say("go").await;
    run.arrival().await;
    run.send(RunCommand::Interrupt).await;
    run.end().await;
    let mut run = one("ask").go_on(run.kill().await);
    run.until_state(&RunState::Idle).await;
    assert_eq!(run.outcome("a-1-0"), Outcome::Interrupted);
    let asked = run
        .seen
        .iter()
        .any(|event| matches!(event, RunEvent::Arrived(_)));
    assert!(!asked, "{:?}", run.seen);
}

#[tokio::test]
async fn a_session_cut_after_any_of_its_steps_comes_to_the_same_end() {
    let calls =
        "{ id = 'a', tool = 'free' }, { id = 'b', tool = 'ask' }, { id = 'c', tool = 'later' },";
    let setup = || {
        Setup::calls(calls, "{{a.result}}|{{b.result}}|{{c.result}}")
            .tool("free", TRACE)
            .asking("ask", TRACE)
            .tool("later", "echo '{}'; exit 81")
    };
    let mut run = setup().start().await;
    run.say("go").await;
    let first = run.arrival().await;
    let middle = run.suspension();
    run.approve(&first).await;
    finish(&mut run).await;
    let end = "ran|ran|from outside";
    assert_eq!(run.said(), [end]);
    let (steps, suspensions) = (run.stored(), [middle, run.suspension()]);
    let is_user = |stored: &Stored| matches!(stored.step, Step::Event(RunEvent::User { .. }));
    let user = steps.iter().position(is_user).expect("there is a message");
    for kept in user + 1..steps.len() {
        let folder = journal_of(&steps[..kept], &suspensions, setup().folder()).await;
        let mut run = setup().go_on(folder);
        finish(&mut run).await;
        let said = run.said().pop().or_else(|| text_of(&steps[..kept]));
        assert_eq!(
            said.as_deref(),
            Some(end),
            "cut after {:?}",
            steps[kept - 1].step
        );
    }
}

/// Decides whatever is asked until the run has ended.
async fn finish(run: &mut Run) {
    loop {
        match run.next().await {
            RunEvent::Arrived(call) => {
                let decision = match call.basis {
                    Basis::External { .. } => respond("from outside"),
                    Basis::OutcomeUnknown if call.tool != "later" => respond("ran"),
                    _ => Decision::Approve { arguments: None },
                };
                run.decide(&call, decision).await;
            }
            RunEvent::State(RunState::Idle) => return,
            _ => {}
        }
    }
}

/// Gives a folder a journal with these steps. The model's answers come with what was kept after each.
async fn journal_of(steps: &[Stored], suspensions: &[Value], folder: TempDir) -> TempDir {
    let (journal, writer) = Journal::open(&folder.path().join("data")).expect("a journal");
    let mut suspensions = suspensions.iter();
    for stored in steps {
        let mut step = stored.step.clone();
        if let Step::Replied { suspension, .. } = &mut step {
            suspension.clone_from(suspensions.next().expect("one for each answer"));
        }
        let written = journal.append(&session(), step).await;
        written.expect("it is written");
    }
    drop(journal);
    writer.join();
    folder
}

/// What the model said last.
fn text_of(steps: &[Stored]) -> Option<String> {
    steps.iter().rev().find_map(|stored| match &stored.step {
        Step::Event(RunEvent::TextEnded { text, .. }) => Some(text.clone()),
        _ => None,
    })
}
