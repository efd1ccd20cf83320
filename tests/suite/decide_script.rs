//! Scripts in deferred state: their own row needs no answer, and dropping it takes its calls with it.

use countersign::agent::foreign;
use countersign::core::call::{Answer, Answers, Call, CallId, SessionId};
use countersign::core::decision::{Decision, Expiry};
use countersign::core::run::{RunCommand, RunEvent, RunState};
use countersign::store::{Journal, Step};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use tempfile::TempDir;
use tokio::sync::mpsc;

use super::deferred_pydantic::state;
use crate::support::agent::{reject, ruling};
use crate::support::desk::{self, SESSION};
use crate::support::headless::Place;

/// A script that waits at three calls.
fn place() -> Place {
    let place = Place::new(&[], "", "");
    place.write("state.json", &state("code_mode_batch").to_string());
    place
}

fn decide(place: &Place, decisions: &Value, more: &[&str]) -> (Option<i32>, Value, String) {
    let decisions =
        json!({ "format": "countersign.decisions", "version": 1, "decisions": decisions });
    place.write("decisions.json", &decisions.to_string());
    let line = ["decide", "state.json", "--decisions", "decisions.json"];
    let line: Vec<_> = line.iter().chain(more).copied().collect();
    let (code, out, error) = place.print(&line);
    (code, serde_json::from_str(&out).unwrap_or_default(), error)
}

fn pending(place: &Place) -> String {
    let (_, sessions, _) = place.print(&["sessions"]);
    let row = sessions.lines().nth(1).unwrap_or_default().to_owned();
    row.split_whitespace().nth(3).unwrap_or_default().to_owned()
}

#[test]
fn the_calls_of_a_script_are_all_that_has_to_be_decided() {
    let place = place();
    let first = json!([{ "call": "rc1__2", "approve": {} }]);
    let (code, results, error) = decide(&place, &first, &[]);
    let told = "countersign: 2 calls are undecided, of 3; what was decided is recorded: give the same state again to go on\n";
    assert_eq!(
        (code, results, error.as_str()),
        (Some(3), Value::Null, told)
    );
    assert_eq!(pending(&place), "2");
    let others = json!([{ "call": "rc1__3", "approve": {} }, { "call": "rc1__5", "approve": {} }]);
    let (code, results, error) = decide(&place, &others, &[]);
    assert_eq!(
        (code, error.as_str()),
        (
            Some(0),
            "countersign: state.json: 1 of 3 calls were decided before, and stay so\n"
        )
    );
    assert_eq!(results["approvals"], json!({ "rc1": true }));
    let decisions = json!({ "rc1__2": true, "rc1__3": true, "rc1__5": true });
    assert_eq!(results["metadata"]["rc1"]["decisions"], decisions);
    assert_eq!(pending(&place), "0");
}

