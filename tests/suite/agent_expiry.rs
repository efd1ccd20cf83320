//! Calls that nobody decides in time: expired, never rejected, and whoever is first in the journal counts.

use countersign::core::call::Call;
use countersign::core::decision::{Awaited, Decision, Expiry};
use countersign::core::run::{Outcome, RunEvent};
use countersign::core::verdict::Basis;
use countersign::store::{Journal, Reader, Recorded, Step};
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;
use tempfile::TempDir;

use crate::support::agent::{Run, Setup, reject, ruling};
use crate::support::desk;

const END: &str = "{{a.came}}: {{a.result}}";
const HOUR: Duration = Duration::from_hours(1);
const SOON: Duration = Duration::from_millis(40);

fn one(tool: &str) -> Setup {
    let call = format!("{{ id = 'a', tool = '{tool}' }},");
    Setup::calls(&call, END)
        .asking("ask", "echo ran | tee -a trace")
        .tool(
            "hand_over",
            "echo '{\"reason\": \"a colleague looks\"}'; exit 81",
        )
}

async fn begun(setup: Setup) -> Run {
    let run = setup.start().await;
    run.say("go").await;
    run
}

fn expired(awaited: Awaited, waited: u64) -> Outcome {
    Outcome::Expired { awaited, waited }
}

/// The last record of the audit log, which holds.
fn last_record(folder: &std::path::Path) -> Value {
    let reader = Reader::open(folder).expect("the journal is there");
    let checked = reader.check_audit(None).expect("it can be read");
    assert!(checked.is_ok(), "{checked:?}");
    let links = reader.audit().expect("it can be read");
    let last = links.last().expect("a record");
    serde_json::from_str(&last.record).expect("JSON")
}

/// As if the time of all waiting calls had gone by.
fn let_time_pass(folder: &TempDir) {
    let database = rusqlite::Connection::open(folder.path().join("data/journal.db"));
    database
        .expect("the journal is there")
        .execute_batch(
            "DROP TRIGGER journal_is_never_changed;
             UPDATE journal SET body = json_set(body,
                 '$.arrived.expires', '2026-01-01T10:30:00Z', '$.arrived.arrived', '2026-01-01T10:00:00Z')
             WHERE kind = 'arrived'",
        )
        .expect("it is changed");
}

#[tokio::test]
async fn a_call_that_nobody_decides_expires_and_the_model_is_told_so() {
    let mut run = begun(one("ask").expires(SOON)).await;
    let call = run.arrival().await;
    let due = call
        .arrived
        .checked_add(jiff::SignedDuration::try_from(SOON).expect("short"));
    assert_eq!(call.expires, due.ok());
    let told = "expired: Expired: nobody decided within 0 seconds, so it was not run. It was neither approved nor rejected.";
    assert_eq!(run.end().await, told);
    assert_eq!(run.outcome("a-1-0"), expired(Awaited::Decision, 0));
    assert!(!run.ran("a-1-0"));
    let event = RunEvent::Expired {
        call: call.key.call.clone(),
        tool: "ask".to_owned(),
        waited: 0,
    };
    assert_eq!(run.seen.iter().filter(|seen| **seen == event).count(), 1);
    run.flush().await;
    let record = last_record(&run.data());
    let words = ["decision", "how", "user", "sent"].map(|key| record[key].clone());
    assert_eq!(
        words,
        [
            Value::from("expire"),
            "expiry".into(),
            Value::Null,
            Value::Null
        ]
    );
}

#[tokio::test]
async fn a_decision_on_an_expired_call_comes_too_late() {
    let mut run = begun(one("ask").expires(SOON)).await;
    let call = run.arrival().await;
    run.end().await;
    let late = ruling(&call, Decision::Approve { arguments: None });
    let recorded = run.journal.record(late).await.expect("it answers");
    let Recorded::Before { by } = recorded else {
        unreachable!("the expiry was first");
    };
    assert!(by.starts_with("expired at 2"), "{by}");
    assert_eq!(run.file("trace"), "");
}

