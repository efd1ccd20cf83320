//! What goes to the clipboard.

use countersign::app::effect::Effect;
use countersign::app::state::Pane;
use countersign::core::call::CallId;
use countersign::core::output::Stream;
use countersign::core::run::{CallStatus, EntryId, RunEvent};

use crate::support::desk::{Desk, call};

fn copied(desk: &mut Desk) -> Option<String> {
    desk.take().into_iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text),
        _ => None,
    })
}

#[test]
fn the_arguments_are_copied_exactly_and_the_id_by_its_own_key() {
    let mut desk = Desk::default();
    let text = r#"{ "b":1.50,  "a":"\u202e"}"#;
    desk.arrive(call("c1", "book", text));
    desk.press("c");
    assert_eq!(copied(&mut desk).as_deref(), Some(text));
    assert_eq!(
        desk.notice(),
        "the arguments: 26 bytes copied, if this terminal allows it"
    );
    desk.press("C");
    assert_eq!(copied(&mut desk).as_deref(), Some("c1"));
    // In the full view too.
    desk.press("v c");
    assert_eq!(copied(&mut desk).as_deref(), Some(text));
}

#[test]
fn the_output_is_copied_as_it_is_shown() {
    let mut desk = Desk::with(&["a"]);
    let id = CallId("t".to_owned());
    desk.run(RunEvent::Called {
        entry: EntryId(1),
        call: id.clone(),
        parent: None,
        tool: "look".to_owned(),
        arguments: "{}".to_owned(),
    });
    let status = CallStatus::Running;
    let call = id.clone();
    desk.run(RunEvent::Status { call, status });
    desk.run(RunEvent::Output {
        call: id,
        stream: Stream::Out,
        text: "one\ntwo\u{1b}[2J".to_owned(),
    });
    desk.state.focus = Pane::Output;
    desk.press("c");
    assert_eq!(copied(&mut desk).as_deref(), Some("one\ntwo⟨U+001B⟩[2J"));
}

#[test]
fn what_is_too_long_for_terminals_is_not_copied_in_part() {
    let mut desk = Desk::default();
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(80_000));
    desk.arrive(call("c1", "book", &long));
    desk.press("c");
    assert_eq!(copied(&mut desk), None);
    assert_eq!(
        desk.notice(),
        "not copied: the arguments are 80,008 bytes, and terminals take no more than 74,994"
    );
}

#[test]
fn where_nothing_is_nothing_is_copied() {
    let mut desk = Desk::default();
    for pane in [Pane::Pending, Pane::Output, Pane::Conversation] {
        desk.state.focus = pane;
        desk.press("c");
        assert_eq!(copied(&mut desk), None);
        assert!(desk.notice().ends_with("there is nothing to copy"));
    }
}
