//! Rounds: a request to the model, its calls, their answers, and again.

use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::call::{self, Opened};
use super::intake::Taken;
use super::model::Asked;
use super::rulings::Rulings;
use super::work::{Answer, Ended, Work};
use super::{Agent, Stopped};
use crate::core::call::CallId;
use crate::core::exchange::Append;
use crate::core::run::{Level, RunCommand, RunState};
use crate::store::step::Named;

impl Agent {
    /// Works until the model has nothing more to call. What could not be sent stays owed.
    pub(super) async fn work(&mut self) -> Result<(), Stopped> {
        for _ in 0..self.parts.limits.rounds {
            self.renew_tools().await;
            let append = std::mem::take(&mut self.owed);
            let calls = match self.ask_model(&append).await {
                Asked::Calls(calls) => calls,
                Asked::Failed { retry } => {
                    self.owe_again(append);
                    self.reports.state(RunState::Failed { retry }).await;
                    return Ok(());
                }
                Asked::Stopped(stopped) => {
                    self.owe_again(append);
                    self.reports.state(RunState::Idle).await;
                    return Err(stopped);
                }
            };
            if calls.is_empty() && !self.owes() {
                self.reports.state(RunState::Idle).await;
                return Ok(());
            }
            self.answer_calls(calls).await?;
        }
        let rounds = self.parts.limits.rounds;
        let text = format!("stopped after {rounds} rounds without an end; send a message to go on");
        self.reports.note(Level::Warning, text).await;
        self.reports.state(RunState::Idle).await;
        Ok(())
    }

    /// What was not taken is sent again, before what has come since.
    fn owe_again(&mut self, append: Append) {
        let since = std::mem::replace(&mut self.owed, append);
        self.owed.answers.extend(since.answers);
        self.owed.messages.extend(since.messages);
    }

    /// Lets each call run, wait or be refused, and gathers the answers for one append.
    pub(super) async fn answer_calls(&mut self, calls: Vec<Named>) -> Result<(), Stopped> {
        if calls.is_empty() {
            return Ok(());
        }
        self.reports.state(RunState::Working).await;
        let work = self.work_for_calls();
        let mut round = Round::default();
        for (order, taken) in self.take_in(calls).await.into_iter().enumerate() {
            let opened = call::open(&work, &taken).await;
            round.spawn(order, &work, taken, opened);
        }
        let stopped = self.see_through(&work, &mut round).await;
        if stopped == Some(Stopped::Closed) {
            // Whatever still runs is dropped; the journal holds how far each call came.
            return Err(Stopped::Closed);
        }
        self.gather(round.answers);
        match stopped {
            None => Ok(()),
            Some(stopped) => {
                self.reports.state(RunState::Idle).await;
                Err(stopped)
            }
        }
    }

    /// Waits until every call has its answer, and serves commands meanwhile.
    async fn see_through(&mut self, work: &Work, round: &mut Round) -> Option<Stopped> {
        let mut stopped = None;
        let mut shown = RunState::Working;
        while !round.tasks.is_empty() {
            let all_wait = work.rulings.all_wait() && stopped.is_none();
            let state = if all_wait {
                RunState::Waiting
            } else {
                RunState::Working
            };
            if state != shown {
                self.reports.state(state.clone()).await;
                shown = state;
            }
            tokio::select! {
                biased;
                command = self.commands.recv(), if stopped.is_none() => {
                    stopped = self.meanwhile(command, &work.rulings).await;
                    match stopped {
                        Some(Stopped::Closed) => return stopped,
                        Some(Stopped::Interrupted) => work.cancel.cancel(),
                        None => {}
                    }
                }
                Some(done) = round.tasks.join_next_with_id() => round.done(done, work).await,
                () = work.rulings.changed() => {}
            }
        }
        stopped
    }

