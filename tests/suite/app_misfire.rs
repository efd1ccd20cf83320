//! Rule 7 under random events: no decision lands on a call that was not under the cursor, on screen and armed, for
//! the whole time before the key; no text that is being written is taken for a decision.

use countersign::app::event::{Event, Opened, StoreEvent};
use countersign::app::key::Stroke;
use countersign::core::call::{Answer, Answers, CallId, SessionId};
use countersign::core::pending::Stage;
use countersign::core::run::RunEvent;
use countersign::core::session::Session;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};

use crate::support::desk::{Desk, call, destructive, key};
use crate::support::witness::{Came, Witness};

/// How many frames of how many rows the pretended screen has.
type Rows = ((usize, usize), (usize, usize));

#[derive(Debug, Clone, PartialEq)]
enum Happens {
    Arrive(u8),
    /// A call leaves and another one comes under its name at once.
    Replace(usize),
    Withdraw(usize),
    /// Keys that come together, with no frame and no time between them: pressed or typed ahead.
    Keys(Vec<&'static str>),
    Hold(&'static str, usize),
    Paste(&'static str),
    Resize(Rows),
    /// Another size for a moment in which all is on screen, and back.
    Flash(u64),
    Wait(u64),
    Draw,
    /// A frame, a while, and a frame.
    Look(u64),
    Stored(usize, u8),
    /// The list is filtered by this text.
    Filter(&'static str),
    Editor,
    /// A session was opened, with a call that has waited for long.
    Open,
}

const KEYS: &[&str] = &[
    "a", "a", "a", "a", "a", "r", "e", "x", "t", "f", "L", "space", "*", "A", "R", "u", "v", "/",
    "j", "k", "g", "G", "J", "K", "enter", "enter", "enter", "esc", "esc", "ctrl-s", "ctrl-s",
    "ctrl-s", "tab", "?", "q", "i", "y", "ctrl-z", "ctrl-c", "S", "b", "b", "B", "B", "o", "w",
    "E",
];

const FILTERS: &[&str] = &[
    "",
    "tool:rm",
    "-tool:rm",
    "age>1s",
    "age<1s",
    "marked",
    "n:1",
    "risk:none",
    "age>",
];

fn happens() -> impl Strategy<Value = Happens> {
    let one = || prop::sample::select(KEYS);
    let rows = || (1_usize..7, 1_usize..9).prop_map(|(height, total)| (height.min(total), total));
    prop_oneof![
        3 => (0_u8..4).prop_map(Happens::Arrive),
        1 => (0_usize..6).prop_map(Happens::Replace),
        2 => (0_usize..8).prop_map(Happens::Withdraw),
        8 => one().prop_map(|key| Happens::Keys(vec![key])),
        2 => prop::collection::vec(one(), 2..7).prop_map(Happens::Keys),
        2 => (one(), 1_usize..9).prop_map(|(key, times)| Happens::Hold(key, times)),
        1 => prop::sample::select(vec!["a", "aaa", "a\na\n", "\u{13}", "y"]).prop_map(Happens::Paste),
        1 => (rows(), rows()).prop_map(Happens::Resize),
        1 => (0_u64..600).prop_map(Happens::Flash),
        3 => (0_u64..700).prop_map(Happens::Wait),
        4 => Just(Happens::Draw),
        9 => (0_u64..900).prop_map(Happens::Look),
        3 => (0_usize..4, 0_u8..3).prop_map(|(at, how)| Happens::Stored(at, how)),
        2 => prop::sample::select(FILTERS).prop_map(Happens::Filter),
        1 => Just(Happens::Editor),
        1 => Just(Happens::Open),
    ]
}

struct Play {
    desk: Desk,
    witness: Witness,
    next: usize,
}

impl Play {
    fn new(arming: u64) -> Self {
        let mut desk = Desk::default();
        desk.state.settings.arming = arming;
        Self {
            desk,
            witness: Witness::default(),
            next: 0,
        }
    }

    fn arrive(&mut self, id: &str, kind: u8) {
        self.next += 1;
        let tool = ["rm", "book", "a"][self.next % 3];
        let mut arrives = call(id, tool, &format!(r#"{{"n":{}}}"#, self.next));
        let mut answers = vec![
            Answer::Approve,
            Answer::Reject,
            Answer::AlwaysTool,
            Answer::AlwaysArguments,
        ];
        match kind {
            0 => {}
            1 => arrives = destructive(arrives),
            2 => arrives.answers = Answers::of(answers),
            _ => {
                answers.push(Answer::Reason);
                arrives.answers = Answers::of(answers);
            }
        }
        self.witness.arrived(key(id));
        self.desk.arrive(arrives);
    }

    fn withdraw(&mut self, at: usize) -> Option<String> {
        let id = (*self.desk.listed().get(at)?).to_owned();
        self.desk.run(RunEvent::Withdrawn {
            call: CallId(id.clone()),
            why: "test".to_owned(),
        });
        Some(id)
    }

    fn draw(&mut self) {
        self.desk.draw();
        self.witness.drawn(&self.desk);
    }

    /// One event, and what the witness says of it.
    fn watched(
        &mut self,
        came: &Came<'_>,
        event: impl FnOnce(&mut Self),
    ) -> Result<(), TestCaseError> {
        let before = self.witness.before(&self.desk);
        event(self);
        self.desk.take();
        let verdict = self.witness.after(&self.desk, &before, came);
        verdict.map_err(TestCaseError::fail)
    }

    fn happen(&mut self, what: &Happens) -> Result<(), TestCaseError> {
        match what {
            Happens::Keys(keys) => {
                for key in keys {
                    self.watched(&Came::Pressed(key), |stage| {
                        stage.desk.stroke(key, Stroke::Press);
                    })?;
                    if *key == "ctrl-z" {
                        self.witness.lost(&self.desk);
                    }
                }
                Ok(())
            }
            Happens::Filter(text) => {
                let typed = text.chars().map(String::from);
                let first = std::iter::once("/".to_owned());
                let keys = first.chain(typed).chain(["enter".to_owned()]);
                for key in keys {
                    self.watched(&Came::Pressed(&key), |stage| {
                        stage.desk.stroke(&key, Stroke::Press);
                    })?;
                }
                Ok(())
            }
            Happens::Hold(key, times) => (0..*times).try_for_each(|_| {
                self.watched(&Came::Otherwise, |stage| {
                    stage.desk.stroke(key, Stroke::Repeat);
                })
            }),
            // Each by itself: the time that passes may move the cursor, before the frame that follows.
            Happens::Look(millis) => {
                let steps = [Happens::Draw, Happens::Wait(*millis), Happens::Draw];
                steps.iter().try_for_each(|step| self.happen(step))
            }
            Happens::Flash(millis) => {
                let (rows, sheet) = (self.desk.rows, self.desk.sheet);
                let steps = [
                    Happens::Resize(((9, 9), (9, 9))),
                    Happens::Draw,
                    Happens::Wait(*millis),
                    Happens::Resize((rows, sheet)),
                    Happens::Draw,
                ];
                steps.iter().try_for_each(|step| self.happen(step))
            }
            what => self.watched(&Came::Otherwise, |stage| stage.apart_from_keys(what)),
        }
    }

    fn apart_from_keys(&mut self, what: &Happens) {
        match what {
            Happens::Arrive(kind) => {
                let id = format!("c{}", self.next);
                self.arrive(&id, *kind);
            }
            Happens::Replace(at) => {
                if let Some(id) = self.withdraw(*at) {
                    self.arrive(&id, 0);
                }
            }
            Happens::Withdraw(at) => {
                self.withdraw(*at);
            }
            Happens::Paste(text) => self.desk.send(Event::Paste((*text).to_owned())),
            Happens::Resize((rows, sheet)) => {
                self.witness.resized(&self.desk);
                (self.desk.rows, self.desk.sheet) = (*rows, *sheet);
                let columns = 80;
                self.desk.send(Event::Resized { columns, rows: 24 });
                self.witness.lost(&self.desk);
            }
            Happens::Wait(millis) => self.desk.wait(*millis),
            Happens::Draw => self.draw(),
            Happens::Stored(at, how) => self.stored(*at, *how),
            Happens::Editor => {
                self.desk.send(Event::Edited(Ok("a text".to_owned())));
                self.witness.lost(&self.desk);
            }
            Happens::Open => self.opened(),
            Happens::Keys(_)
            | Happens::Hold(..)
            | Happens::Filter(_)
            | Happens::Flash(_)
            | Happens::Look(_) => {}
        }
    }

    fn opened(&mut self) {
        self.next += 1;
        let mut call = call(&format!("c{}", self.next), "rm", "{}");
        call.key.session = SessionId(format!("other{}", self.next));
        self.witness.arrived(call.key.clone());
        let session = Session::new(call.key.session.clone(), "other".to_owned(), String::new());
        self.desk.send(Event::Opened(Ok(Box::new(Opened {
            session,
            calls: vec![call],
            note: None,
        }))));
    }

    fn stored(&mut self, at: usize, how: u8) {
        let recording = self
            .desk
            .state
            .pending
            .iter()
            .filter(|waiting| matches!(waiting.stage, Stage::Recording { .. }));
        let Some(key) = recording.map(|waiting| waiting.call.key.clone()).nth(at) else {
            return;
        };
        let event = match how {
            0 => StoreEvent::Recorded(key),
            1 => StoreEvent::RecordFailed {
                key,
                why: "no room".to_owned(),
            },
            _ => StoreEvent::DecidedElsewhere {
                key,
                by: "bob".to_owned(),
                ruling: None,
            },
        };
        self.desk.send(Event::Store(event));
    }
}

fn all(events: &[Happens], arming: u64) -> Result<usize, TestCaseError> {
    let mut stage = Play::new(arming);
    for what in events {
        stage.happen(what)?;
    }
    Ok(stage.witness.decisions)
}

/// `COUNTERSIGN_CASES=20000` for a long run.
fn config(cases: u32) -> ProptestConfig {
    let wanted = std::env::var("COUNTERSIGN_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    ProptestConfig {
        cases: wanted.unwrap_or(cases),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn no_decision_lands_on_what_was_not_armed_under_the_cursor_all_the_time(
        events in prop::collection::vec(happens(), 1..160),
    ) {
        all(&events, 400)?;
    }
}

/// A key held down on a keyboard that does not tell: pressed, and after `first` milliseconds again and
/// again every `every`.
fn held(desk: &mut Desk, key: &str, first: u64, every: u64, times: usize) {
    desk.stroke(key, Stroke::Press);
    for time in 0..times {
        let mut left = if time == 0 { first } else { every };
        while left > 0 {
            // Frames come in between.
            desk.draw();
            desk.wait(left.min(50));
            left -= left.min(50);
        }
        desk.stroke(key, Stroke::Press);
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn a_key_that_is_held_down_decides_once_where_the_keyboard_does_not_tell(
        first in 200_u64..1050,
        every in 15_u64..100,
        times in 1_usize..60,
        key in prop::sample::select(&["a", "enter"][..]),
    ) {
        let mut desk = Desk::with(&["one", "two", "three"]);
        if key == "enter" {
            desk.press("A");
            desk.look(400);
        }
        held(&mut desk, key, first, every, times + 1);
        desk.look(1200);
        let decided = if key == "enter" { 3 } else { 1 };
        prop_assert_eq!(desk.recorded().len(), decided);
    }
}

#[test]
fn a_key_that_is_held_down_since_before_the_call_came_decides_nothing() {
    let mut desk = Desk::default();
    desk.arrive(call("one", "rm", "{}"));
    held(&mut desk, "a", 500, 40, 80);
    desk.look(1200);
    assert_eq!(desk.recorded(), []);
}

#[test]
fn a_key_that_is_pressed_again_soon_decides_a_moment_later_or_with_the_next_key() {
    let mut desk = Desk::with(&["one", "two", "three"]);
    desk.press("a");
    desk.look(500);
    desk.stroke("a", Stroke::Press);
    assert_eq!(desk.recorded(), [("one".to_owned(), "approved")]);
    desk.wait(150);
    assert_eq!(
        desk.recorded().last(),
        Some(&("two".to_owned(), "approved"))
    );
    desk.look(500);
    desk.stroke("a", Stroke::Press);
    desk.stroke("?", Stroke::Press);
    assert_eq!(
        desk.recorded().last(),
        Some(&("three".to_owned(), "approved"))
    );
}

#[test]
fn an_interrupt_drops_a_decision_that_may_still_be_a_held_key() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("a");
    desk.look(500);
    desk.stroke("a", Stroke::Press);
    desk.stroke("ctrl-c", Stroke::Press);
    desk.wait(200);
    assert_eq!(
        desk.recorded(),
        [
            ("one".to_owned(), "approved"),
            ("two".to_owned(), "rejected")
        ]
    );
}

#[test]
fn who_decides_one_call_after_the_other_does_not_decide_one_that_only_came_meanwhile() {
    let mut desk = Desk::with(&["one"]);
    desk.press("a");
    desk.wait(100);
    desk.send(Event::Store(StoreEvent::Recorded(key("one"))));
    let arrived = desk.state.now.wall;
    desk.arrive(countersign::core::call::Call {
        arrived,
        ..call("two", "rm", "{}")
    });
    desk.look(700);
    desk.stroke("a", Stroke::Press);
    assert_eq!(
        desk.notice(),
        "this call came after you pressed that key last; look at it first"
    );
    desk.look(500);
    assert_eq!(desk.recorded(), [("one".to_owned(), "approved")]);
    desk.press("a");
    assert_eq!(desk.recorded(), [("two".to_owned(), "approved")]);
}

#[test]
fn the_witness_sees_many_decisions_and_catches_a_console_that_does_not_arm() {
    let runner = || {
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        TestRunner::new_with_rng(config(64), rng)
    };
    let events = prop::collection::vec(happens(), 160);
    let decisions = std::cell::Cell::new(0);
    let count = |events: Vec<Happens>| {
        decisions.set(decisions.get() + all(&events, 400)?);
        Ok(())
    };
    assert_eq!(runner().run(&events, count), Ok(()));
    assert!(decisions.get() > 100, "only {} decisions", decisions.get());
    let hasty = runner().run(&events, |events| all(&events, 0).map(drop));
    assert!(matches!(hasty, Err(TestError::Fail(..))), "{hasty:?}");
}

#[test]
fn an_edit_that_changes_nothing_is_not_an_approval() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("j");
    desk.look(500);
    desk.press("k e ctrl-s");
    assert_eq!(desk.recorded(), []);
    desk.press("enter enter");
    assert_eq!(desk.recorded(), [], "the sheet has only just appeared");
    desk.look(400);
    desk.press("enter");
    assert_eq!(desk.recorded(), [("one".to_owned(), "approved")]);
}

#[test]
fn how_far_a_decision_reaches_is_on_screen_before_it_is_made() {
    let mut desk = Desk::default();
    let keeps = Answers::of([Answer::Approve, Answer::Reject, Answer::AlwaysTool]);
    desk.arrive(countersign::core::call::Call {
        answers: keeps,
        ..call("one", "rm", "{}")
    });
    desk.look(1000);
    desk.press("L a");
    assert_eq!(desk.recorded(), []);
    desk.look(400);
    desk.press("a");
    assert_eq!(desk.recorded(), [("one".to_owned(), "approved")]);
}

#[test]
fn a_text_decides_only_after_it_has_been_on_screen() {
    let mut desk = Desk::with(&["one"]);
    desk.press("r");
    desk.wait(5000);
    desk.press("ctrl-s");
    assert_eq!(desk.recorded(), [], "no frame has shown it");
    desk.look(400);
    desk.press("ctrl-s");
    assert_eq!(desk.recorded(), [("one".to_owned(), "rejected")]);
}

#[test]
fn keys_meant_for_the_shell_or_the_editor_decide_nothing_on_the_way_back() {
    let mut desk = Desk::with(&["one"]);
    desk.press("ctrl-z a");
    assert_eq!(desk.recorded(), []);
    desk.look(500);
    desk.press("r");
    desk.look(500);
    desk.press("ctrl-o");
    desk.send(Event::Edited(Ok("no".to_owned())));
    desk.press("ctrl-s");
    assert_eq!(desk.recorded(), []);
}

#[test]
fn a_text_for_a_call_that_left_is_not_for_one_that_comes_under_its_name() {
    let mut desk = Desk::with(&["one", "two"]);
    desk.press("x");
    desk.type_text("done");
    desk.run(RunEvent::Withdrawn {
        call: CallId("one".to_owned()),
        why: "test".to_owned(),
    });
    desk.arrive(call("one", "rm", r#"{"all":true}"#));
    desk.look(1000);
    desk.press("ctrl-s");
    assert_eq!(
        (desk.recorded(), desk.notice()),
        (
            Vec::new(),
            "the call is no longer open; nothing was decided"
        )
    );
}

#[test]
fn a_new_size_of_the_screen_begins_the_wait_afresh() {
    let mut desk = Desk::with(&["one"]);
    desk.send(Event::Resized {
        columns: 50,
        rows: 15,
    });
    desk.press("a");
    assert_eq!(desk.recorded(), []);
    desk.look(400);
    desk.press("a");
    assert_eq!(desk.recorded(), [("one".to_owned(), "approved")]);
}
