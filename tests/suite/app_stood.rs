//! A program that was stopped and goes on: nothing that was held back counts before it can be taken back again.

use countersign::app::event::Event;
use countersign::core::time::{Now, Ticks};
use std::time::Duration;

use crate::support::desk::{Desk, call, destructive};

/// A destructive call whose approval is held back for three seconds, one of which is over.
fn held() -> Desk {
    let mut desk = Desk::default();
    desk.arrive(destructive(call("one", "delete_file", "{}")));
    desk.look(500);
    desk.press("a");
    desk.look(1000);
    desk
}

/// The program was stopped for so long, and goes on.
fn continued(desk: &mut Desk, millis: u64) {
    let now = desk.state.now;
    desk.send(Event::Continued(Now {
        ticks: Ticks(now.ticks.0 + millis),
        wall: now.wall + Duration::from_millis(millis),
    }));
}

#[test]
fn a_decision_held_back_when_the_program_is_stopped_has_its_whole_time_again() {
    let mut desk = held();
    desk.press("ctrl-z");
    desk.take();
    continued(&mut desk, 60_000);
    desk.look(0);
    assert_eq!(
        desk.notice(),
        "1 call held back anew after the stop; `u` takes it back"
    );
    desk.look(2999);
    assert_eq!(desk.recorded(), []);
    desk.press("u");
    desk.wait(60_000);
    assert_eq!(desk.recorded(), []);
}

#[test]
fn it_counts_after_that_time_as_if_nothing_had_been() {
    let mut desk = held();
    continued(&mut desk, 300);
    desk.look(3000);
    assert_eq!(desk.recorded(), [("one".to_owned(), "approved")]);
}

#[test]
fn a_stop_that_nobody_told_of_is_seen_by_the_time_that_is_missing() {
    let mut desk = held();
    desk.wait(60_000);
    assert_eq!(desk.recorded(), []);
    desk.look(2999);
    assert_eq!(desk.recorded(), []);
    desk.look(1);
    assert_eq!(desk.recorded(), [("one".to_owned(), "approved")]);
}

#[test]
fn what_was_signed_together_is_still_taken_back_together() {
    let mut desk = Desk::default();
    for id in ["one", "two"] {
        desk.arrive(destructive(call(id, "delete_file", "{}")));
    }
    desk.press("A");
    desk.look(400);
    desk.press("enter");
    continued(&mut desk, 9000);
    desk.press("u");
    assert_eq!(desk.notice(), "2 calls open again");
}

#[test]
fn a_key_that_was_perhaps_held_when_the_program_was_stopped_decides_nothing() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("a");
    desk.stored("one");
    desk.take();
    desk.look(500);
    desk.stroke("a", countersign::app::key::Stroke::Press);
    continued(&mut desk, 5000);
    desk.look(5000);
    assert_eq!(desk.recorded(), []);
}
