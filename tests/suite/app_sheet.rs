//! The review sheet as a machine: what makes it another sheet, and what is signed then.

use countersign::app::effect::Effect;
use countersign::app::event::Event;
use countersign::app::state::{Overlay, Review, Seen};
use countersign::core::call::{Call, CallId, Preview, ShownFile};
use countersign::core::decision::How;
use countersign::core::diff::Diff;
use countersign::core::digest::Digest;
use countersign::core::run::RunEvent;

use crate::support::desk::{Desk, call, key};

fn review(desk: &Desk) -> &Review {
    match &desk.state.overlay {
        Some(Overlay::Review(review)) => review,
        other => unreachable!("no sheet: {other:?}"),
    }
}

fn withdraw(desk: &mut Desk, id: &str) {
    desk.run(RunEvent::Withdrawn {
        call: CallId(id.to_owned()),
        why: "its script went on".to_owned(),
    });
}

/// A sheet of these calls, of which only the first rows were seen.
fn half_seen(ids: &[&str]) -> Desk {
    let mut desk = Desk::with(ids);
    desk.sheet = (5, 20);
    desk.press("A");
    desk.look(500);
    desk
}

#[test]
fn a_sheet_of_another_size_is_to_be_seen_again_also_with_as_many_rows() {
    let mut desk = half_seen(&["one", "two"]);
    assert_eq!(review(&desk).seen.unseen(), 15);
    desk.press("enter");
    assert!(review(&desk).asked);
    desk.send(Event::Resized {
        columns: 110,
        rows: 36,
    });
    let seen = Seen {
        to: 0,
        ..review(&desk).seen
    };
    assert_eq!((review(&desk).seen, review(&desk).asked), (seen, false));
    desk.look(500);
    desk.press("enter");
    assert_eq!(desk.recorded(), []);
}

/// A larger screen, on which everything is to be seen, for so long; then the one that was before.
fn flash(desk: &mut Desk, millis: u64) {
    let before = (desk.rows, desk.sheet);
    desk.send(Event::Resized {
        columns: 300,
        rows: 80,
    });
    (desk.rows, desk.sheet) = ((30, 30), (30, 30));
    desk.draw();
    desk.wait(millis);
    desk.send(Event::Resized {
        columns: 80,
        rows: 24,
    });
    (desk.rows, desk.sheet) = before;
    desk.look(500);
}

#[test]
fn what_of_a_sheet_only_flashed_by_at_another_size_was_not_seen() {
    for (millis, unseen) in [(50, 15), (399, 15), (400, 0)] {
        let mut desk = half_seen(&["one", "two"]);
        flash(&mut desk, millis);
        assert_eq!(review(&desk).seen.unseen(), unseen);
    }
}

#[test]
fn what_of_a_call_only_flashed_by_at_another_size_was_not_seen() {
    for (millis, at_once) in [(50, 0), (400, 1)] {
        let mut desk = Desk {
            rows: (5, 20),
            ..Desk::default()
        };
        desk.arrive(call("one", "book_flight", "{}"));
        desk.look(1000);
        flash(&mut desk, millis);
        desk.press("a");
        assert_eq!(desk.recorded().len(), at_once);
    }
}

#[test]
fn what_was_seen_as_a_whole_stays_seen_after_another_size_flashed_by() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("A");
    desk.look(500);
    desk.sheet = (5, 20);
    flash(&mut desk, 50);
    assert_eq!(review(&desk).seen.unseen(), 0);
}

#[test]
fn what_the_full_view_shows_only_for_a_moment_was_not_seen() {
    for (millis, at_once) in [(50, 0), (400, 1)] {
        let mut desk = Desk {
            rows: (5, 20),
            ..Desk::default()
        };
        desk.arrive(call("one", "book_flight", "{}"));
        desk.look(1000);
        desk.press("v");
        desk.rows = (12, 12);
        desk.look(millis);
        desk.press("a");
        assert_eq!(desk.recorded().len(), at_once);
    }
}

#[test]
fn a_call_that_leaves_the_sheet_makes_it_another_one() {
    let mut desk = half_seen(&["one", "two", "three"]);
    desk.press("enter");
    withdraw(&mut desk, "two");
    let seen = Seen {
        to: 0,
        ..review(&desk).seen
    };
    assert_eq!((review(&desk).seen, review(&desk).asked), (seen, false));
    desk.look(2000);
    desk.press("enter");
    desk.wait(2000);
    desk.press("enter");
    let rulings = desk.rulings();
    let of: Vec<_> = rulings
        .iter()
        .map(|ruling| (ruling.key.call.0.as_str(), ruling.how))
        .collect();
    let how = How::Batch { size: 2 };
    assert_eq!(of, [("one", how), ("three", how)]);
}

