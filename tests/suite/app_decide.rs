//! From a key to a ruling, and from the ruling to the agent.

use countersign::app::effect::Effect;
use countersign::app::event::{Event, StoreEvent};
use countersign::app::key::Stroke;
use countersign::app::state::Overlay;
use countersign::core::arguments::Arguments;
use countersign::core::call::Answers;
use countersign::core::call::SessionId;
use countersign::core::decision::{Decision, How};
use countersign::core::run::{RunEvent, RunState};
use countersign::core::schema::Schema;
use countersign::core::session::Session;
use serde_json::json;

use crate::support::desk::{Desk, call, destructive, key};

fn record(id: &str, word: &'static str) -> Vec<(String, &'static str)> {
    vec![(id.to_owned(), word)]
}

#[test]
fn a_call_on_screen_for_long_enough_is_approved_with_one_key() {
    let mut desk = Desk::with(&["one"]);
    desk.press("a");
    let rulings = desk.rulings();
    let [ruling] = rulings.as_slice() else {
        unreachable!("one ruling: {rulings:?}")
    };
    assert_eq!(ruling.decision, Decision::Approve { arguments: None });
    assert_eq!(ruling.how, How::Key);
    assert_eq!(ruling.shown_for, 1000);
    assert_eq!(
        ruling.digest,
        call("one", "book_flight", r#"{"id":"one"}"#).digest()
    );
    assert_eq!(
        ruling.permits().map(Arguments::text),
        Some(r#"{"id":"one"}"#)
    );
}

#[test]
fn nothing_is_delivered_before_it_is_recorded() {
    let mut desk = Desk::with(&["one"]);
    desk.press("a");
    assert!(
        desk.take()
            .iter()
            .all(|effect| !matches!(effect, Effect::Deliver(_)))
    );
    assert_eq!(desk.listed(), ["one"]);
    desk.stored("one");
    let effects = desk.take();
    assert!(matches!(effects.as_slice(), [Effect::Deliver(ruling)] if ruling.key == key("one")));
    assert_eq!(desk.listed(), [""; 0]);
}

#[test]
fn a_ruling_that_could_not_be_stored_leaves_the_call_pending_and_runs_nothing() {
    let mut desk = Desk::with(&["one"]);
    desk.press("a");
    desk.take();
    let why = "the disk is full".to_owned();
    desk.send(Event::Store(StoreEvent::RecordFailed {
        key: key("one"),
        why,
    }));
    assert_eq!(desk.take(), []);
    assert_eq!(desk.listed(), ["one"]);
    assert_eq!(
        desk.notice(),
        "not recorded, so nothing runs: the disk is full"
    );
    desk.wait(200);
    desk.press("a");
    assert_eq!(desk.recorded(), record("one", "approved"));
}

#[test]
fn a_call_decided_elsewhere_leaves_and_says_by_whom() {
    let mut desk = Desk::with(&["one", "two"]);
    let by = "rejected by grace@ops".to_owned();
    desk.send(Event::Store(StoreEvent::DecidedElsewhere {
        ruling: None,
        key: key("one"),
        by,
    }));
    assert_eq!(desk.take(), []);
    assert_eq!((desk.listed(), desk.cursor()), (vec!["two"], Some("two")));
    assert_eq!(desk.notice(), "decided elsewhere: rejected by grace@ops");
}

#[test]
fn a_call_that_has_only_just_appeared_cannot_be_decided() {
    let mut desk = Desk::default();
    desk.arrive(call("one", "rm", "{}"));
    desk.press("a");
    desk.draw();
    desk.wait(399);
    desk.press("a");
    assert_eq!(desk.recorded(), []);
    assert_eq!(
        desk.notice(),
        "this call has only just appeared; look at it first"
    );
    desk.wait(150);
    desk.press("a");
    assert_eq!(desk.recorded(), record("one", "approved"));
}

#[test]
fn a_held_key_cannot_approve_the_call_that_slides_into_place() {
    let mut desk = Desk::with(&["one", "two", "three"]);
    desk.stroke("a", Stroke::Press);
    for _ in 0..50 {
        desk.look(100);
        desk.stroke("a", Stroke::Repeat);
    }
    assert_eq!(desk.recorded(), record("one", "approved"));
}

#[test]
fn three_quick_keys_decide_one_call() {
    let mut desk = Desk::with(&["one", "two", "three"]);
    for _ in 0..3 {
        desk.press("a");
        desk.look(30);
    }
    assert_eq!(desk.recorded(), record("one", "approved"));
    assert_eq!(desk.cursor(), Some("two"));
    desk.look(400);
    desk.press("a");
    assert_eq!(desk.recorded(), record("two", "approved"));
}

#[test]
fn an_arrival_or_a_departure_never_changes_the_call_under_the_cursor() {
    let mut desk = Desk::with(&["one", "two", "three"]);
    desk.press("j");
    desk.arrive(call("four", "rm", "{}"));
    desk.run(RunEvent::Withdrawn {
        call: key("one").call,
        why: "gone".to_owned(),
    });
    desk.run(RunEvent::Withdrawn {
        call: key("three").call,
        why: "gone".to_owned(),
    });
    assert_eq!(
        (desk.cursor(), desk.listed()),
        (Some("two"), vec!["two", "four"])
    );
}

#[test]
fn the_call_that_takes_the_place_of_one_that_left_is_armed_afresh() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.run(RunEvent::Withdrawn {
        call: key("one").call,
        why: "gone".to_owned(),
    });
    desk.press("a");
    assert_eq!((desk.recorded(), desk.cursor()), (vec![], Some("two")));
}

#[test]
fn what_covers_the_call_makes_it_wait_again() {
    let mut desk = Desk::with(&["one"]);
    desk.press("?");
    desk.draw();
    desk.press("esc a");
    assert_eq!(desk.recorded(), []);
    desk.look(400);
    desk.press("a");
    assert_eq!(desk.recorded(), record("one", "approved"));
}

#[test]
fn a_paste_decides_nothing() {
    let mut desk = Desk::with(&["one"]);
    desk.send(Event::Paste("aaaa\r".to_owned()));
    assert_eq!(
        (desk.recorded(), desk.notice()),
        (vec![], "a paste decides nothing; open a text first")
    );
}

#[test]
fn what_is_typed_into_a_text_decides_nothing() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("i");
    desk.type_text("ara A");
    desk.press("enter q");
    assert_eq!(desk.recorded(), []);
    desk.press("ctrl-s");
    let effects = desk.take();
    let sent =
        |effect: &Effect| matches!(effect, Effect::Message { text, .. } if text == "ara A\nq");
    assert!(
        matches!(effects.as_slice(), [one] if sent(one)),
        "{effects:?}"
    );
}

