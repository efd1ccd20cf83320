//! Answers that are given line by line keep the rules that keys keep.

use countersign::app::event::{Event, Line};
use countersign::core::arguments::Arguments;
use countersign::core::call::{Answers, Call};
use countersign::core::decision::{Decision, How};
use countersign::core::schema::Schema;
use serde_json::json;

use crate::support::desk::{Desk, call, destructive, key};

fn asked(desk: &mut Desk, id: &str) {
    desk.send(Event::Line(Line::Asked(key(id))));
}

fn decided(desk: &mut Desk, id: &str, decision: Decision) {
    desk.send(Event::Line(Line::Decided(key(id), decision)));
}

const APPROVE: Decision = Decision::Approve { arguments: None };

fn desk(calls: impl IntoIterator<Item = Call>) -> Desk {
    let mut desk = Desk::default();
    for call in calls {
        desk.arrive(call);
    }
    desk
}

#[test]
fn an_answer_counts_only_after_its_question_and_a_while() {
    let mut desk = desk([call("a", "book", "{}"), call("b", "book", "{}")]);
    desk.wait(5000);
    decided(&mut desk, "a", APPROVE);
    assert_eq!(desk.recorded(), [], "it was never asked about");
    asked(&mut desk, "a");
    desk.wait(399);
    decided(&mut desk, "a", APPROVE);
    assert_eq!(desk.recorded(), [], "too soon");
    desk.wait(1);
    decided(&mut desk, "b", APPROVE);
    assert_eq!(desk.recorded(), [], "another one was asked about");
    decided(&mut desk, "a", APPROVE);
    let rulings = desk.rulings();
    assert_eq!(rulings.len(), 1);
    assert_eq!((rulings[0].how, rulings[0].shown_for), (How::Line, 400));
    // A second answer to the same question.
    decided(&mut desk, "a", APPROVE);
    assert_eq!(desk.recorded(), []);
}

#[test]
fn what_an_origin_does_not_take_is_not_recorded() {
    let mut only_yes_or_no = call("a", "book", "{}");
    only_yes_or_no.answers = Answers::confirmation();
    let mut desk = desk([only_yes_or_no]);
    asked(&mut desk, "a");
    desk.wait(400);
    let result = "done".to_owned();
    decided(&mut desk, "a", Decision::Respond { result });
    assert_eq!(desk.recorded(), []);
    assert_eq!(
        desk.notice(),
        "where this call comes from, it cannot be answered"
    );
}

#[test]
fn edited_arguments_that_do_not_fit_the_schema_are_not_recorded() {
    let schema = json!({"type": "object", "properties": {"date": {"type": "string"}}});
    let mut strict = call("a", "book", r#"{"date":"x"}"#);
    strict.schema = Some(Schema::new(schema));
    let mut desk = desk([strict]);
    asked(&mut desk, "a");
    desk.wait(400);
    let arguments = |text| Decision::Approve {
        arguments: Some(Arguments::parse(text).expect("it is JSON")),
    };
    decided(&mut desk, "a", arguments(r#"{"date":7}"#));
    assert_eq!(desk.recorded(), []);
    assert!(desk.notice().starts_with("not accepted: "));
    decided(&mut desk, "a", arguments(r#"{"date":"y"}"#));
    assert_eq!(desk.recorded(), [("a".to_owned(), "approved with edits")]);
}

#[test]
fn a_destructive_call_is_held_and_can_be_undone() {
    let mut desk = desk([destructive(call("a", "delete", "{}"))]);
    asked(&mut desk, "a");
    desk.wait(400);
    decided(&mut desk, "a", APPROVE);
    desk.wait(2999);
    desk.send(Event::Line(Line::Undo));
    desk.wait(60_000);
    assert_eq!(desk.recorded(), []);
    asked(&mut desk, "a");
    desk.wait(400);
    decided(&mut desk, "a", APPROVE);
    desk.wait(3000);
    assert_eq!(desk.recorded(), [("a".to_owned(), "approved")]);
}
