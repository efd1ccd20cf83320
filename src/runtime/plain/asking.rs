//! What is asked next.
//!
//! A question stands until it is answered or its call is gone: nothing that arrives takes its place, so
//! that no answer goes to another question than it was typed for.

use std::io;
use std::time::Instant;

use super::{Plain, say};
use crate::app::event::{Event, Line};
use crate::core::call::{CallKey, SessionId};
use crate::core::decision::Decision;
use crate::core::name::quoted;
use crate::core::pending::{Stage, Waiting};
use crate::core::run::{RunEvent, RunState};
use crate::core::shown::Shown;
use crate::plain::{self, Fields, Said};
use crate::runtime::perform::Flow;

/// What the next line is an answer to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Prompt {
    /// Nothing is asked: something runs.
    Open,
    /// What is to become of this call.
    Call(CallKey),
    /// The reason, the result or the message that goes with the answer.
    Text(CallKey, Said),
    /// The arguments, field by field.
    Field(CallKey, Fields),
    /// All arguments, as JSON on one line.
    Json(CallKey),
    /// Whether this is signed.
    Sign(CallKey, Decision),
    /// A message to the agent, or what else to do while it waits for one.
    Idle(SessionId),
    /// A message to the agent, asked for at a call.
    Message(SessionId),
    /// Whether this text is sent, which came as several lines.
    Send(SessionId, String),
    Interrupt(SessionId),
    Quit,
}

impl Prompt {
    /// The call that must wait for the question to make sense.
    const fn call(&self) -> Option<&CallKey> {
        match self {
            Self::Call(key)
            | Self::Text(key, _)
            | Self::Field(key, _)
            | Self::Json(key)
            | Self::Sign(key, _) => Some(key),
            Self::Open
            | Self::Idle(_)
            | Self::Message(_)
            | Self::Send(..)
            | Self::Interrupt(_)
            | Self::Quit => None,
        }
    }
}

impl Plain {
    /// An agent has moved: what was sent to it has come. That it rests says nothing, since it may have
    /// said so before.
    pub(super) fn moved(&mut self, event: &RunEvent) {
        if let RunEvent::State(state) = event
            && *state != RunState::Idle
        {
            self.sent = false;
        }
    }

    /// Asks what there is to ask, if nothing is asked.
    pub(super) fn settle(&mut self) -> io::Result<Flow> {
        let open = |key: &CallKey| self.state.pending.get(key).is_some_and(Waiting::is_open);
        if self.prompt.call().is_some_and(|key| !open(key)) {
            say(&[Shown::literal("This call is no longer open.")])?;
            self.prompt = Prompt::Open;
        }
        let pending = &self.state.pending;
        self.skipped.retain(|key| pending.get(key).is_some());
        if self.prompt != Prompt::Open {
            return self.hint();
        }
        if let Some(key) = self.next_call() {
            return self.ask_call(key);
        }
        if let Some(key) = self.put_off() {
            return self.ask_once_more(key);
        }
        self.ask_session()
    }

    /// The first call that waits and was not put off. A script itself is not among them: it goes on by itself
    /// once its calls are decided.
    fn next_call(&self) -> Option<CallKey> {
        let open = self.state.pending.iter().filter(|w| w.is_open());
        let mut calls = open.filter(|waiting| !waiting.call.is_script());
        let found = calls.find(|waiting| !self.skipped.contains(&waiting.call.key));
        found.map(|waiting| waiting.call.key.clone())
    }

    /// A message was asked for, and calls have begun to wait meanwhile: the question stands, since
    /// somebody may be typing.
    fn hint(&mut self) -> io::Result<Flow> {
        let asks_message = matches!(self.prompt, Prompt::Idle(_));
        if asks_message && !self.hinted && self.next_call().is_some() {
            self.hinted = true;
            say(&[Shown::literal(
                "A call waits for you. An empty line goes to it.",
            )])?;
        }
        Ok(Flow::Go)
    }

    /// All that wait were put off: their round begins again.
    fn put_off(&mut self) -> Option<CallKey> {
        self.skipped.clear();
        self.next_call()
    }