#[test]
fn a_rejection_asks_for_its_reason_first_and_an_empty_one_is_allowed() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("r");
    assert_eq!(desk.recorded(), []);
    desk.type_text("too far");
    desk.press("ctrl-s");
    assert_eq!(desk.recorded(), [], "the text has only just been opened");
    desk.look(400);
    desk.press("ctrl-s");
    let reason = |desk: &mut Desk| {
        desk.rulings()
            .into_iter()
            .map(|ruling| ruling.decision)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        reason(&mut desk),
        [Decision::Reject {
            reason: "too far".to_owned()
        }]
    );
    desk.look(500);
    desk.press("r");
    desk.look(400);
    desk.press("ctrl-s");
    assert_eq!(
        reason(&mut desk),
        [Decision::Reject {
            reason: String::new()
        }]
    );
}

#[test]
fn marked_calls_are_decided_together_on_a_sheet_that_is_signed_with_enter() {
    let mut desk = Desk::with(&["one", "two", "three"]);
    desk.press("space space a");
    assert_eq!(desk.recorded(), []);
    desk.press("enter");
    assert_eq!(
        (desk.recorded(), desk.notice()),
        (
            vec![],
            "this sheet has only just appeared; look at it first"
        )
    );
    desk.look(400);
    desk.press("enter");
    let rulings = desk.rulings();
    let signed: Vec<_> = rulings
        .iter()
        .map(|r| (r.key.call.0.as_str(), r.how))
        .collect();
    assert_eq!(
        signed,
        [
            ("one", How::Batch { size: 2 }),
            ("two", How::Batch { size: 2 })
        ]
    );
    // What was never under the cursor was on the sheet.
    assert!(rulings.iter().all(|ruling| ruling.shown_for >= 400));
    assert_eq!(desk.state.overlay, None);
}

