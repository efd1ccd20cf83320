//! The list at scale: groups, orders and filters, with the cursor on its call through all of them.

use countersign::app::state::Pane;
use countersign::core::call::{Answer, Answers, Call, Risk, SessionId};
use countersign::core::filter::Filter;
use countersign::core::finding::Findings;
use countersign::core::pending::{
    Arrangement, Gravity, Group, Grouping, Pending, Sorting, Stage, Waiting,
};
use countersign::core::time::Ticks;
use proptest::prelude::*;

use crate::support::desk::{Desk, call, destructive, key};

fn desk() -> Desk {
    let mut desk = Desk::default();
    desk.arrive(call("a", "send", r#"{"to":"x"}"#));
    desk.arrive(destructive(call("b", "rm", r#"{"path":"/etc"}"#)));
    desk.arrive(call("c", "book", r#"{"to":"y"}"#));
    desk.arrive(call("d", "send", r#"{"to":"y"}"#));
    desk.look(1000);
    desk
}

fn group(desk: &mut Desk) -> (&'static str, String) {
    desk.press("b");
    let word = desk.state.pending.arrangement().group.word();
    (word, desk.listed().join(""))
}

#[test]
fn one_key_divides_the_list_and_another_sorts_it_and_the_cursor_keeps_its_call() {
    let mut desk = desk();
    desk.press("j j");
    assert_eq!(group(&mut desk), ("by tool", "cbad".to_owned()));
    let groups: Vec<_> = desk.state.pending.groups().collect();
    let tool = |name: &str| Group::Tool(name.into());
    assert_eq!(
        groups,
        [(&tool("book"), 1), (&tool("rm"), 1), (&tool("send"), 2)]
    );
    assert_eq!(group(&mut desk), ("by agent", "abcd".to_owned()));
    assert_eq!(group(&mut desk), ("by session", "abcd".to_owned()));
    assert_eq!(group(&mut desk), ("by risk", "bacd".to_owned()));
    desk.press("B");
    assert_eq!(desk.listed().join(""), "bdca");
    assert_eq!(group(&mut desk), ("", "dcba".to_owned()));
    desk.press("B");
    assert_eq!(desk.listed().join(""), "bacd");
    desk.press("B");
    assert_eq!(desk.listed().join(""), "abcd");
    assert_eq!(desk.cursor(), Some("c"));
}

/// Two calls are marked, and then only others are listed.
fn marked_aside() -> Desk {
    let mut desk = desk();
    desk.press("space j j space");
    desk.press("/");
    desk.type_text("/etc");
    desk.press("enter");
    desk.look(1000);
    desk
}

#[test]
fn a_decision_beside_marked_calls_that_are_not_listed_is_on_one_call_and_says_so() {
    let mut desk = marked_aside();
    assert_eq!(desk.state.pending.marked_aside(), 2);
    desk.press("a");
    assert_eq!(
        desk.notice(),
        "1 call held back; `u` takes it back; no part of it: 2 marked calls, not listed"
    );
    desk.look(4000);
    assert_eq!(desk.recorded(), [("b".to_owned(), "approved")]);

    let mut desk = marked_aside();
    desk.state.settings.hold_destructive = 0;
    desk.press("a");
    assert_eq!(
        desk.notice(),
        "1 call decided; no part of it: 2 marked calls, not listed"
    );
}

#[test]
fn marked_calls_that_are_not_listed_are_counted_until_they_are_listed_unmarked_or_gone() {
    let mut desk = marked_aside();
    desk.state.pending.leave(&key("a"));
    assert_eq!(desk.state.pending.marked_aside(), 1);
    desk.state
        .pending
        .change(&key("d"), |waiting| waiting.marked = false);
    assert_eq!(desk.state.pending.marked_aside(), 0);

    let mut desk = marked_aside();
    desk.press("esc");
    assert_eq!(desk.state.pending.marked_aside(), 0);
    assert_eq!(desk.state.pending.marked().count(), 2);
}

#[test]
fn the_cursor_walks_in_the_order_of_the_list() {
    let mut desk = desk();
    desk.press("b g");
    let mut walked = vec![desk.cursor().map(ToOwned::to_owned)];
    for _ in 0..3 {
        desk.press("j");
        walked.push(desk.cursor().map(ToOwned::to_owned));
    }
    let walked: Vec<String> = walked.into_iter().flatten().collect();
    assert_eq!(walked, ["c", "b", "a", "d"]);
    desk.look(500);
    desk.press("k");
    desk.look(500);
    desk.press("a");
    assert_eq!(desk.recorded(), [("a".to_owned(), "approved")]);
    assert_eq!(desk.cursor(), Some("d"), "the next one below that is open");
}

#[test]
fn a_filter_is_read_while_it_is_written_and_a_faulty_one_is_not_accepted() {
    let mut desk = desk();
    desk.press("j j /");
    desk.type_text("to:y");
    assert_eq!((desk.listed(), desk.cursor()), (vec!["c", "d"], Some("c")));
    desk.type_text(" age>");
    assert_eq!((desk.listed(), desk.cursor()), (vec![], None));
    desk.press("enter");
    assert!(desk.state.draft.is_some());
    assert_eq!(
        desk.notice(),
        "this lists nothing: age>: a time is a number and s, m, h or d, as in age>90s"
    );
    desk.type_text("0s");
    desk.press("enter");
    assert_eq!((desk.listed(), desk.cursor()), (vec!["c", "d"], Some("c")));
    desk.press("*");
    assert_eq!(desk.state.pending.marked_tally().calls, 2);
    desk.press("/");
    desk.type_text(" nothing");
    desk.press("esc");
    assert_eq!(desk.listed(), ["c", "d"], "left as it was before");
    desk.press("esc");
    assert_eq!(desk.cursor(), Some("c"));
    let marked = desk
        .state
        .pending
        .marked()
        .map(|w| w.call.key.call.0.as_str());
    assert_eq!(
        (marked.collect::<Vec<_>>(), desk.listed().len()),
        (vec!["c", "d"], 4)
    );
}

#[test]
fn a_call_that_grows_too_old_for_the_filter_leaves_the_cursor_to_the_next_and_it_is_armed_afresh() {
    let mut desk = Desk::default();
    desk.arrive(call("old", "t", "{}"));
    desk.wait(20_000);
    let arrived = desk.state.now.wall;
    desk.arrive(Call {
        arrived,
        ..call("young", "t", "{}")
    });
    desk.press("/");
    desk.type_text("age<30s");
    desk.press("enter");
    desk.look(1000);
    assert_eq!(desk.cursor(), Some("old"));
    let due = countersign::app::update::next_due(&desk.state);
    assert!(due.is_some_and(|due| due <= Ticks(30_000)));
    desk.wait(9_000);
    assert_eq!(
        (desk.listed(), desk.cursor()),
        (vec!["young"], Some("young"))
    );
    desk.draw();
    desk.press("a");
    assert_eq!(desk.recorded(), []);
    desk.wait(400);
    desk.press("a");
    assert_eq!(desk.recorded(), [("young".to_owned(), "approved")]);
}

#[test]
fn marks_under_a_filter_for_marked_calls_can_be_taken_back_one_by_one() {
    let mut desk = desk();
    desk.press("space space /");
    desk.type_text("marked");
    desk.press("enter");
    assert_eq!((desk.listed(), desk.cursor()), (vec!["a", "b"], Some("a")));
    desk.press("space");
    assert_eq!((desk.listed(), desk.cursor()), (vec!["b"], Some("b")));
    assert_eq!(desk.state.focus, Pane::Pending);
}

#[test]
fn ten_thousand_calls_are_marked_and_signed_as_one_batch() {
    let mut desk = Desk::default();
    for at in 0..10_000 {
        desk.arrive(call(&format!("c{at}"), "send", r#"{"to":"x"}"#));
    }
    desk.look(1000);
    desk.press("* a");
    desk.look(1000);
    desk.press("enter");
    let rulings = desk.rulings();
    assert_eq!(rulings.len(), 10_000);
    for ruling in rulings {
        desk.stored(&ruling.key.call.0);
    }
    assert_eq!((desk.listed(), desk.cursor()), (vec![], None));
    assert_eq!(desk.take().len(), 10_000);
}

/// A change of the set or of the list.
#[derive(Debug, Clone)]
enum Change {
    Arrive {
        tool: u8,
        session: u8,
        risk: u8,
        at: i64,
    },
    Leave(usize),
    Mark(usize),
    Hold(usize),
    Record(usize),
    Filter(&'static str),
    Group(Grouping),
    Sort(Sorting),
    Only(Option<u8>),
    Pass(u64),
}

fn changes() -> impl Strategy<Value = Change> {
    let filters = prop::sample::select(vec![
        "",
        "tool:a",
        "-tool:a",
        "age>2s",
        "age<3s",
        "marked",
        "-marked",
        "risk:none",
        "nonsense:",
        "age>",
    ]);
    let groups = prop::sample::select(vec![
        Grouping::None,
        Grouping::Tool,
        Grouping::Agent,
        Grouping::Session,
        Grouping::Risk,
    ]);
    let sorts = prop::sample::select(vec![Sorting::Oldest, Sorting::Newest, Sorting::Gravest]);
    prop_oneof![
        8 => (0..3_u8, 0..3_u8, 0..4_u8, 0..5_i64).prop_map(|(tool, session, risk, at)| {
            Change::Arrive { tool, session, risk, at }
        }),
        3 => (0..12_usize).prop_map(Change::Leave),
        4 => (0..12_usize).prop_map(Change::Mark),
        2 => (0..12_usize).prop_map(Change::Hold),
        2 => (0..12_usize).prop_map(Change::Record),
        3 => filters.prop_map(Change::Filter),
        2 => groups.prop_map(Change::Group),
        2 => sorts.prop_map(Change::Sort),
        1 => prop::option::of(0..3_u8).prop_map(Change::Only),
        4 => (0..1500_u64).prop_map(Change::Pass),
    ]
}

fn made(number: usize, tool: u8, session: u8, risk: u8, at: i64) -> Call {
    let mut made = call(
        &format!("c{number}"),
        ["aa", "ab", "b"][usize::from(tool)],
        "{}",
    );
    made.key.session = SessionId(format!("s{session}"));
    made.agent = format!("agent {}", session % 2);
    made.arrived = jiff::Timestamp::from_second(at).expect("a moment");
    match risk {
        0 => made.risks = vec![Risk::Destructive],
        1 => made.risks = vec![Risk::ReadOnly],
        2 => made.answers = Answers::confirmation(),
        _ => {}
    }
    made
}

fn apply(pending: &mut Pending, number: usize, now: &mut u64, change: &Change) {
    let at = |pending: &Pending, at: usize| {
        let found = pending.iter().nth(at);
        found.map(|waiting| waiting.call.key.clone())
    };
    let arranged = |pending: &mut Pending, change: &dyn Fn(&mut Arrangement)| {
        let mut arrangement = pending.arrangement().clone();
        change(&mut arrangement);
        pending.arrange(arrangement);
    };
    match change {
        Change::Arrive {
            tool,
            session,
            risk,
            at,
        } => {
            let call = made(number, *tool, *session, *risk, *at);
            pending.arrive(call, Findings::default(), Ticks(*now));
        }
        Change::Leave(place) => {
            at(pending, *place).and_then(|key| pending.leave(&key));
        }
        Change::Mark(place) => {
            at(pending, *place).and_then(|key| pending.change(&key, |w| w.marked = !w.marked));
        }
        Change::Hold(place) | Change::Record(place) => {
            let Some(key) = at(pending, *place) else {
                return;
            };
            let mut ruling = crate::support::ui_scene::ruling(
                "x",
                countersign::core::decision::Decision::Approve { arguments: None },
            );
            ruling.key = key.clone();
            let until = Ticks(*now + 10);
            let stage = match change {
                Change::Hold(_) => Stage::Held { ruling, until },
                _ => Stage::Recording { ruling },
            };
            pending.change(&key, |waiting| waiting.stage = stage);
        }
        Change::Filter(text) => arranged(pending, &|a| a.filter = Filter::parse(text, &[])),
        Change::Group(group) => arranged(pending, &|a| a.group = *group),
        Change::Sort(sort) => arranged(pending, &|a| a.sort = *sort),
        Change::Only(session) => {
            arranged(pending, &|a| {
                a.only = session.map(|at| SessionId(format!("s{at}")));
            });
        }
        Change::Pass(millis) => {
            *now += millis;
            pending.passed(Ticks(*now));
        }
    }
}

/// The list, worked out anew from all calls.
fn expected(pending: &Pending, now: u64) -> Vec<&Waiting> {
    let arrangement = pending.arrangement();
    let here = |waiting: &Waiting| {
        let only = arrangement.only.as_ref();
        only.is_none_or(|only| *only == waiting.call.key.session)
    };
    let listed = |waiting: &&Waiting| {
        here(waiting) && arrangement.filter.fits(waiting, Ticks(now - now % 1000))
    };
    let mut calls: Vec<&Waiting> = pending.iter().filter(listed).collect();
    // Sorting keeps the order of what is equal: arrival.
    match arrangement.sort {
        Sorting::Oldest => {}
        Sorting::Newest => calls.reverse(),
        Sorting::Gravest => calls.sort_by_key(|waiting| Gravity::of(&waiting.call)),
    }
    match arrangement.group {
        Grouping::None => {}
        Grouping::Tool => calls.sort_by_key(|waiting| waiting.call.tool.clone()),
        Grouping::Agent => calls.sort_by_key(|waiting| waiting.call.agent.clone()),
        Grouping::Session => calls.sort_by_key(|waiting| waiting.call.key.session.clone()),
        Grouping::Risk => calls.sort_by_key(|waiting| Gravity::of(&waiting.call)),
    }
    calls
}

proptest! {
    #[test]
    fn the_list_kept_in_step_is_the_list_worked_out_anew(
        changes in prop::collection::vec(changes(), 1..60),
    ) {
        let (mut pending, mut now) = (Pending::default(), 0);
        for (number, change) in changes.iter().enumerate() {
            apply(&mut pending, number, &mut now, change);
            let wanted = expected(&pending, now);
            prop_assert_eq!(pending.listed().collect::<Vec<_>>(), wanted.clone());
            let open: Vec<_> = wanted.iter().copied().filter(|w| w.is_open()).collect();
            let marked: Vec<_> = open.iter().copied().filter(|w| w.marked).collect();
            prop_assert_eq!(pending.open().collect::<Vec<_>>(), open.clone());
            prop_assert_eq!(pending.marked().collect::<Vec<_>>(), marked.clone());
            for answer in [Answer::Approve, Answer::Edit, Answer::Retry] {
                let taking = |calls: &[&Waiting]| calls.iter().filter(|w| w.call.answers.take(answer)).count();
                prop_assert_eq!(pending.open_tally().taking(answer), taking(&open));
                prop_assert_eq!(pending.marked_tally().taking(answer), taking(&marked));
            }
            for (rank, waiting) in wanted.iter().enumerate() {
                prop_assert_eq!(pending.rank(&waiting.call.key), Ok(rank));
            }
            let grouped: usize = pending.groups().map(|(_, calls)| calls).sum();
            prop_assert_eq!(grouped, wanted.len());
            let held = pending.iter().filter_map(|waiting| match waiting.stage {
                Stage::Held { until, .. } => Some(until),
                Stage::Awaiting | Stage::Recording { .. } => None,
            });
            prop_assert_eq!(pending.next_due(), held.min());
            let of_one = pending.iter().filter(|w| w.call.key.session.0 == "s1").count();
            prop_assert_eq!(pending.of_session(&SessionId("s1".to_owned())), of_one);
        }
        prop_assert_eq!(pending.get(&key("no such call")), None);
    }
}
