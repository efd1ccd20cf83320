//! A run without a screen: entries go out as JSON lines, decisions come from a file.
//!
//! Owns when such a run is over: the model has nothing more to call, a call waits for a person who is
//! not here, or something failed.

use std::collections::HashMap;
use std::io::{self, Write};

use super::agents::Agents;
use crate::agent::Report;
use crate::core::call::{Answer, Call, CallId, SessionId};
use crate::core::decision::{How, Ruling};
use crate::core::run::{RunCommand, RunEvent, RunState};
use crate::deferred::Decided;
use crate::store::{Journal, Recorded};

/// How a run without a screen ended.
#[derive(Debug, Clone, PartialEq)]
pub enum HeadlessEnd {
    /// The model has nothing more to call.
    Done,
    /// These calls wait for a person. The session can be resumed.
    Deferred(Vec<Call>),
    /// The model could not be reached, or the journal not be written; it was told.
    Failed,
    /// A decision could not be recorded, so it does not count.
    Unrecorded(String),
    /// A decision does not fit the call it names.
    Unfit(String),
}

/// What such a run works with.
pub struct Headless<W> {
    pub session: SessionId,
    pub agents: Agents,
    pub journal: Journal,
    pub decisions: Vec<Decided>,
    /// User and host, for the record.
    pub who: String,
    pub out: W,
    /// A message is on its way: being idle before it came is no end.
    pub expects_message: bool,
}

impl<W: Write> Headless<W> {
    /// Runs to one of its ends, and says which decisions no waiting call had a use for. Dropping the
    /// agents stops what still runs.
    pub async fn run(mut self) -> io::Result<(HeadlessEnd, Vec<CallId>)> {
        let mut decisions: HashMap<CallId, Decided> = self
            .decisions
            .drain(..)
            .map(|decided| (decided.call.clone(), decided))
            .collect();
        let end = self.until_it_ends(&mut decisions).await?;
        Ok((end, decisions.into_keys().collect()))
    }

    async fn until_it_ends(
        &mut self,
        decisions: &mut HashMap<CallId, Decided>,
    ) -> io::Result<HeadlessEnd> {
        let mut pending: Vec<Call> = Vec::new();
        let mut retried = self.expects_message;
        let mut came = Vec::with_capacity(1);
        loop {
            self.agents.next(&mut came, 1).await;
            let Some(Report { event, .. }) = came.pop() else {
                continue;
            };
            self.print(&event)?;
            match event {
                RunEvent::User { .. } => self.expects_message = false,
                RunEvent::Arrived(call) => pending.push(*call),
                RunEvent::Stands { call, script } => {
                    let rows = pending
                        .iter_mut()
                        .filter(|waiting| waiting.key.call == call);
                    rows.for_each(|row| row.script = Some(script.clone()));
                }
                RunEvent::Withdrawn { call, .. } | RunEvent::Expired { call, .. } => {
                    pending.retain(|waiting| waiting.key.call != call);
                }
                // With none pending, what was decided is on its way and the next report tells more. A script
                // whose calls are decided needs no answer itself.
                RunEvent::State(RunState::Waiting) if pending.iter().all(Call::is_script) => {}
                RunEvent::State(RunState::Waiting) => {
                    match self.decide(&mut pending, decisions).await {
                        Ok(0) => return Ok(HeadlessEnd::Deferred(pending)),
                        Ok(_) => {}
                        Err(end) => return Ok(end),
                    }
                }
                RunEvent::State(RunState::Idle) if !self.expects_message => {
                    return Ok(HeadlessEnd::Done);
                }
                // A resumed session goes on with the request that had failed; once.
                RunEvent::State(RunState::Failed { retry: true }) if !retried => {
                    retried = true;
                    self.agents.send(&self.session, RunCommand::Retry);
                }
                RunEvent::State(RunState::Failed { .. } | RunState::Ended) => {
                    return Ok(HeadlessEnd::Failed);
                }
                RunEvent::State(RunState::Idle | RunState::Thinking | RunState::Working)
                | RunEvent::Began { .. }
                | RunEvent::Text { .. }
                | RunEvent::Thinking { .. }
                | RunEvent::TextEnded { .. }
                | RunEvent::Called { .. }
                | RunEvent::Status { .. }
                | RunEvent::Reviewed { .. }
                | RunEvent::Output { .. }
                | RunEvent::Server { .. }
                | RunEvent::Unknown { .. }
                | RunEvent::Note { .. }
                | RunEvent::Discarded { .. } => {}
            }
        }
    }

    /// Decides what the file decides: recorded first, then delivered. How many calls that were.
    async fn decide(
        &mut self,
        pending: &mut Vec<Call>,
        decisions: &mut HashMap<CallId, Decided>,
    ) -> Result<usize, HeadlessEnd> {
        let mut count = 0;
        for call in std::mem::take(pending) {
            let Some(decided) = decisions.remove(&call.key.call) else {
                pending.push(call);
                continue;
            };
            let ruling = self.ruling(&call, decided).map_err(HeadlessEnd::Unfit)?;
            match self.journal.record(ruling.clone()).await {
                Ok(Recorded::Now) => {
                    self.agents
                        .send(&self.session, RunCommand::Ruling(Box::new(ruling)));
                    count += 1;
                }
                Ok(Recorded::Before { by }) => {
                    tracing::warn!(call = %call.key.call, by, "decided before");
                }
                Err(error) => return Err(HeadlessEnd::Unrecorded(error.to_string())),
            }
        }
        Ok(count)
    }

    fn ruling(&self, call: &Call, decided: Decided) -> Result<Ruling, String> {
        let Decided {
            call: id,
            digest,
            decision,
            reach,
            ..
        } = decided;
        if digest.is_some_and(|digest| digest != call.digest()) {
            return Err(format!(
                "the decision on `{id}` is for other arguments than the call has now; look at it again"
            ));
        }
        let refused = |answer: &Answer| !call.answers.take(*answer);
        if let Some(answer) = decision.asks(reach).into_iter().find(refused) {
            return Err(format!(
                "where the call `{id}` comes from, it cannot be {}",
                answer.done()
            ));
        }
        if let Some(edited) = decision.edited() {
            let found = call
                .schema
                .iter()
                .flat_map(|schema| schema.check(edited.value()))
                .next();
            if let Some(violation) = found {
                return Err(format!(
                    "the decision on `{id}` does not fit the tool's schema: {violation}"
                ));
            }
        }
        Ok(Ruling {
            file: None,
            key: call.key.clone(),
            tool: call.tool.clone(),
            digest: Ruling::digest_of(call, &decision),
            decision,
            reach,
            proposed: call.arguments.clone(),
            who: self.who.clone(),
            at: jiff::Timestamp::now(),
            how: How::Headless,
            shown_for: 0,
        })
    }

    /// One line for what the journal keeps, and for calls that wait. Such lines end up in other logs, so
    /// what is secret is no more in them than in ours.
    fn print(&mut self, event: &RunEvent) -> io::Result<()> {
        let waits = matches!(
            event,
            RunEvent::Arrived(_)
                | RunEvent::Status { .. }
                | RunEvent::Reviewed { .. }
                | RunEvent::Expired { .. }
        );
        if !event.is_kept() && !waits {
            return Ok(());
        }
        let event = self.journal.veil().event(event);
        serde_json::to_writer(&mut self.out, &event)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}
