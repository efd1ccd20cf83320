//! The way of every agent's reports to the loop: a lane for each, taken from in turns.
//!
//! Owns the order in which reports of several agents come. A lane is bounded, so an agent that writes
//! without end waits for itself alone; a turn is bounded, so nobody waits behind it. Does not look into
//! reports further than to tell an end.

use std::task::{Context, Poll};
use tokio::sync::mpsc;

use crate::agent::Report;
use crate::core::call::SessionId;
use crate::core::run::{RunEvent, RunState};

/// Reports of one agent that may wait to be taken in; beyond that the agent waits.
const ROOM: usize = 256;
/// Reports that one lane gives before it is the turn of the next.
const TURN: usize = 32;

/// One agent's reports.
#[derive(Debug)]
struct Lane {
    session: SessionId,
    reports: mpsc::Receiver<Report>,
    /// The agent has said that it ended.
    ended: bool,
}

/// What came of one look at a lane.
enum Gave {
    Nothing,
    Some,
    /// The agent is gone, and all that it reported was taken in.
    Closed,
}

/// The lanes of all agents.
#[derive(Debug, Default)]
pub struct Lanes {
    lanes: Vec<Lane>,
    /// Whose turn it is.
    next: usize,
}

impl Lanes {
    /// A lane for this session, in the place of one that it had before.
    pub fn open(&mut self, session: SessionId) -> mpsc::Sender<Report> {
        let (report, reports) = mpsc::channel(ROOM);
        self.lanes.retain(|lane| lane.session != session);
        self.lanes.push(Lane {
            session,
            reports,
            ended: false,
        });
        report
    }

    /// Waits for reports and takes in at most `limit` of them. Gives the sessions whose agents are gone;
    /// one that went without a word is reported as ended. May be dropped at any time.
    pub async fn receive(&mut self, into: &mut Vec<Report>, limit: usize) -> Vec<SessionId> {
        std::future::poll_fn(|cx| self.poll(cx, into, limit)).await
    }

    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        into: &mut Vec<Report>,
        limit: usize,
    ) -> Poll<Vec<SessionId>> {
        let before = into.len();
        let mut gone = Vec::new();
        for _ in 0..self.lanes.len() {
            let left = limit.saturating_sub(into.len() - before);
            if left == 0 {
                break;
            }
            let at = self.next % self.lanes.len();
            match self.lanes[at].poll(cx, into, left.min(TURN)) {
                Gave::Nothing | Gave::Some => self.next = at + 1,
                Gave::Closed => {
                    let lane = self.lanes.remove(at);
                    into.extend(lane.last_word());
                    gone.push(lane.session);
                    self.next = at;
                }
            }
        }
        if into.len() == before && gone.is_empty() {
            return Poll::Pending;
        }
        Poll::Ready(gone)
    }
}

impl Lane {
    fn poll(&mut self, cx: &mut Context<'_>, into: &mut Vec<Report>, limit: usize) -> Gave {
        let before = into.len();
        match self.reports.poll_recv_many(cx, into, limit) {
            Poll::Pending => Gave::Nothing,
            Poll::Ready(0) => Gave::Closed,
            Poll::Ready(_) => {
                let state = |report: &Report| match &report.event {
                    RunEvent::State(state) => Some(*state == RunState::Ended),
                    _ => None,
                };
                let last = into[before..].iter().rev().find_map(state);
                self.ended = last.unwrap_or(self.ended);
                Gave::Some
            }
        }
    }

    /// An agent that failed in a way nobody foresaw says nothing any more; that it is gone must be seen.
    fn last_word(&self) -> Option<Report> {
        (!self.ended).then(|| Report {
            session: self.session.clone(),
            event: RunEvent::State(RunState::Ended),
        })
    }
}