#[test]
fn leaving_the_review_sheet_decides_nothing() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("A");
    desk.look(400);
    desk.press("esc");
    assert_eq!(
        (desk.recorded(), desk.listed()),
        (vec![], vec!["one", "two"])
    );
}

#[test]
fn a_call_that_arrives_while_the_sheet_is_open_is_not_signed_with_it() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("A");
    desk.look(400);
    desk.arrive(call("late", "rm", "{}"));
    desk.press("enter");
    assert_eq!(
        desk.recorded(),
        [
            ("one".to_owned(), "approved"),
            ("two".to_owned(), "approved")
        ]
    );
}

#[test]
fn all_listed_calls_are_rejected_with_one_reason() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("R");
    desk.type_text("no");
    desk.look(400);
    desk.press("ctrl-s");
    desk.look(400);
    desk.press("enter");
    let reasons: Vec<_> = desk
        .rulings()
        .into_iter()
        .map(|ruling| ruling.decision)
        .collect();
    assert_eq!(
        reasons,
        [0, 1].map(|_| Decision::Reject {
            reason: "no".to_owned()
        })
    );
}

#[test]
fn only_what_the_filter_lists_is_approved_by_approve_all() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("/");
    desk.type_text("TWO");
    desk.press("ctrl-s");
    assert_eq!((desk.listed(), desk.cursor()), (vec!["two"], Some("two")));
    desk.press("A");
    desk.look(400);
    desk.press("enter");
    assert_eq!(desk.recorded(), record("two", "approved"));
}

#[test]
fn a_destructive_call_is_held_back_and_can_be_undone() {
    let mut desk = Desk::default();
    desk.arrive(destructive(call("one", "delete_file", "{}")));
    desk.look(500);
    desk.press("a");
    assert_eq!(desk.recorded(), []);
    desk.wait(2999);
    assert_eq!(desk.recorded(), []);
    desk.press("u");
    desk.wait(10_000);
    assert_eq!((desk.recorded(), desk.listed()), (vec![], vec!["one"]));
    desk.look(500);
    desk.press("a");
    desk.wait(3000);
    assert_eq!(desk.recorded(), record("one", "approved"));
}

#[test]
fn undo_takes_back_the_whole_batch() {
    let mut desk = Desk::default();
    desk.state.settings.hold = 1000;
    for id in ["one", "two"] {
        desk.arrive(call(id, "rm", "{}"));
    }
    desk.press("A");
    desk.look(400);
    desk.press("enter u");
    assert_eq!(desk.notice(), "2 calls open again");
    desk.wait(5000);
    assert_eq!(desk.recorded(), []);
}

#[test]
fn approving_with_unseen_rows_asks_once_more() {
    let mut desk = Desk {
        rows: (5, 62),
        ..Desk::default()
    };
    desk.arrive(call("one", "sh", "{}"));
    desk.look(500);
    desk.press("a");
    assert!(matches!(desk.state.overlay, Some(Overlay::Review(_))));
    assert_eq!(desk.recorded(), []);
    desk.press("esc");
    for _ in 0..20 {
        desk.press("J");
        desk.draw();
    }
    desk.look(500);
    desk.press("a");
    assert_eq!(desk.recorded(), record("one", "approved"));
}

