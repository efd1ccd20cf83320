//! Scripts in the list: their calls stay below them, and dropping one is a decision of its own.

use countersign::app::draft::Purpose;
use countersign::app::event::{Event, StoreEvent};
use countersign::app::state::Overlay;
use countersign::core::call::{Answer, Answers, Call, CallId, CallKey, SessionId};
use countersign::core::decision::Ruling;
use countersign::core::filter::Filter;
use countersign::core::pending::{Grouping, Pending, Sorting};
use countersign::core::run::{CallStatus, RunEvent};
use countersign::core::script::Script;
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

use crate::support::desk::{Desk, call, key};

fn script(outer: &str) -> Arc<Script> {
    Arc::new(Script {
        outer: CallId(outer.to_owned()),
        code: "await send()".to_owned(),
        line: Some(1),
        done: Vec::new(),
        printed: String::new(),
    })
}

fn inner(id: &str, outer: &str) -> Call {
    Call {
        parent: Some(CallId(outer.to_owned())),
        script: Some(script(outer)),
        ..call(id, "send", "{}")
    }
}

fn outer(outer: &str) -> Call {
    Call {
        answers: Answers::of([Answer::Reject, Answer::Reason, Answer::Respond]),
        script: Some(script(outer)),
        ..call(&format!("{outer}+script"), "run_code", "{}")
    }
}

/// Two scripts whose calls come in between one another, and a call of the model.
fn desk() -> Desk {
    let mut desk = Desk::default();
    for call in [
        inner("a1", "a"),
        inner("b1", "b"),
        call("free", "book", "{}"),
        inner("a2", "a"),
        outer("b"),
        outer("a"),
        inner("b2", "b"),
    ] {
        desk.arrive(call);
    }
    desk.look(1000);
    desk
}

#[test]
fn calls_of_a_script_stand_below_its_own_row_whatever_came_in_between() {
    let mut desk = desk();
    let tree = ["a+script", "a1", "a2", "b+script", "b1", "b2", "free"];
    assert_eq!(desk.listed(), tree);
    assert_eq!(desk.cursor(), Some("a1"));
    desk.press("B");
    let newest = ["free", "b+script", "b1", "b2", "a+script", "a1", "a2"];
    assert_eq!(desk.listed(), newest);
    // Taken apart where each call has a place of its own, and together again.
    desk.press("B");
    let apart = ["a1", "b1", "free", "a2", "b+script", "a+script", "b2"];
    assert_eq!(desk.listed(), apart);
    desk.press("B");
    assert_eq!((desk.listed(), desk.cursor()), (tree.into(), Some("a1")));
}

#[test]
fn a_script_that_has_left_leaves_its_calls_where_they_were() {
    let mut desk = desk();
    for call in ["a1", "a+script"] {
        let (call, why) = (CallId(call.to_owned()), "gone".to_owned());
        desk.run(RunEvent::Withdrawn { call, why });
    }
    assert_eq!(desk.listed(), ["a2", "b+script", "b1", "b2", "free"]);
    // What is left of it still says where new ones belong.
    desk.arrive(inner("a3", "a"));
    assert_eq!(desk.listed(), ["a2", "a3", "b+script", "b1", "b2", "free"]);
    for call in ["a2", "a3"] {
        let (call, why) = (CallId(call.to_owned()), "gone".to_owned());
        desk.run(RunEvent::Withdrawn { call, why });
    }
    desk.arrive(inner("a4", "a"));
    assert_eq!(desk.listed(), ["b+script", "b1", "b2", "free", "a4"]);
}

#[test]
fn neither_marks_nor_the_keys_for_all_calls_touch_a_script() {
    let mut desk = desk();
    desk.press("*");
    let marked = desk.state.pending.marked();
    let marked: Vec<_> = marked
        .map(|waiting| waiting.call.key.call.0.clone())
        .collect();
    assert_eq!(marked, ["a1", "a2", "b1", "b2", "free"]);
    desk.press("*");
    assert_eq!(desk.state.pending.marked_tally().calls, 0);
    desk.press("A");
    let Some(Overlay::Review(review)) = &desk.state.overlay else {
        unreachable!("the review sheet")
    };
    assert_eq!(review.rulings.len(), 5);
    desk.press("esc R");
    let draft = desk.state.draft.as_ref().map(|draft| draft.purpose.clone());
    let Some(Purpose::Reason { calls }) = draft else {
        unreachable!("a reason is asked for")
    };
    assert!(calls.iter().all(|key| !key.call.0.ends_with("+script")));
    desk.press("esc g");
    assert_eq!(desk.cursor(), Some("a+script"));
    desk.press("space");
    assert_eq!(
        desk.notice(),
        "a script is decided by itself; mark the calls that it makes"
    );
}