    /// A call that was printed before, in short: to read all of it again is one word away.
    fn ask_once_more(&mut self, key: CallKey) -> io::Result<Flow> {
        let question = plain::once_more(&self.state, &key);
        self.ask_about(key, &question)
    }

    pub(super) fn ask_call(&mut self, key: CallKey) -> io::Result<Flow> {
        let question = plain::question(&self.state, &key);
        self.ask_about(key, &question)
    }

    /// The script that makes the call. It is asked about only on request: its calls are what is decided.
    pub(super) fn ask_script(&mut self, key: CallKey) -> io::Result<Flow> {
        let pending = &self.state.pending;
        let script = pending.get(&key).and_then(|made| pending.outer(&made.call));
        let script = script.map(|script| script.call.key.clone());
        self.ask_call(script.unwrap_or(key))
    }

    fn ask_about(&mut self, key: CallKey, question: &[Shown]) -> io::Result<Flow> {
        self.number += 1;
        let mut question = question.to_vec();
        if let Some(last) = question.last_mut() {
            *last = Shown::from(format!("Question {}. {}", self.number, last));
        }
        self.ask(Prompt::Call(key.clone()), &question)?;
        // The wait begins when all of it has been printed.
        self.tick()?;
        self.apply(Event::Line(Line::Asked(key)))
    }

    /// Prints a question. What was typed before it is no answer to it.
    pub(super) fn ask(&mut self, prompt: Prompt, question: &[Shown]) -> io::Result<()> {
        say(question)?;
        if let Some(lines) = &mut self.lines {
            lines.forget();
        }
        self.prompt = prompt;
        self.hinted = false;
        self.asked = Instant::now();
        Ok(())
    }

    /// No call is to be asked about: what an agent waits for.
    fn ask_session(&mut self) -> io::Result<Flow> {
        let held = |waiting: &Waiting| !matches!(waiting.stage, Stage::Awaiting);
        if self.sent || self.state.pending.iter().any(held) {
            return Ok(Flow::Go);
        }
        if self.state.sessions.iter().any(|s| s.run.is_busy()) {
            return Ok(Flow::Go);
        }
        let rests = |run: &RunState| matches!(run, RunState::Idle | RunState::Failed { .. });
        let session = self.state.sessions.iter().find(|s| rests(&s.run));
        let Some(session) = session else {
            return Ok(Flow::Quit);
        };
        let agent = quoted(&session.agent);
        let words = if matches!(session.run, RunState::Failed { .. }) {
            format!("The request of {agent} failed. Type resend, a message, or quit:")
        } else {
            format!("Your turn. Type a message to {agent}, or quit:")
        };
        let id = session.id.clone();
        self.ask(Prompt::Idle(id), &[Shown::label(&words)])?;
        Ok(Flow::Go)
    }

    /// Whether a rule that any process has given or taken back meanwhile changes what is said of the call that
    /// is asked about. Then it is asked about anew: what was typed answered another question.
    pub(super) fn asks_anew(&mut self) -> io::Result<bool> {
        let Some(rules) = self.storing.rules_changed() else {
            return Ok(false);
        };
        let warnings = |plain: &Self| {
            let waiting = plain.state.pending.get(plain.prompt.call()?)?;
            Some(waiting.call.warnings.clone())
        };
        let before = warnings(self);
        self.apply(Event::Store(rules))?;
        if warnings(self) == before {
            return Ok(false);
        }
        say(&[Shown::literal(
            "A rule has changed what is said of this call. Nothing was decided.",
        )])?;
        self.prompt = Prompt::Open;
        Ok(true)
    }

    /// The screen may have been another program's meanwhile.
    pub(super) fn ask_again(&mut self) {
        self.prompt = Prompt::Open;
    }

    /// The short form of the question about a call, after something that was no answer.
    pub(super) fn ask_shortly(&mut self, key: CallKey) -> io::Result<()> {
        let Some(waiting) = self.state.pending.get(&key) else {
            self.prompt = Prompt::Open;
            return Ok(());
        };
        let question = [plain::what_else(waiting, &self.state)];
        self.ask(Prompt::Call(key), &question)
    }
}
