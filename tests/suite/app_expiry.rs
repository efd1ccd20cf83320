//! The console on calls whose time runs out: shown, refused, and woken up for exactly then.

use countersign::app::event::Event;
use countersign::app::update::next_due;
use countersign::core::call::Call;
use countersign::core::run::{Level, RunEvent};
use countersign::core::time::{Now, Ticks};
use jiff::{SignedDuration, Timestamp};

use crate::support::desk::{Desk, call, key};

const MINUTE: u64 = 60_000;

fn clock(desk: &mut Desk, ticks: u64, wall: i64) {
    let wall = Timestamp::UNIX_EPOCH + SignedDuration::from_millis(wall);
    desk.send(Event::Clock(Now {
        ticks: Ticks(ticks),
        wall,
    }));
}

/// A desk at 0 with a call that has so many milliseconds left.
fn desk(left: i64) -> Desk {
    let mut desk = Desk::default();
    clock(&mut desk, 0, 0);
    let expires = Timestamp::UNIX_EPOCH + SignedDuration::from_millis(left);
    desk.arrive(Call {
        expires: Some(expires),
        ..call("c1", "book_flight", "{}")
    });
    desk
}

fn is_late(desk: &Desk) -> bool {
    desk.state
        .pending
        .get(&key("c1"))
        .is_some_and(|call| call.late)
}

#[test]
fn the_console_wakes_up_when_what_it_shows_changes_and_at_the_end_itself() {
    let mut desk = desk(3 * 60_000 + 500);
    let at = |ticks: u64| Some(Ticks(ticks));
    // Young calls show their age in seconds; after that only minutes change.
    clock(&mut desk, 90_000, 90_000);
    assert_eq!(next_due(&desk.state), at(2 * MINUTE));
    clock(&mut desk, 2 * MINUTE + 400, 120_400);
    assert_eq!(next_due(&desk.state), at(2 * MINUTE + 500));
    clock(&mut desk, 2 * MINUTE + 500, 120_500);
    assert_eq!(next_due(&desk.state), at(2 * MINUTE + 1500));
    clock(&mut desk, 3 * MINUTE, 180_000);
    assert_eq!(next_due(&desk.state), at(3 * MINUTE + 500));
    clock(&mut desk, 3 * MINUTE + 500, 180_500);
    assert!(is_late(&desk));
    // Nothing counts down any more; its age is all that changes.
    assert_eq!(next_due(&desk.state), at(4 * MINUTE));
}

#[test]
fn an_expired_call_cannot_be_decided_by_any_key() {
    let mut desk = desk(5000);
    desk.look(1000);
    clock(&mut desk, 5000, 5000);
    desk.look(6000);
    for keys in ["a", "A", "r", "x", "e", "space", "*"] {
        desk.press(keys);
        assert_eq!(desk.effects, [], "{keys}");
        assert!(
            desk.state.overlay.is_none() && desk.state.draft.is_none(),
            "{keys}"
        );
    }
    desk.press("a");
    let notice = desk.state.notice.as_ref().expect("it says why");
    assert_eq!(
        notice.text,
        "its time is over; nobody can decide it any more"
    );
}

#[test]
fn a_clock_that_is_set_back_does_not_make_it_open_again() {
    let mut desk = desk(5000);
    // The machine slept: only the clock on the wall went on.
    clock(&mut desk, 1000, 60_000);
    assert!(is_late(&desk));
    clock(&mut desk, 2000, -60_000);
    assert!(is_late(&desk));
    // And one that is set back before its time does not give it more.
    let mut desk = self::desk(5000);
    clock(&mut desk, 5000, -60_000);
    assert!(is_late(&desk));
}

#[test]
fn it_leaves_the_list_with_a_word_once_it_is_recorded() {
    let mut desk = desk(5000);
    desk.look(1000);
    desk.run(RunEvent::Expired {
        call: key("c1").call,
        tool: "book_flight".to_owned(),
        waited: 1800,
    });
    assert!(desk.state.pending.is_empty());
    let notice = desk.state.notice.as_ref().expect("it says so");
    let text = "book_flight has expired: nobody decided within 30 min";
    assert_eq!((notice.level, notice.text.as_str()), (Level::Warning, text));
}
