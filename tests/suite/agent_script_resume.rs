//! Scripts gone on with after their program was killed: nothing is asked twice, run twice or made up.

use crate::support::agent::{Run, Setup, reject, result, ruling, session};
use countersign::core::call::Call;
use countersign::core::decision::Decision;
use countersign::core::run::{Outcome, RunEvent, RunState};
use countersign::core::verdict::Basis;
use countersign::store::announce::{Announce, Announced};
use countersign::store::{Journal, Step};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// Writes a line that says which call it was.
const TRACE: &str = "echo \"$COUNTERSIGN_CALL_ID\" >> trace; echo ran";

const SEQUENCE: &str = "a = await ask(n=1)\nprint('one', a.strip())\nb = await ask(n=2)\nb.strip()";

fn setup(code: &str) -> Setup {
    Setup::script(code).tool("free", TRACE).asking("ask", TRACE)
}

async fn go(code: &str) -> Run {
    let run = setup(code).start().await;
    run.say("go").await;
    run
}

fn respond(result: &str) -> Decision {
    Decision::Respond {
        result: result.to_owned(),
    }
}

#[tokio::test]
async fn a_paused_script_goes_on_from_its_line_and_its_calls_are_asked_just_as_they_were() {
    let mut run = go(SEQUENCE).await;
    let before = run.arrivals(2).await;
    run.approve(&before[1]).await;
    let before = run.arrivals(2).await;
    let mut run = setup(SEQUENCE).go_on(run.kill().await);
    let after = run.arrivals(2).await;
    assert_eq!(after, before);
    run.approve(&after[1]).await;
    assert_eq!(
        run.end().await,
        "executed: Result: \"ran\"\n\nPrinted:\none ran"
    );
    assert_eq!(run.file("trace"), "a-1-0__1\na-1-0__2\n");
}

#[tokio::test]
async fn a_decision_on_a_scripts_call_that_was_recorded_but_not_delivered_counts() {
    let mut run = go(SEQUENCE).await;
    let calls = run.arrivals(2).await;
    let approve = Decision::Approve { arguments: None };
    let recorded = run.journal.record(ruling(&calls[1], approve)).await;
    recorded.expect("it is written");
    let mut run = setup(SEQUENCE).go_on(run.kill().await);
    let next = run.arrivals(2).await;
    assert_eq!(next[1].key.call.0, "a-1-0__2");
    run.decide(&next[1], respond("by hand")).await;
    assert_eq!(
        run.end().await,
        "executed: Result: \"by hand\"\n\nPrinted:\none ran"
    );
    assert_eq!(run.file("trace"), "a-1-0__1\n");
}

#[tokio::test]
async fn the_end_of_a_script_that_was_recorded_but_not_delivered_counts() {
    let mut run = go(SEQUENCE).await;
    let calls = run.arrivals(2).await;
    let recorded = run.journal.record(ruling(&calls[0], reject("stop"))).await;
    recorded.expect("it is written");
    let mut run = setup(SEQUENCE).go_on(run.kill().await);
    assert_eq!(run.end().await, "rejected: Rejected by the operator: stop");
    let asked = run
        .seen
        .iter()
        .any(|event| matches!(event, RunEvent::Arrived(_)));
    assert!(!asked, "{:?}", run.seen);
    assert_eq!(run.file("trace"), "");
}

#[tokio::test]
async fn a_scripts_call_that_was_cut_off_is_of_unknown_outcome_and_never_run_again_by_itself() {
    let held = "echo \"$COUNTERSIGN_CALL_ID\" >> trace; echo begun; cat pipe";
    let setup = || Setup::script("r = await held(n=1)\nr").tool("held", held);
    let mut run = setup().pipe("pipe").start().await;
    run.say("go").await;
    assert_eq!(run.line_of("a-1-0__1").await, "begun");
    let mut run = setup().go_on(run.kill().await);
    let calls = run.arrivals(2).await;
    assert_eq!(calls[0].basis, Basis::Script);
    assert_eq!(calls[1].basis, Basis::OutcomeUnknown);
    run.until_state(&RunState::Waiting).await;
    run.decide(&calls[1], respond("it did")).await;
    assert_eq!(run.end().await, "executed: Result: \"it did\"");
    assert_eq!(run.file("trace"), "a-1-0__1\n");
}

/// A script that waits, killed; and its folder.
async fn paused() -> TempDir {
    let mut run = go(SEQUENCE).await;
    run.arrivals(2).await;
    run.kill().await
}

fn database(folder: &TempDir) -> rusqlite::Connection {
    rusqlite::Connection::open(folder.path().join("data/journal.db")).expect("the journal")
}

/// Nothing of it runs, and model and operator are told why.
async fn ends_with(folder: TempDir, why: &str) {
    let mut run = setup(SEQUENCE).go_on(folder);
    assert_eq!(
        run.end().await,
        format!("failed: Error: the script did not come to its end: {why}")
    );
    assert_eq!(run.file("trace"), "");
    let left = "the script no longer waits for it".to_owned();
    assert_eq!(
        run.outcomes().last().map(|(call, _)| call.as_str()),
        Some("a-1-0"),
        "{left}"
    );
}

const FORGED: &str =
    "the paused script is forged, damaged or of another call; it is not gone on with";

#[tokio::test]
async fn a_paused_script_that_is_missing_ends_its_call() {
    let folder = paused().await;
    database(&folder)
        .execute("DELETE FROM script", [])
        .expect("it is there");
    ends_with(folder, FORGED).await;
}

