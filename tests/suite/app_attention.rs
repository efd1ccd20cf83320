//! When an operator who looks elsewhere is called, and who outside is told.

use countersign::app::attention::{Rules, Waits};
use countersign::app::effect::Effect;
use countersign::app::event::Event;
use countersign::app::update::next_due;
use countersign::core::attention::Unknown;
use countersign::core::call::SessionId;

use crate::support::desk::{Desk, SESSION, call};

fn desk(unknown: Unknown) -> Desk {
    let mut desk = Desk::default();
    desk.state.settings.attention = Rules {
        every: Some(10_000),
        unknown,
        outside: None,
    };
    desk.wait(60_000);
    desk
}

fn arrive(desk: &mut Desk, id: &str) {
    desk.arrive(call(id, "book_flight", "{}"));
}

/// How many calls each notification spoke of.
fn called(desk: &mut Desk) -> Vec<usize> {
    let notified = |effect| match effect {
        Effect::Notify { waiting } => Some(waiting),
        _ => None,
    };
    desk.take().into_iter().filter_map(notified).collect()
}

#[test]
fn calls_that_come_together_are_told_together_and_not_too_often() {
    let mut desk = desk(Unknown::Here);
    desk.send(Event::FocusLost);
    for id in ["a", "b", "c"] {
        arrive(&mut desk, id);
        desk.wait(10);
    }
    assert_eq!(called(&mut desk), [0; 0], "not in the middle of a burst");
    desk.wait(300);
    assert_eq!(called(&mut desk), [3]);
    arrive(&mut desk, "d");
    desk.wait(9_000);
    assert_eq!(called(&mut desk), [0; 0]);
    desk.wait(1_000);
    assert_eq!(called(&mut desk), [4]);
    desk.wait(60_000);
    assert_eq!(
        called(&mut desk),
        [0; 0],
        "without a new call nobody is called"
    );
}

#[test]
fn whoever_looks_is_not_called() {
    let mut desk = desk(Unknown::Away);
    desk.send(Event::FocusGained);
    arrive(&mut desk, "a");
    desk.wait(20_000);
    assert_eq!(called(&mut desk), [0; 0]);
    // Comes back before the call is due.
    desk.send(Event::FocusLost);
    arrive(&mut desk, "b");
    desk.send(Event::FocusGained);
    desk.send(Event::FocusLost);
    desk.wait(20_000);
    assert_eq!(called(&mut desk), [0; 0]);
}

#[test]
fn where_the_focus_is_not_known_the_configuration_says_what_to_assume() {
    let told = |unknown, idle| {
        let mut desk = desk(unknown);
        desk.press("j");
        desk.wait(idle);
        arrive(&mut desk, "a");
        desk.wait(300);
        called(&mut desk).len()
    };
    assert_eq!(told(Unknown::Away, 0), 1);
    assert_eq!(told(Unknown::Here, 600_000), 0);
    assert_eq!(told(Unknown::Idle, 10_000), 0);
    assert_eq!(told(Unknown::Idle, 30_000), 1);
}

#[test]
fn a_call_that_was_decided_meanwhile_calls_nobody() {
    let mut desk = desk(Unknown::Away);
    desk.state.settings.arming = 0;
    arrive(&mut desk, "a");
    desk.draw();
    desk.press("a");
    desk.wait(300);
    assert_eq!(called(&mut desk), [0; 0]);
}

#[test]
fn without_a_rule_there_is_neither_a_call_nor_a_timer() {
    let mut desk = Desk::default();
    desk.send(Event::FocusLost);
    arrive(&mut desk, "a");
    desk.wait(60_000);
    assert_eq!(called(&mut desk), [0; 0]);
    assert_eq!(desk.state.attention.due, None);
}

#[test]
fn somebody_outside_is_told_once_of_calls_that_wait_while_no_key_is_pressed() {
    let mut desk = Desk::default();
    desk.state.settings.attention.outside = Some(60_000);
    desk.wait(1_000_000);
    let now = desk.state.now.wall;
    let at = |id: &str| {
        let mut call = call(id, "book_flight", "{}");
        call.arrived = now;
        call
    };
    desk.arrive(at("a"));
    desk.arrive(at("b"));
    desk.wait(30_000);
    // Somebody is here.
    desk.press("j");
    desk.wait(59_000);
    assert_eq!(desk.take(), []);
    assert!(next_due(&desk.state).is_some());
    desk.wait(1_000);
    let waits = Waits {
        waiting: 2,
        sessions: vec![(SessionId(SESSION.to_owned()), 2)],
        oldest: 90,
    };
    assert_eq!(desk.take(), [Effect::TellOutside(waits)]);
    desk.wait(600_000);
    assert_eq!(desk.take(), [], "the same calls are told once");
}