#[test]
fn what_the_origin_cannot_take_back_is_not_done() {
    let mut desk = Desk::default();
    let connector = call("one", "gmail_search", "{}");
    desk.arrive(countersign::core::call::Call {
        answers: Answers::confirmation(),
        ..connector
    });
    desk.look(500);
    desk.press("e");
    assert_eq!(
        (&desk.state.draft, desk.notice()),
        (&None, "where this call comes from, it cannot be edited")
    );
    desk.press("x");
    assert_eq!(
        (&desk.state.draft, desk.notice()),
        (
            &None,
            "where this call comes from, it cannot be answered by you"
        )
    );
}

fn with_schema() -> Desk {
    let schema =
        Schema::new(json!({ "type": "object", "properties": { "seats": { "type": "integer" } } }));
    let mut desk = Desk::default();
    let plain = call("one", "book", r#"{"seats":1}"#);
    desk.arrive(countersign::core::call::Call {
        schema: Some(schema),
        ..plain
    });
    desk.look(500);
    desk
}

#[test]
fn edited_arguments_are_shown_on_a_sheet_and_the_digest_is_theirs() {
    let mut desk = with_schema();
    desk.press("e");
    desk.send(Event::Edited(Ok(r#"{"seats": 2}"#.to_owned())));
    desk.press("ctrl-s");
    assert!(matches!(desk.state.overlay, Some(Overlay::Review(_))));
    desk.look(400);
    desk.press("enter");
    let rulings = desk.rulings();
    let [ruling] = rulings.as_slice() else {
        unreachable!("one ruling: {rulings:?}")
    };
    assert_eq!(
        ruling.permits().map(Arguments::text),
        Some(r#"{"seats": 2}"#)
    );
    assert_eq!(ruling.proposed.text(), r#"{"seats":1}"#);
}

#[test]
fn arguments_that_break_the_schema_are_named_with_their_place_and_not_accepted() {
    let mut desk = with_schema();
    desk.press("e");
    desk.send(Event::Edited(Ok("{\n  \"seats\": \"two\"\n}".to_owned())));
    let faults = desk
        .state
        .draft
        .as_ref()
        .map(|draft| draft.faults.clone())
        .expect("the editor is open");
    let places: Vec<_> = faults.iter().map(|fault| fault.place).collect();
    assert_eq!(places, [Some((1, 11))]);
    assert!(faults[0].what.starts_with("/seats: "), "{faults:?}");
    desk.press("ctrl-s");
    assert!(desk.state.draft.is_some());
    assert_eq!(desk.recorded(), []);
}

#[test]
fn broken_json_in_the_editor_is_named_with_its_place() {
    let mut desk = with_schema();
    desk.press("e");
    desk.send(Event::Edited(Ok("{\n  \"seats\": }".to_owned())));
    let faults = desk
        .state
        .draft
        .as_ref()
        .map(|draft| draft.faults.clone())
        .expect("the editor is open");
    assert_eq!(
        (faults[0].place, faults[0].what.as_str()),
        (Some((1, 11)), "a value is missing before `}`")
    );
}

#[test]
fn several_marked_calls_are_edited_one_after_the_other() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("* e");
    desk.send(Event::Edited(Ok(r#"{"id":"1"}"#.to_owned())));
    desk.press("ctrl-s");
    desk.send(Event::Edited(Ok(r#"{"id":"2"}"#.to_owned())));
    desk.press("ctrl-s");
    desk.look(400);
    desk.press("enter");
    let ran: Vec<_> = desk
        .rulings()
        .iter()
        .map(|r| r.permits().map(|a| a.text().to_owned()))
        .collect();
    assert_eq!(
        ran,
        [
            Some(r#"{"id":"1"}"#.to_owned()),
            Some(r#"{"id":"2"}"#.to_owned())
        ]
    );
}

#[test]
fn an_interrupt_records_a_ruling_for_each_open_call() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("ctrl-c");
    let effects = desk.take();
    let kinds: Vec<_> = effects
        .iter()
        .map(|effect| match effect {
            Effect::Record(ruling) => format!("{} {:?}", ruling.key.call, ruling.how),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "one Interrupt",
            "two Interrupt",
            r#"Interrupt(SessionId("s1"))"#
        ]
    );
}

#[test]
fn quitting_asks_while_calls_wait() {
    let mut desk = Desk::with(&["one"]);
    desk.press("q");
    assert_eq!(
        (desk.take(), &desk.state.overlay),
        (vec![], &Some(Overlay::Quit))
    );
    desk.press("esc q enter");
    assert_eq!(desk.take(), [Effect::Quit]);
}

#[test]
fn quitting_with_nothing_open_is_immediate() {
    let mut desk = Desk::default();
    desk.press("q");
    assert_eq!(desk.take(), [Effect::Quit]);
}

#[test]
fn a_message_that_was_left_is_there_again_and_old_ones_are_found() {
    let mut desk = Desk::default();
    for text in ["first", "second"] {
        desk.press("i");
        desk.type_text(text);
        desk.press("ctrl-s");
    }
    desk.press("i");
    desk.type_text("half");
    desk.press("esc i");
    let text = |desk: &Desk| {
        desk.state
            .draft
            .as_ref()
            .map(countersign::app::draft::Draft::text)
    };
    assert_eq!(text(&desk), Some("half".to_owned()));
    desk.press("ctrl-p ctrl-p ctrl-p");
    assert_eq!(text(&desk), Some("first".to_owned()));
    desk.press("ctrl-n ctrl-n");
    assert_eq!(text(&desk), Some("half".to_owned()));
}

#[test]
fn the_word_that_undo_is_possible_goes_when_it_is_not_possible_any_more() {
    let mut desk = Desk::default();
    desk.arrive(destructive(call("one", "delete_file", "{}")));
    desk.look(500);
    desk.press("a");
    assert_eq!(desk.notice(), "1 call held back; `u` takes it back");
    desk.wait(2999);
    assert_eq!(desk.notice(), "1 call held back; `u` takes it back");
    desk.wait(1);
    assert_eq!(desk.notice(), "");
    assert_eq!(desk.recorded(), record("one", "approved"));
}

#[test]
fn what_went_wrong_stays_until_the_next_key() {
    let mut desk = Desk::with(&["one"]);
    let why = "the disk is full".to_owned();
    desk.send(Event::Store(StoreEvent::RecordFailed {
        key: key("one"),
        why,
    }));
    desk.wait(60_000);
    assert_eq!(
        desk.notice(),
        "not recorded, so nothing runs: the disk is full"
    );
    desk.press("j");
    assert_eq!(desk.notice(), "");
}

#[test]
fn an_edit_that_was_left_is_there_again() {
    let mut desk = with_schema();
    desk.press("e");
    desk.send(Event::Edited(Ok(r#"{"seats": 7}"#.to_owned())));
    desk.press("esc");
    assert_eq!(desk.state.draft, None);
    desk.press("e");
    let text = desk
        .state
        .draft
        .as_ref()
        .map(countersign::app::draft::Draft::text);
    assert_eq!(text.as_deref(), Some(r#"{"seats": 7}"#));
}

#[test]
fn enter_accepts_a_filter_and_breaks_the_row_of_a_message() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("/");
    desk.type_text("two");
    desk.press("enter");
    assert_eq!(
        (desk.listed(), desk.state.draft.is_none()),
        (vec!["two"], true)
    );
    desk.press("i");
    desk.type_text("a");
    desk.press("enter");
    desk.type_text("b");
    let text = desk
        .state
        .draft
        .as_ref()
        .map(countersign::app::draft::Draft::text);
    assert_eq!(text.as_deref(), Some("a\nb"));
}

#[test]
fn a_decision_key_in_another_pane_says_where_it_acts() {
    let mut desk = Desk::with(&["one"]);
    desk.press("tab a");
    assert_eq!(desk.recorded(), []);
    assert_eq!(
        desk.notice(),
        "that key acts in the pending pane; go there first"
    );
}

#[test]
fn a_failed_request_can_be_sent_again_whatever_the_reason() {
    let mut desk = Desk::default();
    desk.run(RunEvent::State(RunState::Failed { retry: false }));
    desk.press("ctrl-r");
    assert_eq!(desk.take(), [Effect::Resend(key("x").session)]);
}

#[test]
fn leaving_the_composer_goes_back_to_the_pane_it_was_opened_in() {
    let mut desk = Desk::with(&["one"]);
    desk.press("tab i esc");
    assert_eq!(desk.state.focus, countersign::app::state::Pane::Output);
}

#[test]
fn several_sessions_share_one_list_and_choosing_a_call_brings_its_session() {
    let mut desk = Desk::with(&["one"]);
    let other = SessionId("s2".to_owned());
    let session = Session::new(other.clone(), "ops".to_owned(), "model".to_owned());
    desk.state.sessions.push(session);
    let mut call = call("two", "rm", "{}");
    call.key.session = other.clone();
    call.agent = "ops".to_owned();
    desk.send(Event::Run(
        other.clone(),
        Box::new(RunEvent::Arrived(Box::new(call))),
    ));
    assert_eq!(desk.listed(), ["one", "two"]);
    desk.press("j");
    assert_eq!((desk.cursor(), &desk.state.current), (Some("two"), &other));
    desk.press("o");
    assert_eq!(desk.listed(), ["two"]);
    desk.press("s");
    assert_eq!((desk.listed(), desk.cursor()), (vec!["one"], Some("one")));
    desk.press("o");
    assert_eq!(desk.listed(), ["one", "two"]);
}

#[test]
fn a_call_that_another_console_decided_leaves_and_says_by_whom_and_when() {
    let mut desk = Desk::with(&["one", "two"]);
    let wall = desk.state.now.wall;
    let status = countersign::core::run::CallStatus::Decided {
        answer: countersign::core::call::Answer::Approve,
        by: "grace@ops".to_owned(),
        edited: None,
    };
    let call = desk
        .state
        .pending
        .iter()
        .next()
        .expect("it waits")
        .call
        .key
        .clone();
    let told = countersign::core::run::RunEvent::Status {
        call: call.call.clone(),
        status,
    };
    desk.send(Event::Run(call.session.clone(), Box::new(told)));
    let notice = format!("decided elsewhere: approved by grace@ops at {wall:.0}");
    assert_eq!(
        (desk.notice(), desk.state.pending.contains(&call)),
        (notice.as_str(), false)
    );
}

#[test]
fn a_key_that_means_nothing_to_this_call_says_why() {
    let mut desk = Desk::with(&["one", "two"]);
    for (keys, why) in [
        ("T", "no reviewer proposes other arguments for this call"),
        ("w", "no calls have been signed together yet"),
        (
            "* T",
            "the proposal of a reviewer is taken for one call at a time; unmark the others",
        ),
    ] {
        desk.press(keys);
        assert_eq!(desk.notice(), why);
    }
    desk.press("* L");
    assert_eq!(
        desk.notice(),
        "where this call comes from, no decision lasts for later calls"
    );
}

#[test]
fn an_approval_that_comes_after_a_rejection_elsewhere_says_that_it_does_not_count() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.look(400);
    desk.press("a");
    assert_eq!(desk.recorded(), record("one", "approved"));
    desk.send(Event::Store(StoreEvent::DecidedElsewhere {
        ruling: None,
        key: key("one"),
        by: "rejected by grace@ops".to_owned(),
    }));
    assert_eq!(
        desk.notice(),
        "does not count: book_flight approved; before it: rejected by grace@ops"
    );
}