#[test]
fn a_script_is_not_approved_and_its_rejection_is_one_ruling_on_it() {
    let mut desk = desk();
    desk.press("g");
    desk.look(1000);
    desk.press("a");
    let says = "this is the script itself: decide the calls that it makes, or reject it to drop it";
    assert_eq!(desk.notice(), says);
    assert!(desk.recorded().is_empty());
    desk.press("r");
    desk.look(1000);
    desk.type_text("no");
    desk.press("ctrl-s");
    desk.wait(10_000);
    assert_eq!(desk.recorded(), [("a+script".to_owned(), "rejected")]);
}

#[test]
fn a_filter_lists_the_calls_of_one_script() {
    let mut desk = desk();
    desk.press("/");
    desk.type_text("script:b");
    assert_eq!(desk.listed(), ["b+script", "b1", "b2"]);
    desk.press("esc /");
    desk.type_text("-script:a tool:send");
    assert_eq!(desk.listed(), ["b1", "b2"]);
}

/// What can happen to a list of scripts and calls of two sessions.
#[derive(Debug, Clone)]
enum Change {
    /// A call: of which session, of which script if of any, as itself or made by it, told late or not.
    Arrive(u8, Option<u8>, Role, i64),
    Leave(usize),
    Cursor(usize),
    Sort(Sorting),
    Filter(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Outer,
    Inner,
}

fn changes() -> impl Strategy<Value = Change> {
    let roles = prop::sample::select(vec![Role::Outer, Role::Inner, Role::Inner]);
    let sorts = prop::sample::select(vec![Sorting::Oldest, Sorting::Newest]);
    let filters = prop::sample::select(vec!["", "", "-tool:run_code", "tool:run_code"]);
    prop_oneof![
        8 => (0..2_u8, prop::option::weighted(0.8, 0..3_u8), roles, 0..4_i64)
            .prop_map(|(session, script, role, at)| Change::Arrive(session, script, role, at)),
        3 => (0..12_usize).prop_map(Change::Leave),
        2 => (0..12_usize).prop_map(Change::Cursor),
        1 => sorts.prop_map(Change::Sort),
        1 => filters.prop_map(Change::Filter),
    ]
}

fn made(number: usize, session: u8, script: Option<u8>, role: Role, at: i64) -> Call {
    let mut made = match (script, role) {
        (None, _) => call(&format!("free{number}"), "book", "{}"),
        (Some(script), Role::Outer) => outer(&format!("s{script}")),
        (Some(script), Role::Inner) => inner(&format!("c{number}"), &format!("s{script}")),
    };
    made.key.session = SessionId(format!("session{session}"));
    made.arrived = jiff::Timestamp::from_second(at).expect("a moment");
    made
}

fn keys(pending: &Pending) -> Vec<CallKey> {
    let key = |waiting: &countersign::core::pending::Waiting| waiting.call.key.clone();
    pending.listed().map(key).collect()
}

/// Every script's calls stand together, its own row first, the others as they came.
fn is_a_tree(pending: &Pending) -> Result<(), TestCaseError> {
    let mut ended = HashMap::new();
    let mut last: Option<&Call> = None;
    for (at, waiting) in pending.listed().enumerate() {
        let call = &waiting.call;
        let outer = call.outer_key();
        if let Some(last) = last
            && last.outer_key().is_some()
            && last.outer_key() == outer
        {
            prop_assert!(!call.is_script(), "its own row stands above its calls");
        } else if let Some(outer) = &outer {
            prop_assert!(
                ended.insert(outer.clone(), at).is_none(),
                "it stands in one piece"
            );
        }
        last = Some(call);
    }
    let inner = pending
        .listed()
        .filter(|waiting| waiting.call.parent.is_some());
    let mut came: HashMap<CallKey, jiff::Timestamp> = HashMap::new();
    for waiting in inner {
        let outer = waiting.call.outer_key().expect("it is made by a script");
        let before = came.insert(outer, waiting.call.arrived);
        prop_assert!(before.is_none_or(|before| before <= waiting.call.arrived));
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_tree_stays_a_tree_and_no_row_passes_another_and_the_cursor_keeps_its_call(
        changes in prop::collection::vec(changes(), 1..60),
    ) {
        let mut desk = Desk::default();
        for (number, change) in changes.iter().enumerate() {
            let before = keys(&desk.state.pending);
            let cursor = desk.state.cursor.clone();
            let session = |session: &u8| SessionId(format!("session{session}"));
            match change {
                Change::Arrive(of, script, role, at) => {
                    let call = made(number, *of, *script, *role, *at);
                    let arrived = RunEvent::Arrived(Box::new(call));
                    desk.send(countersign::app::event::Event::Run(session(of), Box::new(arrived)));
                }
                Change::Leave(at) => {
                    if let Some(key) = before.get(*at) {
                        let (call, why) = (key.call.clone(), String::new());
                        let event = Box::new(RunEvent::Withdrawn { call, why });
                        desk.send(countersign::app::event::Event::Run(key.session.clone(), event));
                    }
                }
                Change::Cursor(steps) => (0..*steps).for_each(|_| desk.press("j")),
                Change::Sort(sort) => {
                    let mut arrangement = desk.state.pending.arrangement().clone();
                    arrangement.sort = *sort;
                    desk.state.pending.arrange(arrangement);
                }
                Change::Filter(text) => {
                    let mut arrangement = desk.state.pending.arrangement().clone();
                    arrangement.filter = Filter::parse(text, &[]);
                    desk.state.pending.arrange(arrangement);
                }
            }
            let after = keys(&desk.state.pending);
            is_a_tree(&desk.state.pending)?;
            if matches!(change, Change::Arrive(..) | Change::Leave(_)) {
                let stayed: Vec<_> = before.iter().filter(|key| after.contains(key)).collect();
                let as_before: Vec<_> = after.iter().filter(|key| before.contains(key)).collect();
                prop_assert_eq!(stayed, as_before);
                if let Some(cursor) = cursor.filter(|cursor| before.contains(cursor) && after.contains(cursor)) {
                    prop_assert_eq!(desk.state.cursor.as_ref(), Some(&cursor));
                }
            }
            // Listed anew, it is the same list.
            let arrangement = desk.state.pending.arrangement().clone();
            let mut other = arrangement.clone();
            other.group = Grouping::Tool;
            let mut anew = desk.state.pending.clone();
            anew.arrange(other);
            anew.arrange(arrangement);
            prop_assert_eq!(keys(&anew), after);
        }
    }
}

#[test]
fn a_row_and_the_calls_below_it_take_where_the_script_stands_from_one_place() {
    let mut desk = desk();
    let now = Arc::new(Script {
        line: Some(7),
        printed: "so far".to_owned(),
        ..Script::clone(&script("a"))
    });
    let stands = |script: &Arc<Script>| RunEvent::Stands {
        call: CallId("a+script".to_owned()),
        script: script.clone(),
    };
    desk.run(stands(&now));
    let of = |desk: &Desk, call: &Call| desk.state.pending.script(call).cloned();
    assert_eq!(
        of(&desk, &outer("a")),
        Some(script("a")),
        "a call that does not wait has its own"
    );
    let waits = |id: &str| desk.state.pending.iter().find(|w| w.call.key.call.0 == id);
    for id in ["a+script", "a1", "a2"] {
        let call = &waits(id).expect("it waits").call;
        assert_eq!(of(&desk, call), Some(now.clone()), "{id}");
    }
    let other = &waits("b1").expect("it waits").call;
    assert_eq!(of(&desk, other), Some(script("b")));
    desk.run(stands(&script("b")));
    let row = desk
        .state
        .pending
        .iter()
        .find(|w| w.call.key.call.0 == "a+script");
    assert_eq!(row.and_then(|row| row.call.script.clone()), Some(now));
}

#[test]
fn each_ruling_of_a_person_counts_once_also_on_a_script_and_before_its_call_is_made() {
    let mut desk = Desk::default();
    desk.arrive(outer("a"));
    desk.arrive(Call {
        parent: Some(CallId("a".to_owned())),
        script: Some(script("a")),
        ..call("a__1+ahead", "send", "{}")
    });
    let decided = |desk: &Desk| desk.state.sessions[0].decided();
    desk.look(1000);
    desk.press("a");
    desk.wait(9000);
    let recorded: Vec<Ruling> = desk.rulings();
    assert_eq!(recorded.len(), 1);
    desk.stored("a__1+ahead");
    assert_eq!(decided(&desk), 1, "before its call is made");
    desk.run(RunEvent::Status {
        call: CallId("a__1".to_owned()),
        status: CallStatus::of_ruling(&recorded[0]),
    });
    assert_eq!(decided(&desk), 1, "told again");
    desk.look(1000);
    desk.press("r");
    desk.look(1000);
    desk.press("ctrl-s");
    desk.wait(10_000);
    desk.stored("a+script");
    assert_eq!(decided(&desk), 2, "the script itself");
}

#[test]
fn a_run_that_is_stopped_while_its_script_waits_says_nothing_of_other_consoles() {
    let mut desk = desk();
    desk.press("ctrl-c");
    desk.send(Event::Store(StoreEvent::DecidedElsewhere {
        key: key("a+script"),
        by: "withdrawn: the run was interrupted".to_owned(),
        ruling: None,
    }));
    assert!(!desk.listed().contains(&"a+script"));
    assert!(!desk.notice().contains("elsewhere"), "{}", desk.notice());
    assert!(!desk.notice().contains("withdrawn"), "{}", desk.notice());
}
