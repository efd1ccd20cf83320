//! Fields set in many calls at once, and what became of each call of a batch.

use countersign::app::batch::{Phase, Signed};
use countersign::app::draft::{EditFault, Purpose};
use countersign::app::event::{Event, StoreEvent};
use countersign::app::state::Overlay;
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answer, Answers, Call, CallId};
use countersign::core::decision::{Decision, Ruling};
use countersign::core::run::{CallStatus, Outcome, RunEvent, RunState};
use countersign::core::schema::Schema;
use serde_json::json;

use crate::support::desk::{Desk, call, destructive, key};

fn booking(id: &str, arguments: &str) -> Call {
    let schema = json!({
        "properties": { "to": { "type": "string" }, "cabin": { "enum": ["economy", "first"] } },
    });
    Call {
        schema: Some(Schema::new(schema)),
        ..call(id, "book", arguments)
    }
}

/// Three bookings, all marked.
fn desk() -> Desk {
    let mut desk = Desk::default();
    desk.arrive(booking("one", r#"{"to":"Nice","cabin":"first"}"#));
    desk.arrive(booking("two", r#"{"to":"Brest"}"#));
    desk.arrive(booking("three", r#"{ "cabin":"economy", "to":"Lille"}"#));
    desk.look(1000);
    desk.press("*");
    desk
}

fn write(desk: &mut Desk, text: &str) {
    desk.send(Event::Edited(Ok(text.to_owned())));
}

fn draft(desk: &Desk) -> (Vec<EditFault>, &str) {
    let draft = desk.state.draft.as_ref().expect("a text is written");
    (draft.faults.clone(), draft.note.as_str())
}

#[test]
fn one_field_is_set_in_all_marked_calls_and_each_is_signed_with_its_own_arguments() {
    let mut desk = desk();
    desk.press("E");
    write(&mut desk, "cabin = \"economy\"");
    let note = "changes 2 of 3 calls; 1 would be approved as they are";
    assert_eq!(draft(&desk), (vec![], note));
    desk.press("ctrl-s");
    desk.look(1000);
    let Some(Overlay::Review(review)) = &desk.state.overlay else {
        unreachable!("the review sheet")
    };
    let edited = |text: &str| Decision::Approve {
        arguments: Some(Arguments::parse(text).expect("JSON")),
    };
    let (one, two) = (
        r#"{"to":"Nice","cabin":"economy"}"#,
        r#"{"to":"Brest","cabin":"economy"}"#,
    );
    assert_eq!(
        review.rulings,
        [
            (key("one"), edited(one)),
            (key("two"), edited(two)),
            (key("three"), Decision::Approve { arguments: None }),
        ]
    );
    desk.press("enter");
    let rulings = desk.rulings();
    let permitted: Vec<_> = rulings
        .iter()
        .map(|r| r.permits().map(Arguments::text))
        .collect();
    assert_eq!(
        permitted,
        [
            Some(one),
            Some(two),
            Some(r#"{ "cabin":"economy", "to":"Lille"}"#)
        ]
    );
}

#[test]
fn a_field_that_a_call_cannot_take_is_told_while_it_is_written_and_nothing_is_signed() {
    let mut desk = desk();
    desk.arrive(call("four", "wait", r#"{"for":"1h"}"#));
    desk.press("* E");
    assert_eq!(draft(&desk), (vec![], ""));
    write(&mut desk, "cabin = \"royal\"");
    let (faults, note) = draft(&desk);
    let faults: Vec<_> = faults
        .into_iter()
        .map(|fault| (fault.place, fault.what))
        .collect();
    let royal = "3 of 4 calls: /cabin: must be \"economy\" or \"first\", and is the text \"royal\"";
    let missing = "1 of 4 calls: no field cabin, and the tool's schema does not name one; unmark the call, or write a field that it has";
    assert_eq!(
        faults,
        [(None, royal.to_owned()), (Some((0, 0)), missing.to_owned())]
    );
    assert_eq!(note, "changes 0 of 4 calls");
    desk.press("ctrl-s");
    assert_eq!(desk.notice(), format!("not accepted: {royal}"));
    write(&mut desk, "cabin = economy");
    assert_eq!(draft(&desk).0[0].place, Some((0, 8)));
    write(&mut desk, " ");
    desk.press("ctrl-s");
    assert_eq!(desk.notice(), "nothing is set yet; write a field = value");
    desk.press("esc E");
    assert!(matches!(
        desk.state.draft.as_ref().map(|draft| &draft.purpose),
        Some(Purpose::Set { calls }) if calls.len() == 4
    ));
}

#[test]
fn calls_that_take_no_edits_are_told_before_a_text_is_opened() {
    let mut desk = desk();
    desk.arrive(Call {
        answers: Answers::confirmation(),
        ..call("four", "search", "{}")
    });
    desk.press("* E");
    assert_eq!(desk.state.draft, None);
    assert_eq!(
        desk.notice(),
        "1 of the 4 marked calls cannot be edited; unmark them"
    );
}

fn phases(desk: &Desk) -> Vec<(&str, Phase)> {
    let batch = desk.state.batch.as_ref().expect("a batch was signed");
    let calls = batch.calls().iter();
    calls
        .map(|signed| (signed.key.call.0.as_str(), signed.phase))
        .collect()
}

fn counts(desk: &Desk) -> Vec<(Phase, usize)> {
    desk.state
        .batch
        .as_ref()
        .expect("a batch was signed")
        .counts()
        .collect()
}

fn status(desk: &mut Desk, id: &str, status: CallStatus) {
    desk.run(RunEvent::Status {
        call: CallId(id.to_owned()),
        status,
    });
}

fn finished(desk: &mut Desk, id: &str, outcome: Outcome) {
    status(desk, id, CallStatus::Finished { outcome });
}

#[test]
fn each_call_of_the_last_batch_says_what_became_of_it() {
    let mut desk = Desk::default();
    for id in ["ran", "broke", "taken", "lost", "gone", "runs"] {
        desk.arrive(call(id, "t", "{}"));
    }
    desk.look(1000);
    desk.press("w");
    assert_eq!(desk.state.overlay, None, "nothing was signed together yet");
    desk.press("* a");
    desk.look(1000);
    desk.press("enter");
    assert_eq!(
        desk.notice(),
        "6 calls signed; w shows what becomes of each"
    );
    assert_eq!(counts(&desk), [(Phase::Recording, 6)]);
    for id in ["ran", "broke", "runs"] {
        desk.stored(id);
        status(&mut desk, id, CallStatus::Running);
    }
    let text = "done".to_owned();
    finished(&mut desk, "ran", Outcome::Result { text });
    let message = "exit code 2".to_owned();
    finished(&mut desk, "broke", Outcome::Failed { message });
    let by = "rejected by grace@ops".to_owned();
    desk.send(Event::Store(StoreEvent::DecidedElsewhere {
        ruling: None,
        key: key("taken"),
        by,
    }));
    let why = "the disk is full".to_owned();
    desk.send(Event::Store(StoreEvent::RecordFailed {
        key: key("lost"),
        why,
    }));
    desk.run(RunEvent::Withdrawn {
        call: CallId("gone".to_owned()),
        why: "not needed".to_owned(),
    });
    let wanted = [
        ("ran", Phase::Done),
        ("broke", Phase::Failed),
        ("taken", Phase::Elsewhere),
        ("lost", Phase::NotRecorded),
        ("gone", Phase::Gone),
        ("runs", Phase::Running),
    ];
    assert_eq!(phases(&desk), wanted);
    assert_eq!(
        counts(&desk),
        [
            (Phase::NotRecorded, 1),
            (Phase::Failed, 1),
            (Phase::Elsewhere, 1),
            (Phase::Gone, 1),
            (Phase::Running, 1),
            (Phase::Done, 1),
        ]
    );
    // The one that is left is decided by itself: that is not of the batch.
    desk.look(1000);
    desk.press("a");
    assert_eq!(
        desk.recorded().last(),
        Some(&("lost".to_owned(), "approved"))
    );
    desk.stored("lost");
    assert_eq!(phases(&desk), wanted);
    desk.press("w");
    assert_eq!(desk.state.overlay, Some(Overlay::Batch { top: 0 }));
    let batch = desk.state.batch.as_ref().expect("a batch was signed");
    let whys = batch
        .calls()
        .iter()
        .filter_map(|signed| signed.why.as_ref());
    let whys: Vec<&str> = whys.map(countersign::core::shown::Shown::as_str).collect();
    assert_eq!(
        whys,
        [
            "exit code 2",
            "rejected by grace@ops",
            "the disk is full",
            "not needed"
        ]
    );
}

#[test]
fn a_batch_that_is_held_back_and_undone_says_so() {
    let mut desk = Desk::default();
    for id in ["one", "two"] {
        desk.arrive(destructive(call(id, "rm", "{}")));
    }
    desk.arrive(call("three", "ls", "{}"));
    desk.look(1000);
    desk.press("* a");
    desk.look(1000);
    desk.press("enter");
    assert_eq!(counts(&desk), [(Phase::Held, 2), (Phase::Recording, 1)]);
    desk.press("u");
    assert_eq!(counts(&desk), [(Phase::Undone, 2), (Phase::Recording, 1)]);
}

#[test]
fn what_was_told_to_the_model_is_no_failure() {
    let mut desk = Desk::default();
    for id in ["one", "two"] {
        desk.arrive(call(id, "t", "{}"));
    }
    desk.look(1000);
    desk.press("* f");
    desk.type_text("down");
    desk.look(1000);
    desk.press("ctrl-s");
    desk.look(1000);
    desk.press("enter");
    for id in ["one", "two"] {
        desk.stored(id);
        let message = "down".to_owned();
        finished(&mut desk, id, Outcome::Failed { message });
    }
    assert_eq!(counts(&desk), [(Phase::Untold, 2)]);
    desk.run(RunEvent::State(RunState::Thinking));
    assert_eq!(counts(&desk), [(Phase::Told, 2)]);
    let batch = desk.state.batch.as_ref().expect("a batch");
    assert!(
        batch
            .calls()
            .iter()
            .all(|signed| signed.answer == Answer::Fail)
    );
    let ruling: fn(&Ruling) -> &str = |ruling| ruling.decision.word();
    assert!(
        desk.rulings()
            .iter()
            .all(|r| ruling(r) == "answered as failed")
    );
}

#[test]
fn what_became_of_a_batch_names_the_arguments_that_were_signed() {
    let desk = Desk::with(&["one"]);
    let waiting = desk.state.pending.get(&key("one")).expect("it waits");
    let edited = Arguments::parse(r#"{"id":"Monday"}"#).expect("sound");
    let summary = |decision: &Decision| Signed::of(waiting, decision).summary.to_string();
    let approved = Decision::Approve { arguments: None };
    let arguments = Some(edited);
    assert_eq!(summary(&approved), "one");
    assert_eq!(summary(&Decision::Approve { arguments }), "Monday");
}

#[test]
fn a_rejection_is_recorded_at_once_and_told_to_the_model_when_the_rest_is_decided() {
    let mut desk = Desk::default();
    for id in ["one", "two", "three"] {
        desk.arrive(call(id, "t", "{}"));
    }
    desk.look(1000);
    desk.press("space space");
    desk.press("r");
    desk.look(1000);
    desk.press("ctrl-s");
    desk.look(1000);
    desk.press("enter");
    for id in ["one", "two"] {
        desk.stored(id);
        let reason = String::new();
        finished(&mut desk, id, Outcome::Rejected { reason });
    }
    assert_eq!(counts(&desk), [(Phase::Untold, 2)]);
    let words = desk.state.batch.as_ref().map(|batch| {
        let words = batch.calls().iter().map(|signed| signed.phase.word());
        words.collect::<Vec<_>>()
    });
    assert_eq!(
        words,
        Some(vec!["recorded, not told yet", "recorded, not told yet"])
    );
    // The last call of the model's answer is decided, and all answers go back together.
    desk.look(1000);
    desk.press("a");
    desk.stored("three");
    desk.run(RunEvent::State(RunState::Working));
    assert_eq!(counts(&desk), [(Phase::Untold, 2)]);
    desk.run(RunEvent::State(RunState::Thinking));
    assert_eq!(counts(&desk), [(Phase::Told, 2)]);
}
