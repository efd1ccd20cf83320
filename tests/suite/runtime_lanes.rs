//! Reports of several agents: nobody waits behind the flood of another.

use countersign::agent::Report;
use countersign::core::call::SessionId;
use countersign::core::run::{RunEvent, RunState};
use countersign::runtime::Lanes;
use tokio::sync::mpsc;

use crate::support::desk::call;

/// Taken in at a time by whoever asks.
const LIMIT: usize = 256;

fn session(name: &str) -> SessionId {
    SessionId(name.to_owned())
}

fn report(name: &str, event: RunEvent) -> Report {
    Report {
        session: session(name),
        event,
    }
}

fn arrival(name: &str) -> Report {
    report(
        name,
        RunEvent::Arrived(Box::new(call("c", "book_flight", "{}"))),
    )
}

fn noise(name: &str) -> Report {
    report(name, RunEvent::State(RunState::Working))
}

/// Writes until there is no more room, and says how much there was.
fn flood(name: &str, lane: &mpsc::Sender<Report>) -> usize {
    let mut written = 0;
    while lane.try_send(noise(name)).is_ok() {
        written += 1;
    }
    written
}

async fn receive(lanes: &mut Lanes) -> (Vec<Report>, Vec<SessionId>) {
    let mut came = Vec::new();
    let gone = lanes.receive(&mut came, LIMIT).await;
    (came, gone)
}

#[tokio::test]
async fn a_call_comes_with_the_next_look_however_much_another_agent_writes() {
    let mut lanes = Lanes::default();
    let noisy = lanes.open(session("noisy"));
    let quiet = lanes.open(session("quiet"));
    for _ in 0..50 {
        flood("noisy", &noisy);
        quiet.try_send(arrival("quiet")).expect("there is room");
        let (came, _) = receive(&mut lanes).await;
        let arrived: Vec<_> = came
            .iter()
            .filter(|report| report.session.0 == "quiet")
            .collect();
        assert_eq!(arrived, [&arrival("quiet")]);
    }
}

#[tokio::test]
async fn a_flooding_agent_waits_for_itself_alone() {
    let mut lanes = Lanes::default();
    let noisy = lanes.open(session("noisy"));
    let quiet = lanes.open(session("quiet"));
    assert!(flood("noisy", &noisy) <= 1024, "a lane is bounded");
    assert!(noisy.try_send(noise("noisy")).is_err());
    quiet.try_send(arrival("quiet")).expect("there is room");
}

#[tokio::test]
async fn more_floods_than_fit_into_one_look_take_their_turns() {
    let mut lanes = Lanes::default();
    let names: Vec<String> = (0..40).map(|at| format!("s{at}")).collect();
    let agents: Vec<_> = names.iter().map(|name| lanes.open(session(name))).collect();
    let mut heard = std::collections::BTreeSet::new();
    let looks = 40 * 32 / LIMIT;
    for _ in 0..looks {
        for (name, agent) in names.iter().zip(&agents) {
            flood(name, agent);
        }
        let (came, _) = receive(&mut lanes).await;
        assert_eq!(came.len(), LIMIT);
        heard.extend(came.into_iter().map(|report| report.session.0));
    }
    assert_eq!(heard.len(), 40);
}

#[tokio::test]
async fn one_agents_reports_keep_their_order_and_none_is_lost() {
    let mut lanes = Lanes::default();
    let agent = lanes.open(session("one"));
    lanes.open(session("other"));
    let text = |at: usize| {
        let why = at.to_string();
        let call = call("c", "t", "{}").key.call;
        report("one", RunEvent::Withdrawn { call, why })
    };
    let writes = tokio::spawn(async move {
        for at in 0..1000 {
            agent.send(text(at)).await.expect("somebody reads");
        }
    });
    let mut all = Vec::new();
    while all.len() < 1000 {
        let (came, _) = receive(&mut lanes).await;
        all.extend(came.into_iter().filter(|report| report.session.0 == "one"));
    }
    writes.await.expect("all is written");
    assert_eq!(all, (0..1000).map(text).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_agent_that_goes_without_a_word_is_reported_as_ended_and_the_others_go_on() {
    let mut lanes = Lanes::default();
    let failing = lanes.open(session("failing"));
    let other = lanes.open(session("other"));
    failing.try_send(noise("failing")).expect("there is room");
    other.try_send(arrival("other")).expect("there is room");
    drop(failing);
    let (mut came, mut gone) = receive(&mut lanes).await;
    while gone.is_empty() {
        let (more, ended) = receive(&mut lanes).await;
        came.extend(more);
        gone.extend(ended);
    }
    let ended = report("failing", RunEvent::State(RunState::Ended));
    assert_eq!(came, [noise("failing"), arrival("other"), ended]);
    assert_eq!(gone, [session("failing")]);
}

#[tokio::test]
async fn an_agent_that_said_its_last_word_has_no_other() {
    let mut lanes = Lanes::default();
    let agent = lanes.open(session("one"));
    let ended = report("one", RunEvent::State(RunState::Ended));
    agent.try_send(ended.clone()).expect("there is room");
    drop(agent);
    assert_eq!(receive(&mut lanes).await, (vec![ended], vec![]));
    assert_eq!(receive(&mut lanes).await, (vec![], vec![session("one")]));
}