#[test]
fn a_call_that_comes_while_a_sheet_is_open_is_not_signed_with_it() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("A");
    desk.look(500);
    desk.arrive(call("late", "book_flight", "{}"));
    desk.draw();
    desk.press("enter");
    let signed: Vec<_> = desk.recorded().into_iter().map(|(id, _)| id).collect();
    assert_eq!(signed, ["one", "two"]);
}

fn preview(before: &str, after: &str) -> Preview {
    Preview {
        path: "a.md".to_owned(),
        fails: None,
        diff: Diff::between(before, after),
        before: Some(Digest::of_bytes(before.as_bytes())),
    }
}

/// A call that changes a file, edited, with the sheet open; and what was asked of outside.
fn edited() -> (Desk, Effect) {
    let mut desk = Desk {
        rows: (5, 40),
        sheet: (20, 20),
        ..Desk::default()
    };
    desk.arrive(Call {
        preview: Some(preview("a\n", "b\n")),
        workspace: Some("/work".to_owned()),
        ..call("one", "write_file", r#"{"path":"a.md","content":"b\n"}"#)
    });
    desk.look(1000);
    desk.press("e");
    let text = r#"{"path":"a.md","content":"c\n"}"#.to_owned();
    desk.send(Event::Edited(Ok(text)));
    desk.press("ctrl-s");
    let effects = desk.take();
    let [effect] = effects.as_slice() else {
        unreachable!("{effects:?}")
    };
    (desk, effect.clone())
}

fn foreseen(effect: &Effect, preview: Option<Preview>) -> Event {
    let Effect::Foresee { key, arguments, .. } = effect else {
        unreachable!("{effect:?}")
    };
    Event::Foreseen {
        key: key.clone(),
        arguments: arguments.clone(),
        preview: preview.map(Box::new),
    }
}

#[test]
fn an_edited_call_is_not_signed_before_it_is_known_what_it_would_change() {
    let (mut desk, effect) = edited();
    desk.look(1000);
    desk.press("enter");
    assert_eq!(
        (desk.recorded(), desk.notice()),
        (
            Vec::new(),
            "what an edited call would change is still being worked out"
        )
    );
    desk.send(foreseen(&effect, Some(preview("a\n", "c\n"))));
    // What it says now was not seen, and has only just appeared.
    assert_eq!(review(&desk).seen, Seen::default());
    desk.wait(2000);
    desk.press("enter");
    assert_eq!(
        desk.notice(),
        "this sheet has only just appeared; look at it first"
    );
    desk.look(1000);
    desk.wait(2000);
    desk.press("enter");
    let rulings = desk.rulings();
    let shown = ShownFile::Content(Digest::of_bytes(b"a\n"));
    let signed: Vec<_> = rulings.iter().map(|ruling| ruling.file.clone()).collect();
    assert_eq!(signed, [Some(shown)]);
}

#[test]
fn what_cannot_be_told_beforehand_can_be_signed() {
    let (mut desk, effect) = edited();
    desk.send(foreseen(&effect, None));
    desk.look(1000);
    desk.press("enter");
    assert_eq!(desk.recorded(), [("one".to_owned(), "approved with edits")]);
}

#[test]
fn an_answer_about_other_arguments_says_nothing() {
    let (mut desk, effect) = edited();
    desk.press("esc e");
    let text = r#"{"path":"a.md","content":"d\n"}"#.to_owned();
    desk.send(Event::Edited(Ok(text)));
    desk.press("ctrl-s");
    desk.take();
    let before = desk.state.clone();
    desk.send(foreseen(&effect, Some(preview("a\n", "c\n"))));
    assert_eq!(desk.state, before);
}

#[test]
fn a_call_is_not_read_because_its_edit_was_on_screen_while_it_was_held() {
    let (mut desk, effect) = edited();
    desk.state.settings.hold = 10_000;
    desk.send(foreseen(&effect, None));
    desk.look(1000);
    desk.press("enter");
    let before = desk.state.seen.get(&key("one")).copied();
    desk.rows = (5, 5);
    desk.look(1000);
    assert_eq!(
        desk.state.seen.get(&key("one")).map(|seen| seen.to),
        before.map(|seen| seen.to)
    );
    desk.press("u");
    desk.rows = (5, 40);
    desk.look(1000);
    let unseen = desk.state.seen.get(&key("one")).map(|seen| seen.unseen());
    assert_eq!(unseen, Some(35));
    desk.press("a");
    assert_eq!(review(&desk).rulings.len(), 1);
}

#[test]
fn a_sheet_that_has_no_room_for_its_numbers_is_not_signed() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("A");
    let drawn = |desk: &Desk, review| countersign::app::state::Drawn {
        review,
        overlay: countersign::app::state::Extent {
            top: 0,
            height: 0,
            total: 9,
        },
        afresh: desk.state.afresh,
        ..desk.state.drawn.clone()
    };
    desk.on_screen(drawn(&desk, false));
    desk.wait(1000);
    desk.press("enter");
    assert_eq!(
        (desk.recorded(), desk.notice()),
        (Vec::new(), "too small to sign: make the window larger")
    );
}