    fn work_for_calls(&self) -> Work {
        Work {
            session: self.parts.session.clone(),
            agent: self.parts.name.clone(),
            tools: self.parts.tools.clone(),
            policy: self.parts.policy.clone(),
            workspace: self.parts.workspace.clone(),
            journal: self.parts.journal.clone(),
            reports: self.reports.clone(),
            past: self.past.clone(),
            rulings: Rulings::default(),
            oversight: self.parts.oversight.clone(),
            asked: self.asked.clone(),
            slots: Arc::new(Semaphore::new(self.parts.limits.parallel)),
            cancel: CancellationToken::new(),
        }
    }

    /// A command that comes while calls are open.
    async fn meanwhile(
        &mut self,
        command: Option<RunCommand>,
        rulings: &Rulings,
    ) -> Option<Stopped> {
        match command {
            None => return Some(Stopped::Closed),
            Some(RunCommand::Interrupt) => return Some(Stopped::Interrupted),
            Some(RunCommand::Message { text }) => self.message(text).await,
            // Another session may have a call of the same id; its ruling says nothing here.
            Some(RunCommand::Ruling(ruling)) if ruling.key.session != self.parts.session => {}
            Some(RunCommand::Ruling(ruling)) => rulings.hand_over(*ruling),
            Some(RunCommand::Retry) => {}
        }
        None
    }

    /// Executed results first, then rejections, then executions, then confirmations; each in the
    /// model's order, whoever was quicker.
    fn gather(&mut self, mut answers: Vec<(usize, Answer)>) {
        answers.sort_by_key(|(order, answer)| (answer.place, *order));
        for (_, answer) in answers {
            self.owed.messages.extend(answer.aside);
            self.owed.answers.push(answer.answered);
        }
    }
}

/// The calls of one response, each in a task of its own: one that panics takes nobody with it.
#[derive(Default)]
struct Round {
    tasks: JoinSet<(usize, Answer)>,
    names: HashMap<tokio::task::Id, (usize, Name)>,
    /// With the place of the call in the response.
    answers: Vec<(usize, Answer)>,
}

impl Round {
    fn spawn(&mut self, order: usize, work: &Work, taken: Taken, opened: Opened) {
        let name = Name::of(&taken);
        let answer = Box::pin(call::answer(work.clone(), taken, opened));
        let under_way = work.rulings.begin();
        let task = self.tasks.spawn(async move {
            let _under_way = under_way;
            (order, answer.await)
        });
        self.names.insert(task.id(), (order, name));
    }

    async fn done(
        &mut self,
        done: Result<(tokio::task::Id, (usize, Answer)), JoinError>,
        work: &Work,
    ) {
        match done {
            Ok((_, answer)) => self.answers.push(answer),
            // Nobody stops such a task but a program that ends, and then nothing may be recorded of it.
            Err(error) if error.is_cancelled() => std::future::pending().await,
            Err(error) => {
                tracing::error!(%error, "a call's task failed");
                if let Some((order, name)) = self.names.remove(&error.id()) {
                    work.rulings.forget(&name.id);
                    self.answers.push((order, name.lost(work).await));
                }
            }
        }
    }
}

/// What is known of a call whose task broke down.
struct Name {
    original: CallId,
    id: CallId,
    tool: String,
    held_by_provider: bool,
}

impl Name {
    fn of(taken: &Taken) -> Self {
        let Taken {
            original,
            id,
            tool,
            held_by_provider,
            ..
        } = taken;
        Self {
            original: original.clone(),
            id: id.clone(),
            tool: tool.clone(),
            held_by_provider: *held_by_provider,
        }
    }

    /// The answer for it. Nothing is known of what it did.
    async fn lost(self, work: &Work) -> Answer {
        let ended = Ended::lost();
        work.finished(&self.id, ended.outcome.clone()).await;
        if self.held_by_provider {
            ended.confirmation(self.original, self.tool)
        } else {
            ended.in_words(self.original, self.tool)
        }
    }
}