#[tokio::test]
async fn a_paused_script_that_was_changed_ends_its_call() {
    let folder = paused().await;
    database(&folder)
        .execute("UPDATE script SET sealed = sealed || 'x'", [])
        .expect("it is there");
    ends_with(folder, FORGED).await;
}

#[tokio::test]
async fn a_paused_script_without_its_key_ends_its_call() {
    let folder = paused().await;
    std::fs::remove_file(folder.path().join("data/script.key")).expect("there is a key");
    let mut run = setup(SEQUENCE).go_on(folder);
    let told = run.end().await;
    let start = "failed: Error: the script did not come to its end: the key of paused scripts, ";
    assert!(told.starts_with(start), "{told}");
    assert_eq!(run.file("trace"), "");
    let withdrawn = |event: &&RunEvent| matches!(event, RunEvent::Withdrawn { .. });
    assert_eq!(
        run.seen.iter().filter(withdrawn).count(),
        2,
        "its call and its own row cannot be decided any more"
    );
}

/// Keeps all that is recorded, with what the journal keeps apart.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Step>>>);

impl Announce for Kept {
    fn announce(&mut self, announced: Announced<'_>) {
        if *announced.session == session() {
            let mut steps = self.0.lock().expect("nobody panics");
            steps.push(announced.step.clone());
        }
    }
}

/// Decides whatever is asked until the run has ended; scripts go on by themselves.
async fn finish(run: &mut Run) {
    loop {
        match run.next().await {
            RunEvent::Arrived(call) => {
                if let Some(decision) = decision(&call) {
                    run.decide(&call, decision).await;
                }
            }
            RunEvent::State(RunState::Idle) => return,
            _ => {}
        }
    }
}

fn decision(call: &Call) -> Option<Decision> {
    match (&call.basis, call.arguments.text()) {
        (Basis::Script, _) => None,
        (Basis::OutcomeUnknown, _) => Some(respond("ran")),
        (_, "{\"n\":4}") => Some(respond("four")),
        _ => Some(Decision::Approve { arguments: None }),
    }
}

#[tokio::test]
async fn a_script_cut_after_any_of_its_steps_comes_to_the_same_end() {
    let code = "import asyncio\na = await ask(n=1)\nb = await free(n=2)\nc = await asyncio.gather(ask(n=3), ask(n=4), ask(n=5))\nprint(a.strip(), b.strip())\nc[1] + c[2].strip()";
    let end = "executed: Result: \"fourran\"\n\nPrinted:\nran ran";
    let kept = Kept::default();
    let run = setup(code).announce(Box::new(kept.clone()));
    let mut run = run.start().await;
    run.say("go").await;
    finish(&mut run).await;
    assert_eq!(run.said(), [end]);
    run.flush().await;
    let key = std::fs::read(run.data().join("script.key")).expect("there is a key");
    let steps = kept.0.lock().expect("nobody panics").clone();
    let is_user = |step: &Step| matches!(step, Step::Event(RunEvent::User { .. }));
    let user = steps.iter().position(is_user).expect("there is a message");
    for cut in user + 1..steps.len() {
        let folder = journal_of(&steps[..cut], &key, setup(code).folder()).await;
        let mut run = setup(code).go_on(folder);
        finish(&mut run).await;
        let after = format!("cut after {:?}", steps[cut - 1]);
        let said = run.said().pop().or_else(|| text_of(&steps[..cut]));
        assert_eq!(said.as_deref(), Some(end), "{after}");
        let mut ran = run.file("trace");
        let begun = steps[..cut].iter().filter_map(|step| match step {
            Step::Started { call, .. } if call.0.contains("__") => Some(format!("{call}\n")),
            _ => None,
        });
        ran.extend(begun);
        let mut ran: Vec<_> = ran.lines().collect();
        ran.sort_unstable();
        let each = ["a-1-0__1", "a-1-0__2", "a-1-0__3", "a-1-0__5"];
        assert_eq!(ran, each, "{after}");
    }
}

/// Gives a folder a journal with these steps.
async fn journal_of(steps: &[Step], key: &[u8], folder: TempDir) -> TempDir {
    let data = folder.path().join("data");
    let (journal, writer) = Journal::open(&data).expect("a journal");
    std::fs::write(data.join("script.key"), key).expect("a file");
    for step in steps {
        let written = journal.append(&session(), step.clone()).await;
        written.expect("it is written");
    }
    drop(journal);
    writer.join();
    folder
}

/// What the model said last.
fn text_of(steps: &[Step]) -> Option<String> {
    steps.iter().rev().find_map(|step| match step {
        Step::Event(RunEvent::TextEnded { text, .. }) => Some(text.clone()),
        _ => None,
    })
}

#[tokio::test]
async fn a_scripts_call_that_was_answered_is_never_made_again() {
    let code = "import asyncio\nawait asyncio.gather(free(n=1), ask(n=2))\n'end'";
    let mut run = go(code).await;
    run.until_finished("a-1-0__1").await;
    run.until_state(&RunState::Waiting).await;
    let mut run = setup(code).go_on(run.kill().await);
    let calls = run.arrivals(2).await;
    assert_eq!(calls[1].key.call.0, "a-1-0__2");
    run.approve(&calls[1]).await;
    assert_eq!(run.end().await, "executed: Result: \"end\"");
    assert_eq!(run.file("trace"), "a-1-0__1\na-1-0__2\n");
    assert_eq!(run.outcome("a-1-0__2"), result("ran\n"));
    let interrupted = run
        .outcomes()
        .iter()
        .any(|(_, outcome)| *outcome == Outcome::Interrupted);
    assert!(!interrupted);
}
