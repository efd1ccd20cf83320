//! The calls that wait, in the order they came.

use countersign::core::decision::{Decision, How, Ruling};
use countersign::core::finding::Findings;
use countersign::core::pending::{Pending, Stage, Waiting};
use countersign::core::shown::Shown;
use countersign::core::time::Ticks;

use crate::support::desk::{call, key};

fn waiting(ids: &[&str]) -> Pending {
    let mut pending = Pending::default();
    for (id, since) in ids.iter().zip(1..) {
        assert!(pending.arrive(call(id, "t", "{}"), Findings::default(), Ticks(since)));
    }
    pending
}

fn ids(pending: &Pending) -> Vec<&str> {
    pending
        .iter()
        .map(|waiting| waiting.call.key.call.0.as_str())
        .collect()
}

fn ruling(id: &str) -> Box<Ruling> {
    let call = call(id, "t", "{}");
    let decision = Decision::Approve { arguments: None };
    Box::new(Ruling {
        reach: countersign::core::decision::Reach::Once,
        digest: Ruling::digest_of(&call, &decision),
        key: call.key,
        tool: call.tool,
        decision,
        proposed: call.arguments,
        who: "ada".to_owned(),
        at: jiff::Timestamp::UNIX_EPOCH,
        how: How::Key,
        shown_for: 0,
    })
}

fn hold(pending: &mut Pending, id: &str, until: u64) {
    let (ruling, until) = (ruling(id), Ticks(until));
    pending.change(&key(id), |waiting| {
        waiting.stage = Stage::Held { ruling, until }
    });
}

#[test]
fn a_call_arrives_undecided_with_its_name_and_summary_made_visible() {
    let hostile = call("c1", "send\u{202e}mail", "{\"to\":\"a\\nb\"}");
    let mut pending = Pending::default();
    assert!(pending.arrive(hostile.clone(), Findings::default(), Ticks(7)));
    let expected = Waiting {
        reach: countersign::core::decision::Reach::Once,
        call: hostile,
        summary: Shown::label("a\nb"),
        tool: Shown::label("send\u{202e}mail"),
        search: "send\u{202e}mail\ntravel\n{\"to\":\"a\\nb\"}".to_owned(),
        findings: Findings::default(),
        marks: Vec::new(),
        marked: false,
        stage: Stage::Awaiting,
        since: Ticks(7),
        due: None,
        late: false,
        failure: None,
    };
    assert_eq!(pending.get(&key("c1")), Some(&expected));
    assert!(expected.is_open());
}

#[test]
fn a_call_that_waits_already_is_not_added_again() {
    let mut pending = waiting(&["c1", "c2"]);
    let before = pending.clone();
    assert!(!pending.arrive(
        call("c1", "other", r#"{"a":1}"#),
        Findings::default(),
        Ticks(99)
    ));
    assert_eq!(pending, before);
}

#[test]
fn the_others_keep_their_order_when_one_leaves() {
    let mut pending = waiting(&["c3", "c1", "c2", "c4"]);
    let gone = pending.leave(&key("c1")).map(|waiting| waiting.call);
    assert_eq!(gone, Some(call("c1", "t", "{}")));
    assert_eq!(ids(&pending), ["c3", "c2", "c4"]);
    assert_eq!(pending.leave(&key("c1")), None);
    assert!(pending.arrive(call("c1", "t", "{}"), Findings::default(), Ticks(9)));
    assert_eq!(ids(&pending), ["c3", "c2", "c4", "c1"]);
}

#[test]
fn counting_and_finding() {
    let mut pending = waiting(&["c1", "c2"]);
    assert_eq!((pending.len(), pending.is_empty()), (2, false));
    assert_eq!(
        (pending.contains(&key("c2")), pending.contains(&key("c9"))),
        (true, false)
    );
    assert_eq!(pending.get(&key("c9")), None);
    for id in ["c1", "c2"] {
        pending.change(&key(id), |waiting| waiting.marked = true);
    }
    assert!(pending.iter().rev().all(|waiting| waiting.marked));
    assert!(Pending::default().is_empty());
}

#[test]
fn the_next_held_decision_is_the_one_due_first() {
    let mut pending = waiting(&["c1", "c2", "c3", "c4"]);
    assert_eq!(pending.next_due(), None);
    hold(&mut pending, "c2", 900);
    hold(&mut pending, "c3", 400);
    pending.change(&key("c4"), |waiting| {
        waiting.stage = Stage::Recording {
            ruling: ruling("c4"),
        }
    });
    assert_eq!(pending.next_due(), Some(Ticks(400)));
    let open: Vec<_> = pending.iter().map(Waiting::is_open).collect();
    assert_eq!(open, [true, false, false, false]);
}
