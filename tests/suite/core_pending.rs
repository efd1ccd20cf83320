//! The calls that wait, in the order they came.

use countersign::core::call::Call;
use countersign::core::decision::{Decision, How, Ruling};
use countersign::core::finding::Findings;
use countersign::core::pending::{Pending, Stage, Waiting};
use countersign::core::shown::Shown;
use countersign::core::time::{Now, Ticks};
use jiff::Timestamp;
use proptest::prelude::*;
use std::time::Duration;

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
        file: None,
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
        tool: Shown::label("\"send\u{202e}mail\""),
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

/// A call with the time that is left for it, by either clock, from 0 on.
fn expiring(number: usize, due: Option<u64>, since: u64) -> (Call, Option<Ticks>, Ticks) {
    let wall = |due: u64| Timestamp::UNIX_EPOCH + Duration::from_millis(due);
    let call = Call {
        expires: due.map(wall),
        ..call(&format!("c{number}"), "t", "{}")
    };
    (call, due.map(Ticks), Ticks(since))
}

fn at(millis: u64) -> Now {
    Now {
        ticks: Ticks(millis),
        wall: Timestamp::UNIX_EPOCH + Duration::from_millis(millis),
    }
}

/// When what is shown of this call's time changes next, looked up for it alone.
fn changes(waiting: &Waiting, now: u64) -> Option<u64> {
    let left = waiting.due.filter(|_| !waiting.late)?.0.saturating_sub(now);
    let unit = if left <= 60_000 { 1000 } else { 60_000 };
    Some(now + if left % unit == 0 { unit } else { left % unit })
}

proptest! {
    #[test]
    fn what_is_known_of_the_times_of_all_calls_is_what_a_look_at_each_would_say(
        calls in proptest::collection::vec((proptest::option::of(1_u64..400_000), 0_u64..5000), 0..40),
        steps in proptest::collection::vec((0_u64..90_000, 0_usize..40), 0..12),
    ) {
        let mut pending = Pending::default();
        for (number, (due, since)) in calls.iter().enumerate() {
            let (call, due, since) = expiring(number, *due, *since);
            let key = call.key.clone();
            pending.arrive(call, Findings::default(), since);
            pending.change(&key, |waiting| waiting.due = due);
        }
        let mut now = 0;
        for (passes, number) in steps {
            now += passes;
            pending.expire(at(now));
            let late: Vec<_> = pending.iter().map(|waiting| waiting.late).collect();
            let due: Vec<_> = pending.iter().map(|waiting| waiting.due.is_some_and(|due| due.0 <= now)).collect();
            prop_assert_eq!(late, due);
            let first = pending.iter().filter_map(|waiting| changes(waiting, now)).min();
            let told = pending.counts_down(Ticks(now)).map(|ticks| ticks.0);
            prop_assert_eq!(told.is_some(), first.is_some());
            if let (Some(told), Some(first)) = (told, first) {
                prop_assert!((first..first + 1000).contains(&told), "{told}, and not {first}");
            }
            for after in [None, Some(Ticks(2500))] {
                let open = pending.iter().filter(|waiting| waiting.is_open()).map(|waiting| waiting.since);
                let oldest = open.filter(|since| after.is_none_or(|after| *since > after)).min();
                prop_assert_eq!(pending.oldest_open(after), oldest);
            }
            let id = format!("c{number}");
            if number % 3 == 0 {
                pending.leave(&key(&id));
            } else {
                let until = Ticks(now + 1);
                pending.change(&key(&id), |waiting| {
                    waiting.stage = Stage::Held { ruling: ruling("c"), until };
                });
            }
        }
    }
}
