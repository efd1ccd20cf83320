//! Lines that are about a session and not about a call: messages, interrupting, quitting.

use std::io;

use super::asking::Prompt;
use super::{Plain, say};
use crate::app::event::{Event, Line};
use crate::core::call::SessionId;
use crate::core::count;
use crate::core::pending::Waiting;
use crate::core::run::RunState;
use crate::core::session::Home;
use crate::core::shown::Shown;
use crate::plain::Said;
use crate::runtime::perform::Flow;

impl Plain {
    /// A line while something runs.
    pub(super) fn unasked(&mut self, line: &str) -> io::Result<Flow> {
        match Said::of(line, &self.state) {
            Some(Said::Undo) => self.undo(),
            Some(Said::Interrupt) => self.interrupted(),
            Some(Said::Quit) => self.ask_quit(),
            Some(_) | None => {
                say(&[Shown::literal(
                    "Nothing is asked now. undo, interrupt and quit are understood.",
                )])?;
                Ok(Flow::Go)
            }
        }
    }

    pub(super) fn on_idle(&mut self, session: SessionId, line: &str) -> io::Result<Flow> {
        let line = line.trim();
        let failed = self
            .state
            .session(&session)
            .is_some_and(|session| matches!(session.run, RunState::Failed { .. }));
        // Whole words only: a message may be as short as a letter.
        match line.to_lowercase().as_str() {
            "" => {
                self.skipped.clear();
                Ok(self.nothing())
            }
            "quit" => self.ask_quit(),
            "resend" if failed => {
                self.sent = true;
                self.prompt = Prompt::Open;
                self.apply(Event::Line(Line::Resend(session)))
            }
            // Typed for a question that is gone.
            word if Said::is_word(word) => {
                say(&[Shown::label(&format!(
                    "Nothing waits for “{word}”, and it was not sent. To send it, write more than the word:"
                ))])?;
                Ok(Flow::Go)
            }
            _ => self.message(session, line),
        }
    }

    pub(super) fn message(&mut self, session: SessionId, text: &str) -> io::Result<Flow> {
        self.prompt = Prompt::Open;
        if text.trim().is_empty() {
            return Ok(Flow::Go);
        }
        let session_home = self.state.session(&session).map(|session| session.home);
        if session_home == Some(Home::File) {
            say(&[Shown::literal(
                "These calls were handed over: their agent does not run here and takes no message.",
            )])?;
            return Ok(Flow::Go);
        }
        self.sent = true;
        let text = text.trim().to_owned();
        self.apply(Event::Line(Line::Message { session, text }))
    }

    pub(super) fn undo(&mut self) -> io::Result<Flow> {
        self.prompt = Prompt::Open;
        self.apply(Event::Line(Line::Undo))
    }

    pub(super) fn ask_quit(&mut self) -> io::Result<Flow> {
        let waiting = self.state.pending.len();
        let busy = self.state.sessions.iter().any(|s| s.run.is_busy());
        if waiting == 0 && !busy {
            return self.apply(Event::Line(Line::Quit));
        }
        let question = format!(
            "{} {} undecided; what runs here stops. Quit? yes or no:",
            count::of(waiting, "call", "calls"),
            if waiting == 1 {
                "waits and stays"
            } else {
                "wait and stay"
            }
        );
        self.ask(Prompt::Quit, &[Shown::label(&question)])?;
        Ok(Flow::Go)
    }

    pub(super) fn ask_interrupt(&mut self, session: SessionId) -> io::Result<Flow> {
        let of_session = |waiting: &&Waiting| waiting.call.key.session == session;
        let open = self.state.pending.iter().filter(of_session).count();
        let open = count::of(open, "waiting call", "waiting calls");
        let question = format!("Interrupt the run and reject its {open}? yes or no:");
        self.ask(Prompt::Interrupt(session), &[Shown::label(&question)])?;
        Ok(Flow::Go)
    }

    /// ctrl-c: out of a question, and from there to the one whether the run is to be interrupted.
    pub(super) fn interrupted(&mut self) -> io::Result<Flow> {
        match &self.prompt {
            Prompt::Open | Prompt::Call(_) => {
                let busy = self.state.sessions.iter().find(|s| s.run.is_busy());
                let current = self.state.current_session().filter(|s| s.run.is_busy());
                match current.or(busy).map(|session| session.id.clone()) {
                    Some(session) => self.ask_interrupt(session),
                    None => self.ask_quit(),
                }
            }
            Prompt::Idle(_) => self.ask_quit(),
            Prompt::Text(..)
            | Prompt::Field(..)
            | Prompt::Json(_)
            | Prompt::Sign(..)
            | Prompt::Message(_)
            | Prompt::Send(..)
            | Prompt::Interrupt(_)
            | Prompt::Quit => Ok(self.nothing()),
        }
    }
}
