//! Rule 7 under random events: no decision lands on a call that was not under the cursor, on screen,
//! for the whole arming time before the key.

use countersign::app::event::{Event, Opened};
use countersign::app::key::Stroke;
use countersign::core::call::{Call, CallId, Risk, SessionId};
use countersign::core::run::RunEvent;
use countersign::core::session::Session;
use proptest::prelude::*;

use crate::support::desk::{Desk, call};

#[derive(Debug, Clone)]
enum Happens {
    Arrive,
    Withdraw(usize),
    Press(&'static str),
    Hold(&'static str),
    Wait(u64),
    Draw,
    Paste,
    /// The list is filtered by this text.
    Filter(&'static str),
    /// A session was opened, with a call that has waited for long.
    Open,
}

fn happens() -> impl Strategy<Value = Happens> {
    let key = prop::sample::select(vec![
        "a", "a", "a", "j", "k", "v", "esc", "?", "g", "G", "space", "r", "ctrl-s", "enter", "S",
        "b", "b", "B", "B", "*", "o", "/", "w", "E",
    ]);
    let filter = prop::sample::select(vec![
        "",
        "tool:rm",
        "-tool:rm",
        "age>1s",
        "age<1s",
        "marked",
        "path:x",
        "risk:none",
        "age>",
    ]);
    prop_oneof![
        3 => Just(Happens::Arrive),
        2 => (0_usize..8).prop_map(Happens::Withdraw),
        8 => key.clone().prop_map(Happens::Press),
        3 => key.prop_map(Happens::Hold),
        6 => (0_u64..700).prop_map(Happens::Wait),
        8 => Just(Happens::Draw),
        2 => filter.prop_map(Happens::Filter),
        1 => Just(Happens::Paste),
        1 => Just(Happens::Open),
    ]
}

/// Since when the call under the cursor has been the one on screen, told independently of the program.
#[derive(Default)]
struct Witness(Option<(String, u64)>);

impl Witness {
    fn look(&mut self, desk: &Desk) {
        let now = desk.state.now.ticks.0;
        let shown = desk.state.drawn.call.as_ref().map(|key| key.call.0.clone());
        let under_cursor = desk.cursor().map(ToOwned::to_owned);
        self.0 = match (shown, self.0.take()) {
            (Some(call), _) if Some(&call) != under_cursor.as_ref() => None,
            (Some(call), Some((before, since))) if before == call => Some((call, since)),
            (Some(call), _) => Some((call, now)),
            (None, _) => None,
        };
    }
}

/// Calls of several tools and risks, so that groups and orders mix them.
fn arriving(next: usize) -> Call {
    let mut call = call(&format!("c{next}"), ["rm", "book", "a"][next % 3], "{}");
    if next.is_multiple_of(2) {
        call.risks = vec![Risk::OpenWorld];
    }
    call
}

fn step(desk: &mut Desk, next: usize, what: &Happens) {
    match what {
        Happens::Arrive => desk.arrive(arriving(next)),
        Happens::Filter(text) => {
            desk.press("/");
            desk.type_text(text);
            desk.press("enter");
        }
        Happens::Withdraw(at) => {
            if let Some(id) = desk.listed().get(*at).map(|id| CallId((*id).to_owned())) {
                desk.run(RunEvent::Withdrawn {
                    call: id,
                    why: "test".to_owned(),
                });
            }
        }
        Happens::Press(key) => desk.stroke(key, Stroke::Press),
        Happens::Hold(key) => desk.stroke(key, Stroke::Repeat),
        Happens::Wait(millis) => desk.wait(*millis),
        Happens::Draw => desk.draw(),
        Happens::Paste => desk.send(Event::Paste("aaa".to_owned())),
        Happens::Open => {
            let mut call = call(&format!("c{next}"), "rm", "{}");
            call.key.session = SessionId(format!("s{next}"));
            let session = Session::new(call.key.session.clone(), "other".to_owned(), String::new());
            desk.send(Event::Opened(Ok(Box::new(Opened {
                session,
                calls: vec![call],
                note: None,
            }))));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_single_key_only_ever_decides_a_call_that_was_armed_under_the_cursor(
        events in prop::collection::vec(happens(), 1..120),
    ) {
        let mut desk = Desk::default();
        let mut witness = Witness::default();
        for (next, what) in events.iter().enumerate() {
            let before = desk.cursor().map(ToOwned::to_owned);
            let covered = desk.state.overlay.is_some() || desk.state.draft.is_some();
            let held = matches!(what, Happens::Hold(_) | Happens::Paste);
            let now = desk.state.now.ticks.0;
            step(&mut desk, next, what);
            let rulings = desk.rulings();
            if let (Happens::Press("a"), false, [ruling]) = (what, covered, rulings.as_slice()) {
                let armed = witness.0.clone().filter(|(_, since)| now - since >= 400).map(|(call, _)| call);
                prop_assert_eq!(Some(&ruling.key.call.0), before.as_ref());
                prop_assert_eq!(Some(&ruling.key.call.0), armed.as_ref());
            }
            prop_assert!(!held || rulings.is_empty(), "a held key or a paste decided {:?}", rulings);
            prop_assert!(rulings.len() <= 1 || covered, "one key decided {:?}", rulings);
            if matches!(what, Happens::Draw) {
                witness.look(&desk);
            } else if desk.cursor().map(ToOwned::to_owned) != before {
                witness.0 = None;
            }
        }
    }
}
