//! Rounds: a request to the model, its calls, their answers, and again.

use std::collections::HashMap;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::call;
use super::intake::{Taken, result_of};
use super::model::Asked;
use super::work::{Answer, Ended, Place, Ruled, Work};
use super::{Agent, Stopped};
use crate::core::call::CallId;
use crate::core::decision::Ruling;
use crate::core::run::{Level, Outcome, RunCommand, RunState};
use crate::provider::{Append, Came, Wanted};

/// The ways to the calls that wait for a ruling.
type Waiting = HashMap<CallId, oneshot::Sender<Ruling>>;

impl Agent {
    /// Works until the model has nothing more to call. What could not be sent stays owed.
    pub(super) async fn work(&mut self) -> Result<(), Stopped> {
        for _ in 0..self.parts.limits.rounds {
            let append = std::mem::take(&mut self.owed);
            let calls = match self.ask_model(&append).await {
                Asked::Reply(reply) => reply.calls,
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
            if calls.is_empty() && self.owed.messages.is_empty() {
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
    async fn answer_calls(&mut self, calls: Vec<Wanted>) -> Result<(), Stopped> {
        if calls.is_empty() {
            return Ok(());
        }
        self.reports.state(RunState::Working).await;
        let cancel = CancellationToken::new();
        let work = self.work_for_calls(cancel.clone());
        let mut waiting = Waiting::new();
        let mut running = JoinSet::new();
        let mut names = HashMap::new();
        for (order, taken) in self.take_in(calls).await.into_iter().enumerate() {
            let (decide, decided) = oneshot::channel();
            let (hand_in, handed_in) = oneshot::channel();
            waiting.insert(taken.id.clone(), decide);
            waiting.insert(result_of(&taken.id), hand_in);
            let opened = call::open(&work, &taken).await;
            let name = Name::of(&taken);
            // Each call is a task of its own: one that panics takes nobody with it.
            let answer = call::answer(work.clone(), taken, opened, Ruled { decided, handed_in });
            let task = running.spawn(async move { (order, answer.await) });
            names.insert(task.id(), (order, name));
        }
        let mut answers = Vec::new();
        let mut stopped = None;
        while !running.is_empty() {
            tokio::select! {
                biased;
                command = self.commands.recv(), if stopped.is_none() => {
                    stopped = self.meanwhile(command, &mut waiting).await;
                    if stopped.is_some() {
                        cancel.cancel();
                    }
                }
                Some(done) = running.join_next_with_id() => match done {
                    Ok((_, answer)) => answers.push(answer),
                    Err(error) => {
                        tracing::error!(%error, "a call's task failed");
                        if let Some((order, name)) = names.remove(&error.id()) {
                            answers.push((order, name.lost(&work).await));
                        }
                    }
                },
            }
        }
        self.gather(answers);
        match stopped {
            None => Ok(()),
            Some(stopped) => {
                self.reports.state(RunState::Idle).await;
                Err(stopped)
            }
        }
    }

    fn work_for_calls(&self, cancel: CancellationToken) -> Work {
        Work {
            session: self.parts.session.clone(),
            agent: self.parts.name.clone(),
            tools: self.parts.tools.clone(),
            policy: self.parts.policy.clone(),
            workspace: self.parts.workspace.clone(),
            journal: self.parts.journal.clone(),
            reports: self.reports.clone(),
            slots: std::sync::Arc::new(Semaphore::new(self.parts.limits.parallel)),
            cancel,
        }
    }

    /// A command that comes while calls are open.
    async fn meanwhile(
        &mut self,
        command: Option<RunCommand>,
        waiting: &mut Waiting,
    ) -> Option<Stopped> {
        match command {
            None => return Some(Stopped::Closed),
            Some(RunCommand::Interrupt) => return Some(Stopped::Interrupted),
            Some(RunCommand::Message { text }) => self.message(text).await,
            // Another session may have a call of the same id; its ruling says nothing here.
            Some(RunCommand::Ruling(ruling)) if ruling.key.session != self.parts.session => {}
            Some(RunCommand::Ruling(ruling)) => {
                if let Some(call) = waiting.remove(&ruling.key.call) {
                    // A call that has ended by itself needs no ruling any more.
                    let _ = call.send(*ruling);
                }
            }
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
        let message =
            "the program failed while it worked on this call; whether it ran is not known";
        let outcome = Outcome::Failed {
            message: message.to_owned(),
        };
        work.finished(&self.id, outcome.clone()).await;
        let ended = Ended::plain(Place::Executed, Came::Failed, outcome);
        if self.held_by_provider {
            ended.confirmation(self.original, self.tool)
        } else {
            ended.in_words(self.original, self.tool)
        }
    }
}
