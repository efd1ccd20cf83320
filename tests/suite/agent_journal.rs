//! An agent whose journal cannot be written does nothing, and says so.

use crate::support::agent::{Run, Setup};
use countersign::core::run::Outcome;

fn break_journal(run: &Run, kind: &str) {
    let trigger = format!(
        "CREATE TRIGGER broken BEFORE INSERT ON journal WHEN new.kind = '{kind}'
         BEGIN SELECT raise(ABORT, 'disk full'); END"
    );
    run.database().execute_batch(&trigger).expect("a trigger");
}

#[tokio::test]
async fn nothing_runs_that_cannot_be_recorded() {
    for (kind, tool) in [("started", "free"), ("arrived", "ask")] {
        let calls = format!("{{ id = 'a', tool = '{tool}' }},");
        let mut run = Setup::calls(&calls, "{{a.came}}")
            .tool("free", "echo > trace")
            .asking("ask", "echo > trace")
            .start()
            .await;
        break_journal(&run, kind);
        run.say("go").await;
        assert_eq!(run.end().await, "failed");
        let Outcome::Failed { message } = run.outcome("a-1-0") else {
            unreachable!("{:?}", run.outcomes());
        };
        assert!(
            message.starts_with("not run, because it could not be recorded: "),
            "{message}"
        );
        assert!(!run.ran("a-1-0"));
        assert_eq!(run.file("trace"), "");
    }
}

#[tokio::test]
async fn an_approved_call_whose_start_cannot_be_recorded_does_not_run() {
    let mut run = Setup::calls("{ id = 'a', tool = 'ask' },", "{{a.came}}")
        .asking("ask", "echo > trace")
        .start()
        .await;
    run.say("go").await;
    let call = run.arrival().await;
    break_journal(&run, "started");
    run.approve(&call).await;
    assert_eq!(run.end().await, "failed");
    assert_eq!(run.file("trace"), "");
}

#[tokio::test]
async fn the_operator_hears_of_a_call_whose_end_could_not_be_recorded() {
    let mut run = Setup::calls("{ id = 'a', tool = 'free' },", "{{a.result}}")
        .tool("free", "echo done")
        .start()
        .await;
    break_journal(&run, "finished");
    run.say("go").await;
    assert_eq!(run.end().await, "done");
    let notes = run.notes();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].starts_with("free has run, but that could not be recorded: "),
        "{notes:?}"
    );
}