#[test]
fn a_script_that_is_rejected_leaves_nothing_to_decide() {
    let place = place();
    let reject = json!([{ "call": "rc1", "reject": { "reason": "not like this" } }]);
    let (code, results, error) = decide(&place, &reject, &[]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let denied = json!({ "rc1": { "kind": "tool-denied", "message": "not like this" } });
    assert_eq!(results["approvals"], denied);
    assert_eq!(results["metadata"]["rc1"].get("decisions"), None);
    assert_eq!(pending(&place), "0");
}

#[test]
fn the_same_decision_for_every_call_is_none_on_the_script() {
    for (flags, decision) in [
        (vec!["--approve-all"], json!(true)),
        (
            vec!["--reject-all", "no"],
            json!({ "kind": "tool-denied", "message": "no" }),
        ),
    ] {
        let place = place();
        let line: Vec<_> = ["decide", "state.json"].into_iter().chain(flags).collect();
        let (code, out, _) = place.print(&line);
        let results: Value = serde_json::from_str(&out).expect("the results");
        assert_eq!(
            (code, &results["approvals"]),
            (Some(0), &json!({ "rc1": true }))
        );
        assert_eq!(results["metadata"]["rc1"]["decisions"]["rc1__5"], decision);
    }
}

#[tokio::test]
async fn the_row_of_a_script_leaves_when_its_calls_are_decided_and_they_leave_when_it_is_dropped() {
    let folder = TempDir::new().expect("a scratch folder");
    let (journal, _writer) = Journal::open(folder.path()).expect("a journal");
    let row = |id: &str| Call {
        answers: Answers::of([Answer::Reject, Answer::Reason]),
        ..desk::call(id, "run_code", "{}")
    };
    let calls = [
        desk::call("a1", "send", "{}"),
        desk::call("b1", "send", "{}"),
        row("a+script"),
        row("b+script"),
    ];
    for call in &calls {
        let arrived = Step::Arrived(Box::new(call.clone()));
        let written = journal.append(&call.key.session, arrived).await;
        written.expect("it is written");
    }
    let (report, mut reports) = mpsc::channel(16);
    let (commands, taken) = mpsc::channel(16);
    let open: HashMap<CallId, Option<Expiry>> = calls
        .each_ref()
        .map(|call| (call.key.call.clone(), None))
        .into();
    let id = |id: &str| CallId(id.to_owned());
    let scripts = ["a", "b"].map(|script| {
        let inner = HashSet::from([id(&format!("{script}1"))]);
        (id(&format!("{script}+script")), inner)
    });
    let stands_in = foreign::Foreign {
        session: SessionId(SESSION.to_owned()),
        open,
        scripts: scripts.into(),
        journal: journal.clone(),
        reports: report,
        commands: taken,
    };
    let task = tokio::spawn(stands_in.run());
    let approve = ruling(&calls[0], Decision::Approve { arguments: None });
    for decided in [approve, ruling(&calls[3], reject("no"))] {
        journal
            .record(decided.clone())
            .await
            .expect("it is written");
        let sent = commands.send(RunCommand::Ruling(Box::new(decided))).await;
        sent.expect("it takes rulings");
    }
    let mut next = async || reports.recv().await.expect("it goes on").event;
    assert!(matches!(next().await, RunEvent::Status { .. }));
    assert_eq!(
        next().await,
        foreign::withdrawn(id("a+script"), foreign::GOES_ON)
    );
    assert!(matches!(next().await, RunEvent::Status { .. }));
    assert_eq!(next().await, foreign::withdrawn(id("b1"), foreign::DROPPED));
    assert_eq!(next().await, RunEvent::State(RunState::Ended));
    task.await.expect("it ends");
}

#[test]
fn events_say_which_script_makes_a_call_and_where_it_stands() {
    let place = Place::new(&[], "[events]\nfile = 'events.jsonl'\n", "");
    place.write("state.json", &state("code_mode_batch").to_string());
    let (code, _, error) = place.print(&["decide", "state.json", "--approve-all"]);
    assert_eq!(code, Some(0), "{error}");
    let events = std::fs::read_to_string(place.path("events.jsonl")).expect("the events");
    let events = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let of = |event: &Value| {
        [
            event["call"].clone(),
            event["parent"].clone(),
            event["script"].clone(),
        ]
    };
    let events: Vec<Value> = events.collect();
    let called = events.iter().filter(|event| event["event"] == "called");
    let parents: Vec<_> = called.map(|event| event["parent"].clone()).collect();
    assert_eq!(json!(parents), json!([null, "rc1", "rc1", "rc1"]));
    let waiting = events.iter().filter(|event| event["event"] == "waiting");
    let waiting: Vec<_> = waiting.map(of).collect();
    let stands = json!({ "outer": "rc1", "done": 0, "line": 3 });
    let wanted = json!([
        ["rc1__2", "rc1", stands],
        ["rc1__3", "rc1", stands],
        ["rc1__5", "rc1", stands],
        ["rc1+script", null, stands],
    ]);
    assert_eq!(json!(waiting), wanted);
}
