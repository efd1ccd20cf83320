//! The list of sessions: choosing decides nothing, and what is opened moves nothing.

use countersign::app::effect::Effect;
use countersign::app::event::{Event, Opened};
use countersign::app::key::Stroke;
use countersign::app::sessions::{Choice, Configured, Item, Saved, SessionList};
use countersign::app::state::{Leaves, Overlay};
use countersign::core::call::{Call, CallKey, SessionId};
use countersign::core::run::{RunEvent, RunState};
use countersign::core::session::{Home, SavedSession, Session};

use crate::support::desk::{Desk, SESSION, call};

fn id(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

fn session(name: &str) -> Session {
    Session::new(id(name), "operations".to_owned(), "devstral".to_owned())
}

fn saved(name: &str, agent: &str) -> SavedSession {
    SavedSession {
        id: id(name),
        agent: agent.to_owned(),
        model: "model".to_owned(),
        last: jiff::Timestamp::UNIX_EPOCH,
        pending: 1,
        unknown: 0,
        owner: None,
    }
}

fn opened(name: &str, calls: Vec<Call>) -> Event {
    Event::Opened(Ok(Box::new(Opened {
        session: session(name),
        calls,
        note: None,
    })))
}

/// A call that another session has waited with, since this second.
fn waited(name: &str, call_id: &str, second: i64) -> Call {
    let mut call = call(call_id, "shell", "{}");
    call.key.session = id(name);
    call.arrived = jiff::Timestamp::from_second(second).expect("a time");
    call
}

/// Two calls wait, the list is open, the journal has three more sessions.
fn desk() -> Desk {
    let mut desk = Desk::with(&["c1", "c2"]);
    desk.state.agents = vec![Configured {
        agent: "clerk".to_owned(),
        model: "model".to_owned(),
    }];
    desk.press("S");
    assert_eq!(desk.take(), [Effect::ListSessions]);
    let rows = vec![
        saved("old1", "travel"),
        saved(SESSION, "travel"),
        saved("old2", "operations"),
    ];
    desk.send(Event::Listed(Ok(rows)));
    desk
}

fn list(desk: &Desk) -> &SessionList {
    let list = match &desk.state.overlay {
        Some(Overlay::Sessions(list)) => Some(list),
        _ => None,
    };
    list.expect("the list is open")
}

fn listed(desk: &Desk) -> Vec<Choice> {
    let items = list(desk).items(&desk.state);
    items.into_iter().map(Item::choice).collect()
}

#[test]
fn open_sessions_come_first_then_agents_then_what_the_journal_has_besides() {
    let desk = desk();
    let wanted = [
        Choice::Open(id(SESSION)),
        Choice::Start("clerk".to_owned()),
        Choice::Saved(id("old1")),
        Choice::Saved(id("old2")),
    ];
    assert_eq!(listed(&desk), wanted);
    assert_eq!(list(&desk).chosen, wanted[0]);
}

#[test]
fn each_kind_of_row_asks_for_its_own_and_only_on_a_press() {
    for (down, wanted) in [
        (1, Effect::Start("clerk".to_owned())),
        (2, Effect::Open(id("old1"))),
        (9, Effect::Open(id("old2"))),
    ] {
        let mut desk = desk();
        for _ in 0..down {
            desk.press("j");
        }
        desk.stroke("enter", Stroke::Repeat);
        assert_eq!(desk.take(), []);
        desk.press("enter");
        assert_eq!(desk.take(), [wanted]);
        desk.press("enter");
        assert_eq!(desk.take(), [], "one at a time");
        assert_eq!(
            desk.notice(),
            "another session is being opened; wait for it"
        );
    }
}

#[test]
fn no_key_of_the_list_decides_a_call() {
    for key in ["a", "r", "e", "x", "t", "A", "R", "u", "space", "enter"] {
        let mut desk = desk();
        desk.look(1000);
        desk.press(key);
        assert_eq!(desk.rulings(), [], "{key}");
        assert_eq!(desk.state.draft, None, "{key}");
        assert_eq!(desk.listed(), ["c1", "c2"], "{key}");
    }
}

#[test]
fn a_call_is_armed_afresh_after_the_list() {
    let mut desk = desk();
    desk.look(1000);
    desk.press("enter a");
    assert_eq!(desk.state.overlay, None);
    assert_eq!(desk.recorded(), []);
    desk.look(400);
    desk.press("a");
    assert_eq!(desk.recorded(), [("c1".to_owned(), "approved")]);
}

#[test]
fn what_is_opened_from_the_list_is_shown_with_its_first_call() {
    let mut desk = desk();
    desk.press("G enter");
    desk.send(opened("old2", vec![waited("old2", "o1", 5)]));
    assert_eq!(desk.state.overlay, None);
    assert_eq!(desk.state.current, id("old2"));
    assert_eq!(desk.state.opening, None);
    assert_eq!(desk.cursor(), Some("o1"));
    desk.draw();
    desk.press("a");
    assert_eq!(desk.rulings(), [], "it has only just appeared");
}

#[test]
fn what_is_opened_after_the_list_was_left_moves_nothing() {
    let mut desk = desk();
    desk.press("G enter esc j i");
    desk.type_text("go on");
    desk.send(opened("old2", vec![waited("old2", "o1", -5)]));
    assert_eq!(desk.state.current, id(SESSION));
    assert_eq!(desk.cursor(), Some("c2"));
    assert_eq!(desk.listed(), ["o1", "c1", "c2"], "the oldest first");
    assert_eq!(desk.notice(), "a session of operations is open now");
    desk.press("ctrl-s");
    let message = Effect::Message {
        session: id(SESSION),
        text: "go on".to_owned(),
    };
    assert_eq!(desk.take().last(), Some(&message));
}

#[test]
fn what_cannot_be_opened_says_why_and_can_be_tried_again() {
    let mut desk = desk();
    desk.press("j enter");
    desk.take();
    desk.send(Event::Opened(Err("no key; set MISTRAL_API_KEY".to_owned())));
    assert_eq!(desk.notice(), "no key; set MISTRAL_API_KEY");
    desk.press("enter");
    assert_eq!(desk.take(), [Effect::Start("clerk".to_owned())]);
}

#[test]
fn an_open_session_is_shown_and_one_that_ended_is_opened_again_in_its_place() {
    let mut desk = desk();
    desk.press("esc");
    desk.send(opened("s2", Vec::new()));
    assert_eq!(desk.state.current, id(SESSION));
    desk.press("S j enter");
    assert_eq!(desk.state.current, id("s2"));
    let ended = RunEvent::State(RunState::Ended);
    desk.send(Event::Run(id("s2"), Box::new(ended)));
    desk.take();
    desk.press("S enter");
    assert_eq!(desk.take(), [Effect::ListSessions, Effect::Open(id("s2"))]);
    desk.send(opened("s2", Vec::new()));
    let ids: Vec<_> = desk
        .state
        .sessions
        .iter()
        .map(|s| s.id.0.as_str())
        .collect();
    assert_eq!(ids, [SESSION, "s2"]);
    assert_eq!(desk.state.sessions[1].run, RunState::Idle);
}

#[test]
fn a_filter_lists_what_contains_it_and_keeps_the_cursor_in_sight() {
    let mut desk = desk();
    desk.press("/");
    desk.type_text("OPER");
    assert_eq!(listed(&desk), [Choice::Saved(id("old2"))]);
    assert_eq!(list(&desk).chosen, Choice::Saved(id("old2")));
    desk.press("enter");
    assert_eq!(desk.take(), [], "it ends the text and opens nothing");
    desk.press("/ esc");
    assert_eq!(listed(&desk).len(), 4);
    assert_eq!(list(&desk).chosen, Choice::Saved(id("old2")));
    desk.press("/");
    desk.send(Event::Paste("no\nsuch".to_owned()));
    assert_eq!(listed(&desk), []);
    desk.press("enter enter");
    assert_eq!(desk.take(), []);
}

#[test]
fn a_journal_that_cannot_be_read_leaves_the_rest_of_the_list() {
    let mut desk = desk();
    desk.send(Event::Listed(Err("the disk is gone".to_owned())));
    assert_eq!(
        list(&desk).saved,
        Saved::Failed("the disk is gone".to_owned())
    );
    assert_eq!(listed(&desk).len(), 2);
}

#[test]
fn rows_that_come_after_the_list_was_closed_open_nothing() {
    let mut desk = desk();
    desk.press("esc");
    desk.send(Event::Listed(Ok(vec![saved("old1", "travel")])));
    assert_eq!(desk.state.overlay, None);
}

#[test]
fn calls_of_all_sessions_stand_oldest_first() {
    let mut desk = Desk::default();
    for second in [3, 9] {
        desk.arrive(waited(SESSION, &format!("here{second}"), second));
    }
    let calls = [2, 5, 12].map(|second| waited("s2", &format!("there{second}"), second));
    desk.send(opened("s2", calls.to_vec()));
    desk.arrive(waited(SESSION, "here13", 13));
    assert_eq!(
        desk.listed(),
        ["there2", "here3", "there5", "here9", "there12", "here13"]
    );
    assert_eq!(desk.cursor(), Some("here3"));
    let key = CallKey {
        session: id("s2"),
        call: countersign::core::call::CallId("there5".to_owned()),
    };
    assert!(!desk.state.pending.arrive(
        desk.state.pending.get(&key).expect("it waits").call.clone(),
        countersign::core::finding::Findings::default(),
        desk.state.now.ticks,
    ));
}

#[test]
fn a_console_that_somebody_waits_for_opens_nothing_else() {
    let mut desk = Desk::with(&["c1"]);
    desk.state.settings.leaves = Leaves::WhenDecided;
    desk.press("S");
    assert_eq!(desk.take(), []);
    assert_eq!(desk.state.overlay, None);
}

#[test]
fn deferred_state_that_is_decided_is_shown_and_not_run() {
    let mut desk = desk();
    desk.state.sessions[0].home = Home::File;
    desk.state.sessions[0].run = RunState::Ended;
    desk.press("enter");
    assert_eq!(desk.take(), []);
    assert_eq!(desk.state.overlay, None);
}
