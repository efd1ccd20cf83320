//! `countersign decide` and calls whose time is over.

use countersign::agent::foreign;
use countersign::core::call::{Call, CallId, SessionId};
use countersign::core::decision::{Awaited, Expiry};
use countersign::core::digest::Digest;
use countersign::core::run::{CallStatus, Outcome, RunCommand, RunEvent, RunState};
use countersign::deferred;
use countersign::runtime::deferred::{Again, Desk};
use countersign::store::{Journal, Step};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::collections::HashMap;
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::support::agent::{reject, ruling};
use crate::support::desk::{self, SESSION};
use crate::support::headless::Place;

fn expiring(id: &str, after: SignedDuration) -> Call {
    let arrived = Timestamp::now();
    Call {
        arrived,
        expires: Some(arrived + after),
        ..desk::call(id, "book", "{}")
    }
}

#[tokio::test]
async fn a_deferred_call_expires_while_a_console_shows_it_and_another_waits_on() {
    let folder = TempDir::new().expect("a scratch folder");
    let (journal, _writer) = Journal::open(folder.path()).expect("a journal");
    let short = expiring("c1", SignedDuration::from_millis(30));
    let long = expiring("c2", SignedDuration::from_hours(1));
    for call in [&short, &long] {
        let arrived = Step::Arrived(Box::new(call.clone()));
        let written = journal.append(&call.key.session, arrived).await;
        written.expect("it is written");
    }
    let (report, mut reports) = mpsc::channel(16);
    let (commands, taken) = mpsc::channel(16);
    let open: HashMap<CallId, Option<Expiry>> = [&short, &long]
        .map(|call| (call.key.call.clone(), Expiry::of(call)))
        .into();
    let stands_in = foreign::Foreign {
        session: SessionId(SESSION.to_owned()),
        open,
        scripts: HashMap::new(),
        journal: journal.clone(),
        reports: report,
        commands: taken,
    };
    let task = tokio::spawn(stands_in.run());
    let mut next = async || reports.recv().await.expect("it goes on").event;
    let expired = RunEvent::Expired {
        call: short.key.call.clone(),
        tool: "book".to_owned(),
        waited: 0,
    };
    assert_eq!(next().await, expired);
    let outcome = Outcome::Expired {
        awaited: Awaited::Decision,
        waited: 0,
    };
    let status = CallStatus::Finished { outcome };
    let call = short.key.call.clone();
    assert_eq!(next().await, RunEvent::Status { call, status });
    let decided = ruling(&long, reject("no"));
    journal
        .record(decided.clone())
        .await
        .expect("it is written");
    let sent = commands.send(RunCommand::Ruling(Box::new(decided))).await;
    sent.expect("it takes rulings");
    assert!(matches!(next().await, RunEvent::Status { .. }));
    assert_eq!(next().await, RunEvent::State(RunState::Ended));
    task.await.expect("it ends");
}

/// A state of two calls in our own form, the first of which has expired.
fn state() -> String {
    let call = |id: &str, expires: Option<&str>| {
        json!({
            "call": id, "tool": "book", "arguments": "{}", "digest": Digest::of_call("book", "{}").as_str(),
            "answers": ["approve", "reject", "reason"], "expires": expires,
        })
    };
    let calls = [call("old", Some("2026-01-01T00:00:00Z")), call("new", None)];
    json!({
        "format": "countersign.deferred", "version": 1, "session": "s", "agent": "a", "calls": calls,
    })
    .to_string()
}

#[test]
fn an_expired_call_is_not_approved_with_the_others_and_counts_as_undecided() {
    let place = Place::new(&[], "", "");
    place.write("state.json", &state());
    let (code, out, error) = place.print(&["decide", "state.json", "--approve-all"]);
    let told = "countersign: 1 call is undecided, of 2 (1 has expired and can no longer be decided); \
                what was decided is recorded: `countersign decide state.json` goes on\n";
    assert_eq!((code, out.as_str(), error.as_str()), (Some(3), "", told));
    // What is decided can be taken all the same, where the form goes on with a part.
    let (code, out, _) = place.print(&["decide", "state.json", "--approve-all", "--partial"]);
    let written: Value = serde_json::from_str(&out).expect("the results");
    let decided = written["decisions"].as_array().expect("a list");
    let decided: Vec<_> = decided.iter().map(|one| one["call"].as_str()).collect();
    assert_eq!((code, decided), (Some(3), vec![Some("new")]));
    let (_, audit, _) = place.print(&["audit"]);
    assert!(
        audit.contains("expire") && audit.contains("nobody"),
        "{audit}"
    );
    let (code, ..) = place.print(&["audit", "verify"]);
    assert_eq!(code, Some(0));
}

#[tokio::test]
async fn a_call_has_waited_since_its_state_says_it_has_and_never_since_a_moment_to_come() {
    let now: Timestamp = "2026-06-01T12:00:00Z".parse().expect("a moment");
    let call = |id: &str, arrived: Option<&str>| {
        json!({
            "call": id, "tool": "book", "arguments": "{}", "digest": Digest::of_call("book", "{}").as_str(),
            "answers": ["approve", "reject"], "expires": "2026-06-01T11:58:00Z", "arrived": arrived,
        })
    };
    let mut document = json!({
        "format": "countersign.deferred", "version": 1, "session": "s", "agent": "a",
        "calls": [
            call("before", Some("2026-06-01T11:30:00Z")),
            call("unsaid", None),
            call("to-come", Some("2026-06-02T12:00:00Z")),
        ],
    });
    let read = |document: &Value| deferred::read(&document.to_string(), None).expect("it is read");
    let session = SessionId(SESSION.to_owned());
    let arrivals = |steps: Vec<Step>| -> Vec<(String, Timestamp, u64)> {
        let arrived = steps.into_iter().filter_map(|step| match step {
            Step::Arrived(call) => Some(call),
            _ => None,
        });
        let waited = |call: &Call| Expiry::of(call).map_or(0, |expiry| expiry.waited());
        let all = arrived.map(|call| (call.key.call.0.clone(), call.arrived, waited(&call)));
        all.collect()
    };
    let began = "2026-06-01T11:30:00Z".parse().expect("a moment");
    assert_eq!(
        arrivals(foreign::steps(&session, "s", &read(&document), now)),
        [
            ("before".to_owned(), began, 28 * 60),
            ("unsaid".to_owned(), now, 0),
            ("to-come".to_owned(), now, 0),
        ]
    );
    // Opened once more, it has waited since then all the same.
    document["calls"] = json!([call("before", Some("2026-06-01T11:30:00Z"))]);
    document["calls"][0]["expires"] = Value::Null;
    let folder = TempDir::new().expect("a scratch folder");
    let (journal, _writer) = Journal::open(folder.path()).expect("a journal");
    let enter = async || {
        let desk = Desk {
            folder: folder.path(),
            journal: &journal,
            again: Again::No,
        };
        let entered = desk.enter("s".to_owned(), read(&document)).await;
        let events = entered.expect("it is entered").projection.events;
        let arrived = events.into_iter().filter_map(|event| match event {
            RunEvent::Arrived(call) => Some(Step::Arrived(call)),
            _ => None,
        });
        arrivals(arrived.collect())
    };
    let first = enter().await;
    assert_eq!(first[0].1, began);
    assert_eq!(enter().await, first);
}