#[tokio::test]
async fn a_result_that_nobody_hands_in_expires_too() {
    let mut run = begun(one("hand_over").expires(SOON)).await;
    let call = run.arrival().await;
    assert!(matches!(call.basis, Basis::External { .. }));
    assert_eq!(
        run.end().await,
        "expired: Expired: nobody gave its result within 0 seconds."
    );
    assert_eq!(run.outcome("a-1-0"), expired(Awaited::Result, 0));
}

#[tokio::test]
async fn what_expired_while_nobody_ran_is_expired_at_once_and_not_asked() {
    let mut run = begun(one("ask").expires(HOUR)).await;
    run.arrival().await;
    let folder = run.kill().await;
    let_time_pass(&folder);
    let mut run = one("ask").expires(HOUR).go_on(folder);
    let told = "expired: Expired: nobody decided within 30 min, so it was not run. It was neither approved nor rejected.";
    assert_eq!(run.end().await, told);
    let arrived = |event: &RunEvent| matches!(event, RunEvent::Arrived(_));
    assert!(!run.seen.iter().any(arrived));
    run.flush().await;
    let record = last_record(&run.data());
    assert_eq!(
        (&record["decision"], &record["at"]),
        (&"expire".into(), &"2026-01-01T10:30:00Z".into())
    );
    // It stays expired, whatever the clock says then.
    let mut run = one("ask").expires(HOUR).go_on(run.kill().await);
    run.say("go").await;
    assert_ne!(run.arrival().await.key.call.0, "a-1-0");
}

#[tokio::test]
async fn a_decision_that_was_recorded_in_time_counts_after_its_time() {
    let mut run = begun(one("ask").expires(HOUR)).await;
    let call = run.arrival().await;
    let recorded = run.journal.record(ruling(&call, reject("no"))).await;
    assert_eq!(recorded.expect("it is written"), Recorded::Now);
    let folder = run.kill().await;
    let_time_pass(&folder);
    let mut run = one("ask").expires(HOUR).go_on(folder);
    assert_eq!(run.end().await, "rejected: Rejected by the operator: no");
}

#[tokio::test]
async fn whether_a_call_that_was_cut_off_has_run_stays_a_question() {
    let held = || {
        Setup::calls("{ id = 'a', tool = 'held' },", END)
            .tool("held", "echo begun; cat pipe")
            .expires(SOON)
    };
    let mut run = begun(held().pipe("pipe")).await;
    assert_eq!(run.line_of("a-1-0").await, "begun");
    let mut run = held().go_on(run.kill().await);
    let call = run.arrival().await;
    assert_eq!((call.basis, call.expires), (Basis::OutcomeUnknown, None));
}

fn expiring(id: &str) -> (Call, Expiry) {
    let call = Call {
        expires: Some(Timestamp::UNIX_EPOCH),
        ..desk::call(id, "book", "{}")
    };
    let expiry = Expiry::of(&call).expect("it expires");
    (call, expiry)
}

#[tokio::test]
async fn of_a_decision_and_an_expiry_the_first_in_the_journal_is_the_only_one() {
    let folder = TempDir::new().expect("a scratch folder");
    let (journal, writer) = Journal::open(folder.path()).expect("a journal");
    for (id, expires_first) in [("c1", true), ("c2", false)] {
        let (call, expiry) = expiring(id);
        let arrived = Step::Arrived(Box::new(call.clone()));
        let written = journal.append(&call.key.session, arrived).await;
        written.expect("it is written");
        let decision = ruling(&call, reject("no"));
        let (first, second) = if expires_first {
            let first = journal.expire(expiry).await.expect("it answers");
            (first, journal.record(decision).await.expect("it answers"))
        } else {
            let first = journal.record(decision).await.expect("it answers");
            (first, journal.expire(expiry).await.expect("it answers"))
        };
        assert_eq!(first, Recorded::Now);
        assert!(matches!(second, Recorded::Before { .. }), "{second:?}");
    }
    drop(journal);
    writer.join();
    let record = last_record(folder.path());
    assert_eq!(record["decision"], "reject");
    // Neither of the two waits any more.
    let reader = Reader::open(folder.path()).expect("the journal is there");
    let ruled = [
        reader.ruling(&desk::key("c1")),
        reader.ruling(&desk::key("c2")),
    ];
    let ruled = ruled.map(|ruling| ruling.expect("it can be read").is_some());
    assert_eq!(ruled, [false, true]);
}
