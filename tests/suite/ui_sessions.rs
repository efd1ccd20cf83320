//! The list of sessions on the screen.

use countersign::app::draft::{Draft, Purpose};
use countersign::app::sessions::{Choice, Configured, Saved, SessionList};
use countersign::app::state::Overlay;
use countersign::core::call::{CallKey, SessionId};
use countersign::core::run::{RunEvent, RunState};
use countersign::core::session::{Home, SavedSession, Session};
use countersign::core::time::{Now, Ticks};
use serde_json::json;

use crate::support::ui_scene::{HOSTILE, MIDDLE, NARROW, Scene, WIDE, call, check};

const ALL: [(u16, u16); 3] = [WIDE, MIDDLE, NARROW];

fn id(name: &str) -> SessionId {
    SessionId(format!("019aa1f2-7c3e-7000-8000-0000{name}"))
}

fn saved(name: &str, agent: &str, minutes: i64) -> SavedSession {
    SavedSession {
        id: id(name),
        agent: agent.to_owned(),
        model: "mistral-large-latest".to_owned(),
        last: jiff::Timestamp::UNIX_EPOCH - jiff::SignedDuration::from_mins(minutes),
        pending: 0,
        unknown: 0,
        owner: None,
    }
}

fn now() -> Now {
    Now {
        ticks: Ticks(43_000),
        ..Now::default()
    }
}

/// The travel assistant, another agent in another process, two agents, four saved sessions.
fn scene() -> (Scene, SessionList) {
    let mut scene = Scene::travel();
    let mut other = Session::new(
        id("00000002"),
        "operations".to_owned(),
        "devstral".to_owned(),
    );
    other.home = Home::Elsewhere;
    other.apply(Ticks(0), &RunEvent::State(RunState::Thinking));
    scene.state.sessions.push(other);
    let agent = |agent: &str, model: &str| Configured {
        agent: agent.to_owned(),
        model: model.to_owned(),
    };
    scene.state.agents = vec![
        agent("travel", "mistral-large-latest"),
        agent("operations", "devstral"),
    ];
    let mut list = SessionList::new(Choice::Open(scene.state.current.clone()));
    let mut elsewhere = saved("0000aaaa", "operations", 3);
    elsewhere.pending = 12;
    elsewhere.owner = Some("anna@desk (process 4711)".to_owned());
    let mut waiting = saved("0000bbbb", "travel", 90);
    waiting.pending = 2;
    list.saved = Saved::Read(vec![
        elsewhere,
        waiting,
        saved(
            "0000cccc",
            "an-agent-with-a-very-long-name-indeed",
            60 * 24 * 40,
        ),
        saved("0000dddd", HOSTILE, 0),
    ]);
    scene.state.now = now();
    (scene, list)
}

fn show(scene: &mut Scene, list: SessionList) {
    scene.state.overlay = Some(Overlay::Sessions(list));
}

#[test]
fn the_list_has_what_is_open_what_can_be_started_and_what_is_in_the_journal() {
    let (mut scene, list) = scene();
    show(&mut scene, list);
    check("sessions", &scene, &ALL, &["▌", "operations", "enter"]);
}

#[test]
fn while_the_journal_is_read_and_if_it_cannot_be_the_list_says_so() {
    let (mut scene, mut list) = scene();
    list.saved = Saved::Reading;
    show(&mut scene, list.clone());
    assert!(scene.draw(MIDDLE).contains("reading the journal …"));
    let why = "the journal in /data cannot be read (disk I/O error); check the disk";
    list.saved = Saved::Failed(why.to_owned());
    show(&mut scene, list);
    assert!(scene.draw(MIDDLE).contains(&format!("✗ {why}")));
}

#[test]
fn hundreds_of_sessions_are_a_list_like_any_other() {
    let (mut scene, mut list) = scene();
    let rows = (0..500).map(|at| saved(&format!("{at:08}"), "travel", at));
    list.saved = Saved::Read(rows.collect());
    list.chosen = Choice::Saved(id("00000250"));
    show(&mut scene, list);
    check("sessions_many", &scene, &[MIDDLE, NARROW], &["▌"]);
}

#[test]
fn a_text_lists_only_what_contains_it() {
    let (mut scene, mut list) = scene();
    list.filter = "oper".to_owned();
    list.chosen = Choice::Open(id("00000002"));
    show(&mut scene, list.clone());
    assert!(scene.draw(MIDDLE).contains("list: oper"));
    scene.state.draft = Some(Draft::new(Purpose::Sessions, "oper"));
    check("sessions_search", &scene, &[MIDDLE, NARROW], &["list:"]);
    list.filter = "no such thing".to_owned();
    show(&mut scene, list);
    assert!(scene.draw(MIDDLE).contains("nothing contains this text"));
}

#[test]
fn what_is_being_opened_says_so() {
    let (mut scene, mut list) = scene();
    list.chosen = Choice::Saved(id("0000bbbb"));
    scene.state.opening = Some(list.chosen.clone());
    show(&mut scene, list);
    let rows = scene.draw(MIDDLE).rows();
    let row = rows.iter().find(|row| row.contains("opening …"));
    assert!(row.is_some_and(|row| row.contains("travel")), "{rows:#?}");
}

#[test]
fn quitting_with_several_sessions_says_what_goes_on_and_what_waits() {
    let (mut scene, _) = scene();
    scene.state.sessions.push(Session::new(
        id("00000003"),
        "clerk".to_owned(),
        String::new(),
    ));
    let mut restart = call("restart", "shell", &json!({"command": "reboot"}));
    restart.key = CallKey {
        session: id("00000003"),
        ..restart.key
    };
    scene.pends(restart);
    scene.state.overlay = Some(Overlay::Quit);
    check("quit_several", &scene, &[MIDDLE, NARROW], &[]);
    // A session whose process is gone goes on nowhere.
    scene.state.sessions[1].run = RunState::Ended;
    assert!(!scene.draw(MIDDLE).contains("another process"));
}
